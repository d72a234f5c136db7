/** The roles and bindings of a release, judged and filled in (S34; domain facts 6). */
import { leftovers, type Names, replaceTokens } from "../names/names";
import type { KubeObject } from "../kube/objects";
import { getPath, isObject, type Json, getOwn, renderValue } from "../base/values";
import { kindsIn, type RolePair } from "../kube/kinds";
import { readRoleRef, readRules, type BindingSubject, listSubjects } from "../kube/role-rules";

/** What the placeholders stand for, and which pairs are wanted. */
export interface Filling {
  readonly namespace: string;
  /** Service accounts of the clusters in the operator's namespace. */
  readonly accounts: readonly string[];
  /** Whether the pair for finding namespaces by label is needed too. */
  readonly label: boolean;
  readonly names: Names;
}

/** The pairs, ready but for the namespace that they go to; or every problem of the files. */
export type RbacTemplates =
  | {
      readonly is: "rendered";
      readonly consumer: RolePair<KubeObject>;
      readonly label?: RolePair<KubeObject>;
    }
  | { readonly is: "unfit"; readonly problems: readonly string[] };

/** True when the documents leave the clusters' service accounts to be filled in. */
export function wantsAccounts(documents: readonly unknown[], names: Names): boolean {
  const written = JSON.stringify(documents);
  return names.placeholders.serviceAccount.some((token) => written.includes(token));
}

/** Fills in the placeholders of every known spelling and judges the outcome. */
export function renderRbac(documents: readonly unknown[], filling: Filling): RbacTemplates {
  const { names } = filling;
  const { consumerRole, consumerBinding, labelRole, labelBinding } = names.rbac;
  const objects = documents.filter(isObject);
  const problems: string[] = [];
  const buildPair = (wanted: RolePair<string>, namespaced: boolean): RolePair<KubeObject> => {
    const { role, binding } = kindsIn(namespaced ? "" : undefined);
    const found = {
      role: only(objects, { kind: role.kind, name: wanted.role }, problems),
      binding: only(objects, { kind: binding.kind, name: wanted.binding }, problems),
    };
    const pair = {
      role: roleFrom(found.role, filling),
      binding: buildBinding(found.binding, filling),
    };
    if (found.role !== undefined && readRules(pair.role).length === 0) {
      problems.push(`${role.kind}/${wanted.role} has no rules`);
    }
    const reference = `${role.kind}/${wanted.role}`;
    if (found.binding !== undefined && readRoleRef(pair.binding) !== reference) {
      problems.push(
        `${binding.kind}/${wanted.binding} is for ${readRoleRef(pair.binding)}, expected ${reference}`,
      );
    }
    return pair;
  };
  const consumer = buildPair({ role: consumerRole, binding: consumerBinding }, true);
  const label = filling.label
    ? buildPair({ role: labelRole, binding: labelBinding }, false)
    : undefined;
  const left = leftovers([consumer, label], names);
  problems.push(...left.map((token) => `placeholder ${token} is left after rendering`));
  if (problems.length > 0) return { is: "unfit", problems };
  return { is: "rendered", consumer, ...(label !== undefined && { label }) };
}

/** The pair as it goes to a namespace. */
export function pairIn(pair: RolePair<KubeObject>, namespace: string): RolePair<KubeObject> {
  const placeObject = (object: KubeObject): KubeObject => ({
    ...object,
    metadata: { ...object.metadata, namespace },
  });
  return { role: placeObject(pair.role), binding: placeObject(pair.binding) };
}

function only(
  objects: readonly Json[],
  { kind, name }: { readonly kind: string; readonly name: string },
  problems: string[],
): Json | undefined {
  const found = objects.filter((object) => getOwn(object, "kind") === kind);
  const named = found.filter((object) => getPath(object, ["metadata", "name"]) === name);
  if (named.length === 1) return named[0];
  const others = found.map((object) => renderValue(getPath(object, ["metadata", "name"])));
  const instead = others.length === 0 ? "no" : `${kind} ${others.join(", ")} instead of one`;
  problems.push(`it holds ${instead} ${kind}/${name}`);
  return undefined;
}

/** The parts that a template may give: where it comes from and what applied it are not among them. */
function fillHead(object: unknown, filling: Filling) {
  const filled = replaceTokens(object, filling.names.placeholders.namespace, filling.namespace);
  const { name, labels, annotations } = (getOwn(filled, "metadata") ?? {}) as Json;
  return {
    filled,
    head: {
      apiVersion: "rbac.authorization.k8s.io/v1",
      kind: String(getOwn(filled, "kind")),
      metadata: {
        name: String(name),
        ...(isObject(labels) && { labels: labels as Record<string, string> }),
        ...(isObject(annotations) && { annotations: annotations as Record<string, string> }),
      },
    },
  };
}

function roleFrom(object: unknown, filling: Filling): KubeObject {
  const { filled, head } = fillHead(object, filling);
  return { ...head, rules: readRules(filled) };
}

function buildBinding(object: unknown, filling: Filling): KubeObject {
  const { filled, head } = fillHead(object, filling);
  return {
    ...head,
    roleRef: getOwn(filled, "roleRef"),
    subjects: listSubjects(filled).flatMap((subject) => accountsFor(subject, filling)),
  };
}

/** A subject that stands for the clusters' service accounts becomes one for each. */
function accountsFor(
  subject: BindingSubject,
  { accounts, names }: Filling,
): readonly BindingSubject[] {
  const tokens = names.placeholders.serviceAccount;
  if (!tokens.includes(subject.name)) return [subject];
  return accounts.map((name) => ({ ...subject, name }));
}

/** The service accounts that a binding is for: whose access is proven. */
export function listAccounts(binding: KubeObject): readonly BindingSubject[] {
  return listSubjects(binding).filter(({ kind }) => kind === "ServiceAccount");
}
