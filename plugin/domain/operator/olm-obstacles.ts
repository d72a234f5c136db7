/** What keeps OLM from bringing the operator anywhere, in OLM's own words. */
import type { Finding } from "../base/findings";
import { kubectl, type Remedy } from "../base/remedy";
import { asArray, asString, getOwn, getPath } from "../base/values";
import { olmKinds } from "../kube/kinds";
import { type KubeObject, objectLabel, readName, readNamespace } from "../kube/objects";
import { findCondition } from "../kube/typed";
import { findLivingOwner, type LeftMarks } from "../kube/owners";
import { operatorFinding } from "./findings";
import { compareAges, type Olm, readAge, readPhase } from "./olm";
import { blamedBy } from "./olm-blame";

/** Everything that keeps OLM from bringing the operator anywhere, in OLM's own words; each cause once. */
export function judgeOlm(olm: Olm, namespace: string): readonly Finding[] {
  const groups = judgeGroups(olm, namespace);
  const plan = judgePlan(olm);
  const told = [plan, ...judgeInstalls(olm), judgeSubscription(olm, plan.length > 0)].flat();
  return [...groups, ...told];
}

const readPlace = (object: KubeObject): string => `--namespace=${readNamespace(object)}`;

/** A kind as kubectl takes it wherever another group has one of the same name. */
export const plural = ({
  plural: name,
  group,
}: {
  readonly plural: string;
  readonly group: string;
}) => `${name}.${group}`;

/** A plan that has failed is never tried again; what OLM names in it is a finding of its own. */
function judgePlan({ installPlan, wanted }: Olm): readonly Finding[] {
  if (installPlan === undefined || readPhase(installPlan) !== "Failed") return [];
  const message = describeFailure(installPlan);
  const blamed = blamedBy(message);
  const half = wanted === undefined || readPhase(wanted) === "Succeeded" ? [] : [wanted];
  const remove = [
    `${plural(olmKinds.installPlan)}/${readName(installPlan)}`,
    ...half.map((csv) => `${plural(olmKinds.clusterServiceVersion)}/${readName(csv)}`),
    readPlace(installPlan),
  ];
  const object = objectLabel(installPlan);
  const says = blamed?.object === undefined ? "correct what OLM names" : `correct ${blamed.object}`;
  const then: Remedy = {
    ...kubectl("delete the plan, so that OLM makes a new one to approve", "delete", ...remove),
    saves: {
      words: ["get", ...remove, "-o", "yaml"],
      file: `${readName(installPlan)}.yaml`,
    },
  };
  return [
    operatorFinding("olmPlan", {
      object,
      cause: `it has failed for good, OLM does not try it again: ${message === "" ? "without a word" : message}`,
      remedies: [{ says, then }],
    }),
    ...(blamed === undefined
      ? []
      : [
          operatorFinding("olmObject", {
            object: blamed.object,
            ...(blamed.field !== undefined && { field: blamed.field }),
            cause: `${object} fails at it: ${blamed.says}`,
            remedies: [
              kubectl("correct it as OLM says, before the plan is deleted", ...blamed.look),
            ],
          }),
        ]),
  ];
}

function describeFailure(plan: KubeObject): string {
  const messages = asArray(getPath(plan, ["status", "conditions"]))
    .filter((one) => getOwn(one, "status") === "False")
    .flatMap((one) => asString(getOwn(one, "message")) ?? []);
  return messages.join("; ");
}

/** An install that has failed, and one that waits for what does not come by itself. */
function judgeInstalls(olm: Olm): readonly Finding[] {
  const { clusterServiceVersion, wanted } = olm;
  return (
    [clusterServiceVersion, wanted]
      .filter((csv) => csv !== undefined)
      .filter((csv) => {
        const phase = readPhase(csv);
        return phase === "Failed" || (phase === "Pending" && csv === wanted);
      })
      // of these the groups tell
      .filter((csv) => olm.groups === undefined || !isOfGroups(csv))
      .map((csv) => {
        const object = objectLabel(csv);
        const { phase, reason, message } = readWords(csv);
        const unmet = listUnmet(csv);
        return operatorFinding("olmInstall", {
          object,
          cause: `it is ${phase} (${reason}: ${message})${unmet === "" ? "" : `: ${unmet}`}`,
          remedies: [wayOut(csv, olm)],
        });
      })
  );
}

function readWords(csv: KubeObject): Readonly<Record<"phase" | "reason" | "message", string>> {
  const read = (key: string): string => asString(getPath(csv, ["status", key])) ?? "no word";
  return { phase: read("phase"), reason: read("reason"), message: read("message") };
}

