/** What speaks against upgrading this operator in this way, before anything is written. */
import { parseImage, findRegistry } from "../release/images";
import type { Finding } from "../base/findings";
import type { Remedy } from "../base/remedy";
import { gate } from "../diagnosis/diagnose";
import { factNamed, type Facts } from "../facts/facts";
import type { Names } from "../names/names";
import { type KubeObject, objectLabel } from "../kube/objects";
import {
  findLivingOwner,
  findOwner,
  judgeOwnership,
  type LeftMarks,
  type Owner,
  renderOwnersWay,
} from "../kube/owners";
import { findChartWriter } from "../kube/owner-marks";
import { isOlder } from "../base/versions";
import {
  type ChartStorage,
  findLostRelease,
  helm,
  listWaysOut,
  readChartMarks,
  type RecordSearch,
} from "./chart-marks";
import { operatorFinding } from "./findings";
import { isBrought, noOlm, type Olm, readOlm } from "./olm";
import { olmWay } from "./olm-way";
import { olmList } from "./symptoms";
import { listImages, readOperatorVersion } from "./wanted";

/** A chart's release as helm lists it. */
export interface ChartRelease {
  readonly name: string;
  /** Chart and its version in one word, `operator-1.2.3`. */
  readonly chart: string;
  /** deployed, failed, pending-upgrade and so on. */
  readonly status: string;
  /** The number of its last revision, where helm names it. */
  readonly revision?: string;
  /** Other releases of the namespace, without what they have beside them. */
  readonly beside?: readonly ChartRelease[];
  /** All that helm keeps, the last one among them; absent: not asked for, or not known. */
  readonly revisions?: readonly ChartRevision[];
}

/** A revision of a release. */
export interface ChartRevision {
  readonly revision: number;
  readonly status: string;
  /** As of a release. */
  readonly chart?: string;
}

/** A flag of helm's, by helm's name. */
export interface HelmFlag {
  readonly flag: string;
  /** Absent: it has no value. */
  readonly text?: string;
  /** What is written; which values of before are kept; or where the chart is found. */
  readonly of: "written" | "kept" | "source";
}

/** One `helm upgrade`. */
export interface ChartUpgrade {
  readonly name: string;
  readonly chart: string;
  readonly version: string;
  /** Settings as helm takes them, `a.b=true`. */
  readonly sets: readonly string[];
  /** Files with values; of one value in several the last counts. */
  readonly values: readonly string[];
  /** All else that a person gave; of values that are set one by one the last counts, over those of files. */
  readonly given: readonly HelmFlag[];
  /** The API server merges, and fields of other managers are taken, all of them by consent. */
  readonly takes?: true | undefined;
}

/**
 * Helm's words for it, as a person would type them. With any setting given, helm by itself forgets
 * all values of before; what a person gave is kept, and the new chart's own defaults count.
 */
export function helmWords({
  name,
  chart,
  version,
  sets,
  values,
  given,
  takes,
}: ChartUpgrade): readonly string[] {
  const kept = given.some(({ of }) => of === "kept") ? [] : ["--reset-then-reuse-values"];
  return [
    ...["helm", "upgrade", name, chart, "--version", version, ...kept],
    ...sets.flatMap((set) => ["--set", set]),
    ...values.flatMap((file) => ["--values", file]),
    ...given.flatMap(flagWords),
    ...(takes === true ? ["--force-conflicts"] : []),
  ];
}

function flagWords({ flag, text }: HelmFlag): readonly string[] {
  return [`--${flag}`, ...(text === undefined ? [] : [text])];
}

/** What leads helm to the chart, for its commands that only show it. */
export function sourceWords({ given }: Pick<ChartUpgrade, "given">): readonly string[] {
  return given.filter(({ of }) => of === "source").flatMap(flagWords);
}

/** Whether a release that is at that version already may become another one. */
export function changesMore({ values, given }: Pick<ChartUpgrade, "values" | "given">): boolean {
  return values.length > 0 || given.some(({ of }) => of !== "source");
}

/** True when the release is deployed from the chart of that version; a leading v means nothing. */
export function isDeployed(release: ChartRelease | undefined, version: string): boolean {
  if (release === undefined || release.status !== "deployed") return false;
  const wanted = version.replace(/^v/, "");
  return release.chart.endsWith(`-${wanted}`) || release.chart.endsWith(`-v${wanted}`);
}

/** The name of a chart, without the version that helm writes behind it. */
export function readChartName({ chart }: Pick<ChartRelease, "chart">): string {
  return chart.replace(/-v?\d+\.\d+\.\d+.*$/, "");
}

/** Releases beside this one that have the same chart and may have the same objects. */
export function listTwins(release: ChartRelease | undefined): readonly ChartRelease[] {
  const { beside = [] } = release ?? {};
  return beside.filter(
    (one) =>
      release !== undefined &&
      one.status !== "uninstalled" &&
      readChartName(one) === readChartName(release),
  );
}

/** Helm's records of a release. */
export interface ChartRecords {
  /** Where they are. */
  readonly namespace: string;
  /** Undefined where they cannot be seen. */
  readonly isKnown: boolean | undefined;
  /** The kind of object that was looked for; absent: none, since helm keeps them elsewhere. */
  readonly kept?: ChartStorage | undefined;
  /** What was looked for where they are not there. */
  readonly search?: RecordSearch | undefined;
}

