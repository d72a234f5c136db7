/** Hook Jobs of a chart: they end, and their work is done: the definitions that they bring (S22). */
import { parseDocuments } from "../../adapters/yaml";
import { kinds } from "../../domain/kinds";
import { getPath, isObject, type Json, asArray, getOwn, asString } from "../../domain/values";
import type { Cluster, KubeObject } from "../../run/ports";
import { type PlannedAction, identity, statusWritten, timeText } from "./acts";
import { conditionIs } from "./pods";
import { type OperatorSnapshot, jobKind } from "./snapshot";

/** Helm's own mark on what runs before or after its release. */
const hookAnnotation = "helm.sh/hook";

/** The manager of what hook Jobs apply. */
const hookManager = "helm-hook";

/** Ends the hook Jobs that have not ended. */
export function jobActs(scene: OperatorSnapshot): readonly PlannedAction[] {
  const failing = scene.misbehave.failingJobs === true;
  return scene.jobs.filter(isOpenHook).map((job) => ({
    key: `${identity(job)} ends`,
    afterMs: scene.times.jobMs,
    run: async (hands) => {
      if (!failing) await work(hands.cluster, scene, job);
      const status = ended(failing, timeText(scene.now));
      await statusWritten({ resource: jobKind, object: job }, status)(hands);
    },
  }));
}

function isOpenHook(job: KubeObject): boolean {
  const isHook = getOwn(job.metadata.annotations, hookAnnotation) !== undefined;
  return isHook && !conditionIs(job, "Complete") && !conditionIs(job, "Failed");
}

async function work(cluster: Cluster, scene: OperatorSnapshot, job: KubeObject): Promise<void> {
  const { namespace = scene.namespace } = job.metadata;
  const volumes = asArray(getPath(job, ["spec", "template", "spec", "volumes"]));
  const mounted = volumes.flatMap(
    (volume) => asString(getPath(volume, ["configMap", "name"])) ?? [],
  );
  for (const name of mounted) {
    const found = await cluster.get({ resource: kinds.configMap, name, namespace });
    const texts = Object.values((found?.["data"] ?? {}) as Json);
    for (const definition of texts.flatMap((yaml) => definitionsIn(yaml, name)))
      await cluster.apply(definition, { fieldManager: hookManager, force: true });
  }
  await scene.hookWork?.(job);
}

function definitionsIn(yaml: unknown, origin: string): readonly KubeObject[] {
  if (typeof yaml !== "string" || !yaml.includes("CustomResourceDefinition")) return [];
  return parseDocuments(yaml, origin).filter(
    (document): document is KubeObject =>
      isObject(document) && document["kind"] === "CustomResourceDefinition",
  );
}

/** Both conditions are asked for by newer API servers. */
function ended(failing: boolean, time: string): Json {
  const [types, reason, message] = failing
    ? ([
        ["FailureTarget", "Failed"],
        "BackoffLimitExceeded",
        "Job has reached the specified backoff limit",
      ] as const)
    : ([
        ["SuccessCriteriaMet", "Complete"],
        "CompletionsReached",
        "Reached expected number of succeeded pods",
      ] as const);
  const times = { lastProbeTime: time, lastTransitionTime: time };
  return {
    startTime: time,
    ...(failing ? { failed: 1 } : { completionTime: time, succeeded: 1 }),
    ready: 0,
    terminating: 0,
    uncountedTerminatedPods: {},
    conditions: types.map((type) => ({ type, status: "True", reason, message, ...times })),
  };
}
