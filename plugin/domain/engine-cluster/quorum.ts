/** Whether an EC has lost its quorum: more than half of its nodes are not ready (domain facts 10). */
import type { Facts } from "../facts/facts";
import { conditionOf, type KubeObject, nameOf, namespaceOf } from "../kube/objects";
import { getOwn, getPath } from "../base/values";
import { explain } from "../names/codes";
import type { Problem } from "../rollout/progress";
import type { Roll } from "../rollout/stateful-set";
import { latest } from "../rollout/times";
import { clusterFindings } from "./findings";
import { nodesOf } from "./scale";

/** States in which there is no cluster yet, or in which it is being recovered already. */
const others: readonly string[] = [
  "PendingCreation",
  "BootstrappingFirstPod",
  "Initializing",
  "RecoveryReset",
  "RecoveringFirstPod",
  "ClusterRecreating",
  "Deleting",
];

interface Seen {
  readonly ec: KubeObject;
  readonly roll: Roll | undefined;
  readonly state: string;
}

/** No node becomes ready by itself any more; undefined while there is a majority. */
export function quorumLost(
  facts: Facts,
  { ec, roll, state }: Seen,
): Omit<Problem, "object"> | undefined {
  const nodes = nodesOf(facts, ec);
  const { names } = facts;
  const isRecovering = getPath(ec, names.ecFields.clusterRecovery) === true;
  if (roll === undefined || nodes < 2 || others.includes(state) || isRecovering) return undefined;
  const ready = roll.pods.filter((one) => one.ready);
  // pods that nobody asks for are told as that
  if (ready.length * 2 >= nodes || roll.wanted < nodes) return undefined;
  const { code } = explain(clusterFindings.quorumLost, names);
  const field = names.ecFields.clusterRecovery.at(-1);
  const patch = JSON.stringify({ spec: { [String(field)]: true } });
  const turned = roll.pods
    .filter((one) => !one.ready)
    .map(({ pod }) => getOwn(conditionOf(pod, "Ready"), "lastTransitionTime"));
  return {
    code,
    because: `${ready.length} of its ${nodes} nodes are ready, which is no majority: no node becomes ready by waiting, and databases are down`,
    fix: `bring back the pods whose own cause is named, if there is one; if the nodes still do not agree, recover the cluster with its volumes in place (its databases have to be recovered afterwards): kubectl patch ${names.ec.plural}.${names.group} ${nameOf(ec)} -n ${namespaceOf(ec)} --type=merge -p '${patch}'`,
    since: latest(turned),
  };
}
