/**
 * What was read into what a cluster could hold: kinds that are served, each object once, and a
 * Namespace for each namespace. Everything left out or made up is told.
 */
import { constraintResource, kinds } from "../../domain/kube/kinds";
import type { CustomResourceDefinition, Namespace, Service } from "../../domain/kube/models";
import type { Names } from "../../domain/names/names";
import { ofKind } from "../../domain/kube/typed";
import { type KubeObject, readName, type Resource } from "../../domain/kube/objects";
import { readServiceName, readServiceNamespace } from "../../domain/admission/configuration";
import { listOthersEntries } from "../../domain/admission/others";
import type { Lacks, Misfits } from "../../ports/kubernetes";
import { countNoun, sameJson } from "../../domain/base/values";
import type { KindDefinition, Registry, User } from "../model";
import type { Finding } from "../../domain/base/findings";
import { explainMisfit, type MisfitObject } from "../../domain/facts/dump";

/** What objects are completed with. */
export interface Completion {
  readonly names: Names;
  /** Of the product's own kinds, for a dump that has none. */
  readonly shippedCrds: readonly CustomResourceDefinition[];
  /** Fresh, and used up: it learns the custom kinds. */
  readonly registry: Registry;
  /** Where the objects are from, for warnings: "the dump". */
  readonly origin: string;
  /** Of objects that name none; absent: they are refused. */
  readonly namespace?: string | undefined;
  readonly problem: (text: string) => void;
  readonly warning: (text: string) => void;
}

/** The objects as a store can load them. */
export function complete(
  objects: readonly KubeObject[],
  completion: Completion,
): readonly KubeObject[] {
  const crds = [...addMissingCrds(objects, completion), ...addPlatformCrds(objects, completion)];
  const all = crds.length === 0 ? objects : [...crds, ...objects];
  define(all, completion);
  const known = onlyOnce(listServed(all, completion), completion.warning);
  return [
    ...addMissingNamespaces(known, completion),
    ...addUnreadServices(known, completion),
    ...known,
  ];
}

/** Of a namespace with nothing in it nothing was read: what webhooks of others call there is taken to exist. */
function addUnreadServices(
  objects: readonly KubeObject[],
  { names, origin, warning }: Completion,
): readonly KubeObject[] {
  const configurations = [
    ...ofKind(objects, kinds.webhookConfiguration.kind),
    ...ofKind(objects, kinds.mutatingConfiguration.kind),
  ];
  const read = new Set(objects.map(({ metadata }) => metadata.namespace));
  const there = objects.filter(({ kind }) => kind === kinds.namespace.kind).map(readName);
  const unread = new Map<string, Service>();
  for (const { entry } of listOthersEntries(configurations, names)) {
    const [namespace, name] = [readServiceNamespace(entry), readServiceName(entry)];
    if (namespace === undefined || name === undefined) continue;
    if (read.has(namespace) || !there.includes(namespace)) continue;
    const metadata = { name, namespace };
    unread.set(`${namespace}/${name}`, { apiVersion: "v1", kind: "Service", metadata });
  }
  for (const label of unread.keys()) {
    warning(`${origin} holds nothing of the namespace of Service ${label}: it is taken to exist`);
  }
  return [...unread.values()];
}

/** What was not read, or was left out as a kind that is not served; objects that were made up prove nothing. */
export function findLacks(
  read: readonly KubeObject[],
  { registry, namespace: filled }: Pick<Completion, "registry" | "namespace">,
): Lacks {
  const key = (...parts: readonly unknown[]): string => JSON.stringify(parts);
  const held = new Set(
    read
      .filter(({ apiVersion, kind }) => registry.byKind(apiVersion, kind) !== undefined)
      .flatMap(({ apiVersion, kind, metadata: { namespace = filled } }) => {
        const group = readGroup(apiVersion);
        return [key(group, kind, undefined), key(group, kind, namespace)];
      }),
  );
  return ({ group, kind }, namespace) => !held.has(key(group, kind, namespace));
}

/** Where objects have fields that were removed, because their kind has another type there. */
export function findMisfits(
  objects: readonly MisfitObject[],
  { namespace: filled }: Pick<Completion, "namespace">,
): Misfits {
  return ({ group, kind }, asked) => {
    const found = objects.find(({ object }) => {
      const { namespace = filled } = object.metadata;
      const isOfKind = object.kind === kind && readGroup(object.apiVersion) === group;
      return isOfKind && (asked === undefined || asked === namespace);
    });
    return found && explainMisfit(found);
  };
}

