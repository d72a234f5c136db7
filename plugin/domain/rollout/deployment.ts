/** Whether a Deployment is 1/1 ready, up to date and available, and why it is not (S19). */
import type { Facts } from "../facts";
import { type KubeObject, objectLabel } from "../objects";
import { at, list, own, text } from "../values";
import { operatorFindings } from "../operator/codes";
import { podTrouble, type Trouble } from "./pod";
import type { Progress } from "./progress";
import { rejection } from "./rejected";

/** Judges the operator's Deployment from the lists of Deployments, ReplicaSets, pods and events. */
export function judgeDeployment(facts: Facts, name: string): Progress {
  const { namespace, objects } = facts;
  const found = objects.deployments.find(({ metadata }) => metadata.name === name);
  if (found === undefined) {
    return stalled({ what: "gone", object: `Deployment/${namespace}/${name}` });
  }
  const object = objectLabel(found);
  const counts = countsOf(found);
  const step = JSON.stringify(counts);
  if (own(found["spec"], "paused") === true) return stalled({ what: "paused", object });
  // a status of an older generation says nothing of this one
  if (counts.observed < counts.generation) {
    return { is: "moving", on: `${object}: its new generation has not been seen yet`, step };
  }
  if (counts.wanted === 0) return stalled({ what: "scaledDown", object });
  const says = saying(counts);
  if (isThere(counts)) return { is: "done", says };
  const trouble = podTrouble(facts, found) ?? rejection(facts, found) ?? late(found);
  if (trouble !== undefined) return stalled({ object, ...trouble });
  return { is: "moving", on: `${object}: ${says}`, step };
}

interface Counts {
  readonly generation: number;
  readonly observed: number;
  readonly wanted: number;
  /** Of every generation. */
  readonly all: number;
  readonly ready: number;
  readonly updated: number;
  readonly available: number;
}

function countsOf(deployment: KubeObject): Counts {
  const count = (path: readonly string[], absent: number): number => {
    const value = at(deployment, path);
    return typeof value === "number" ? value : absent;
  };
  return {
    generation: count(["metadata", "generation"], 0),
    observed: count(["status", "observedGeneration"], 0),
    wanted: count(["spec", "replicas"], 1),
    all: count(["status", "replicas"], 0),
    ready: count(["status", "readyReplicas"], 0),
    updated: count(["status", "updatedReplicas"], 0),
    available: count(["status", "availableReplicas"], 0),
  };
}

function isThere({ wanted, all, ready, updated, available }: Counts): boolean {
  return Math.min(ready, updated, available) >= wanted && all <= updated;
}

function saying({ wanted, all, ready, updated, available }: Counts): string {
  const old = all > updated ? `, ${all - updated} of the old one left` : "";
  return `${ready}/${wanted} ready, ${updated} up to date, ${available} available${old}`;
}

function late(deployment: KubeObject): Trouble | undefined {
  const condition = list(at(deployment, ["status", "conditions"])).find(
    (one) => own(one, "type") === "Progressing" && own(one, "status") === "False",
  );
  if (condition === undefined) return undefined;
  const message = text(own(condition, "message"));
  return { what: "deadline", ...(message !== undefined && { message }) };
}

function stalled({ what, object, message }: Trouble & { readonly object: string }): Progress {
  const { code, cause, fix } = operatorFindings[what];
  const because = message === undefined ? cause : `${cause}: ${message}`;
  return { is: "stalled", code, object, because, fix };
}