/** What OLM asks for and does not find. */
function listUnmet(csv: KubeObject): string {
  return asArray(getPath(csv, ["status", "requirementStatus"]))
    .filter((one) => getOwn(one, "status") !== "Present")
    .map((one) => {
      const [kind, name, status, message] = ["kind", "name", "status", "message"].map((key) =>
        asString(getOwn(one, key)),
      );
      const says = message === undefined ? "" : ` (${message})`;
      return `${kind ?? "an object"} ${name ?? ""} is ${status ?? "not there"}${says}`;
    })
    .join("; ");
}

function wayOut(csv: KubeObject, { clusterServiceVersion }: Olm): Remedy {
  const where = readPlace(csv);
  const { reason } = readWords(csv);
  if (reason === "OperatorConditionNotUpgradeable") {
    const name = readName(clusterServiceVersion ?? csv);
    return kubectl(
      "wait until what the operator names is over, after which OLM goes ahead by itself; the operator names it in its OperatorCondition",
      ...["get", plural(olmKinds.operatorCondition), name, where, "-o", "yaml"],
    );
  }
  const first =
    reason === "RequirementsNotMet" ? "bring what is not met" : "correct what OLM names";
  return kubectl(
    `${first}, after which OLM goes ahead by itself; see all that it says`,
    ...["describe", plural(olmKinds.clusterServiceVersion), readName(csv), where],
  );
}

/** One OperatorGroup that has the namespace among its targets, neither none nor two. */
function judgeGroups(olm: Olm, namespace: string): readonly Finding[] {
  const { groups } = olm;
  if (groups === undefined) return [];
  const [first, second] = groups;
  if (first === undefined) return noGroup(olm, namespace);
  return second === undefined
    ? judgeTargets(first, namespace, olm)
    : [severalGroups([...groups].sort(compareAges), olm.left)];
}

/** OLM itself fails an operator without a group: until it says so, it is only to be known. */
function noGroup(
  { clusterServiceVersion, subscription, wanted }: Olm,
  namespace: string,
): readonly Finding[] {
  const installs = [clusterServiceVersion, wanted].filter((csv) => csv !== undefined);
  // where nothing of OLM's is left there is nothing that a group would be for
  if (installs.length === 0 && subscription === undefined) return [];
  return [
    operatorFinding("olmGroup", {
      severity: installs.some(isOfGroups) ? "error" : "warning",
      object: `Namespace/${namespace}`,
      cause: "the namespace has no OperatorGroup: OLM installs and upgrades nothing in it",
      fix: `create one OperatorGroup with ${namespace} among its spec.targetNamespaces; first see whether it is in the repository of a GitOps controller`,
    }),
  ];
}

/** The youngest is most often the one too many, and only a person knows. */
function severalGroups(groups: readonly KubeObject[], left: LeftMarks | undefined): Finding {
  const [youngest, before] = [...groups].reverse() as [KubeObject, KubeObject];
  const owner = findLivingOwner(youngest, left);
  const where = readPlace(youngest);
  const kind = plural(olmKinds.operatorGroup);
  const isYounger = readAge(before) < readAge(youngest);
  const look = kubectl("decide which one is meant", "get", kind, where, "-o", "yaml");
  const at = [kind, readName(youngest), where];
  const then: Remedy = isYounger
    ? {
        ...kubectl("delete the other; the youngest goes with", "delete", ...at),
        saves: { words: ["get", ...at, "-o", "yaml"], file: `${readName(youngest)}.yaml` },
      }
    : { says: "delete the other" };
  const remedy: Remedy =
    owner !== undefined
      ? {
          says: `decide which one is meant; ${readName(youngest)} is ${owner.name}'s, and comes back where only it is deleted: ${owner.way}`,
        }
      : { ...look, then };
  return operatorFinding("olmGroup", {
    object: objectLabel(youngest),
    cause: `the namespace has ${groups.length} OperatorGroups, and OLM fails every operator of such a namespace: ${groups.map((one) => describeGroup(one, left)).join(", ")}`,
    remedies: [remedy],
  });
}

function describeGroup(group: KubeObject, left: LeftMarks | undefined): string {
  const managers = (group.metadata.managedFields ?? []).flatMap(({ manager }) => manager ?? []);
  const made = findLivingOwner(group, left)?.name ?? managers[0];
  const age = readAge(group);
  const told = [
    ...(age === "" ? [] : [`of ${age}`]),
    ...(made === undefined ? [] : [`made by ${made}`]),
  ];
  return told.length === 0 ? readName(group) : `${readName(group)} (${told.join(", ")})`;
}

