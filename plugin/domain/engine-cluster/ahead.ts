/** What would keep a roll that has not begun: told before the write, since the roll would stop half way (domain facts 11). */
import type { Facts } from "../facts/facts";
import type { Finding } from "../base/findings";
import type { ResourceQuota, StatefulSet, Container } from "../kube/models";
import { type KubeObject, readName, readNamespace, objectLabel } from "../kube/objects";
import { compareQuantities } from "../kube/quantities";
import { findCondition } from "../kube/typed";
import { kubectl, look } from "../base/remedy";
import { getPath, pick } from "../base/values";
import { rollFinding, rollFindings } from "../rollout/findings";
import { podTroubles } from "../rollout/pod-causes";
import {
  defaultStallAfterMs,
  holdAhead,
  isDue,
  listPods,
  type Roll,
  readRoll,
} from "../rollout/stateful-set";
import { clusterFinding } from "./findings";
import { findSet } from "./rollout";

/** The StatefulSet of an EC, and its roll; undefined where there is none. */
function rollAhead(facts: Facts, ec: KubeObject): { set: StatefulSet; roll: Roll } | undefined {
  const set = findSet(facts, ec);
  return set && { set, roll: readRoll(facts, set) };
}

/** A partition or OnDelete, whether or not a roll is under way. */
export function findHeldAhead(facts: Facts, ec: KubeObject): readonly Finding[] {
  const found = rollAhead(facts, ec);
  const held = found && holdAhead(found.set, found.roll);
  if (found === undefined || held === undefined) return [];
  return [rollFinding("held", { object: objectLabel(found.set), ...held })];
}

/** What a quota counts of a container's resources, under each of its names. */
const counted: readonly (readonly [key: string, kind: "requests" | "limits", resource: string])[] =
  [
    ["cpu", "requests", "cpu"],
    ["requests.cpu", "requests", "cpu"],
    ["memory", "requests", "memory"],
    ["requests.memory", "requests", "memory"],
    ["limits.cpu", "limits", "cpu"],
    ["limits.memory", "limits", "memory"],
  ];

/** A quota that is exceeded already, or that demands what the template does not say: no pod is created again. */
export function quotaAhead(facts: Facts, ec: KubeObject): readonly Finding[] {
  const found = rollAhead(facts, ec);
  if (found === undefined) return [];
  return facts.objects.resourceQuotas
    .filter((quota) => isPlain(quota) && readNamespace(quota) === readNamespace(ec))
    .flatMap((quota) => {
      const says = [...listExceeded(quota), ...unsaid(facts, found.set, quota)];
      if (says.length === 0) return [];
      const about = {
        object: objectLabel(quota),
        cause: `no pod of ${objectLabel(found.set)} could be created again: ${says.join("; ")}`,
        remedies: [
          kubectl(
            chooseFix(listExceeded(quota).length > 0),
            ...["describe", "quota", readName(quota), "-n", readNamespace(quota)],
          ),
        ],
      };
      return [clusterFinding("quota", about)];
    });
}

function chooseFix(isExceeded: boolean): string {
  return isExceeded
    ? "raise the quota, or free what it counts, before the upgrade"
    : "give the containers these values in the spec of the cluster's resource or by a LimitRange, before the upgrade";
}

/** One with a scope counts some pods only: which ones is not decided here. */
function isPlain(quota: ResourceQuota): boolean {
  const scopes = quota.spec?.scopes ?? [];
  return scopes.length === 0 && quota.spec?.scopeSelector === undefined;
}

function readHard(quota: ResourceQuota) {
  return quota.status?.hard ?? quota.spec?.hard ?? {};
}

const ofPods = new Set(["pods", "count/pods", ...counted.map(([key]) => key)]);

function listExceeded(quota: ResourceQuota): readonly string[] {
  return Object.entries(readHard(quota)).flatMap(([key, hard]) => {
    const used = quota.status?.used?.[key];
    const isOver = ofPods.has(key) && (compareQuantities(used, hard) ?? 0) > 0;
    return isOver ? [`${key} is at ${String(used)} of ${hard}`] : [];
  });
}

