/** Disruption budgets: they keep evictions, and so a drain, from ending; a StatefulSet's own roll asks none of them (domain facts 11). */
import type { Facts } from "../facts/facts";
import type { Pod, PodDisruptionBudget } from "../kube/models";
import { objectLabel, readName } from "../kube/objects";
import { selects } from "../kube/selectors";
import { findCondition } from "../kube/typed";

/** The budgets of a pod; one without a selector has none. */
function listBudgets({ objects }: Facts, { metadata }: Pod): readonly PodDisruptionBudget[] {
  return objects.disruptionBudgets.filter((budget) => {
    const selector = budget.spec?.selector;
    return (
      budget.metadata.namespace === metadata.namespace &&
      selector !== undefined &&
      selects(selector, metadata.labels ?? {})
    );
  });
}

/** What a drain waits for: pods that are over, about to start or on their way out are not asked for. */
function isEvicted(pod: Pod): boolean {
  const isOfNode = (pod.metadata.ownerReferences ?? []).some((owner) =>
    ["DaemonSet", "Node"].includes(String(owner["kind"])),
  );
  return (
    !isOfNode && pod.metadata.deletionTimestamp === undefined && pod.status?.phase === "Running"
  );
}

/** The budget as its controller has counted it, where that leaves no eviction of the pod. */
function isClosed(budget: PodDisruptionBudget, pod: Pod): boolean {
  const { observedGeneration, disruptionsAllowed } = budget.status ?? {};
  // a dump by hand has the counts, and may lack what they are of
  const counted = observedGeneration ?? (disruptionsAllowed === undefined ? -1 : Infinity);
  if (counted < (budget.metadata.generation ?? 0)) return false;
  if ((disruptionsAllowed ?? 0) > 0) return false;
  const isReady = findCondition(pod, "Ready")?.status === "True";
  const { healthy, needed } = readCounts(budget);
  const mayGo = healthy >= needed && needed > 0;
  const policy = budget.spec?.unhealthyPodEvictionPolicy;
  // a pod that is not ready may go where that takes nothing from those that are
  return isReady || !(policy === "AlwaysAllow" || mayGo);
}

/** Why a drain does not end, and what to do before its nodes are uncordoned. */
interface DrainHeld {
  readonly because: string;
  readonly way: string;
  readonly budget: PodDisruptionBudget;
  /** What ends it where the budget itself is what keeps it, however healthy the pods are. */
  readonly allow: string | undefined;
}

/** Why a drain of these nodes cannot end, and what to do before they are uncordoned; undefined where no budget shows it. */
export function findDrainHeld(facts: Facts, nodes: readonly string[]): DrainHeld | undefined {
  return findEvictionHeld(
    facts,
    facts.objects.pods.filter((pod) => nodes.includes(String(pod.spec?.nodeName))),
  );
}

/** The same of the nodes of these pods, as far as it is them that a budget keeps. */
export function findEvictionHeld(facts: Facts, pods: readonly Pod[]): DrainHeld | undefined {
  for (const pod of pods.filter(isEvicted)) {
    const budgets = listBudgets(facts, pod);
    const [first] = budgets;
    const where = `no drain of node ${String(pod.spec?.nodeName)} ends`;
    if (first !== undefined && budgets.length > 1) {
      const names = budgets.map(readName).join(", ");
      return {
        because: `${where}: more than one PodDisruptionBudget (${names}) selects ${objectLabel(pod)}, and the API server evicts no such pod`,
        way: `leave one budget for each pod before it is drained again, and uncordon the node`,
        ...{ budget: first, allow: "leave one budget for each pod" },
      };
    }
    const [budget] = budgets.filter((one) => isClosed(one, pod));
    if (budget !== undefined) return describeClosed(budget, { pod, where });
  }
  return undefined;
}

function readCounts({ status }: PodDisruptionBudget) {
  return {
    healthy: status?.currentHealthy ?? 0,
    needed: status?.desiredHealthy ?? 0,
    expected: status?.expectedPods ?? 0,
  };
}

function describeClosed(
  budget: PodDisruptionBudget,
  { pod, where }: { readonly pod: Pod; readonly where: string },
): DrainHeld {
  const { healthy, needed, expected } = readCounts(budget);
  const never = needed >= expected;
  const label = objectLabel(budget);
  return {
    because: `${where}: ${label} lets no pod be evicted, ${objectLabel(pod)} among them (${healthy} of ${expected} pods are healthy, ${needed} have to be)`,
    way: never
      ? `${label} never allows an eviction: let it allow one before the node is drained again, and uncordon the node`
      : `the drain and the roll wait for each other: uncordon the node, and drain it again when every pod is ready`,
    ...{ budget, allow: never ? "let the budget allow one eviction" : undefined },
  };
}
