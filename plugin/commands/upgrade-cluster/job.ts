/**
 * Upgrades an EC: judges everything first, writes a few fields once, follows the roll by facts
 * (S12-S14, S48-S60, S68-S72).
 */
import { type Awaited, nameAwaited, nameFinding } from "../../domain/base/awaited";
import { nameProgress } from "../../domain/rollout/progress";
import { type Names, renderTerm, readName } from "../../domain/names/names";
import { requireMatched } from "../../domain/checks/selection";
import { findOwnership, clusterAbsent } from "../../domain/engine-cluster/operator";
import { clusterCodes, clusterFinding } from "../../domain/engine-cluster/findings";
import { type ClusterPlan, planCluster, autoOffEdits } from "./plan";
import { exitCodes, BlockedError } from "../../domain/base/errors";
import type { FactKey, Facts } from "../../domain/facts/facts";
import { together } from "../../domain/facts/needs";
import { clusterKeys, clusterNeeds, clusterPlanKeys } from "./needs";
import { type KubeObject, objectLabel, type Resource } from "../../domain/kube/objects";
import { judgeCluster, rollIn, type WantedCluster } from "../../domain/engine-cluster/rollout";
import { projectWrites, type Part } from "../../kernel/part";
import { type Job, type JobOptions, type JobRun, makePart, type Plan } from "../../kernel/job";
import { clusterOutcome } from "./outcome";
import { requireGround } from "../../readers/ground";
import { readDefinition, requireRead, withDefinition } from "../../readers/snapshot";
import {
  ecResource,
  followed,
  readFacts,
  suspected,
  type UpgradeClusterDeps,
  type UpgradeClusterOptions,
} from "../../readers/engine-cluster";
import { PodTimes } from "./pods";
import { podsOfCluster } from "../../domain/scc/refusals";
import { sameJson } from "../../domain/base/values";
import type { FieldEdit } from "../../domain/kube/edits";
import type { Patch } from "../../domain/kube/change";
import { boundRollout, type Moment, waitFor } from "../../kernel/wait";

/** Flags of `upgrade-cluster`, judged. */
export interface ClusterFlags extends Omit<UpgradeClusterOptions, keyof JobRun | "name"> {
  readonly takeFields: readonly string[];
  readonly stallAfterMs: number;
  readonly limited: boolean;
}

/** What a plan is made from. */
export interface ClusterFacts {
  readonly facts: Facts;
  readonly resource: Resource;
}

interface ClusterJobPlan extends Plan {
  readonly facts: Facts;
  readonly cluster: ClusterPlan;
  readonly resource: Resource;
}

/** The version by which ECs are read and written, once it is known. */
interface EcResource {
  resource?: Resource;
}

/** The upgrade of the EC that the argument names. */
export function clusterPart(flags: ClusterFlags, run: JobRun): Part {
  const [typed = ""] = run.args;
  const named = (names: Names) => ({ ...flags, ...run, name: readName(typed, names).name });
  // read once for the plan and the act: a part is made anew for another plan
  const resource: EcResource = {};
  return makePart(
    {
      command: "upgrade-cluster",
      needs: (names) => clusterNeeds({ ...named(names), names }),
    },
    {
      jobOf: (ports) => clusterJob(ports, named(ports.names), resource),
      options: { ...flags, ...run },
    },
  );
}

function clusterJob(
  deps: UpgradeClusterDeps,
  options: UpgradeClusterOptions,
  seen: EcResource,
): Job<ClusterFacts, ClusterJobPlan> {
  const { names } = deps;
  const { namespace } = options;
  return {
    read: async () => {
      const resource = (seen.resource ??= await ecResource(deps));
      await requireGround(deps, { namespace, clusters: [options.name] });
      const [facts, definition] = await Promise.all([
        readFacts(deps, { namespace, resource }, clusterPlanKeys),
        readDefinition(deps, "ec"),
      ]);
      return { facts: withDefinition(facts, definition), resource };
    },
    plan: (facts) => planOf(options, facts),
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
      return clusterOutcome(facts, { ec: written, wanted });
    },
  };
}

function planOf(options: UpgradeClusterOptions, { facts, resource }: ClusterFacts): ClusterJobPlan {
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
    waitsFor: waitsFor(options, cluster),
    standing: { id: "cluster.patch", action: "patch", object: objectLabel(ec), why },
  };
}

/** What may pass by itself: a restart always, what is not ready where that is asked for. */
function waitsFor(
  { wait }: UpgradeClusterOptions,
  { ec, restarting, blocks }: ClusterPlan,
): Awaited | undefined {
  const [first] = blocks;
  if (first === undefined) {
    return restarting ? nameAwaited(objectLabel(ec), "the end of its rolling restart") : undefined;
  }
  const passing = blocks.every(({ code }) => waitable.has(code));
  return wait && passing ? nameFinding(first) : undefined;
}

const waitable = new Set([
  "OPERATOR-NOT-READY",
  "CLUSTER-BUSY",
  "CLUSTER-RESIZING",
  "CLUSTER-STATE",
]);

