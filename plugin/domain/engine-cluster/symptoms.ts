/** What may be wrong with an EC, in causal order: the first that is found explains those after it (S57-S60, S68-S72). */
import { clusterVersionFor } from "../release/platforms";
import type { Found, Scene, Symptom } from "../diagnosis/symptom";
import type { Facts } from "../facts/facts";
import { type KubeObject, objectLabel } from "../kube/objects";
import type { Code } from "../names/codes";
import { ec, text } from "../names/text";
import { referenceSymptom } from "../references/judge";
import type { ApiLicense } from "../rest-api/records";
import { asString, getPath, pick } from "../base/values";
import { isSameRelease } from "../base/versions";
import { groundSymptoms } from "../operator/ground";
import { rollFindings } from "../rollout/findings";
import { readRoll } from "../rollout/stateful-set";
import { findHeldAhead, unplacedAhead, quotaAhead, sickAhead } from "./ahead";
import { findCauses, recoverLine } from "./causes";
import { findDeletingCluster } from "./deletion";
import { clusterFindings } from "./findings";
import { findLicense } from "./license";
import { renderState } from "./not-taken";
import { isSuspended, operatorRelease } from "./operator";
import { findSet } from "./rollout";
import { findScaledCauses } from "./scale";
import { findStandstill } from "./standstill";
import { readExpansion } from "./volumes";

/** The ECs that are looked at: all of the operator's, or the one that is written. */
export interface ClusterScene extends Scene {
  readonly clusters: readonly KubeObject[];
  /** As the REST API of the one EC told it. */
  readonly license?: ApiLicense | undefined;
}

type Judge = (cluster: KubeObject, facts: Facts, scene: ClusterScene) => readonly Found[];

const perCluster =
  (judge: Judge): Symptom<ClusterScene>["judge"] =>
  (scene) =>
    scene.clusters.flatMap((cluster) => judge(cluster, scene.facts, scene));

const ofLicense = ({ code }: Code): Symptom<ClusterScene>["judge"] =>
  perCluster((cluster, facts, { license }) =>
    findLicense(facts, cluster, license).filter((one) => one.code === code),
  );

/** What an EC stands still for, of these codes alone. */
export function ofStandstill(
  facts: Facts,
  cluster: KubeObject,
  ...codes: readonly Code[]
): readonly Found[] {
  return findStandstill(facts, cluster)
    .filter(({ code }) => codes.some((one) => one.code === code))
    .map((one) => pick(one, "code", "object", "field", "cause", "fix", "remedies", "source"));
}

const standing = (...codes: readonly Code[]): Symptom<ClusterScene>["judge"] =>
  perCluster((cluster, facts) => ofStandstill(facts, cluster, ...codes));

const readState = (cluster: KubeObject, { names }: Facts): string =>
  asString(getPath(cluster, names.ecFields.state)) ?? "";

const stateField = ({ names }: Facts): string => names.ecFields.state.join(".");

/** What every upgrade of operator or EC waits for: judged with all other prerequisites. */
const upgrades = ["upgrade-operator", "upgrade-cluster"] as const;
const writes = ["upgrade-cluster", "modules"] as const;
const needs = ["ecs"] as const;
const rollNeeds = ["ecs", "statefulSets", "pods"] as const;
const products = ["ecs", "edbs", "eaadbs"] as const;

/** States that an EC is in while it is well, refused, or on its way (domain facts 7). */
const known = ["Running", "InvalidUpgrade", "Upgrade", "RunningRollingUpdate"];

/** What keeps a roll, beside what has a row of its own. */
const others: readonly Code[] = [
  ...[clusterFindings.quorumLost, clusterFindings.frozen],
  ...Object.values(rollFindings),
  ...[clusterFindings.state, clusterFindings.notTakenUp],
];

