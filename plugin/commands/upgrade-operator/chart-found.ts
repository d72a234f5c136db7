/** What is found of a chart, and why helm may not upgrade it. */
import type { Finding } from "../../domain/base/findings";
import { kubectl, type Remedy } from "../../domain/base/remedy";
import { findLivingOwner } from "../../domain/kube/owners";
import type { KubeObject } from "../../domain/kube/objects";
import type { Names } from "../../domain/names/names";
import {
  type Adoption,
  adopt,
  again,
  type ChartMarks,
  findLostRelease,
  helm,
  readChartMarks,
} from "../../domain/operator/chart-marks";
import { operatorFinding } from "../../domain/operator/findings";
import { type ChartRelease, gateOwners, type Installed } from "../../domain/operator/refusals";
import { readOperatorVersion } from "../../domain/operator/wanted";

/** The operator, and the release that the chart is known by. */
export interface ChartFacts extends Installed {
  readonly release: ChartRelease | undefined;
  /** The release that the Deployment is marked with, where it is another one that helm knows. */
  readonly marked?: ChartRelease | undefined;
}

/** Where it is, what it is called, and what it is to become. */
interface ChartPlace {
  readonly namespace: string;
  readonly releaseName: string;
  readonly chart: string;
  readonly version: string;
}

/** The operator's Deployment, as findings name it. */
export function nameOperator(
  { operator }: Names,
  { namespace }: Pick<ChartPlace, "namespace">,
): string {
  return `Deployment/${namespace}/${operator.deployment}`;
}

/** What stands against an upgrade by this release: another owner, another release, or its state. */
export function gateChart(place: ChartPlace, found: ChartFacts): readonly Finding[] {
  const { deployment, left } = found;
  const isHelms = deployment !== undefined && findLivingOwner(deployment, left)?.name === "Helm";
  // the marks of a chart are told below: they are of this release, or of another one
  const owned = isHelms ? [] : gateOwners(found, place.version);
  if (owned.some(({ severity }) => severity === "error")) return owned;
  const [first] = [...findOther(place, found), ...findRefused(place, found)];
  return first === undefined ? owned : [first];
}

const ofHelm = (
  { namespace }: Pick<ChartPlace, "namespace">,
  says: string,
  ...words: readonly string[]
): Remedy => helm(says, ...words, `--namespace=${namespace}`);