async function proveRoll(
  deps: UpgradeClusterDeps,
  options: UpgradeClusterOptions,
  { cluster, resource, facts }: ClusterJobPlan,
): Promise<string> {
  const { wanted, ec } = cluster;
  const before = listPodIds(facts, ec);
  const seen = (now: Facts): void => {
    if (sameJson(before, listPodIds(now, ec))) return;
    // the operator of before no longer fits, and neither the operator nor the cluster is lowered again
    deps.recorder.passNoReturn(`a pod of ${objectLabel(ec)} was recreated`);
  };
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

/** The EC and what is to be written to it. */
interface ClusterWrite {
  readonly resource: Resource;
  readonly ec: KubeObject;
  readonly edits: readonly FieldEdit[];
}

function clusterPatch({ resource, ec, edits }: ClusterWrite, facts: Facts): Patch {
  const { names } = facts;
  return {
    verb: "patch",
    id: "cluster.patch",
    resource,
    object: ec,
    edits,
    needs: "to write the fields of the upgrade",
    risk: "all pods of the cluster are recreated one after the other; a cluster cannot be downgraded",
    reverse:
      "until the first pod is recreated, by the printed command; the run saves the old values",
    backHolds: "until the first pod is recreated",
    owned: findOwnership(ec, facts),
    dropped: (lost, object) =>
      lost.map(({ path }) =>
        clusterFinding(
          "fieldPruned",
          {
            object,
            field: path.join("."),
            cause: `the API server did not keep ${path.join(".")}: its definition does not have it`,
          },
          names,
        ),
      ),
  };
}

/** Nothing has moved for so long: what is read grows. */
const suspicionMs = 20_000;

/** What is waited for. */
export interface Following {
  readonly resource: Resource;
  readonly wanted: WantedCluster;
  /** Told what each look has found. */
  readonly seen?: (facts: Facts) => void;
}

/** The pods of an EC, each as the one that it is. */
function listPodIds({ objects, names }: Facts, ec: KubeObject): readonly string[] {
  return podsOfCluster(ec, objects.pods, names)
    .map(({ metadata }) => String(metadata.uid))
    .sort();
}

/** Looks until the cluster is up to date; a stall ends with 1, time that runs out with 124. */
export async function follow(
  deps: UpgradeClusterDeps,
  { namespace, name, stallAfterMs, limitMs }: UpgradeClusterOptions,
  { resource, wanted, seen: tell }: Following,
): Promise<string> {
  let isTaken = false;
  const pods = new PodTimes(deps);
  const keysAt = ({ idleMs, isSuspected }: Moment): readonly FactKey[] => {
    if (isSuspected) return [...new Set([...clusterKeys, ...suspected])];
    // until then databases may freeze it
    if (!isTaken) return clusterKeys;
    return idleMs >= suspicionMs ? suspected : followed;
  };
  const rolled = waitFor(deps, {
    look: async (moment) => {
      const facts = await readFacts(deps, { namespace, resource }, keysAt(moment));
      tell?.(facts);
      const roll = rollIn(facts, name, wanted);
      isTaken = roll !== undefined;
      if (roll !== undefined) pods.see(roll);
      const patience = { idleMs: moment.idleMs, stallAfterMs };
      const seen = judgeCluster(facts, name, { ...wanted, patience });
      if (seen.is === "done") return { is: "done", value: seen.says };
      return nameProgress(`${resource.kind}/${namespace}/${name}`, seen);
    },
    codes: clusterCodes,
    ...boundRollout({ limitMs, stallAfterMs }),
  });
  return await rolled.finally(() => {
    pods.end();
  });
}

/** Which clusters, and fields that may be taken from their managers. */
export interface AutoOffFlags {
  readonly clusters: readonly string[];
  readonly takeFields: readonly string[];
}

/** Switches the automatic upgrade of these clusters off, where databases use user-defined modules (S51, S124). */
export function autoOffPart(
  { clusters, ...flags }: AutoOffFlags,
  run: Pick<JobRun, "namespace"> & JobOptions,
): Part {
  const { namespace } = run;
  return makePart(
    {
      command: "auto-off",
      needs: (names) => together(clusters.map((name) => clusterNeeds({ names, namespace, name }))),
    },
    { jobOf: (ports) => autoOffJob(ports, clusters, run), options: { ...flags, ...run } },
  );
}

function autoOffJob(
  deps: UpgradeClusterDeps,
  clusters: readonly string[],
  { namespace }: Pick<JobRun, "namespace">,
): Job<ClusterFacts, Plan> {
  return {
    read: async () => {
      const resource = await ecResource(deps);
      await requireGround(deps, { namespace, clusters });
      return { resource, facts: await readFacts(deps, { namespace, resource }, clusterKeys) };
    },
    plan: (seen) => ({ changes: switchesOf(seen, clusters) }),
    proof: () => Promise.resolve(""),
    still: "",
    says: ({ changes }) => {
      const names = changes.map(({ object }) => objectLabel(object)).join(", ");
      return changes.length === 0
        ? "no cluster upgrades itself while databases use user-defined modules"
        : `${names}: switched off`;
    },
    midway: "what was switched off before stays so",
    after: (_, writes) => projectWrites(writes),
  };
}

/** One patch for each named EC; it recreates no pod. */
function switchesOf({ resource, facts }: ClusterFacts, clusters: readonly string[]) {
  const named = facts.objects.ecs.filter(({ metadata: { name = "" } }) => clusters.includes(name));
  return named.map((ec) => ({
    ...clusterPatch({ resource, ec, edits: autoOffEdits(facts, ec) }, facts),
    id: "cluster.auto-off",
    risk: "none by itself: the cluster then waits for its own upgrade",
    reverse: "until the operator is upgraded, by the printed command; the run saves the old value",
    backHolds: "until the operator is upgraded",
  }));
}
