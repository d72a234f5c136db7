/** What keeps an upgrade, as `status` and `recover` judge it, and what would keep one that has not begun. */
import { ec, text, type Text } from "../../domain/names/text";
import { clusterFindings } from "../../domain/engine-cluster/findings";
import { aheadSymptoms, clusterSymptoms, ofStandstill } from "../../domain/engine-cluster/symptoms";
import type { Code } from "../../domain/names/codes";
import { type RollCause, rollFindings } from "../../domain/rollout/findings";
import { type Check, makeChecks, perCluster } from "../../domain/checks/check";

const { ofSymptom, shared } = makeChecks("cluster");

/** What is so where nothing keeps a roll. */
const titles: Readonly<Record<Exclude<RollCause, "held">, Text>> = {
  unobserved: "The StatefulSet controller has taken up every StatefulSet",
  nodeLost: text`The node of every pod of an ${ec} is ready`,
  nodeCordoned: "No pod waits for a cordoned node",
  attach: "Every volume is attached to its pod's node",
  volume: "No pod waits for a volume",
  outdated: "No pod of an earlier revision holds up a roll",
  notCreated: "Every pod may be created",
  recreated: "No pod is created again and again",
  unschedulable: "Every pod has a node",
  sandbox: "Every node sets up its pods",
  mount: "Everything that pods mount is there",
  config: "Everything that containers refer to is there",
  image: "Every image can be pulled",
  evicted: "No pod is evicted",
  memory: "No container is killed for its memory",
  crash: "Every container stays up",
  overdue: "Every deleted pod ends within its grace period",
  terminating: "No pod has been terminating for long",
  gate: "Every readiness gate is set",
  notReady: "Every new pod becomes ready",
  absent: text`Every pod of an ${ec} exists`,
  idle: "Every roll has an end",
};

/** Each cause of a standstill is a check: all of them are judged as one. */
function ofCause(code: Code, title: Text, rest: Pick<Check, "may"> = {}): Check {
  return shared(code, {
    ...{ title, needs: clusterSymptoms.standstill.needs },
    ...rest,
    judge: perCluster((cluster, { facts }) => ofStandstill(facts, cluster, code)),
  });
}

/** One check for each cause. */
export const standstillChecks: readonly Check[] = [
  ofCause(clusterFindings.mistakenTag, text`Every ${ec} asks for a release of the cluster`),
  ofCause(clusterFindings.tagLowered, text`No ${ec} asks for less than its pods run`),
  ofCause(clusterFindings.quorumLost, text`Every ${ec} has a majority of its nodes`),
  ofCause(clusterFindings.notTakenUp, text`The operator acts on every ${ec}`),
  ...(Object.keys(titles) as readonly (keyof typeof titles)[]).map((cause) =>
    // the events tell of it as well
    ofCause(
      rollFindings[cause],
      titles[cause],
      cause === "attach" ? { may: ["volumeAttachments"] } : {},
    ),
  ),
  ofSymptom(aheadSymptoms.held),
  ofSymptom(aheadSymptoms.quota),
  ofSymptom(aheadSymptoms.noNode),
  ofSymptom(aheadSymptoms.sickPod),
];
