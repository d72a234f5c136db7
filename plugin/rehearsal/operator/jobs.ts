/** Hook Jobs of a chart: they end, and their work is done: the definitions that they bring (S22). */
import { parseDocuments } from "../../adapters/yaml";
import { at, isObject, type Json, list, own, text } from "../../domain/values";
import { kinds } from "../../domain/kinds";
import type { Cluster, KubeObject } from "../../run/ports";
import type { Act } from "./act";
import { conditionIs } from "./pod-status";
import { identity, played, type Scene } from "./scene";
import { controllerManager, timeText, writeStatus } from "./writes";

/** Helm's own mark on what runs before or after its release. */
const hookAnnotation = "helm.sh/hook";

/** The manager of what hook Jobs apply. */
const hookManager = "helm-hook";

/** Ends the hook Jobs that have not ended. */
export function jobActs(scene: Scene): readonly Act[] {
  return scene.jobs.filter(isOpenHook).map((job) => ({
    key: `${identity(job)} ends`,
    afterMs: scene.times.jobMs,
    run: async ({ cluster, clock }) => {
      const failing = scene.misbehave.failingJobs === true;
      if (!failing) await work(cluster, scene, job);
      const status = failing ? failed(timeText(clock.now())) : completed(timeText(clock.now()));
      await writeStatus(
        cluster,
        { resource: played.job, object: job, manager: controllerManager },
        status,
      );
    },
  }));
}

function isOpenHook(job: KubeObject): boolean {
  return (
    own(job.metadata.annotations, hookAnnotation) !== undefined &&
    !conditionIs(job, "Complete", "True") &&
    !conditionIs(job, "Failed", "True")
  );
}

async function work(cluster: Cluster, scene: Scene, job: KubeObject): Promise<void> {
  const { name, namespace = scene.namespace } = job.metadata;
  const volumes = list(at(job, ["spec", "template", "spec", "volumes"]));
  const mounted = volumes.flatMap((volume) => text(at(volume, ["configMap", "name"])) ?? []);
  for (const name of mounted) {
    const found = await cluster.get({ resource: kinds.configMap, name, namespace });
    const texts = Object.values((found?.["data"] ?? {}) as Json);
    for (const definition of texts.flatMap((yaml) => definitionsIn(yaml, name))) {
      await cluster.apply(definition, { fieldManager: hookManager, force: true });
    }
  }
  if (name !== undefined) await scene.hookWork?.(job);
}

function definitionsIn(yaml: unknown, origin: string): readonly KubeObject[] {
  if (typeof yaml !== "string" || !yaml.includes("CustomResourceDefinition")) return [];
  return parseDocuments(yaml, origin).filter(
    (document): document is KubeObject =>
      isObject(document) && document["kind"] === "CustomResourceDefinition",
  );
}

/** Both conditions are asked for by newer API servers. */
function completed(time: string): Json {
  const condition = (type: string): Json => ({
    type,
    status: "True",
    reason: "CompletionsReached",
    message: "Reached expected number of succeeded pods",
    lastProbeTime: time,
    lastTransitionTime: time,
  });
  return {
    startTime: time,
    completionTime: time,
    succeeded: 1,
    ready: 0,
    terminating: 0,
    uncountedTerminatedPods: {},
    conditions: [condition("SuccessCriteriaMet"), condition("Complete")],
  };
}

function failed(time: string): Json {
  const condition = (type: string): Json => ({
    type,
    status: "True",
    reason: "BackoffLimitExceeded",
    message: "Job has reached the specified backoff limit",
    lastProbeTime: time,
    lastTransitionTime: time,
  });
  return {
    startTime: time,
    failed: 1,
    ready: 0,
    terminating: 0,
    uncountedTerminatedPods: {},
    conditions: [condition("FailureTarget"), condition("Failed")],
  };
}
