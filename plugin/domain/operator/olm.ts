/** What OLM itself says of the operator that it keeps: InstallPlan, ClusterServiceVersion, Subscription, OperatorGroups. */
import { asArray, asString, getOwn, getPath, oncePer } from "../base/values";
import { factNamed, type Facts, isKnown } from "../facts/facts";
import { compareTags } from "../base/versions";
import { olmKinds } from "../kube/kinds";
import { type KubeObject, readName } from "../kube/objects";
import { findLivingOwner, type LeftMarks } from "../kube/owners";

/** The objects of the operator's namespace; undefined where they could not be read. */
export interface OlmLists {
  readonly subscriptions: readonly KubeObject[] | undefined;
  readonly installPlans: readonly KubeObject[] | undefined;
  readonly clusterServiceVersions: readonly KubeObject[];
  readonly operatorGroups: readonly KubeObject[] | undefined;
  /** Objects whose owner is gone. */
  readonly left?: LeftMarks | undefined;
}

/** What was found of this operator; what belongs to other operators of the namespace is left out. */
export interface Olm {
  readonly subscription: KubeObject | undefined;
  readonly installPlan: KubeObject | undefined;
  /** The plan that the Subscription names, also where plans could not be read. */
  readonly planName?: string | undefined;
  /** The one that made the operator's Deployment. */
  readonly clusterServiceVersion: KubeObject | undefined;
  /** The one that OLM brings, where it is another. */
  readonly wanted?: KubeObject | undefined;
  /** Subscriptions of other operators of the namespace; undefined where they could not be read. */
  readonly others?: readonly KubeObject[] | undefined;
  readonly groups?: readonly KubeObject[] | undefined;
  /** Objects whose owner is gone, groups among them. */
  readonly left?: LeftMarks | undefined;
}

/** Nothing is known of OLM. */
export const noOlm: Olm = {
  subscription: undefined,
  installPlan: undefined,
  clusterServiceVersion: undefined,
};

/** The lists that OLM's objects are in. */
export const olmKeys = [
  ...(["subscriptions", "installPlans", "clusterServiceVersions", "operatorGroups"] as const),
];

/** What OLM keeps of the operator; undefined where somebody else keeps it. */
export const readOlm = oncePer((facts: Facts): Olm | undefined => {
  const place = { name: facts.names.operator.deployment, namespace: facts.namespace };
  return findOlmIn(facts, factNamed(facts, "deployments", place));
});

/** What OLM keeps of the operator with this Deployment; of OperatorGroups that are not served nothing is said. */
export function findOlmIn(facts: Facts, deployment: KubeObject | undefined): Olm | undefined {
  const { objects, unserved } = facts;
  const read = (key: (typeof olmKeys)[number]): readonly KubeObject[] | undefined =>
    isKnown(facts, key) && !unserved.has(key) ? objects[key] : undefined;
  const lists = {
    subscriptions: read("subscriptions"),
    installPlans: read("installPlans"),
    operatorGroups: read("operatorGroups"),
  };
  return findOlm(deployment, { ...objects, ...lists, left: facts.left });
}

/** Name of the ClusterServiceVersion that made the object. */
export function findCsvName({ metadata }: KubeObject): string | undefined {
  const reference = (metadata.ownerReferences ?? []).find(
    (one) => getOwn(one, "kind") === olmKinds.clusterServiceVersion.kind,
  );
  return asString(getOwn(reference, "name")) ?? asString(metadata.labels?.["olm.owner"]);
}

/** What belongs to the operator whose Deployment this is; undefined where OLM did not make it. */
export function findOlm(deployment: KubeObject | undefined, lists: OlmLists): Olm | undefined {
  if (deployment === undefined || findLivingOwner(deployment, lists.left)?.name !== "OLM")
    return undefined;
  const csv = findCsvName(deployment);
  const subscription = findSubscription(lists.subscriptions ?? [], csv);
  const next = asString(getPath(subscription, ["status", "currentCSV"]));
  const isOurs = (name: unknown): boolean => isSameOperator(name, csv ?? next);
  const plan = choosePlan(lists.installPlans, subscription, isOurs);
  const named = (name: string | undefined): KubeObject | undefined =>
    lists.clusterServiceVersions.find(({ metadata }) => metadata.name === name);
  const brought = [next, ...listCsvNames(plan.installPlan).filter(isOurs)];
  const installs = brought.filter((name) => name !== csv).map(named);
  return {
    subscription,
    ...plan,
    clusterServiceVersion: named(csv ?? ""),
    wanted: installs.find((one) => one !== undefined),
    others: lists.subscriptions?.filter((one) => one !== subscription),
    groups: lists.operatorGroups,
    left: lists.left,
  };
}

/** Where plans could not be read, only the name that the Subscription tells is known. */
function choosePlan(
  plans: readonly KubeObject[] | undefined,
  subscription: KubeObject | undefined,
  isOurs: (name: unknown) => boolean,
): Pick<Olm, "installPlan" | "planName"> {
  if (plans === undefined) {
    return { installPlan: undefined, planName: readInstallPlanName(subscription) };
  }
  const installPlan = findInstallPlan(plans, subscription, isOurs);
  return { installPlan, planName: installPlan?.metadata.name };
}

