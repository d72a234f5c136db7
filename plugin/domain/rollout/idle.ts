/** A roll in which every pod is well and none is renewed: only its controller can take it further (S72; domain facts 11). */
import type { Recognized } from "./progress";
import { look, type Remedy } from "../base/remedy";
import type { Facts } from "../facts/facts";
import type { Pod, StatefulSet } from "../kube/models";
import { readName, readNamespace } from "../kube/objects";
import { findCondition } from "../kube/typed";
import { asArray } from "../base/values";
import { checkController } from "./pod-words";
import { findUndeleted, listSetEvents } from "./refusals";
import { latest } from "./times";

/** Pods of which every one is ready, and the names of those to be renewed. */
interface Renewal {
  readonly pods: readonly Pod[];
  readonly old: readonly string[];
}

export function findIdle(facts: Facts, set: StatefulSet, { pods, old }: Renewal): Recognized {
  const until = readCounted(set, pods);
  const why = findReason(facts, set);
  return {
    cause: `${old.join(", ")} ${old.length === 1 ? "is" : "are"} to be renewed, all pods are ready, and ${why.says}`,
    remedies: [why.remedy],
    ...(until !== undefined && { since: until, patient: Date.parse(until) > facts.now }),
  };
}

/** When the newest pod counts for the roll: a StatefulSet may ask that it was ready for some time. */
function readCounted(set: StatefulSet, pods: readonly Pod[]): string | undefined {
  const seconds = set.spec?.minReadySeconds ?? 0;
  const ready = latest(pods.map((pod) => findCondition(pod, "Ready")?.lastTransitionTime));
  if (seconds === 0 || ready === undefined) return undefined;
  return new Date(Date.parse(ready) + seconds * 1000).toISOString();
}

/** What keeps the controller from renewing pods that are well. */
function findReason(
  facts: Facts,
  set: StatefulSet,
): { readonly says: string; readonly remedy: Remedy } {
  const see = ["describe", "statefulset", readName(set), "-n", readNamespace(set)];
  const { deletionTimestamp } = set.metadata;
  if (deletionTimestamp !== undefined) {
    const finalizers = asArray(set.metadata["finalizers"]).map(String);
    const held = finalizers.length === 0 ? "" : `; finalizers ${finalizers.join(", ")} hold it`;
    return {
      says: `the StatefulSet is being deleted since ${deletionTimestamp}, so its controller does nothing any more${held}`,
      remedy: look(
        "find out who deletes it and whose finalizer holds it; once it is gone, the operator creates it again",
        ...see,
      ),
    };
  }
  const refused = findUndeleted(listSetEvents(facts, readName(set)));
  if (refused === undefined) return { says: "nothing renews them", remedy: checkController };
  return {
    says: `the controller may not delete the next one: ${refused}`,
    remedy: look(
      "change what refuses the deletion, a policy or a webhook on pods for example",
      ...see,
    ),
  };
}