/** What is wrong now. */
export const clusterSymptoms = {
  deleting: {
    ...clusterFindings.deleting,
    title: text`No ${ec} is being deleted`,
    needs,
    forbids: [...writes, "upgrade-operator", "upgrade-webhook"],
    judge: perCluster((cluster, facts) => {
      const found = findDeletingCluster(facts, cluster);
      return found === undefined ? [] : [found];
    }),
  },
  mistaken: {
    ...clusterFindings.mistakenTag,
    title: text`Every ${ec} asks for a release of the cluster`,
    needs: rollNeeds,
    causes: [clusterFindings.tagLowered],
    judge: standing(clusterFindings.mistakenTag, clusterFindings.tagLowered),
  },
  // its cause is judged by itself, and the next edit may be its cure
  invalidUpgrade: {
    ...clusterFindings.invalidUpgrade,
    title: "The operator has refused no upgrade",
    needs,
    judge: standing(clusterFindings.invalidUpgrade),
  },
  specInvalid: {
    ...clusterFindings.specInvalid,
    title: text`The operator accepts every ${ec}'s spec`,
    needs,
    forbids: ["upgrade-cluster"],
    judge: standing(clusterFindings.specInvalid),
  },
  license: {
    ...clusterFindings.license,
    title: "The license is valid",
    needs,
    forbids: upgrades,
    judge: ofLicense(clusterFindings.license),
  },
  licenseExpired: {
    ...clusterFindings.licenseExpired,
    title: "The license has not expired",
    needs,
    forbids: upgrades,
    judge: ofLicense(clusterFindings.licenseExpired),
  },
  scaled: {
    ...clusterFindings.scaled,
    title: text`Every StatefulSet asks for the nodes of its ${ec}`,
    needs: ["ecs", "statefulSets"],
    forbids: writes,
    judge: perCluster((cluster, facts) => findScaledCauses(facts, cluster)),
  },
  standstill: {
    ...clusterFindings.state,
    title: text`No ${ec} is stalled`,
    needs: rollNeeds,
    causes: others,
    judge: standing(...others),
  },
  resizing: {
    ...clusterFindings.resizing,
    title: "No volume is being expanded",
    needs: ["ecs", "statefulSets", "claims"],
    forbids: [...upgrades, "modules"],
    judge: perCluster((cluster, facts) => {
      const found = readExpansion(facts, cluster);
      if (found === undefined) return [];
      return [found.failed ? found.finding : { ...found.finding, passes: true }];
    }),
  },
  // pods that are well say nothing of whether the operator still manages the EC (S10)
  suspended: {
    ...clusterFindings.behindOperator,
    title: text`The operator manages every ${ec}`,
    needs: ["ecs", "deployments"],
    judge: perCluster((cluster, facts) => {
      if (!isSuspended(facts, cluster)) return [];
      const cause = `suspended: the operator is already at ${String(operatorRelease(facts).version)}, and manages neither it nor its databases until it follows`;
      const fix = "upgrade it with upgrade-cluster";
      return [{ severity: "error", object: objectLabel(cluster), cause, fix }];
    }),
  },
} as const satisfies Readonly<Record<string, Symptom<ClusterScene>>>;

/** The list, in its order. */
export const clusterList: readonly Symptom<ClusterScene>[] = Object.values(clusterSymptoms);

/** What an act stands on, the widest first. */
export const groundList: readonly Symptom<ClusterScene>[] = [
  ...Object.values(groundSymptoms),
  clusterSymptoms.deleting,
];

