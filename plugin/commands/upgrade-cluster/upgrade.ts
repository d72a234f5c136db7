/** Upgrades an EC: judges everything first, writes a few fields once, follows the roll (S12-S14, S68-S72). */
import type { RunPorts } from "../../kernel/world";
import {
  type ClusterFacts,
  type EcResource,
  readBeforeUpgrade,
  type UpgradeClusterOptions,
} from "./read";
import { type Awaited, nameAwaited, nameFinding } from "../../domain/base/awaited";
import { renderTerm } from "../../domain/names/names";
import { requireMatched } from "../../domain/checks/selection";
import { clusterAbsent } from "../../domain/engine-cluster/operator";
import { type ClusterPlan, planCluster } from "./plan";
import { exitCodes, BlockedError } from "../../domain/base/errors";
import type { Facts } from "../../domain/facts/facts";
import { type KubeObject, objectLabel, type Resource } from "../../domain/kube/objects";
import { requireRead } from "../../kernel/permissions";
import { projectWrites } from "../../kernel/projection";
import type { PartDescription, SimplePlan } from "../../kernel/simple-part";
import { projectUpgrade } from "./projection";
import { findClusterPods } from "../../domain/scc/pods";
import { sameJson } from "../../domain/base/values";
import { clusterPatch } from "./changes";
import { follow } from "./follow";

interface ClusterUpgradePlan extends SimplePlan {
  readonly facts: Facts;
  readonly cluster: ClusterPlan;
  readonly resource: Resource;
}

/** What simple-part.ts carries out: everything is judged first, one write, the roll followed. */
export function describeUpgrade(
  deps: RunPorts,
  options: UpgradeClusterOptions,
  known: EcResource,
): PartDescription<ClusterFacts, ClusterUpgradePlan> {
  const { names } = deps;
  return {
    read: async () => await readBeforeUpgrade(deps, options, known),
    plan: (facts) => planUpgrade(options, facts),
    judge: async ({ cluster }) => {
      const { edits, blocks, warnings } = cluster;
      await requireRead(deps, cluster);
      // where nothing is to be written nothing is judged, and a run that is resumed continues
      if (options.skipMayMiss === true || edits.length === 0) return;
      requireMatched(options.skip, [...blocks, ...warnings]);
    },
    proof: (plan) => proveRoll(deps, options, plan),
    still: "its spec is up to date, nothing would be written",
    says: ({ cluster }, seen) => `${objectLabel(cluster.ec)}: ${seen}`,
    midway: `the change of the ${renderTerm(names.ec)} is written`,
    after: ({ cluster: { ec, wanted }, facts }, writes) => {
      const [written = ec] = projectWrites(writes).stored;
      return projectUpgrade(facts, { ec: written, wanted });
    },
  };
}

function planUpgrade(
  options: UpgradeClusterOptions,
  { facts, resource }: ClusterFacts,
): ClusterUpgradePlan {
  const { name, target, imageRepository } = options;
  const cluster = planCluster(facts, {
    ...options,
    ...(target !== undefined && { tag: target }),
    ...(imageRepository !== undefined && { repository: imageRepository }),
    version: resource.version,
  });
  if (cluster === undefined) {
    throw new BlockedError(exitCodes.blocked, [clusterAbsent(facts, name)]);
  }
  const { ec, edits } = cluster;
  const why = "the spec is up to date already";
  return {
    ...{ facts, cluster, resource, blocks: cluster.blocks, warnings: cluster.warnings },
    changes: [clusterPatch({ resource, ec, edits }, facts)],
    pauses: cluster.pauses,
    waitsFor: findAwaited(options, cluster),
    standing: { id: "cluster.patch", action: "patch", object: objectLabel(ec), why },
  };
}

/** What may pass by itself: a restart always, what is not ready where that is asked for. */
function findAwaited(
  { wait }: UpgradeClusterOptions,
  { ec, restarting, blocks }: ClusterPlan,
): Awaited | undefined {
  const [first] = blocks;
  if (first === undefined) {
    return restarting ? nameAwaited(objectLabel(ec), "the end of its rolling restart") : undefined;
  }
  return wait && blocks.every(({ passes }) => passes === true) ? nameFinding(first) : undefined;
}

async function proveRoll(
  deps: RunPorts,
  options: UpgradeClusterOptions,
  { cluster, resource, facts }: ClusterUpgradePlan,
): Promise<string> {
  const { wanted, ec } = cluster;
  const before = listPodIds(facts, ec);
  const seen = (now: Facts): void => {
    if (sameJson(before, listPodIds(now, ec))) return;
    // the operator of before no longer fits, and neither the operator nor the cluster is lowered again
    deps.recorder.passNoReturn(`a pod of ${objectLabel(ec)} was recreated`);
  };
  if (cluster.edits.length > 0) {
    deps.recorder.limitReturn(`until a pod of ${objectLabel(ec)} is recreated`);
  }
  const info = {
    id: "cluster.follow",
    action: "wait",
    object: objectLabel(cluster.ec),
    why: `until every pod runs ${wanted.tag ?? "it"} and the state is Running`,
  } as const;
  return await deps.recorder.step(info, async () => {
    const says = await follow(deps, options, { resource, wanted, seen });
    return { result: "done", value: says, why: says };
  });
}

/** The pods of an EC, each as the one that it is. */
function listPodIds({ objects, names }: Facts, ec: KubeObject): readonly string[] {
  return findClusterPods(ec, objects.pods, names)
    .map(({ metadata }) => String(metadata.uid))
    .sort();
}
