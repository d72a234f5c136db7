/**
 * Upgrades an EC: judges everything first, writes a few fields once, follows the roll by facts
 * (S12-S14, S48-S60, S68-S72). The cluster's state is the only memory.
 */
import { requireMatched } from "../../domain/checks/selection";
import { withOperator } from "../../domain/cluster/operator";
import { clusterFinding } from "../../domain/cluster/codes";
import { type ClusterPlan, planCluster } from "../../domain/cluster/plan";
import { exitCodes } from "../../domain/errors";
import type { Facts } from "../../domain/facts";
import { readName, termOf } from "../../domain/names";
import { objectLabel, type Resource } from "../../domain/objects";
import type { WantedCluster } from "../../domain/rollout/cluster";
import type { Job, JobRun, Plan } from "../engine/execute";
import { requireRead } from "../prerequisites";
import { BlockedError } from "../engine/recorder";
import type { UpgradeClusterDeps, UpgradeClusterOptions } from "./deps";
import { follow } from "./follow";
import {
  ecResource,
  planned,
  readDefinition,
  readFacts,
  readPermissions,
  withDefinition,
  writePermission,
} from "./read";
import { clusterPatch } from "./writes";

/** Flags of `upgrade-cluster`, judged. */
export interface ClusterFlags extends Omit<UpgradeClusterOptions, keyof JobRun | "name"> {
  readonly takeFields: readonly string[];
  readonly stallAfterMs: number;
  readonly limited: boolean;
}

interface Seen {
  readonly facts: Facts;
  readonly resource: Resource;
}

interface UpgradePlan extends Plan {
  readonly cluster: ClusterPlan;
  readonly resource: Resource;
}

/** The job for the EC that the argument names. */
export function clusterJob(
  deps: UpgradeClusterDeps,
  flags: ClusterFlags,
  run: JobRun,
): Job<Seen, UpgradePlan> {
  const { names } = deps;
  const [typed = ""] = run.args;
  const options = { ...flags, ...run, name: readName(typed, names).name };
  const { namespace } = options;
  let resource: Resource | undefined;
  return {
    reads: readPermissions(names, options),
    usual: [writePermission(names, options)],
    read: async () => {
      resource ??= await ecResource(deps);
      const [facts, definition] = await Promise.all([
        readFacts(deps, { namespace, resource }, planned),
        readDefinition(deps, "ec"),
      ]);
      return { facts: withDefinition(facts, definition), resource };
    },
    plan: (seen) => planOf(deps, options, seen),
    judge: async ({ cluster }) => {
      const { edits, blocks, warnings } = cluster;
      await requireRead(deps, cluster);
      // where nothing is to be written nothing is judged, and a run that is resumed goes on
      if (options.skipMayMiss === true || edits.length === 0) return;
      requireMatched(options.skip, [...blocks, ...warnings]);
    },
    proof: ({ cluster, resource: by }) => followed(deps, options, { cluster, resource: by }),
    says: ({ cluster }, seen) => `${objectLabel(cluster.ec)}: ${seen}`,
    midway: `the change of the ${termOf(names.ec)} is written`,
  };
}

function planOf(
  { names }: UpgradeClusterDeps,
  options: UpgradeClusterOptions,
  { facts, resource }: Seen,
): UpgradePlan {
  const { name, namespace, target, imageRepository, assumeOperator } = options;
  const ahead = assumeOperator === undefined ? facts : withOperator(facts, assumeOperator);
  const cluster = planCluster(ahead, {
    ...options,
    ...(target !== undefined && { tag: target }),
    ...(imageRepository !== undefined && { repository: imageRepository }),
    version: resource.version,
  });
  if (cluster === undefined) {
    const there = facts.objects.ecs.map(({ metadata }) => metadata.name).join(", ");
    throw new BlockedError(exitCodes.blocked, [
      clusterFinding("absent", {
        object: [names.ec.kind, namespace, name].join("/"),
        cause: `namespace ${namespace} has no ${termOf(names.ec)} ${name}; it has ${there === "" ? "none" : there}`,
      }),
    ]);
  }
  const { ec, edits } = cluster;
  const why = "the spec is as wanted already";
  return {
    ...{ cluster, resource, blocks: cluster.blocks, warnings: cluster.warnings },
    changes: [clusterPatch({ resource, ec, edits })],
    waitsFor: waitsFor(options, cluster),
    standing: { id: "cluster.patch", action: "patch", object: objectLabel(ec), why },
  };
}

/** What may pass by itself: a restart always, what is not ready where that is asked for. */
function waitsFor(
  { wait }: UpgradeClusterOptions,
  { ec, restarting, blocks }: ClusterPlan,
): string | undefined {
  const [first] = blocks;
  if (first === undefined) {
    return restarting ? `${objectLabel(ec)} to end its rolling restart` : undefined;
  }
  const passing = blocks.every(({ code }) => waitable.has(code));
  return wait && passing ? `${first.object ?? ""}: ${first.cause}` : undefined;
}

const waitable = new Set(["OPERATOR-NOT-READY", "CLUSTER-BUSY", "CLUSTER-STATE"]);

async function followed(
  deps: UpgradeClusterDeps,
  options: UpgradeClusterOptions,
  { cluster, resource }: Pick<UpgradePlan, "cluster" | "resource">,
): Promise<string> {
  if (options.dryRun !== "none") return "its spec is as wanted, nothing would be written";
  const wanted: WantedCluster = cluster.wanted;
  const info = {
    id: "cluster.follow",
    action: "wait",
    object: objectLabel(cluster.ec),
    why: `until every pod runs ${wanted.tag ?? "it"} and the state is Running`,
  } as const;
  return await deps.recorder.step(info, async () => {
    const says = await follow(deps, options, { resource, wanted });
    return { result: "done", value: says, why: says };
  });
}
