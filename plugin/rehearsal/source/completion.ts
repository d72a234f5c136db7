/**
 * What was read into what a cluster could hold: kinds that are served, each object once, and a
 * Namespace for each namespace. Everything left out or made up is told.
 */
import { kinds } from "../../domain/kinds";
import type { Names } from "../../domain/names";
import type { KubeObject } from "../../domain/objects";
import { at, text } from "../../domain/values";
import type { Registry } from "../model";
import { type Known, onlyOnce } from "./duplicates";
import { counted, labelOf, listed } from "./source";

/** What objects are completed with. */
export interface Completion {
  readonly names: Names;
  /** Of the product's own kinds, for a dump that has none. */
  readonly shippedCrds: readonly KubeObject[];
  /** Fresh, and used up: it learns the custom kinds. */
  readonly registry: Registry;
  /** Where the objects are from, for warnings: "the dump". */
  readonly origin: string;
  readonly problem: (text: string) => void;
  readonly warning: (text: string) => void;
}

/** The objects as a store can load them. */
export function complete(
  objects: readonly KubeObject[],
  completion: Completion,
): readonly KubeObject[] {
  const crds = missingCrds(objects, completion);
  const all = crds.length === 0 ? objects : [...crds, ...objects];
  define(all, completion);
  const known = onlyOnce(served(all, completion), completion.warning);
  return [...missingNamespaces(known, completion), ...known];
}

const isCrd = ({ kind, apiVersion }: KubeObject): boolean =>
  kind === "CustomResourceDefinition" && apiVersion.startsWith("apiextensions.k8s.io/");

/** A dump without any of the product's definitions was made without asking for them. */
function missingCrds(
  objects: readonly KubeObject[],
  { names, shippedCrds, origin, warning }: Completion,
): readonly KubeObject[] {
  const found = new Set(objects.filter(isCrd).map(({ metadata }) => metadata.name ?? ""));
  const none = ![...found].some((name) => name.endsWith(`.${names.group}`));
  const used = new Set(objects.map(({ apiVersion, kind }) => `${groupOf(apiVersion)}/${kind}`));
  const added = shippedCrds.filter(({ metadata, ...crd }) => {
    const kind = text(at(crd, ["spec", "names", "kind"])) ?? "";
    return !found.has(metadata.name ?? "") && (none || used.has(`${names.group}/${kind}`));
  });
  if (added.length > 0) {
    const missing = listed(added.map(({ metadata }) => metadata.name ?? ""));
    warning(
      `${origin} holds no CustomResourceDefinition ${missing}: ` +
        "those that this tool ships are used, yours may differ",
    );
  }
  return added;
}

function define(objects: readonly KubeObject[], { registry, problem }: Completion): void {
  for (const object of objects.filter(isCrd)) {
    try {
      registry.define(object.metadata.name ?? "", object);
    } catch (error) {
      problem(`${labelOf(object)}: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
}

/** A real cluster has kinds that no command looks at: they are left out, not refused. */
function served(objects: readonly KubeObject[], completion: Completion): readonly Known[] {
  const { registry, origin, problem, warning } = completion;
  const unknown = new Map<string, { count: number; readonly first: string }>();
  const found = objects.flatMap((object) => {
    const { apiVersion, kind } = object;
    const definition = registry.byKind(apiVersion, kind);
    if (definition !== undefined) return scoped({ object, definition }, problem);
    const key = `${kind} (${apiVersion})`;
    const entry = unknown.get(key) ?? { count: 0, first: labelOf(object) };
    entry.count += 1;
    unknown.set(key, entry);
    return [];
  });
  for (const [kind, { count, first }] of unknown) {
    warning(
      `${counted(count, "object")} of kind ${kind} left out, the first is ${first}: ` +
        `no kind of a rehearsal, and ${origin} holds no CustomResourceDefinition for it`,
    );
  }
  return found;
}

function scoped(known: Known, problem: (text: string) => void): readonly Known[] {
  const { object, definition } = known;
  const { namespace, ...metadata } = object.metadata;
  if (definition.namespaced && namespace === undefined) {
    problem(`${labelOf(object)} has no metadata.namespace: add it`);
    return [];
  }
  // an API server stores no namespace for these, whatever a manifest says
  const stray = !definition.namespaced && namespace !== undefined;
  return [stray ? { object: { ...object, metadata }, definition } : known];
}

function missingNamespaces(
  objects: readonly KubeObject[],
  { origin, warning }: Completion,
): readonly KubeObject[] {
  const used = new Set(objects.map(({ metadata }) => metadata.namespace));
  for (const { kind, apiVersion, metadata } of objects) {
    if (kind === kinds.namespace.kind && apiVersion === "v1") used.delete(metadata.name);
  }
  const missing = [...used].filter((name) => name !== undefined).sort();
  if (missing.length > 0) {
    const which = `${counted(missing.length, "Namespace")} (${listed(missing)})`;
    warning(`${which} made up, without labels of their own: ${origin} holds objects in them only`);
  }
  return missing.map((name) => ({
    apiVersion: "v1",
    kind: kinds.namespace.kind,
    metadata: { name, labels: { "kubernetes.io/metadata.name": name } },
    spec: { finalizers: ["kubernetes"] },
    status: { phase: "Active" },
  }));
}

function groupOf(apiVersion: string): string {
  return apiVersion.includes("/") ? (apiVersion.split("/")[0] ?? "") : "";
}
