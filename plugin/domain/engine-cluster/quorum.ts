/** Whether an EC has lost its quorum: more than half of its nodes are not ready (domain facts 10). */
import type { Facts } from "../facts/facts";
import type { Finding } from "../base/findings";
import { type KubeObject, objectLabel, readNamespace } from "../kube/objects";
import { findCondition } from "../kube/typed";
import { look, type Remedy } from "../base/remedy";
import { getPath, withValue } from "../base/values";
import { locate, type Timed } from "../rollout/progress";
import { isReady } from "../rollout/pod-causes";
import type { Roll } from "../rollout/stateful-set";
import { latest } from "../rollout/times";
import { patchCluster } from "./causes";
import { clusterFinding } from "./findings";
import { readNodes } from "./scale";

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

/** No node becomes ready by itself any more; none while there is a majority. */
export function quorumLost(facts: Facts, { ec, roll, state }: Seen): readonly Timed[] {
  const nodes = readNodes(facts, ec);
  const { names } = facts;
  const isRecovering = getPath(ec, names.ecFields.clusterRecovery) === true;
  if (roll === undefined || nodes < 2 || others.includes(state) || isRecovering) return [];
  // who owns a pod says nothing of whether its node serves
  const ready = [...roll.pods.filter((one) => one.ready), ...roll.strays.filter(isReady)];
  // pods that nobody asks for are told as that
  if (ready.length * 2 >= nodes || roll.wanted < nodes) return [];
  const turned = roll.pods
    .filter((one) => !one.ready)
    .map(({ pod }) => findCondition(pod, "Ready")?.lastTransitionTime);
  const cause = `${ready.length} of its ${nodes} nodes are ready, which is no majority: no node becomes ready by waiting, and databases are down`;
  return locate([quorumLostSays(ec, names, cause)], { since: latest(turned) });
}

/** The documented recovery, with its volumes in place (domain facts 10). */
function recoverNodes(ec: KubeObject, names: Facts["names"]): Remedy {
  const body = withValue({}, names.ecFields.clusterRecovery, true);
  const says =
    "if the nodes still do not agree, recover the cluster with its volumes in place (its databases have to be recovered afterwards)";
  const pods = ["get", "pods", "-n", readNamespace(ec)];
  return {
    ...look("bring back the pods whose own cause is named, if there is one", ...pods),
    then: patchCluster(says, ec, { names, body }),
  };
}

/** As the REST API reports it, whatever the pods show. */
export function quorumLostSays(ec: KubeObject, names: Facts["names"], cause: string): Finding {
  const about = { object: objectLabel(ec), cause, remedies: [recoverNodes(ec, names)] };
  return clusterFinding("quorumLost", about, names);
}
