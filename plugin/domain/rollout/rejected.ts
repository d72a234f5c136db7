/** Why no pod of a Deployment is made at all: quota, admission, a missing account. */
import type { Facts } from "../facts";
import type { KubeObject } from "../objects";
import { at, list, own, text } from "../values";
import { newestReplicaSet, type Trouble } from "./pod";

/** From the conditions of the Deployment and its ReplicaSet, else from the events of the latter. */
export function rejection(facts: Facts, deployment: KubeObject): Trouble | undefined {
  const set = newestReplicaSet(facts, deployment);
  const message = failure(deployment) ?? failure(set) ?? latestEvent(facts, set);
  if (message === undefined) return undefined;
  return { what: reasons.find(([pattern]) => pattern.test(message))?.[1] ?? "rejected", message };
}

const reasons: readonly (readonly [pattern: RegExp, what: Trouble["what"]])[] = [
  [/exceeded quota|failed quota/, "quota"],
  [/forbidden|security context constraint|serviceaccount .*not found/, "forbidden"],
];

function failure(object: KubeObject | undefined): string | undefined {
  const condition = list(at(object, ["status", "conditions"])).find(
    (one) => own(one, "type") === "ReplicaFailure" && own(one, "status") === "True",
  );
  return text(own(condition, "message"));
}

/** Without a pod, the last refusal stands. */
function latestEvent({ objects }: Facts, set: KubeObject | undefined): string | undefined {
  if (set === undefined || Number(at(set, ["status", "replicas"]) ?? 0) > 0) return undefined;
  return objects.events
    .filter((event) => at(event, ["involvedObject", "uid"]) === set.metadata.uid)
    .filter((event) => own(event, "reason") === "FailedCreate")
    .sort((one, other) => (seenAt(one) < seenAt(other) ? 1 : -1))
    .map((event) => text(own(event, "message")))[0];
}

function seenAt(event: KubeObject): string {
  return text(own(event, "lastTimestamp")) ?? text(own(event, "eventTime")) ?? "";
}
