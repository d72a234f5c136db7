/** Disruption budgets: they keep evictions, and so a drain, from ending; a StatefulSet's own roll asks none of them (domain facts 11). */
import { getOwn, getPath, numberAt } from "../base/values";
import type { Facts } from "../facts/facts";
import { type KubeObject, objectLabel, readName } from "../kube/objects";
import { selects } from "../kube/selectors";
import { findCondition } from "../kube/typed";
import type { Trouble } from "./pod-words";

/** The budgets of a pod; one without a selector has none. */
function listBudgets({ objects }: Facts, { metadata }: KubeObject): readonly KubeObject[] {
  return objects.disruptionBudgets.filter((budget) => {
    const selector = getPath(budget, ["spec", "selector"]);
    return (
      budget.metadata.namespace === metadata.namespace &&
      selector !== undefined &&
      selects(selector, metadata.labels ?? {})
    );
  });
}

/** What a drain waits for: pods that are over, about to start or on their way out are not asked for. */
function isEvicted(pod: KubeObject): boolean {
  const isOfNode = (pod.metadata.ownerReferences ?? []).some((owner) =>
    ["DaemonSet", "Node"].includes(String(getOwn(owner, "kind"))),
  );
  return (
    !isOfNode &&
    pod.metadata.deletionTimestamp === undefined &&
    getPath(pod, ["status", "phase"]) === "Running"
  );
}

/** The budget as its controller has counted it, where that leaves no eviction of the pod. */
function isClosed(budget: KubeObject, pod: KubeObject): boolean {
  const counted = numberAt(budget, ["status", "observedGeneration"], -1);
  if (counted < numberAt(budget, ["metadata", "generation"])) return false;
  if (numberAt(budget, ["status", "disruptionsAllowed"]) > 0) return false;
  const isReady = getOwn(findCondition(pod, "Ready"), "status") === "True";
  const [healthy, needed] = ["currentHealthy", "desiredHealthy"].map((key) =>
    numberAt(budget, ["status", key]),
  );
  const mayGo = Number(healthy) >= Number(needed) && Number(needed) > 0;
  const policy = getPath(budget, ["spec", "unhealthyPodEvictionPolicy"]);
  // a pod that is not ready may go where that takes nothing from those that are
  return isReady || !(policy === "AlwaysAllow" || mayGo);
}

/** Why a drain of these nodes cannot end, and what to do before they are uncordoned; undefined where no budget shows it. */
export function findDrainHeld(
  facts: Facts,
  nodes: readonly string[],
): Pick<Trouble, "because" | "fix"> | undefined {
  const there = facts.objects.pods.filter(
    (pod) => nodes.includes(String(getPath(pod, ["spec", "nodeName"]))) && isEvicted(pod),
  );
  for (const pod of there) {
    const budgets = listBudgets(facts, pod);
    const where = `no drain of node ${String(getPath(pod, ["spec", "nodeName"]))} ends`;
    if (budgets.length > 1) {
      const names = budgets.map(readName).join(", ");
      return {
        because: `${where}: more than one PodDisruptionBudget (${names}) selects ${objectLabel(pod)}, and the API server evicts no such pod`,
        fix: `leave one budget for each pod before it is drained again, and uncordon the node`,
      };
    }
    const [budget] = budgets.filter((one) => isClosed(one, pod));
    if (budget !== undefined) return describeClosed(budget, { pod, where });
  }
  return undefined;
}

function describeClosed(
  budget: KubeObject,
  { pod, where }: { readonly pod: KubeObject; readonly where: string },
): Pick<Trouble, "because" | "fix"> {
  const [healthy, needed, expected] = ["currentHealthy", "desiredHealthy", "expectedPods"].map(
    (key) => numberAt(budget, ["status", key]),
  );
  const never = Number(needed) >= Number(expected);
  const label = objectLabel(budget);
  return {
    because: `${where}: ${label} lets no pod be evicted, ${objectLabel(pod)} among them (${String(healthy)} of ${String(expected)} pods are healthy, ${String(needed)} have to be)`,
    fix: never
      ? `${label} never allows an eviction: let it allow one before the node is drained again, and uncordon the node`
      : `the drain and the roll wait for each other: uncordon the node, and drain it again when every pod is ready`,
  };
}
