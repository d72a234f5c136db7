/** Reads what an upgrade of an EC is planned from and followed by, as facts. */
import { ApiError } from "../../domain/errors";
import type { FactKey, Facts } from "../../domain/facts";
import { type Names, termOf } from "../../domain/names";
import type { KubeObject, Resource } from "../../domain/objects";
import type { Permission } from "../../domain/permissions";
import { factSources } from "../../domain/facts";
import { prerequisiteKeys } from "../../domain/procedure";
import { readSnapshot } from "../snapshot";
import type { UpgradeClusterDeps, UpgradeClusterOptions } from "./deps";

/** What every look at a roll-out reads, in the operator's namespace alone. */
export const followed = ["statefulSets", "pods"] as const satisfies readonly FactKey[];

/** What is looked at more closely when nothing moves. */
export const suspected = [...followed, "events"] as const satisfies readonly FactKey[];

/** What is looked at before a write, and when a cause is looked for. */
export const judged = [
  ...followed,
  "deployments",
  "edbs",
  "eaadbs",
] as const satisfies readonly FactKey[];

/** What the plan rests on; of what the platform lacks nobody needs to be asked for permission. */
export const planned: readonly FactKey[] = [...new Set([...judged, ...prerequisiteKeys])].filter(
  (key) => key !== "ecs",
);

const definitionResource: Resource = {
  group: "apiextensions.k8s.io",
  version: "v1",
  plural: "customresourcedefinitions",
  kind: "CustomResourceDefinition",
};

/** The version by which ECs are read and written: the stored one, else the older one (domain facts 7). */
export async function ecResource({ cluster, names }: UpgradeClusterDeps): Promise<Resource> {
  const { group, ecVersion, version, ec } = names;
  const { kind, plural } = ec;
  const served = (await cluster.serves(group, ecVersion)) ?? [];
  const stored = served.some((resource) => resource.plural === plural);
  return { group, version: stored ? ecVersion : version, kind, plural };
}

/** Facts with the ECs of the namespace: no other namespace's are asked for. */
export async function readFacts(
  deps: UpgradeClusterDeps,
  { namespace, resource }: { readonly namespace: string; readonly resource: Resource },
  keys: readonly FactKey[],
): Promise<Facts> {
  const { cluster, signal } = deps;
  const [facts, ecs = []] = await Promise.all([
    readSnapshot(deps, namespace, keys),
    cluster.list(resource, { namespace, whole: true, signal }),
  ]);
  const unread = new Map([...facts.unread].filter(([key]) => key !== "ecs"));
  return { ...facts, unread, objects: { ...facts.objects, ecs } };
}

/** One definition alone; undefined where it may not be read. */
export async function readDefinition(
  { cluster, names, signal }: Pick<UpgradeClusterDeps, "cluster" | "names" | "signal">,
  kind: "ec" | "eaadb",
): Promise<KubeObject | undefined> {
  const name = `${names[kind].plural}.${names.group}`;
  try {
    return await cluster.get({ resource: definitionResource, name }, { signal });
  } catch (error) {
    if (error instanceof ApiError && error.status === 403) return undefined;
    throw error;
  }
}

/** The facts with that definition, of which no list was read. */
export function withDefinition(facts: Facts, definition: KubeObject | undefined): Facts {
  const definitions = definition === undefined ? [] : [definition];
  return { ...facts, objects: { ...facts.objects, definitions } };
}

/** What is read in any case. */
export function readPermissions(
  names: Names,
  place: Pick<UpgradeClusterOptions, "namespace" | "name">,
): readonly Permission[] {
  return lookPermissions(names, place, {
    keys: judged,
    why: (own) => (own ? "to follow the roll-out" : "to see whether all databases can go along"),
  });
}

/** The EC itself, and the lists of these kinds; `why` knows which are in its namespace alone. */
export function lookPermissions(
  names: Names,
  { namespace, name }: Pick<UpgradeClusterOptions, "namespace" | "name">,
  { keys, why }: { readonly keys: readonly FactKey[]; readonly why: (own: boolean) => string },
): readonly Permission[] {
  const sources = factSources(names);
  const ec = { group: names.group, resource: names.ec.plural, namespace };
  const asked = `to see what the ${termOf(names.ec)} asks for and what state it is in`;
  return [
    { ...ec, verb: "list", why: asked },
    { ...ec, verb: "get", name, why: "to see whether a write without an answer was done" },
    ...keys.map((key) => {
      const { resource, own = false } = sources[key];
      const list = { verb: "list", group: resource.group, resource: resource.plural };
      return { ...list, ...(own && { namespace }), why: why(own) };
    }),
  ];
}

/** What the one write needs. */
export function writePermission(
  names: Names,
  { namespace, name }: UpgradeClusterOptions,
): Permission {
  return {
    verb: "patch",
    group: names.group,
    resource: names.ec.plural,
    namespace,
    name,
    why: "to write the fields of the upgrade",
  };
}