function findOther(place: ChartPlace, found: ChartFacts): readonly Finding[] {
  const { deployment, names, release } = found;
  if (deployment !== undefined) return findOtherRelease(place, found, deployment);
  if (release !== undefined) return [];
  const { releaseName, namespace, chart, version } = place;
  const words = ["install", releaseName, chart, "--version", version];
  return [
    operatorFinding("notChart", {
      object: nameOperator(names, place),
      cause: `namespace ${namespace} has no operator, and helm knows no release ${releaseName} there`,
      remedies: [
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
  { marked, names, release }: ChartFacts,
  deployment: KubeObject,
): readonly Finding[] {
  const { releaseName, namespace } = place;
  const object = nameOperator(names, place);
  const marks = readChartMarks(deployment);
  const told = (by: string, remedies: readonly Remedy[]): readonly Finding[] => {
    const cause = `the operator was installed by ${by}, not by release ${releaseName}`;
    return [operatorFinding("notChart", { object, cause, remedies })];
  };
  const { name = releaseName, namespace: home = namespace } = marks ?? {};
  const version = readOperatorVersion(deployment, names);
  const adoption = { namespace, chart: place.chart, version, release: name };
  if (marks === undefined) return told("no chart", listAdoptions(adoption, names));
  if (home !== namespace) {
    const by = `release ${name} of a chart in namespace ${home}`;
    return told(by, [upgradeThere(place, name, home)]);
  }
  const isGiven = name === releaseName;
  if ((isGiven ? release : marked) === undefined) {
    return [findLostRelease({ ...adoption, objects: [deployment] })];
  }
  if (isGiven) return [];
  return told(`release ${name} of a chart`, [{ says: `give --release-name ${name}` }]);
}

/** Helm keeps a release in one namespace, and may write to another. */
function upgradeThere(
  { chart, version }: ChartPlace,
  name: ChartMarks["name"],
  namespace: string,
): Remedy {
  const words = ["upgrade", name, chart, "--version", version, "--reset-then-reuse-values"];
  return ofHelm({ namespace }, "upgrade it where helm keeps it", ...words);
}

/** What makes helm take objects that it did not make. */
function listAdoptions(adoption: Adoption, { operator }: Names): readonly Remedy[] {
  const { namespace, release } = adoption;
  const what = ["deployment", operator.deployment, `--namespace=${namespace}`];
  const marks = [
    `meta.helm.sh/release-name=${release}`,
    `meta.helm.sh/release-namespace=${namespace}`,
  ];
  const words = ["list", `--namespace=${namespace}`];
  return [
    { says: "use the bundle with --release", see: { of: "helm", words } },
    adopt("let the chart adopt every object of the operator", adoption),
    {
      ...kubectl(
        "mark every object for it by hand, as this one",
        ...["label", ...what, "app.kubernetes.io/managed-by=Helm"],
      ),
      then: kubectl("name the release", "annotate", ...what, ...marks),
    },
  ];
}

type DescribeState = (
  place: ChartPlace,
  release: ChartRelease,
  found: ChartFacts,
) => { readonly because: string; readonly remedies: readonly Remedy[] };

/** Removes the record of the revision in that state; the revision before it is then the last one. */
function removeRecord({ namespace }: ChartPlace, { name, status }: ChartRelease): Remedy {
  const labels = ["-l", `owner=helm,name=${name},status=${status}`, `--namespace=${namespace}`];
  return kubectl("to keep what is installed, remove that record", "delete", "secret", ...labels);
}

/** The states in which helm refuses an upgrade; it takes a release that failed, or of which the record of today is gone. */
const refusedStates: Readonly<Record<string, DescribeState>> = {
  "pending-install": (place, release, { deployment, names }) => {
    const version = readOperatorVersion(deployment, names);
    const then = adopt("let helm adopt the objects", { ...place, release: release.name, version });
    const says = "where nothing of it is in use, delete every object of the chart";
    return {
      because: "its first install was cut off, and there is no revision to go back to",
      remedies: [
        { ...removeRecord(place, release), then },
        ofHelm(place, says, "uninstall", release.name),
      ],
    };
  },
  "pending-upgrade": (place, { name }) => ({
    because: "an earlier run was cut off",
    remedies: [{ ...ofHelm(place, "take it back", "rollback", name), then: again }],
  }),
  "pending-rollback": (place, { name }) => {
    const then = { ...ofHelm(place, "go back to it", "rollback", name, "REVISION"), then: again };
    const says = "find the last revision that was deployed";
    return {
      because: "an earlier rollback was cut off",
      remedies: [{ ...ofHelm(place, says, "history", name), then }],
    };
  },
  uninstalling: (place, release) => ({
    because: "a helm uninstall was cut off, and may have deleted some of its objects",
    remedies: [
      { ...removeRecord(place, release), then: again },
      ofHelm(place, "finish the removal", "uninstall", release.name),
    ],
  }),
  uninstalled: (place, { name, revision = "REVISION" }) => ({
    because: "it was uninstalled, and its history was kept",
    remedies: [{ ...ofHelm(place, "bring it back", "rollback", name, revision), then: again }],
  }),
};

function findRefused(place: ChartPlace, found: ChartFacts): readonly Finding[] {
  const { names, release } = found;
  const described = release && refusedStates[release.status]?.(place, release, found);
  if (release === undefined || described === undefined) return [];
  const { because, remedies } = described;
  const cause = `helm has release ${release.name} in state ${release.status}: ${because}`;
  return [operatorFinding("chartPending", { object: nameOperator(names, place), cause, remedies })];
}
