/** How long the rest of a roll may take, by the pods that are through. */
import { renderAge } from "../base/duration";
import type { Pod } from "../kube/models";
import { findCondition } from "../kube/typed";
import type { Roll } from "./stateful-set";

/** While pods are renewed: how long one took that is through, which the others may take too. */
export function estimateRest(roll: Roll | undefined): readonly string[] {
  if (roll?.pods.some(({ updated }) => !updated) !== true) return [];
  const through = roll.pods.filter(({ updated, ready }) => updated && ready);
  const took = through.flatMap(({ pod }) => readStartMs(pod) ?? []);
  if (took.length === 0) return [];
  const each = took.reduce((sum, ms) => sum + ms, 0) / took.length;
  const left = roll.wanted - through.length;
  return [`a new pod took ${renderAge(each)} until it was ready, pods left: ${left}`];
}

/** From when a pod was made until it was ready, in milliseconds; undefined where it does not tell. */
function readStartMs(pod: Pod): number | undefined {
  const ready = findCondition(pod, "Ready")?.lastTransitionTime;
  const ms = Date.parse(String(ready)) - Date.parse(String(pod.metadata["creationTimestamp"]));
  return ms >= 0 ? ms : undefined;
}