/** Pods that are there may have their values from a LimitRange, which the template does not show. */
function unsaid(facts: Facts, set: StatefulSet, quota: ResourceQuota): readonly string[] {
  const hard = readHard(quota);
  const [pod] = listPods(facts, set);
  const podSpec = pod?.spec ?? set.spec?.template?.spec;
  const containers = [podSpec?.initContainers, podSpec?.containers].flatMap((list) => list ?? []);
  return counted.flatMap(([key, kind, resource]) => {
    if (hard[key] === undefined) return [];
    const without = containers
      .filter((one) => !has(one, kind, resource))
      .map((one) => String(one.name));
    return without.length === 0 ? [] : [`must specify ${key} for: ${without.join(",")}`];
  });
}

/** A limit stands for the request where none is given. */
function has({ resources }: Container, kind: "requests" | "limits", resource: string): boolean {
  const kinds = kind === "requests" ? ([kind, "limits"] as const) : [kind];
  return kinds.some((one) => resources?.[one]?.[resource] !== undefined);
}

/** Conditions by which a node is given a taint, so that the scheduler puts no further pod there. */
const pressures: Readonly<Record<string, string>> = {
  DiskPressure: "disk-pressure",
  MemoryPressure: "memory-pressure",
  PIDPressure: "pid-pressure",
};

/** A node under pressure under pods of the EC: it keeps them, and takes none after them. */
export function pressureAhead(facts: Facts, ec: KubeObject): readonly Finding[] {
  const pods = rollAhead(facts, ec)?.roll.pods ?? [];
  return facts.objects.nodes.flatMap((node) => {
    const here = pods.filter(({ pod }) => pod.spec?.nodeName === readName(node));
    const under = Object.entries(pressures).filter(
      ([type]) => findCondition(node, type)?.status === "True",
    );
    if (here.length === 0 || under.length === 0) return [];
    const types = under.map(([type]) => type).join(", ");
    const taints = under.map(([, taint]) => `node.kubernetes.io/${taint}`).join(", ");
    const shown = here.map(({ pod }) => objectLabel(pod)).join(", ");
    const says = `free what the node runs out of, and wait until ${types} is False, before the upgrade`;
    const about = {
      object: objectLabel(node),
      field: "status.conditions",
      cause: `it has ${types} while it carries ${shown}: its taint ${taints} lets no pod be scheduled there that replaces one of these`,
      remedies: [look(says, "describe", "nodes", readName(node))],
    };
    return [clusterFinding("nodePressure", about, facts.names)];
  });
}

/** A pod that is sick before its turn: the roll takes another one down first, and the majority may go with it. */
export function sickAhead(facts: Facts, ec: KubeObject): readonly Finding[] {
  const found = rollAhead(facts, ec);
  const state = getPath(ec, facts.names.ecFields.state);
  // a roll that is under way is judged as it is, and a pod that has just been started gets its time
  if (found === undefined || state !== "Running") return [];
  const isKnown = found.set.status?.updateRevision !== undefined;
  if (isKnown && found.roll.pods.some(({ updated }) => !updated)) return [];
  const patience = { stallAfterMs: defaultStallAfterMs };
  return found.roll.pods
    .filter(({ ready }) => !ready)
    .flatMap(({ pod }) => {
      const trouble = podTroubles(pod, { facts }).find((one) =>
        isDue(one, { patience, moved: undefined, now: facts.now }),
      );
      if (trouble === undefined || trouble.code === rollFindings.image.code) return [];
      const about = {
        object: objectLabel(pod),
        cause: `it is not ready before the upgrade begins, which takes down one pod after the other: ${trouble.cause}`,
        ...pick(trouble, "remedies"),
      };
      return [clusterFinding("sickPod", about, facts.names)];
    });
}
