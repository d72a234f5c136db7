/** What keeps an upgrade, as `status` and `recover` judge it, and what would keep one that has not begun. */
import { ec, text, type Text } from "../../domain/names/text";
import { findHeldAhead, quotaAhead, sickAhead } from "../../domain/engine-cluster/ahead";
import { clusterFindings } from "../../domain/engine-cluster/findings";
import { findStandstill } from "../../domain/engine-cluster/standstill";
import type { Facts } from "../../domain/facts/facts";
import type { KubeObject } from "../../domain/kube/objects";
import type { Code } from "../../domain/names/codes";
import { type RollCause, rollFindings } from "../../domain/rollout/findings";
import { type Check, makeChecks, type CheckResult, perCluster } from "../../domain/checks/check";

const { shared } = makeChecks("cluster");
const needs = ["ecs", "statefulSets", "pods"] as const;

/** What is so where nothing keeps a roll. */
const titles: Readonly<Record<RollCause, Text>> = {
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
  held: "No update strategy holds up a roll",
  idle: "Every roll has an end",
};

/** The causes of one code, in the words of `status` and `recover`. */
export function standstillResults(
  facts: Facts,
  cluster: KubeObject,
  { code }: Code,
): readonly CheckResult[] {
  return findStandstill(facts, cluster)
    .filter((one) => one.code === code)
    .map(({ object, because: cause, fix }) => ({ object, cause, fix }));
}

type Ahead = (facts: Facts, cluster: KubeObject) => readonly CheckResult[];

function ofStandstill(code: Code, title: Text, ahead?: Ahead): Check {
  const isOfAttachments = code.code === rollFindings.attach.code;
  return shared(code, {
    title,
    // the events tell of it as well
    needs,
    ...(isOfAttachments && { may: ["volumeAttachments"] }),
    judge: perCluster((cluster, { facts }) => {
      const found = standstillResults(facts, cluster, code);
      return found.length > 0 ? found : (ahead?.(facts, cluster) ?? []);
    }),
  });
}

/** One check for each cause. */
export const standstillChecks: readonly Check[] = [
  ofStandstill(clusterFindings.mistakenTag, text`Every ${ec} asks for a release of the cluster`),
  ofStandstill(clusterFindings.tagLowered, text`No ${ec} asks for less than its pods run`),
  ofStandstill(clusterFindings.quorumLost, text`Every ${ec} has a majority of its nodes`),
  ofStandstill(clusterFindings.notTakenUp, text`The operator acts on every ${ec}`),
  ...(Object.keys(titles) as readonly RollCause[]).map((cause) =>
    ofStandstill(rollFindings[cause], titles[cause], cause === "held" ? findHeldAhead : undefined),
  ),
  shared(clusterFindings.quota, {
    title: "The quotas let every pod be created again",
    needs: [...needs, "resourceQuotas"],
    judge: perCluster((cluster, { facts }) => quotaAhead(facts, cluster)),
  }),
  shared(
    { ...clusterFindings.sickPod, severity: "warning" },
    {
      title: "Every pod is ready before a roll begins",
      needs,
      judge: perCluster((cluster, { facts }) => sickAhead(facts, cluster)),
    },
  ),
];