/** The Subscription of this ClusterServiceVersion or of another release of its operator; one that names none where it is alone. */
export function findSubscription(
  subscriptions: readonly KubeObject[],
  csv: string | undefined,
): KubeObject | undefined {
  const [only, second] = subscriptions;
  const lone = second === undefined ? only : undefined;
  if (csv === undefined) return lone;
  const namedBy = (fits: (name: string) => boolean): KubeObject | undefined =>
    subscriptions.find((one) => listNamed(one).some(fits));
  const found = namedBy((name) => name === csv) ?? namedBy((name) => isSameOperator(name, csv));
  return found ?? (lone !== undefined && listNamed(lone).length === 0 ? lone : undefined);
}

/** The ClusterServiceVersions that a Subscription names. */
export function listNamed(subscription: KubeObject): readonly string[] {
  return [
    getPath(subscription, ["status", "installedCSV"]),
    getPath(subscription, ["status", "currentCSV"]),
    getPath(subscription, ["spec", "startingCSV"]),
  ].flatMap((name) => asString(name) ?? []);
}

/** Names of ClusterServiceVersions are the operator's name, a dot and its release. */
export function isSameOperator(name: unknown, csv: string | undefined): boolean {
  if (csv === undefined) return true;
  return withoutRelease(String(name)) === withoutRelease(csv);
}

const withoutRelease = (csv: string): string => csv.replace(/\.v?\d.*$/, "");

/** The InstallPlan that the Subscription waits for, or has carried out last. */
export function readInstallPlanName(subscription: KubeObject | undefined): string | undefined {
  return ["installPlanRef", "installplan"]
    .map((key) => asString(getPath(subscription, ["status", key, "name"])))
    .find((name) => name !== undefined);
}

/** The plan that the Subscription names, else the last one that brings this operator; never one that brings only others. */
function findInstallPlan(
  plans: readonly KubeObject[],
  subscription: KubeObject | undefined,
  isOurs: (name: unknown) => boolean,
): KubeObject | undefined {
  const ours = plans.filter((plan) => {
    const names = listCsvNames(plan);
    return names.length === 0 || names.some(isOurs);
  });
  const name = readInstallPlanName(subscription);
  const named = ours.find(({ metadata }) => metadata.name === name);
  const bringing = ours.filter((plan) => listCsvNames(plan).length > 0);
  return named ?? [...bringing].sort(compareAges).at(-1);
}

/** The ClusterServiceVersions that a plan brings. */
export function listCsvNames(plan: KubeObject | undefined): readonly string[] {
  return asArray(getPath(plan, ["spec", "clusterServiceVersionNames"])).map(String);
}

/** When it was made, RFC 3339; empty where that is not told. */
export const readAge = ({ metadata }: KubeObject): string =>
  asString(metadata["creationTimestamp"]) ?? "";

/** The older one first. */
export function compareAges(one: KubeObject, other: KubeObject): number {
  return readAge(one).localeCompare(readAge(other)) || readName(one).localeCompare(readName(other));
}

/** The release that the ClusterServiceVersion says it is. */
export function readOlmVersion({ clusterServiceVersion }: Olm): string | undefined {
  return asString(getPath(clusterServiceVersion, ["spec", "version"]));
}

/** True when OLM has brought the operator to this release; a failed or pending install has not. */
export function isBrought(
  olm: Olm,
  { runs, target }: { readonly runs: string | undefined; readonly target: string | undefined },
): boolean {
  const phase = readPhase(olm.clusterServiceVersion) ?? "Succeeded";
  return compareTags(runs ?? readOlmVersion(olm), target) === 0 && phase === "Succeeded";
}

/** What OLM says of how far it is. */
export function readPhase(object: KubeObject | undefined): string | undefined {
  return asString(getPath(object, ["status", "phase"]));
}

/** True where nothing of the namespace asks for an approval, so that OLM upgrades by itself. */
export function isAutomatic({ subscription, others = [] }: Olm): boolean {
  const all = subscription === undefined ? [] : [subscription, ...others];
  return (
    all.length > 0 && all.every((one) => getPath(one, ["spec", "installPlanApproval"]) !== "Manual")
  );
}

/** What OLM is about to do by itself; undefined where it rests. */
export function describeMoving({ wanted, installPlan }: Olm): string | undefined {
  const phase = readPhase(wanted);
  if (wanted !== undefined && ["Installing", "InstallReady"].includes(String(phase))) {
    return `OLM installs ${readName(wanted)} (${String(phase)})`;
  }
  const isUnderWay = getPath(installPlan, ["spec", "approved"]) === true;
  if (installPlan === undefined || !isUnderWay || readPhase(installPlan) !== "Installing") {
    return undefined;
  }
  return `OLM carries out InstallPlan ${readName(installPlan)}`;
}