/** What keeps a write from being done, or its roll from coming to its end, while the EC itself may be well. */
export const aheadSymptoms = {
  busy: {
    ...clusterFindings.busy,
    severity: "warning",
    title: "No rolling upgrade or restart is in progress",
    needs,
    forbids: writes,
    judge: perCluster((cluster, facts) => {
      if (readState(cluster, facts) !== "Upgrade") return [];
      const path = facts.names.ecFields.versionTag;
      const tag = asString(getPath(cluster, path)) ?? "the operator's own release";
      return [describeBusy(facts, cluster, `an upgrade to ${tag} is in progress, state Upgrade`)];
    }),
  },
  // an upgrade waits for the end of a restart by itself
  restarting: {
    ...clusterFindings.busy,
    severity: "warning",
    title: "No pod is being renewed",
    needs: rollNeeds,
    forbids: ["modules"],
    judge: perCluster((cluster, facts) => {
      const state = readState(cluster, facts);
      if (state === "Upgrade") return [];
      if (!isRolling(facts, cluster) && state !== "RunningRollingUpdate") return [];
      const found = describeBusy(
        facts,
        cluster,
        `its pods are being renewed, state ${renderState(state)}`,
      );
      const fix = "wait until it is Running, which status shows, then run this again";
      return [{ fix, ...found }];
    }),
  },
  state: {
    ...clusterFindings.state,
    title: text`Every ${ec} is in a state from which an upgrade begins`,
    needs,
    may: ["statefulSets", "pods"],
    forbids: writes,
    judge: perCluster((cluster, facts) => {
      const state = readState(cluster, facts);
      const found = ofStandstill(facts, cluster, clusterFindings.state);
      if (found.length > 0 || known.includes(state)) return found;
      const cause = `its state is ${renderState(state)}`;
      return [{ object: objectLabel(cluster), field: stateField(facts), cause, passes: true }];
    }),
  },
  held: {
    ...rollFindings.held,
    title: "No update strategy holds up a roll",
    needs: rollNeeds,
    forbids: writes,
    judge: perCluster((cluster, facts) => {
      const found = ofStandstill(facts, cluster, rollFindings.held);
      return found.length > 0 ? found : findHeldAhead(facts, cluster);
    }),
  },
  quota: {
    ...clusterFindings.quota,
    title: "The quotas let every pod be created again",
    needs: rollNeeds,
    may: ["resourceQuotas"],
    forbids: writes,
    judge: perCluster((cluster, facts) => quotaAhead(facts, cluster)),
  },
  noNode: {
    ...clusterFindings.noNode,
    title: "A node takes each pod again that a roll takes down",
    needs: rollNeeds,
    may: ["nodes"],
    forbids: writes,
    judge: perCluster((cluster, facts) => unplacedAhead(facts, cluster)),
  },
  sickPod: {
    ...clusterFindings.sickPod,
    title: "Every pod is ready before a roll begins",
    needs: rollNeeds,
    forbids: writes,
    judge: perCluster((cluster, facts) => sickAhead(facts, cluster)),
  },
  references: {
    ...referenceSymptom(({ clusters }: ClusterScene) =>
      clusters.map((object) => ({ by: "ec" as const, object })),
    ),
    may: ["referredSecrets", "serviceAccounts"],
    forbids: ["upgrade-cluster"],
  },
  behindOperator: {
    ...clusterFindings.behindOperator,
    title: text`The ${ec} is at the release that its operator manages`,
    needs: ["ecs", "deployments"],
    judge: perCluster((cluster, facts) => {
      const path = facts.names.ecFields.versionTag;
      const tag = asString(getPath(cluster, path));
      const { version } = operatorRelease(facts);
      const managed = version === undefined ? undefined : clusterVersionFor(version);
      if (tag === undefined || managed === undefined || isSameRelease(tag, managed)) return [];
      const cause = `its tag is ${tag}, operator ${String(version)} manages ${managed}`;
      return [{ object: objectLabel(cluster), field: path.join("."), cause }];
    }),
  },
  licenseUnknown: {
    ...clusterFindings.licenseUnknown,
    title: text`The ${ec} reports the state of its license`,
    needs,
    forbids: upgrades,
    judge: perCluster((cluster, { names }) => {
      const path = names.ecFields.licenseState;
      if (asString(getPath(cluster, path)) !== undefined) return [];
      const cause = "its status reports no state of the license";
      return [{ object: objectLabel(cluster), field: path.join("."), cause }];
    }),
  },
  digestPinned: {
    ...clusterFindings.digestPinned,
    title: "No image is pinned by digest where upgrades are automatic",
    needs,
    judge: perCluster((cluster, facts) => findCauses("digestPinned", facts, { ec: cluster })),
  },
  autoUserModules: {
    ...clusterFindings.autoUserModules,
    title: "Upgrades are not automatic where databases use user-defined modules",
    needs: products,
    forbids: upgrades,
    judge: perCluster((cluster, facts) => findCauses("autoUserModules", facts, { ec: cluster })),
  },
} as const satisfies Readonly<Record<string, Symptom<ClusterScene>>>;

/** Of a StatefulSet that tells no revision, pods that are all there and ready are taken for renewed. */
function isRolling(facts: Facts, cluster: KubeObject): boolean {
  const set = findSet(facts, cluster);
  if (set === undefined) return false;
  const { complete, observed, pods, wanted } = readRoll(facts, set);
  if (set.status?.updateRevision !== undefined) return !complete;
  return !observed || pods.length !== wanted || pods.some(({ ready }) => !ready);
}

function describeBusy(facts: Facts, cluster: KubeObject, says: string): Found {
  const cause = `${says}: one roll at a time, and edits of databases may be denied until it is Running`;
  const about = { object: objectLabel(cluster), field: stateField(facts), cause };
  // to follow it would be to wait for what does not come
  if (findStandstill(facts, cluster).length === 0) return { ...about, passes: true };
  return { ...about, fix: `end its standstill first: ${recoverLine(cluster)}` };
}

/** What a write of an EC is gated by. */
export const clusterGates: readonly Symptom<ClusterScene>[] = [
  ...clusterList,
  ...Object.values(aheadSymptoms),
];
