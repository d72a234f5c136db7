/** What speaks against upgrading this operator in this way, before anything is written. */
import { olmKind } from "../kube/kinds";
import { parseImage, registryOf } from "../release/images";
import type { Finding } from "../base/findings";
import type { Names } from "../names/names";
import { type KubeObject, objectLabel } from "../kube/objects";
import { ownerOf } from "../kube/owners";
import { getPath, getOwn, asString } from "../base/values";
import { compareTags, isOlder } from "../base/versions";
import { operatorFinding } from "./findings";
import { imagesOf, operatorVersionOf } from "./wanted";

/** How the API server addresses what OLM keeps of a release. */
export const olmResources = {
  installPlan: olmKind("installplans", "InstallPlan"),
  clusterServiceVersion: olmKind("clusterserviceversions", "ClusterServiceVersion"),
} as const;
const { group } = olmResources.installPlan;

/** What was found of OLM's objects around the operator; undefined = not found, or not to be read. */
export interface Olm {
  readonly subscription: KubeObject | undefined;
  readonly installPlan: KubeObject | undefined;
  readonly clusterServiceVersion: KubeObject | undefined;
}

/** Name of the ClusterServiceVersion that made the object. */
export function csvNameOf({ metadata }: KubeObject): string | undefined {
  const reference = (metadata.ownerReferences ?? []).find(
    (one) => getOwn(one, "kind") === olmResources.clusterServiceVersion.kind,
  );
  return asString(getOwn(reference, "name")) ?? asString(getOwn(metadata.labels, "olm.owner"));
}

/** The Subscription of this ClusterServiceVersion, else the only one of the namespace. */
export function subscriptionOf(
  subscriptions: readonly KubeObject[],
  csv: string | undefined,
): KubeObject | undefined {
  const named = subscriptions.find((subscription) =>
    ["installedCSV", "currentCSV"].some(
      (key) => csv !== undefined && getPath(subscription, ["status", key]) === csv,
    ),
  );
  return named ?? (subscriptions.length === 1 ? subscriptions[0] : undefined);
}

/** The InstallPlan that the Subscription waits for, or has carried out last. */
export function installPlanNameOf(subscription: KubeObject | undefined): string | undefined {
  return ["installPlanRef", "installplan"]
    .map((key) => asString(getPath(subscription, ["status", key, "name"])))
    .find((name) => name !== undefined);
}

/** The release that the ClusterServiceVersion says it is. */
export function olmVersionOf({ clusterServiceVersion }: Olm): string | undefined {
  return asString(getPath(clusterServiceVersion, ["spec", "version"]));
}

