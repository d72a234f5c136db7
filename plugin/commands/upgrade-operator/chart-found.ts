/** What is found of a chart, and why helm may not upgrade it. */
import type { Finding } from "../../domain/base/findings";
import { kubectl, type Remedy } from "../../domain/base/remedy";
import { findChartWriter } from "../../domain/kube/owner-marks";
import { findLivingOwner } from "../../domain/kube/owners";
import { type KubeObject, objectLabel } from "../../domain/kube/objects";
import type { Names } from "../../domain/names/names";
import {
  type Adoption,
  adopt,
  type ChartHome,
  type ChartMarks,
  describeSearch,
  findLostRelease,
  helm,
  isAbsent,
  listPlaceWays,
  readChartMarks,
  type RecordSearch,
} from "../../domain/operator/chart-marks";
import { forget, judgeChartState } from "../../domain/operator/chart-states";
import { operatorFinding } from "../../domain/operator/findings";
import {
  type ChartRelease,
  gateOwners,
  type HelmFlag,
  helmWords,
  type Installed,
  listTwins,
  readChartName,
  writerUnknown,
} from "../../domain/operator/refusals";
import { readOperatorVersion } from "../../domain/operator/wanted";
import type { SoughtRelease } from "./read";

/** The operator, and the release that the chart is known by. */
export interface ChartFacts extends Installed {
  readonly release: ChartRelease | undefined;
  /** The release that the Deployment is marked with, where it is another one that helm knows. */
  readonly marked?: ChartRelease | undefined;
  /** What was looked for where helm does not know the release; absent: it knows it. */
  readonly search?: RecordSearch;
}

/** Where it is, what it is called, and what it is to become. */
interface ChartPlace {
  readonly namespace: string;
  readonly releaseName: string;
  readonly chart: string;
  readonly version: string;
  readonly values: readonly string[];
  readonly given: readonly HelmFlag[];
  /** Where helm keeps the records of this run. */
  readonly home: ChartHome;
}

/** The operator's Deployment, as findings name it. */
export function nameOperator(
  { operator }: Names,
  { namespace }: Pick<ChartPlace, "namespace">,
): string {
  return `Deployment/${namespace}/${operator.deployment}`;
}

/** What is to be known of the program that runs helm: that it was told to rest, or that it cannot be seen. */
export function describeWriter({
  deployment,
  left,
}: Pick<ChartFacts, "deployment" | "left">): readonly string[] {
  if (deployment === undefined || readChartMarks(deployment) === undefined) return [];
  const rests = left?.get(objectLabel(deployment));
  if (rests !== undefined) return [rests];
  return findChartWriter(deployment) === undefined ? [writerUnknown] : [];
}

/** The release to look for where helm was not asked; undefined where helm knows it, or the operator is another's. */
export function seekRelease(place: ChartPlace, found: ChartFacts): SoughtRelease | undefined {
  const { deployment, left, release, marked } = found;
  const owner = deployment && findLivingOwner(deployment, left);
  if (owner !== undefined && owner.name !== "Helm") return undefined;
  const { name, namespace: home } = readHome(place, deployment);
  const known = name === place.releaseName ? release : marked;
  if (home === place.namespace && known !== undefined) return undefined;
  return { release: name, namespace: home, home: place.home, asked: place.namespace };
}

/** The release that the operator is marked with, else the one that was given. */
function readHome(
  { releaseName, namespace }: ChartPlace,
  deployment: KubeObject | undefined,
): Required<ChartMarks> {
  return { name: releaseName, namespace, ...(deployment && readChartMarks(deployment)) };
}

/** What stands against an upgrade by this release: another owner, another release, or its state. */
export function gateChart(place: ChartPlace, found: ChartFacts): readonly Finding[] {
  const { deployment, left } = found;
  const isHelms = deployment !== undefined && findLivingOwner(deployment, left)?.name === "Helm";
  // the marks of a chart are told below: they are of this release, or of another one
  const owned = isHelms ? [] : gateOwners(found, place.version);
  if (owned.some(({ severity }) => severity === "error")) return owned;
  const [first] = [...findOther(place, found), ...findRefused(place, found)];
  const twins = findTwins(place, found);
  return first === undefined ? [...owned, ...twins] : [first, ...twins];
}

const ofHelm = (
  { namespace }: Pick<ChartPlace, "namespace">,
  says: string,
  ...words: readonly string[]
): Remedy => helm(says, ...words, `--namespace=${namespace}`);

function findOther(place: ChartPlace, found: ChartFacts): readonly Finding[] {
  const { deployment, names, release, search } = found;
  if (deployment !== undefined) return findOtherRelease(place, found, deployment);
  if (release !== undefined) return [];
  const { releaseName, namespace, chart, version, home } = place;
  const words = ["install", releaseName, chart, "--version", version];
  return [
    operatorFinding("notChart", {
      object: nameOperator(names, place),
      cause: `namespace ${namespace} has no operator, and helm knows no release ${releaseName} there${describeSearch(search)}`,
      remedies: [
        ...listPlaceWays(search, { release: releaseName, namespace, kept: home }),
        { says: "correct -n or --release-name" },
        ofHelm(place, "install the operator", ...words),
        { says: "install it by its bundle with --release" },
      ],
    }),
  ];
}