const isCrd = ({ kind, apiVersion }: KubeObject): boolean =>
  kind === "CustomResourceDefinition" && apiVersion.startsWith("apiextensions.k8s.io/");

/** A dump without any of the product's definitions was made without asking for them. */
function addMissingCrds(
  objects: readonly KubeObject[],
  { names, shippedCrds, origin, warning }: Completion,
): readonly KubeObject[] {
  const found = new Set(objects.filter(isCrd).map(({ metadata }) => metadata.name ?? ""));
  const none = ![...found].some((name) => name.endsWith(`.${names.group}`));
  const used = new Set(objects.map(({ apiVersion, kind }) => `${readGroup(apiVersion)}/${kind}`));
  const added = shippedCrds.filter(({ metadata, spec }) => {
    const kind = spec?.names?.kind ?? "";
    return !found.has(metadata.name ?? "") && (none || used.has(`${names.group}/${kind}`));
  });
  if (added.length > 0) {
    const missing = renderNames(added.map(({ metadata }) => metadata.name ?? ""));
    warning(
      `${origin} holds no CustomResourceDefinition ${missing}: ` +
        "those that this tool ships are used, yours may differ",
    );
  }
  return added;
}

/** Kinds of OpenShift that commands decide by: whoever dumps them may not have dumped their definitions. */
const openShiftKinds = [kinds.clusterVersion, constraintResource];

/** Without its kind an object would be left out, and a command would take it as absent. */
function addPlatformCrds(
  objects: readonly KubeObject[],
  { origin, warning }: Completion,
): readonly KubeObject[] {
  const defined = new Set(objects.filter(isCrd).map(({ metadata }) => metadata.name));
  return openShiftKinds.flatMap(({ group, version, plural, kind }) => {
    const name = `${plural}.${group}`;
    const isUsed = objects.some(
      (object) => object.kind === kind && object.apiVersion === `${group}/${version}`,
    );
    if (!isUsed || defined.has(name)) return [];
    warning(
      `${origin} holds objects of ${name}, and not their CustomResourceDefinition: ` +
        "one without a schema is used",
    );
    return [makeCrd(name, { group, version, plural, kind })];
  });
}

function makeCrd(
  name: string,
  { group, version, plural, kind }: Pick<Resource, "group" | "version" | "plural" | "kind">,
): CustomResourceDefinition {
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name },
    spec: {
      group,
      scope: "Cluster",
      names: { kind, plural },
      versions: [{ name: version, served: true, storage: true }],
    },
  };
}

