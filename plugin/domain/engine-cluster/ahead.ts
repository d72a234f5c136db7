/** What would keep a roll that has not begun: told before the write, since the roll would stop half way (domain facts 11). */
import type { Facts } from "../facts/facts";
import type { Finding } from "../base/findings";
import type { Container, Node, ResourceQuota, StatefulSet } from "../kube/models";
import { type KubeObject, readName, readNamespace, objectLabel } from "../kube/objects";
import { compareQuantities } from "../kube/quantities";
import { kubectl, look } from "../base/remedy";
import { asString, boundList, getPath, pick } from "../base/values";
import { rollFinding, rollFindings } from "../rollout/findings";
import { listObstacles } from "../rollout/node-fit";
import { podTroubles } from "../rollout/pod-causes";
import {
  defaultStallAfterMs,
  holdAhead,
  isDue,
  listPods,
  type Roll,
  readRoll,
  type RolledPod,
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

/** A pod that no node would take again: the roll stands still once it is down, and the majority has one pod less. */
export function unplacedAhead(facts: Facts, ec: KubeObject): readonly Finding[] {
  return listBefore(facts, ec).flatMap(({ pod }) => {
    const host = asString(pod.spec?.nodeName);
    if (host === undefined) return [];
    const pods = facts.objects.pods.filter((one) => objectLabel(one) !== objectLabel(pod));
    const after = { ...facts, objects: { ...facts.objects, pods } };
    const isOwn = (node: Node): number => Number(readName(node) === host);
    const kept = [...facts.objects.nodes]
      .sort((one, other) => isOwn(other) - isOwn(one))
      .map((node) => ({ node: readName(node), why: listObstacles(node, pod, after) }));
    if (kept.length === 0 || kept.some(({ why }) => why.length === 0)) return [];
    const nodes = kept.map(({ node, why }) => `node ${node} ${why.join(" and ")}`);
    const says = `end what keeps node ${host} from taking it, or add a node, before the upgrade`;
    const about = {
      object: objectLabel(pod),
      cause: `no node would take it again once the upgrade takes it down: ${boundList(nodes, 3)}`,
      remedies: [look(says, "describe", "node", host)],
    };
    return [clusterFinding("noNode", about, facts.names)];
  });
}

/** A pod that is sick before its turn: the roll takes another one down first, and the majority may go with it. */
export function sickAhead(facts: Facts, ec: KubeObject): readonly Finding[] {
  const patience = { stallAfterMs: defaultStallAfterMs };
  return listBefore(facts, ec)
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

/** The pods before a roll begins: one that is under way is judged as it is, and a pod that was just started gets its time. */
function listBefore(facts: Facts, ec: KubeObject): readonly RolledPod[] {
  const found = rollAhead(facts, ec);
  const state = getPath(ec, facts.names.ecFields.state);
  if (found === undefined || state !== "Running") return [];
  const isKnown = found.set.status?.updateRevision !== undefined;
  return isKnown && found.roll.pods.some(({ updated }) => !updated) ? [] : found.roll.pods;
}