/** The marks are none, or of a release elsewhere, of one that is gone, or of one with another name. */
function findOtherRelease(
  place: ChartPlace,
  found: ChartFacts,
  deployment: KubeObject,
): readonly Finding[] {
  const { marked, names, release, search } = found;
  const { releaseName, namespace, home: kept } = place;
  const marks = readChartMarks(deployment);
  const { name, namespace: home } = readHome(place, deployment);
  const told = (by: string, remedies: readonly Remedy[]): readonly Finding[] => {
    const object = nameOperator(names, place);
    const cause = `the operator was installed by ${by}, not by release ${releaseName}`;
    const twin = marks && findTwin(found, home === namespace);
    if (twin === undefined) {
      const end = describeSearch(search);
      return [operatorFinding("notChart", { object, cause: `${cause}${end}`, remedies })];
    }
    const more = `${cause}, which helm knows in namespace ${namespace} too: ${describeTwins(twin)}`;
    const ways = [...remedies, forget(place, twin)];
    return [operatorFinding("chartTwice", { object, cause: more, remedies: ways })];
  };
  const version = readOperatorVersion(deployment, names);
  const adoption = { namespace: home, chart: place.chart, version, release: name };
  if (marks === undefined) {
    const isRefused = findRefused(place, found).length > 0;
    const places = listPlaceWays(search, { release: name, namespace, kept });
    return isRefused ? [] : told("no chart", [...places, ...listAdoptions(adoption, place, found)]);
  }
  const lost = { ...adoption, objects: [deployment], kept, search };
  if (home !== namespace) {
    const by = `release ${name} of a chart in namespace ${home}`;
    const isGone = search !== undefined && isAbsent(search, { storage: kept, namespace: home });
    return isGone ? [findLostRelease(lost)] : told(by, [upgradeThere(place, name, home)]);
  }
  const isGiven = name === releaseName;
  if ((isGiven ? release : marked) === undefined) {
    return [findLostRelease({ ...lost, isByHelm: true })];
  }
  if (isGiven) return [];
  return told(`release ${name} of a chart`, [{ says: `give --release-name ${name}` }]);
}

/** Helm keeps a release in one namespace, and may write to another. */
function upgradeThere(place: ChartPlace, name: ChartMarks["name"], namespace: string): Remedy {
  const [, ...words] = helmWords({ ...place, name, sets: [] });
  return ofHelm({ namespace }, "upgrade it where helm keeps it", ...words);
}

/** Helm installs no release that it knows. */
function takeOver(says: string, place: ChartPlace): Remedy {
  const [, ...words] = helmWords({ ...place, name: place.releaseName, sets: [] });
  const hint = "(helm before 3.17 has no --take-ownership: mark the objects by hand)";
  return ofHelm(place, `${says} ${hint}`, ...words, "--take-ownership");
}

/** What makes helm take objects that it did not make. */
function listAdoptions(
  adoption: Adoption,
  place: ChartPlace,
  { names: { operator }, release: known }: ChartFacts,
): readonly Remedy[] {
  const { namespace, release } = adoption;
  const what = ["deployment", operator.deployment, `--namespace=${namespace}`];
  const marks = [
    `meta.helm.sh/release-name=${release}`,
    `meta.helm.sh/release-namespace=${namespace}`,
  ];
  const words = ["list", `--namespace=${namespace}`];
  const says = "let the chart adopt every object of the operator";
  return [
    { says: "use the bundle with --release", see: { of: "helm", words } },
    known === undefined ? adopt(says, adoption) : takeOver(says, place),
    {
      ...kubectl(
        "mark every object for it by hand, as this one",
        ...["label", ...what, "app.kubernetes.io/managed-by=Helm"],
      ),
      then: kubectl("name the release", "annotate", ...what, ...marks),
    },
  ];
}

/** The release that was given, where it has the chart that the operator came with under another release. */
function findTwin(
  { release, marked, names }: ChartFacts,
  isMarkedHere: boolean,
): ChartRelease | undefined {
  const other = isMarkedHere ? marked : undefined;
  const chart = other === undefined ? names.operator.chart : readChartName(other);
  return release !== undefined && readChartName(release) === chart ? release : undefined;
}

/** Other releases of the chart, where the operator is marked for the one that was given. */
function findTwins(place: ChartPlace, found: ChartFacts): readonly Finding[] {
  const { deployment, names, release } = found;
  const { name, namespace } = (deployment && readChartMarks(deployment)) ?? {};
  if (name !== place.releaseName || namespace !== place.namespace) return [];
  return listTwins(release).map((twin) =>
    operatorFinding("chartTwice", {
      severity: "warning",
      object: nameOperator(names, place),
      cause: `helm knows release ${twin.name} of the same chart in namespace ${namespace} too, and the operator is marked for release ${name}: ${describeTwins(twin)}`,
      remedies: [forget(place, twin)],
    }),
  );
}

/** As helm does it: what is in the records of a release already is not compared with the marks. */
function describeTwins({ name }: ChartRelease): string {
  return `helm refuses objects that are new to release ${name} and marked for the other, takes those that both have, and deletes them with an uninstall of either`;
}

function findRefused(place: ChartPlace, found: ChartFacts): readonly Finding[] {
  const { names, release, deployment } = found;
  const version = readOperatorVersion(deployment, names);
  const described = release && judgeChartState(release, { ...place, version });
  if (release === undefined || described === undefined) return [];
  const { because, remedies } = described;
  const { name, status } = release;
  const cause = `helm has release ${name} in state ${status}: ${because}`;
  return [operatorFinding("chartPending", { object: nameOperator(names, place), cause, remedies })];
}