function judgeTargets(group: KubeObject, namespace: string, olm: Olm): readonly Finding[] {
  const object = objectLabel(group);
  const missing = missingTargets(group, [namespace]);
  if (missing.length > 0) {
    return [
      operatorFinding("olmGroup", {
        object,
        cause: `it targets ${listTargets(group).join(", ")}, and not ${namespace}, where the operator and its clusters are`,
        remedies: [kubectl("add the namespace to its targets", ...targetWords(group, missing))],
      }),
    ];
  }
  const csv = [olm.wanted, olm.clusterServiceVersion].find(
    (one) => one !== undefined && isOfGroups(one),
  );
  if (csv === undefined) return [];
  const { phase, reason, message } = readWords(csv);
  const where = readPlace(group);
  return [
    operatorFinding("olmGroup", {
      object,
      cause: `${objectLabel(csv)} is ${phase} because of it (${reason}: ${message})`,
      remedies: [
        kubectl(
          "have it target what this operator's release supports",
          ...["edit", plural(olmKinds.operatorGroup), readName(group), where],
        ),
      ],
    }),
  ];
}

const groupReasons: readonly string[] = [
  "NoOperatorGroup",
  "TooManyOperatorGroups",
  "UnsupportedOperatorGroup",
  "InterOperatorGroupOwnerConflict",
];

const isOfGroups = (csv: KubeObject): boolean => groupReasons.includes(readWords(csv).reason);

/** The namespaces that a group reaches; "" stands for all of them. */
function listTargets(group: KubeObject): readonly string[] {
  const told = asArray(getPath(group, ["status", "namespaces"])).map(String);
  const named = asArray(getPath(group, ["spec", "targetNamespaces"])).map(String);
  return named.length > 0 ? named : told;
}

/** The namespaces that the group leaves out; none where it reaches all, or by a selector that OLM has not resolved. */
export function missingTargets(
  group: KubeObject,
  namespaces: readonly string[],
): readonly string[] {
  const targets = listTargets(group);
  if (targets.length === 0 || targets.includes("")) return [];
  return namespaces.filter((name) => !targets.includes(name));
}

/** The words that have the group reach these namespaces too. */
export function targetWords(group: KubeObject, missing: readonly string[]): readonly string[] {
  const targetNamespaces = [...listTargets(group), ...missing];
  const patch = JSON.stringify({ spec: { targetNamespaces } });
  const at = [plural(olmKinds.operatorGroup), readName(group), readPlace(group)];
  return ["patch", ...at, "--type=merge", "-p", patch];
}

const obstacles: readonly string[] = [
  "ResolutionFailed",
  "InstallPlanFailed",
  "InstallPlanMissing",
  "BundleUnpackFailed",
  "CatalogSourcesUnhealthy",
];

/** What OLM says of the Subscription that keeps it from going on; a plan that failed is told by itself. */
function judgeSubscription({ subscription }: Olm, isPlanTold: boolean): readonly Finding[] {
  if (subscription === undefined) return [];
  const told = obstacles.filter(
    (type) =>
      findCondition(subscription, type)?.status === "True" &&
      !(isPlanTold && type === "InstallPlanFailed"),
  );
  const [first] = told;
  if (first === undefined) return [];
  const cause = told
    .map((type) => {
      const [reason, message] = ["reason", "message"].map(
        (key) => asString(getOwn(findCondition(subscription, type), key)) ?? "no word",
      );
      return `OLM says ${type} (${reason}: ${message})`;
    })
    .join("; ");
  return [
    operatorFinding("olmStuck", {
      object: objectLabel(subscription),
      cause,
      remedies: [kubectl("correct what OLM names", ...seeBehind(first, subscription))],
    }),
  ];
}

/** Where to look for what a condition is about. */
function seeBehind(type: string, subscription: KubeObject): readonly string[] {
  const where = readPlace(subscription);
  const name = readName(subscription);
  if (type === "CatalogSourcesUnhealthy") {
    const place = asString(getPath(subscription, ["spec", "sourceNamespace"]));
    const from = place === undefined ? "--all-namespaces" : `--namespace=${place}`;
    return ["get", plural(olmKinds.catalogSource), from, "-o", "yaml"];
  }
  return ["describe", plural(olmKinds.subscription), name, where];
}