function define(objects: readonly KubeObject[], { registry, problem }: Completion): void {
  for (const object of objects.filter(isCrd)) {
    try {
      registry.define(object.metadata.name ?? "", object);
    } catch (error) {
      problem(`${labelObject(object)}: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
}

/** A real cluster has kinds that no command looks at: they are left out, not refused. */
function listServed(
  objects: readonly KubeObject[],
  completion: Completion,
): readonly DefinedObject[] {
  const { registry, origin, warning } = completion;
  const unknown = new Map<string, { count: number; readonly first: string }>();
  const found = objects.flatMap((object) => {
    const { apiVersion, kind } = object;
    const definition = registry.byKind(apiVersion, kind);
    if (definition !== undefined) {
      const filled = definition.fillIn?.(object) ?? object;
      return fitScope({ object: filled, definition }, completion);
    }
    const key = `${kind} (${apiVersion})`;
    const entry = unknown.get(key) ?? { count: 0, first: labelObject(object) };
    entry.count += 1;
    unknown.set(key, entry);
    return [];
  });
  for (const [kind, { count, first }] of unknown) {
    warning(
      `${countNoun(count, "object")} of kind ${kind} left out, the first is ${first}: ` +
        `no kind of a rehearsal, and ${origin} holds no CustomResourceDefinition for it`,
    );
  }
  return found;
}

function fitScope(
  { object, definition }: DefinedObject,
  { namespace: filled, problem }: Completion,
): readonly DefinedObject[] {
  const { namespace = filled, ...metadata } = object.metadata;
  if (!definition.namespaced) {
    // an API server stores no namespace for these, whatever a manifest says
    const isStray = object.metadata.namespace !== undefined;
    return [{ object: isStray ? { ...object, metadata } : object, definition }];
  }
  if (namespace === undefined) {
    problem(`${labelObject(object)} has no metadata.namespace: add it, or give it with -n`);
    return [];
  }
  const isFilled = object.metadata.namespace === undefined;
  const placed = { ...object, metadata: { ...object.metadata, namespace } };
  return [{ object: isFilled ? placed : object, definition }];
}

function addMissingNamespaces(
  objects: readonly KubeObject[],
  { origin, warning }: Completion,
): readonly KubeObject[] {
  const used = new Set(objects.map(({ metadata }) => metadata.namespace));
  for (const { kind, apiVersion, metadata } of objects) {
    if (kind === kinds.namespace.kind && apiVersion === "v1") used.delete(metadata.name);
  }
  const missing = [...used].filter((name) => name !== undefined).sort();
  if (missing.length > 0) {
    const which = `${countNoun(missing.length, "Namespace")} (${renderNames(missing)})`;
    warning(`${which} made up, without labels of their own: ${origin} holds objects in them only`);
  }
  return missing.map(makeNamespace);
}

/** A Namespace as the API server stores it. */
export function makeNamespace(name: string): Namespace {
  return {
    apiVersion: "v1",
    kind: "Namespace",
    metadata: { name, labels: { "kubernetes.io/metadata.name": name } },
    spec: { finalizers: ["kubernetes"] },
    status: { phase: "Active" },
  };
}

function readGroup(apiVersion: string): string {
  return apiVersion.includes("/") ? (apiVersion.split("/")[0] ?? "") : "";
}

/** An object, and the definition that its kind has. */
interface DefinedObject {
  readonly object: KubeObject;
  readonly definition: KindDefinition;
}

/** In the order of their first appearance; of two that differ, the newer one. */
function onlyOnce(
  found: readonly DefinedObject[],
  warning: (text: string) => void,
): readonly KubeObject[] {
  const objects = new Map<string, KubeObject>();
  const [same, different] = [new Set<string>(), new Set<string>()];
  for (const known of found) {
    const { object } = known;
    const key = objectKey(known);
    const other = objects.get(key);
    if (other === undefined) objects.set(key, object);
    else if (sameJson(other, object)) same.add(labelObject(object));
    else {
      different.add(labelObject(object));
      if (version(object) > version(other)) objects.set(key, object);
    }
  }
  tell([...same], "more than once, each time the same", warning);
  tell(
    [...different],
    "more than once and not the same: the one with the highest resourceVersion counts, " +
      "among equal ones the first",
    warning,
  );
  return [...objects.values()];
}

function tell(labels: readonly string[], what: string, warning: (text: string) => void): void {
  if (labels.length > 0)
    warning(`${countNoun(labels.length, "object")} ${what}: ${renderNames(labels)}`);
}

function objectKey({ object, definition }: DefinedObject): string {
  const { group, plural } = definition.resource;
  const { namespace = "", name = "" } = object.metadata;
  return [group, plural, namespace, name].join("/");
}

/** An opaque word to clients in general; etcd's revision in every API server there is. */
function version({ metadata }: KubeObject): bigint {
  const { resourceVersion = "" } = metadata;
  return /^\d{1,20}$/.test(resourceVersion) ? BigInt(resourceVersion) : -1n;
}

/** The key pair of a namespace's webhook, PEM, for whoever serves it in the rehearsal. */
export interface ServedPair {
  readonly namespace: string;
  readonly cert: string;
  readonly key: string;
}

/** A cluster's objects, and what a person must know about how they were read. */
export interface Source {
  readonly objects: readonly KubeObject[];
  /** Pairs that fit the Secrets among the objects. */
  readonly pairs: readonly ServedPair[];
  readonly warnings: readonly string[];
  /** What it does not report, where that may matter. */
  readonly findings?: readonly Finding[];
  /** Of Kubernetes, "v1.33.4"; absent: not told. */
  readonly version?: string;
  readonly user?: User;
  /** "folder ./dump", "context prod of ~/.kube/config". */
  readonly described: string;
  /** What the copy holds nothing of: whoever made it may have left it out. */
  readonly lacks?: Lacks;
  /** What it holds otherwise than an API server stores it. */
  readonly misfits?: Misfits;
  readonly namespace?: string;
}

/** `EngineEnterpriseDatabase team-1/db-7`, for warnings and problems. */
export function labelObject({ kind, metadata }: KubeObject): string {
  const { namespace, name = "" } = metadata;
  return `${kind} ${namespace === undefined ? "" : `${namespace}/`}${name}`;
}

/** The first few of many names: "a, b, c and 7 more". */
function renderNames(names: readonly string[]): string {
  const shown = 5;
  const rest = names.length - shown;
  return names.slice(0, shown).join(", ") + (rest > 0 ? ` and ${rest} more` : "");
}