/** The operator as it was found. */
export interface Installed {
  readonly deployment: KubeObject | undefined;
  /** Every object of the bundle that is there, the Deployment among them. */
  readonly objects: readonly KubeObject[];
  readonly olm: Olm;
  /** OLM's lists and the Deployment, where OLM keeps the operator. */
  readonly facts?: Facts | undefined;
  /** The objects whose owner is gone. */
  readonly left?: LeftMarks;
  readonly namespace: string;
  /** By the name of a release that objects are marked with: what is seen of helm's records. */
  readonly records?: ReadonlyMap<string, ChartRecords>;
  readonly names: Names;
}

/** The operator's Deployment as a whole snapshot shows it. */
export function findInstalled(facts: Facts): Installed {
  const { left, names, namespace } = facts;
  const place = { name: names.operator.deployment, namespace };
  const deployment = factNamed(facts, "deployments", place);
  const objects = deployment === undefined ? [] : [deployment];
  const olm = readOlm(facts) ?? noOlm;
  return { deployment, objects, olm, facts, namespace, names, ...(left && { left }) };
}

/** True when OLM looks after the operator and has brought it to the release: nothing is left to write. */
export function isOlmDone(
  { deployment, olm, names, left }: Installed,
  target: string | undefined,
): boolean {
  const owner = deployment && findLivingOwner(deployment, left);
  if (owner?.name !== "OLM") return false;
  return isBrought(olm, { runs: readOperatorVersion(deployment, names), target });
}

/** What stands against writing these objects: what keeps OLM, and their owners, each with its own way. */
export function gateOwners(installed: Installed, target: string | undefined): readonly Finding[] {
  const { facts } = installed;
  return [
    ...(facts === undefined ? [] : gate(olmList, "upgrade-operator", { facts })),
    ...judgeOwners(installed, target),
  ];
}

/** Objects that Helm, OLM or a GitOps controller looks after, each with that owner's way. */
export function judgeOwners(installed: Installed, target: string | undefined): readonly Finding[] {
  const lost = listLost(installed);
  const owned = installed.objects.flatMap((object) => {
    const owner = findOwner(object, installed.left);
    if (owner === undefined || lost.some(({ objects }) => objects.includes(object))) return [];
    const { fix, ...told } = judgeOwnership(owner);
    const remedies = listWays(owner, object, { ...installed, target });
    const ways = owner.left === undefined ? { remedies } : { fix };
    return [operatorFinding("owned", { object: objectLabel(object), ...told, ...ways })];
  });
  return [...lost.map(findLostRelease), ...owned];
}

type Lost = Parameters<typeof findLostRelease>[0];

/** The releases that objects are marked with and that helm has no record of. */
function listLost(installed: Installed): readonly Lost[] {
  const lost = [...(installed.records ?? [])].filter(([, { isKnown }]) => isKnown === false);
  return lost.map(([release, records]) => describeLost(installed, release, records));
}

function describeLost(
  { deployment, objects, left, names }: Installed,
  release: string,
  { namespace, kept, search }: ChartRecords,
): Lost {
  const marked = objects.filter(
    (object) =>
      findLivingOwner(object, left)?.name === "Helm" && readChartMarks(object)?.name === release,
  );
  return {
    ...{ release, version: readOperatorVersion(deployment, names) },
    ...{ objects: marked, namespace, kept, search },
  };
}

/** Where no field manager tells what runs helm. */
export const writerUnknown =
  "what runs helm is not known from the field managers: where Flux, Argo CD or Terraform does, upgrade it there";

/** How an owner that is there brings a release. */
export function listWays(
  owner: Owner,
  object: KubeObject,
  installed: Installed & { readonly target: string | undefined },
): readonly Remedy[] {
  if (owner.name === "OLM") return [olmWay(installed.olm, installed)];
  if (owner.name !== "Helm") return [{ says: renderOwnersWay(owner) }];
  const { name: release = "NAME" } = readChartMarks(object) ?? {};
  const way = `upgrade it with its chart: upgrade-operator --chart REF --release-name ${release} --version V`;
  const records = installed.records?.get(release);
  const unsure = findChartWriter(object) === undefined ? ` (${writerUnknown})` : "";
  const first = { says: `${renderOwnersWay({ ...owner, way })}${unsure}` };
  if (records === undefined || records.isKnown === true) return [first];
  const { namespace } = records;
  const seen = helm(
    "see whether helm finds the release, and where it does not do one of what follows",
    ...["status", release, `--namespace=${namespace}`],
  );
  return [first, seen, ...listWaysOut(describeLost(installed, release, records))];
}

/** A release behind the one that runs. */
export function judgeDirection(
  installed: Installed,
  release: string | undefined,
): readonly Finding[] {
  const { deployment, names } = installed;
  const runs = readOperatorVersion(deployment, names);
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
  const wants = listImages(wanted);
  const moved = [...listImages(deployment)].flatMap(([container, image]) => {
    const other = wants.get(container);
    if (other === undefined) return [];
    const [from, to] = [readRepository(image), readRepository(other)];
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
      fix: `give upgrade or upgrade-operator its registry with --image-registry ${findRegistry(from, to) ?? "HOST[/PATH]"}, or take the release's with --take-fields .image`,
    }),
  ];
}

/** What is no reference stands for itself. */
function readRepository(image: string): string {
  return parseImage(image)?.repository ?? image;
}
