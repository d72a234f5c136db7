/** The status of a Deployment, as its controller reckons it from its pods. */
import { at, type Json, list, own, text } from "../../domain/values";
import type { KubeObject } from "../../run/ports";
import { isReadyPod } from "./pod-status";
import { numberAt, ownedBy } from "./scene";
import { timeText } from "./writes";

/** What the status is made of. */
export interface Reckoned {
  readonly deployment: KubeObject;
  readonly current: KubeObject | undefined;
  readonly pods: readonly KubeObject[];
  /** Why no pod may be made. */
  readonly refusal: string | undefined;
  readonly now: number;
}

/** Counts that are zero are left out, as the API server stores it. */
export function deploymentStatus(reckoned: Reckoned): Json {
  const { deployment, current, pods } = reckoned;
  const wanted = numberAt(deployment, ["spec", "replicas"], 1);
  const updated = ownedBy(current, pods);
  const ready = pods.filter(isReadyPod).length;
  const counts = {
    replicas: pods.length,
    updatedReplicas: updated.length,
    readyReplicas: ready,
    availableReplicas: ready,
    unavailableReplicas: Math.max(0, wanted - ready),
  };
  const complete = updated.length === wanted && pods.length === wanted && ready === wanted;
  return {
    observedGeneration: deployment.metadata.generation,
    ...Object.fromEntries(Object.entries(counts).filter(([, count]) => count > 0)),
    conditions: conditions(reckoned, { available: ready >= wanted, complete }),
  };
}

interface Reached {
  readonly available: boolean;
  readonly complete: boolean;
}

function conditions(
  { deployment, current, refusal, pods, now }: Reckoned,
  { available, complete }: Reached,
): readonly Json[] {
  const refused =
    refusal !== undefined && ownedBy(current, pods).length === 0 && current !== undefined;
  const name = current?.metadata.name ?? "";
  const conditionOf = kept(deployment, timeText(now));
  return [
    available
      ? conditionOf("Available", "True", {
          reason: "MinimumReplicasAvailable",
          message: "Deployment has minimum availability.",
        })
      : conditionOf("Available", "False", {
          reason: "MinimumReplicasUnavailable",
          message: "Deployment does not have minimum availability.",
        }),
    progress({ complete, late: isLate(deployment, now), name }, conditionOf),
    ...(refused
      ? [conditionOf("ReplicaFailure", "True", { reason: "FailedCreate", message: refusal })]
      : []),
  ];
}

type ConditionOf = (
  type: string,
  status: string,
  why: { readonly reason: string; readonly message: string },
) => Json;

/** A condition that says what it said before keeps its time. */
function kept(deployment: KubeObject, time: string): ConditionOf {
  const before = list(at(deployment, ["status", "conditions"]));
  return (type, status, why) => {
    const known = before.find((one) => own(one, "type") === type && own(one, "status") === status);
    const since = text(own(known, "lastTransitionTime")) ?? time;
    const updated = own(known, "reason") === why.reason ? own(known, "lastUpdateTime") : undefined;
    return { type, status, ...why, lastTransitionTime: since, lastUpdateTime: updated ?? time };
  };
}

function progress(
  {
    complete,
    late,
    name,
  }: { readonly complete: boolean; readonly late: boolean; readonly name: string },
  conditionOf: ConditionOf,
): Json {
  if (complete) {
    return conditionOf("Progressing", "True", {
      reason: "NewReplicaSetAvailable",
      message: `ReplicaSet "${name}" has successfully progressed.`,
    });
  }
  if (late) {
    return conditionOf("Progressing", "False", {
      reason: "ProgressDeadlineExceeded",
      message: `ReplicaSet "${name}" has timed out progressing.`,
    });
  }
  return conditionOf("Progressing", "True", {
    reason: "ReplicaSetUpdated",
    message: `ReplicaSet "${name}" is progressing.`,
  });
}

/** Nothing has moved for as long as the Deployment allows. */
function isLate(deployment: KubeObject, now: number): boolean {
  const condition = list(at(deployment, ["status", "conditions"])).find(
    (one) => own(one, "type") === "Progressing",
  );
  if (own(condition, "status") === "False") {
    return (
      numberAt(deployment, ["status", "observedGeneration"], 0) === deployment.metadata.generation
    );
  }
  if (own(condition, "reason") !== "ReplicaSetUpdated") return false;
  const since = Date.parse(text(own(condition, "lastUpdateTime")) ?? "");
  const seconds = numberAt(deployment, ["spec", "progressDeadlineSeconds"], 600);
  return now - since >= seconds * 1000;
}