/** True when OLM has brought the operator to this release; a failed or pending install has not. */
export function isBrought(
  olm: Olm,
  { runs, target }: { readonly runs: string | undefined; readonly target: string | undefined },
): boolean {
  const phase = asString(getPath(olm.clusterServiceVersion, ["status", "phase"])) ?? "Succeeded";
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
  if (getPath(olm.installPlan, ["spec", "approved"]) !== true) {
    return `approve InstallPlan ${plan}${broughtBy(olm.installPlan)}, then run again: ${approval(plan, from)}`;
  }
  if (getPath(olm.installPlan, ["status", "phase"]) === "Complete") {
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
  const names = getPath(plan, ["spec", "clusterServiceVersionNames"]);
  return Array.isArray(names) && names.length > 0 ? `, which brings ${names.join(", ")}` : "";
}

/** A chart's release as helm lists it. */
export interface ChartRelease {
  readonly name: string;
  /** Chart and its version in one word, `operator-1.2.3`. */
  readonly chart: string;
  /** deployed, failed, pending-upgrade and so on. */
  readonly status: string;
}

/** One `helm upgrade`. */
export interface ChartUpgrade {
  readonly name: string;
  readonly chart: string;
  readonly version: string;
  /** Settings as helm takes them, `a.b=true`. */
  readonly sets: readonly string[];
  /** A file with values. */
  readonly values: string | undefined;
}

/**
 * Helm's words for it, as a person would type them. With any setting given, helm by itself forgets
 * all values of before; what a person gave is kept, and the new chart's own defaults count.
 */
export function helmWords({ name, chart, version, sets, values }: ChartUpgrade): readonly string[] {
  return [
    ...["helm", "upgrade", name, chart, "--version", version, "--reset-then-reuse-values"],
    ...sets.flatMap((set) => ["--set", set]),
    ...(values === undefined ? [] : ["--values", values]),
  ];
}

/** True when the release is deployed from the chart of that version; a leading v means nothing. */
export function isDeployed(release: ChartRelease | undefined, version: string): boolean {
  if (release === undefined || release.status !== "deployed") return false;
  const wanted = version.replace(/^v/, "");
  return release.chart.endsWith(`-${wanted}`) || release.chart.endsWith(`-v${wanted}`);
}

/** The operator as it was found. */
export interface Installed {
  readonly deployment: KubeObject | undefined;
  /** Every object of the bundle that is there, the Deployment among them. */
  readonly objects: readonly KubeObject[];
  readonly olm: Olm;
  readonly namespace: string;
  readonly names: Names;
  /** A command line for a person. */
  readonly command: (words: readonly string[]) => string;
}

/** True when OLM looks after the operator and has brought it to the release: nothing is left to write. */
export function isOlmDone(
  { deployment, olm, names }: Installed,
  target: string | undefined,
): boolean {
  if (deployment === undefined || ownerOf(deployment)?.name !== "OLM") return false;
  return isBrought(olm, { runs: operatorVersionOf(deployment, names), target });
}

/** Objects that Helm, OLM or a GitOps controller looks after, each with that owner's way. */
export function judgeOwners(installed: Installed, target: string | undefined): readonly Finding[] {
  return installed.objects.flatMap((object) => {
    const owner = ownerOf(object);
    if (owner === undefined) return [];
    const cause = `${owner.name} owns the object and would undo or fight the change`;
    return [
      operatorFinding("owned", {
        object: objectLabel(object),
        cause,
        fix: wayOf(owner.name, object, { ...installed, target }) ?? owner.way,
      }),
    ];
  });
}

function wayOf(
  owner: string,
  object: KubeObject,
  installed: Installed & { readonly target: string | undefined },
): string | undefined {
  const { command, olm } = installed;
  if (owner === "Helm") {
    const release = chartReleaseOf(object) ?? "NAME";
    const words = ["--chart", "REF", "--release-name", release, "--version", "V"];
    return `upgrade the chart: ${command(["kubectl", "engine", "upgrade-operator", ...words])}`;
  }
  return owner === "OLM" ? olmWay(olm, installed) : undefined;
}

/** The chart's release that Helm has marked the object with. */
export function chartReleaseOf({ metadata }: KubeObject): string | undefined {
  return asString(getOwn(metadata.annotations, "meta.helm.sh/release-name"));
}

/** A release behind the one that runs. */
export function judgeDirection(
  installed: Installed,
  release: string | undefined,
): readonly Finding[] {
  const { deployment, names } = installed;
  const runs = operatorVersionOf(deployment, names);
  if (deployment === undefined || !isOlder(release, runs)) return [];
  return [
    operatorFinding("older", {
      object: objectLabel(deployment),
      cause: `the release has operator ${String(release)}, and ${String(runs)} runs: this command goes forward only`,
    }),
  ];
}

/** Images that are pulled from elsewhere than the release would have them pulled from (S17). */
export function judgeRegistry(
  { deployment }: Pick<Installed, "deployment">,
  wanted: KubeObject,
  takeFields: readonly string[],
): readonly Finding[] {
  if (deployment === undefined || takeFields.some((field) => field.endsWith(".image"))) return [];
  const wants = imagesOf(wanted);
  const moved = [...imagesOf(deployment)].flatMap(([container, image]) => {
    const other = wants.get(container);
    if (other === undefined) return [];
    const [from, to] = [repositoryOf(image), repositoryOf(other)];
    return from === to ? [] : [{ container, from, to }];
  });
  const [first] = moved;
  if (first === undefined) return [];
  const { container, from, to } = first;
  return [
    operatorFinding("registry", {
      object: objectLabel(deployment),
      field: `.spec.template.spec.containers[name=${JSON.stringify(container)}].image`,
      cause: `the operator that runs is pulled from ${from}, the release names ${to}`,
      fix: `give upgrade or upgrade-operator its registry with --image-registry ${registryOf(from, to) ?? "HOST[/PATH]"}, or take the release's with --take-fields .image`,
    }),
  ];
}

/** What is no reference stands for itself. */
function repositoryOf(image: string): string {
  return parseImage(image)?.repository ?? image;
}
