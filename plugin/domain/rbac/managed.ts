/** Which namespaces an operator is told to manage (domain facts 6). */
import { leftovers, type Names } from "../names/names";
import type { ConfigMap, Deployment, EnvVar } from "../kube/models";
import { type Found, on } from "../diagnosis/symptom";
import { type Facts, isKnown } from "../facts/facts";
import { type KubeObject, readName } from "../kube/objects";
import { few, getOwn, asString, oncePer } from "../base/values";
import { rbacFindings } from "./findings";
import {
  type BindingSubject,
  listSubjects,
  readAccountNamespace,
  readServiceAccount,
  subjectLabel,
} from "../kube/role-rules";

/** What the operator is told; `from` says by what. */
export type Configured =
  | { readonly is: "list"; readonly namespaces: readonly string[]; readonly from: string }
  | {
      readonly is: "label";
      readonly selector: string;
      /** Set where the selector asks for no value. */
      readonly bareKey?: string;
      readonly from: string;
    }
  | { readonly is: "none" }
  | { readonly is: "unknown"; readonly because: string };

/** Where the settings may stand. */
interface ConfigurationFacts {
  readonly deployment: Deployment | undefined;
  readonly configMap: ConfigMap | undefined;
  readonly names: Names;
}

type Setting =
  | { readonly is: "set"; readonly value: string; readonly from: string }
  | { readonly is: "absent" }
  | { readonly is: "unknown"; readonly because: string };

/** An explicit entry of the Deployment beats the ConfigMap; the list beats the label. */
export function readConfiguredNamespaces(facts: ConfigurationFacts): Configured {
  const { namespaces: listKey, namespacesLabel } = facts.names.configMap;
  const namespaces = readSetting(facts, listKey);
  if (namespaces.is === "unknown") return namespaces;
  if (namespaces.is === "set") {
    return { is: "list", namespaces: namesIn(namespaces.value), from: namespaces.from };
  }
  const label = readSetting(facts, namespacesLabel);
  if (label.is === "unknown") return label;
  if (label.is === "absent") return { is: "none" };
  const { value: selector, from } = label;
  return { is: "label", selector, from, ...(!selector.includes("=") && { bareKey: selector }) };
}

/** The names in a list with commas, each once. */
export function namesIn(value: string): readonly string[] {
  const parts = value.split(/[\s,]+/).filter((part) => part !== "");
  return [...new Set(parts)];
}

/** An empty value counts as none, but still hides the ConfigMap's. */
function readSetting(facts: ConfigurationFacts, key: string): Setting {
  const { deployment, configMap, names } = facts;
  const mapName = names.configMap.name;
  const inMap = asString(getOwn(configMap?.data, key))?.trim() ?? "";
  const mapped: Setting = readValue(inMap, `${key} of ConfigMap ${mapName}`);
  const entry = listEnv(deployment, names).find(({ name }) => name === key);
  if (entry === undefined) return mapped;
  const source = entry.valueFrom;
  const place = `the entry ${key} of Deployment ${names.operator.deployment}`;
  if (!source) return readValue((entry.value ?? "").trim(), place);
  const reference = source.configMapKeyRef;
  if (reference?.name === mapName && reference.key === key) return mapped;
  return { is: "unknown", because: `${place} takes its value from a place that is not read here` };
}

function readValue(value: string, from: string): Setting {
  return value === "" ? { is: "absent" } : { is: "set", value, from };
}

function listEnv(deployment: Deployment | undefined, names: Names): readonly EnvVar[] {
  const containers = deployment?.spec?.template?.spec?.containers;
  const operator = containers?.find(({ name }) => name === names.operator.container);
  return (operator ?? containers?.[0])?.env ?? [];
}

/** What is left in one namespace, or cluster-wide. */
export interface Stale {
  readonly namespace?: string;
  readonly bindings: readonly KubeObject[];
  readonly role?: KubeObject;
  /** Subjects that are not of the operator's namespace: their access is not ours to take. */
  readonly others: readonly string[];
}

/** What was found, and who is meant by ours. */
interface StaleFacts {
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
    const ours = listSubjects(binding).some((subject) => isOurs(subject, facts));
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
        .flatMap(listSubjects)
        .filter((subject) => readAccountNamespace(subject) !== operatorNamespace)
        .map(subjectLabel),
    };
  });
}

/** What is left, for others too or for nobody else: one for each place, at its first binding. */
export function describeStale(all: readonly Stale[], isShared: boolean): readonly Found[] {
  const found = all
    .filter(({ others }) => others.length > 0 === isShared)
    .flatMap(({ bindings, others }) => {
      const cause = isShared
        ? `the binding is left, and is also for ${others.join(", ")}`
        : rbacFindings.stale.cause;
      return bindings.slice(0, 1).map((binding) => on(binding, cause));
    });
  return cutOff(found);
}

/** The account of this operator, also by the group of all accounts of its namespace. */
function isOurs(subject: BindingSubject, { operatorNamespace, names }: StaleFacts): boolean {
  const namespace =
    subject.kind === "Group"
      ? readAccountNamespace(subject)
      : readOperatorNamespace(subject, names);
  return namespace === operatorNamespace;
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

/** The names of all namespaces and of the operator's own, of which another finding tells; undefined where they were not read. */
export const listExisting = oncePer((facts: Facts): ReadonlySet<string> | undefined =>
  isKnown(facts, "namespaces")
    ? new Set([facts.namespace, ...facts.objects.namespaces.map(readName)])
    : undefined,
);

/** True for accounts of a namespace that does not exist: nobody has access by them. A placeholder names none. */
export function isGone(
  subject: BindingSubject,
  {
    existing,
    names,
  }: { readonly existing?: ReadonlySet<string> | undefined; readonly names: Names },
): boolean {
  const namespace = readAccountNamespace(subject);
  if (existing === undefined || namespace === undefined || existing.has(namespace)) return false;
  return leftovers(namespace, names).length === 0;
}

/** Accounts of this operator's name in other namespaces: another operator is bound here too. A placeholder is none. */
export function otherOperators(
  binding: KubeObject | undefined,
  {
    operatorNamespace,
    names,
    existing,
  }: Pick<StaleFacts, "operatorNamespace" | "names"> & {
    readonly existing?: ReadonlySet<string> | undefined;
  },
): readonly string[] {
  return listSubjects(binding)
    .filter((subject) => !isGone(subject, { existing, names }))
    .flatMap((subject) => readOperatorNamespace(subject, names) ?? [])
    .filter((namespace) => namespace !== operatorNamespace)
    .filter((namespace) => leftovers(namespace, names).length === 0);
}

/** The namespace of a subject that is an operator's account; undefined for any other. */
function readOperatorNamespace(subject: BindingSubject, { operator }: Names): string | undefined {
  const account = readServiceAccount(subject);
  return account?.name === operator.serviceAccount ? (account.namespace ?? "") : undefined;
}
