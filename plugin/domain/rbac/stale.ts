/** Roles and bindings of this operator that are left in namespaces that it does not manage. */
import type { Names } from "../names";
import type { KubeObject } from "../objects";
import { few } from "../values";
import { type Subject, subjectLabel, subjectsOf } from "./subjects";

/** What is left in one namespace, or cluster-wide. */
export interface Stale {
  readonly namespace?: string;
  readonly bindings: readonly KubeObject[];
  readonly role?: KubeObject;
  /** Subjects that are not of the operator's namespace: their access is not ours to take. */
  readonly others: readonly string[];
}

/** What was found, and who is meant by ours. */
export interface StaleFacts {
  readonly roles: readonly KubeObject[];
  readonly bindings: readonly KubeObject[];
  /** Namespaces that are managed, or asked for. */
  readonly kept: ReadonlySet<string>;
  readonly operatorNamespace: string;
  readonly names: Names;
}

/** Left are bindings for this operator's account outside the kept namespaces, and roles beside them. */
export function findStale(facts: StaleFacts): readonly Stale[] {
  const { roles, bindings, kept, operatorNamespace } = facts;
  const places = new Map<string | undefined, readonly KubeObject[]>();
  for (const binding of bindings) {
    const { namespace } = binding.metadata;
    const ours = subjectsOf(binding).some((subject) => isOperator(subject, facts));
    const inUse =
      namespace === operatorNamespace || (namespace !== undefined && kept.has(namespace));
    if (ours && !inUse) places.set(namespace, [...(places.get(namespace) ?? []), binding]);
  }
  return [...places].map(([namespace, left]) => {
    const role = roles.find(({ metadata }) => metadata.namespace === namespace);
    return {
      ...(namespace !== undefined && { namespace }),
      bindings: left,
      ...(role !== undefined && { role }),
      others: left
        .flatMap(subjectsOf)
        .filter((subject) => subject.namespace !== operatorNamespace)
        .map(subjectLabel),
    };
  });
}

/** A few one by one; of many the first tells of the others: nobody reads a list of thousands. */
export function cutOff<T extends { readonly object?: string; readonly cause: string }>(
  found: readonly T[],
): readonly T[] {
  const [first, ...others] = found;
  if (first === undefined || others.length < 3) return found;
  const objects = few(others.map(({ object = "" }) => object));
  return [{ ...first, cause: `${first.cause}; the same holds for ${objects}` }];
}

/** Accounts of this operator's name in other namespaces: another operator is bound here too. */
export function otherOperators(
  binding: KubeObject | undefined,
  { operatorNamespace, names }: Pick<StaleFacts, "operatorNamespace" | "names">,
): readonly string[] {
  return subjectsOf(binding)
    .filter(
      ({ kind, name, namespace }) =>
        kind === "ServiceAccount" &&
        name === names.operator.serviceAccount &&
        namespace !== operatorNamespace,
    )
    .map(({ namespace = "" }) => namespace);
}

function isOperator(
  { kind, name, namespace }: Subject,
  { operatorNamespace, names }: StaleFacts,
): boolean {
  return (
    kind === "ServiceAccount" &&
    name === names.operator.serviceAccount &&
    namespace === operatorNamespace
  );
}
