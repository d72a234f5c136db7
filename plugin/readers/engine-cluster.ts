/** Reads what an upgrade of an EC is planned from and followed by, as facts. */
import { isForbidden } from "../ports/forbidden";
import type { KubeObject, Resource } from "../domain/kube/objects";
import { closeLook, type FactKey, type Facts, withObjects } from "../domain/facts/facts";
import { mergeLeft, readLeftMarks } from "./left-marks";
import { readSnapshot } from "./snapshot";
import type { RunPorts } from "../kernel/world";

/** What every look at a rollout reads, in the operator's namespace alone. */
export const followed = ["statefulSets", "pods"] as const satisfies readonly FactKey[];

/** What is looked at more closely when nothing moves. */
export const suspected = [...followed, ...closeLook] as const satisfies readonly FactKey[];

/** The version by which ECs are read and written: the stored one, else the older one (domain facts 7). */
export async function ecResource({ cluster, names }: RunPorts): Promise<Resource> {
  const { group, ecVersion, version, ec } = names;
  const { kind, plural } = ec;
  const served = (await cluster.serves(group, ecVersion)) ?? [];
  const stored = served.some((resource) => resource.plural === plural);
  return { group, version: stored ? ecVersion : version, kind, plural };
}

/** Facts with the ECs of the namespace: no other namespace's are asked for. */
export async function readClusterFacts(
  deps: RunPorts,
  { namespace, resource }: { readonly namespace: string; readonly resource: Resource },
  keys: readonly FactKey[],
): Promise<Facts> {
  const { cluster, signal } = deps;
  const [facts, ecs = []] = await Promise.all([
    readSnapshot(deps, namespace, keys),
    cluster.list(resource, { namespace, whole: true, signal }),
  ]);
  const left = mergeLeft(facts.left, await readLeftMarks(deps, ecs));
  return { ...withObjects(facts, { ecs }), left };
}

/**
 * The facts with the ECs of every namespace, where databases of others are: an EC of theirs may have the name that they
 * ask for. Where they may not be read, those of the operator's namespace are left, and the list counts as unread.
 */
export async function withEveryCluster(
  { cluster, signal }: Pick<RunPorts, "cluster" | "signal">,
  facts: Facts,
  resource: Resource,
): Promise<Facts> {
  const { edbs, eaadbs } = facts.objects;
  const isElsewhere = ({ metadata }: KubeObject): boolean => metadata.namespace !== facts.namespace;
  if (![...edbs, ...eaadbs].some(isElsewhere)) return facts;
  try {
    const ecs = (await cluster.list(resource, { whole: true, signal })) ?? [];
    return withObjects(facts, { ecs });
  } catch (error) {
    if (!isForbidden(error)) throw error;
    return { ...facts, unread: new Map([...facts.unread, ["ecs", error.message]]) };
  }
}
