/** What OLM tells of an operator that it looks after, and how it is told to go on (domain facts 8). */
import type { KubeObject, Resource } from "../objects";
import { at, own, text } from "../values";
import { compareTags } from "../versions";

const group = "operators.coreos.com";
const version = "v1alpha1";

/** How the API server addresses what OLM keeps of a release. */
export const olmResources = {
  installPlan: { group, version, plural: "installplans", kind: "InstallPlan" },
  clusterServiceVersion: {
    group,
    version,
    plural: "clusterserviceversions",
    kind: "ClusterServiceVersion",
  },
} as const satisfies Readonly<Record<string, Resource>>;

/** What was found of OLM's objects around the operator; undefined = not found, or not to be read. */
export interface Olm {
  readonly subscription: KubeObject | undefined;
  readonly installPlan: KubeObject | undefined;
  readonly clusterServiceVersion: KubeObject | undefined;
}

/** Name of the ClusterServiceVersion that made the object. */
export function csvNameOf({ metadata }: KubeObject): string | undefined {
  const reference = (metadata.ownerReferences ?? []).find(
    (one) => own(one, "kind") === olmResources.clusterServiceVersion.kind,
  );
  return text(own(reference, "name")) ?? text(own(metadata.labels, "olm.owner"));
}

/** The Subscription of this ClusterServiceVersion, else the only one of the namespace. */
export function subscriptionOf(
  subscriptions: readonly KubeObject[],
  csv: string | undefined,
): KubeObject | undefined {
  const named = subscriptions.find((subscription) =>
    ["installedCSV", "currentCSV"].some(
      (key) => csv !== undefined && at(subscription, ["status", key]) === csv,
    ),
  );
  return named ?? (subscriptions.length === 1 ? subscriptions[0] : undefined);
}

/** The InstallPlan that the Subscription waits for, or has carried out last. */
export function installPlanNameOf(subscription: KubeObject | undefined): string | undefined {
  return ["installPlanRef", "installplan"]
    .map((key) => text(at(subscription, ["status", key, "name"])))
    .find((name) => name !== undefined);
}

/** The release that the ClusterServiceVersion says it is. */
export function olmVersionOf({ clusterServiceVersion }: Olm): string | undefined {
  return text(at(clusterServiceVersion, ["spec", "version"]));
}

/** True when OLM has brought the operator to this release; a failed or pending install has not. */
export function isBrought(
  olm: Olm,
  { runs, target }: { readonly runs: string | undefined; readonly target: string | undefined },
): boolean {
  const phase = text(at(olm.clusterServiceVersion, ["status", "phase"])) ?? "Succeeded";
  return compareTags(runs ?? olmVersionOf(olm), target) === 0 && phase === "Succeeded";
}

/** What to do for OLM to bring the operator to the release, with the exact command where it is known. */
export function olmWay(
  olm: Olm,
  from: {
    readonly namespace: string;
    readonly target: string | undefined;
    readonly command: (words: readonly string[]) => string;
  },
): string {
  const { namespace, command, target = "the release" } = from;
  const kubectl = (...words: readonly string[]): string =>
    command(["kubectl", ...words, "-n", namespace]);
  const subscription = olm.subscription?.metadata.name ?? "NAME";
  const plan = installPlanNameOf(olm.subscription);
  if (plan === undefined) {
    const list = kubectl("get", `${olmResources.installPlan.plural}.${group}`);
    return `find the InstallPlan of Subscription ${subscription} with: ${list}; then approve it: ${approval("NAME", from)}`;
  }
  if (at(olm.installPlan, ["spec", "approved"]) !== true) {
    return `approve InstallPlan ${plan}${broughtBy(olm.installPlan)}, then run again: ${approval(plan, from)}`;
  }
  if (at(olm.installPlan, ["status", "phase"]) === "Complete") {
    const edit = kubectl("edit", `subscriptions.${group}`, subscription);
    return `InstallPlan ${plan} is carried out and did not bring ${target}: choose a channel that has it with: ${edit}`;
  }
  const watch = kubectl("get", `${olmResources.clusterServiceVersion.plural}.${group}`, "-w");
  return `InstallPlan ${plan} is approved: wait until OLM has brought ${target}, then run again; watch it with: ${watch}`;
}

function approval(
  plan: string,
  { namespace, command }: Pick<Parameters<typeof olmWay>[1], "namespace" | "command">,
): string {
  const patch = JSON.stringify({ spec: { approved: true } });
  const words = ["patch", "installplan", plan, "-n", namespace, "--type", "merge", "-p", patch];
  return command(["oc", ...words]);
}

function broughtBy(plan: KubeObject | undefined): string {
  const names = at(plan, ["spec", "clusterServiceVersionNames"]);
  return Array.isArray(names) && names.length > 0 ? `, which brings ${names.join(", ")}` : "";
}
