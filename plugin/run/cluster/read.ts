/** Reads what an upgrade of an EC is planned from and followed by, as facts. */
import { type FactKey, type Facts, factSources } from "../../domain/facts";
import { type Names, termOf } from "../../domain/names";
import type { Resource } from "../../domain/objects";
import type { Permission } from "../../domain/permissions";
import { prerequisiteKeys } from "../../domain/procedure";
import { readSnapshot } from "../snapshot";
import type { Skip } from "../../domain/checks/selection";
import type { AskingPorts } from "../engine/permissions";

/** What every look at a rollout reads, in the operator's namespace alone. */
export const followed = ["statefulSets", "pods"] as const satisfies readonly FactKey[];

/** What is looked at more closely when nothing moves. */
export const suspected = [...followed, "events"] as const satisfies readonly FactKey[];

/** What is looked at before a write, and when a cause is looked for. */
export const judged = [
  ...followed,
  "claims",
  "deployments",
  "edbs",
  "eaadbs",
] as const satisfies readonly FactKey[];

/** What the plan rests on; of what the platform lacks nobody needs to be asked for permission. */
export const planned: readonly FactKey[] = [...new Set([...judged, ...prerequisiteKeys])].filter(
  (key) => key !== "ecs",
);

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

/** What is read in any case. */
export function readPermissions(
  names: Names,
  place: Pick<UpgradeClusterOptions, "namespace" | "name">,
): readonly Permission[] {
  return lookPermissions(names, place, {
    keys: judged,
    why: (own) => (own ? "to follow the rollout" : "to see whether all databases can go along"),
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

/** The flags of the command, judged. */
export interface UpgradeClusterOptions {
  /** The operator's and the EC's. */
  readonly namespace: string;
  readonly name: string;
  /** The tag to write; with `auto` the one that is expected. */
  readonly target?: string;
  readonly auto: boolean;
  readonly imagePullPolicy?: string;
  readonly imageRepository?: string;
  /** Planned before the operator is upgraded: this release of it counts as the one that runs. */
  readonly assumeOperator?: string;
  /** Release of the operator before this upgrade, where it is known. */
  readonly operatorBefore?: string | undefined;
  readonly takeFields: readonly string[];
  /** Findings that are accepted. */
  readonly skip: readonly Skip[];
  /** A part of a whole upgrade, which sees to it that each --skip matches something. */
  readonly skipMayMiss?: true;
  /** No progress for so long, and a cause in the data: stalled. */
  readonly stallAfterMs: number;
  /** Longest time for a whole wait; absent: as long as something moves. */
  readonly limitMs?: number;
  /** Wait for what is not ready before the write, instead of stopping. */
  readonly wait: boolean;
  readonly dryRun: "none" | "client" | "server";
  readonly fieldManager: string;
}

/** The world around a run. */
export type UpgradeClusterDeps = AskingPorts;
