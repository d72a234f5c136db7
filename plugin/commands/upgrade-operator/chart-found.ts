/** What is found of a chart, and why helm may not upgrade it. */
import { BlockedError, exitCodes } from "../../domain/base/errors";
import type { Finding } from "../../domain/base/findings";
import type { KubeObject } from "../../domain/kube/objects";
import { chooseCause, findLivingOwner, type LeftMarks } from "../../domain/kube/owners";
import {
  type Adoption,
  type ChartMarks,
  findLostRelease,
  readChartMarks,
  renderAdoption,
} from "../../domain/operator/chart-marks";
import { operatorFinding } from "../../domain/operator/findings";
import type { ChartRelease } from "../../domain/operator/refusals";
import { readOperatorVersion } from "../../domain/operator/wanted";
import type { RunPorts } from "../../kernel/world";

/** The operator, and the release that the chart is known by. */
export interface ChartFacts {
  readonly deployment: KubeObject | undefined;
  readonly release: ChartRelease | undefined;
  /** The release that the Deployment is marked with, where it is another one that helm knows. */
  readonly marked?: ChartRelease | undefined;
  /** Objects whose owner is gone. */
  readonly left?: LeftMarks;
}

/** Where it is, what it is called, and what it is to become. */
interface ChartPlace {
  readonly namespace: string;
  readonly releaseName: string;
  readonly chart: string;
  readonly version: string;
}

interface ChartDeps extends Pick<RunPorts, "names" | "command"> {
  /** A helm command line for a person. */
  readonly helmCommand: (words: readonly string[]) => string;
}

/** Throws 5 where the operator is another's, or helm would refuse the release in its state. */
export function requireOwnRelease(deps: ChartDeps, place: ChartPlace, found: ChartFacts): void {
  const findings = [...findOtherOwner(deps, place, found), ...findRefused(deps, place, found)];
  if (findings.length > 0) throw new BlockedError(exitCodes.conflict, findings.slice(0, 1));
}

/** The operator's Deployment, as findings name it. */
export function nameOperator(
  { names }: Pick<ChartDeps, "names">,
  { namespace }: Pick<ChartPlace, "namespace">,
): string {
  return `Deployment/${namespace}/${names.operator.deployment}`;
}

function findOtherOwner(deps: ChartDeps, place: ChartPlace, found: ChartFacts): readonly Finding[] {
  const { deployment, release, left } = found;
  const object = nameOperator(deps, place);
  if (deployment === undefined) return release === undefined ? [nothingThere(deps, place)] : [];
  const owner = findLivingOwner(deployment, left);
  if (owner !== undefined && owner.name !== "Helm") {
    const cause = chooseCause(
      owner,
      `${owner.name} owns the operator and would undo or fight the change`,
    );
    return [operatorFinding("owned", { object, cause, fix: owner.way })];
  }
  const marks = readChartMarks(deployment);
  if (marks !== undefined) return findOtherRelease(deps, place, { ...found, deployment, marks });
  const cause = describeInstalled("no chart", place);
  return [
    operatorFinding("notChart", { object, cause, fix: describeAdoption(deps, place, deployment) }),
  ];
}

function describeInstalled(by: string, { releaseName }: ChartPlace): string {
  return `the operator was installed by ${by}, not by release ${releaseName}`;
}

/** The marks are of a release elsewhere, of one that is gone, or of one with another name. */
function findOtherRelease(
  deps: ChartDeps,
  place: ChartPlace,
  {
    deployment,
    marks,
    release,
    marked,
  }: ChartFacts & { readonly deployment: KubeObject; readonly marks: ChartMarks },
): readonly Finding[] {
  const { releaseName, namespace } = place;
  const object = nameOperator(deps, place);
  if (marks.namespace !== undefined && marks.namespace !== namespace) {
    const by = `release ${marks.name} of a chart in namespace ${marks.namespace}`;
    const about = { object, cause: describeInstalled(by, place) };
    return [operatorFinding("notChart", { ...about, fix: upgradeThere(deps, place, marks) })];
  }
  const isGiven = marks.name === releaseName;
  if ((isGiven ? release : marked) === undefined) {
    const adoption = adopt(deps, place, { deployment, release: marks.name });
    return [
      findLostRelease({ ...adoption, namespace, command: deps.command, objects: [deployment] }),
    ];
  }
  if (isGiven) return [];
  const cause = describeInstalled(`release ${marks.name} of a chart`, place);
  return [operatorFinding("notChart", { object, cause, fix: `give --release-name ${marks.name}` })];
}

function nothingThere({ helmCommand, ...deps }: ChartDeps, place: ChartPlace): Finding {
  const { releaseName, namespace, chart, version } = place;
  const install = helmCommand(["helm", "install", releaseName, chart, "--version", version]);
  return operatorFinding("notChart", {
    object: nameOperator(deps, place),
    cause: `namespace ${namespace} has no operator, and helm knows no release ${releaseName} there`,
    fix: `correct -n or --release-name; or install the operator with ${install}, or by its bundle with --release`,
  });
}

/** Helm keeps a release in one namespace, and may write to another. */
function upgradeThere({ helmCommand }: ChartDeps, place: ChartPlace, marks: ChartMarks): string {
  const { chart, version } = place;
  const words = ["helm", "upgrade", marks.name, chart, "--version", version];
  const where = ["--reset-then-reuse-values", `--namespace=${String(marks.namespace)}`];
  return `upgrade it where helm keeps it: ${helmCommand([...words, ...where])}`;
}

/** At the version that runs, so that nothing but the owner changes. */
function adopt(
  { names, helmCommand }: ChartDeps,
  { chart }: ChartPlace,
  { deployment, release }: Pick<ChartFacts, "deployment"> & Pick<Adoption, "release">,
): Adoption {
  return { release, chart, version: readOperatorVersion(deployment, names), helmCommand };
}

type DescribeState = (
  deps: ChartDeps,
  place: ChartPlace,
  found: ChartFacts & { readonly release: ChartRelease },
) => { readonly because: string; readonly fix: string };

/** Removes the record of the revision in that state; the revision before it is then the last one. */
function removeRecord({ command }: ChartDeps, { name, status }: ChartRelease): string {
  const labels = `owner=helm,name=${name},status=${status}`;
  return `remove that record with ${command(["kubectl", "delete", "secret", "-l", labels])}`;
}

/** The states in which helm refuses an upgrade; it takes a release that failed, or of which the record of today is gone. */
const refusedStates: Readonly<Record<string, DescribeState>> = {
  "pending-install": (deps, place, { deployment, release }) => {
    const adoption = renderAdoption(adopt(deps, place, { deployment, release: release.name }));
    const uninstall = deps.helmCommand(["helm", "uninstall", release.name]);
    return {
      because: "its first install was cut off, and there is no revision to go back to",
      fix: `to keep what is installed, ${removeRecord(deps, release)} and let helm adopt the objects: ${adoption}, then run again; where nothing of it is in use, ${uninstall} deletes every object of the chart`,
    };
  },
  "pending-upgrade": ({ helmCommand }, _place, { release }) => ({
    because: "an earlier run was cut off",
    fix: `run ${helmCommand(["helm", "rollback", release.name])}, then run again`,
  }),
  "pending-rollback": ({ helmCommand }, _place, { release: { name } }) => ({
    because: "an earlier rollback was cut off",
    fix: `find the last revision that was deployed with ${helmCommand(["helm", "history", name])}, run ${helmCommand(["helm", "rollback", name, "REVISION"])}, then run again`,
  }),
  uninstalling: (deps, _place, { release }) => ({
    because: "a helm uninstall was cut off, and may have deleted some of its objects",
    fix: `to keep the operator, ${removeRecord(deps, release)}, then run again; to finish the removal, run ${deps.helmCommand(["helm", "uninstall", release.name])}`,
  }),
  uninstalled: ({ helmCommand }, _place, { release: { name, revision = "REVISION" } }) => ({
    because: "it was uninstalled, and its history was kept",
    fix: `bring it back with ${helmCommand(["helm", "rollback", name, revision])}, then run again`,
  }),
};

function findRefused(
  deps: ChartDeps,
  place: ChartPlace,
  { release, ...found }: ChartFacts,
): readonly Finding[] {
  if (release === undefined) return [];
  const { name, status } = release;
  const described = refusedStates[status]?.(deps, place, { ...found, release });
  if (described === undefined) return [];
  const { because, fix } = described;
  const cause = `helm has release ${name} in state ${status}: ${because}`;
  return [operatorFinding("chartPending", { object: nameOperator(deps, place), cause, fix })];
}

/** What makes helm take objects that it did not make. */
function describeAdoption(deps: ChartDeps, place: ChartPlace, deployment: KubeObject): string {
  const { releaseName, namespace } = place;
  const { command, names } = deps;
  const what = ["deployment", names.operator.deployment];
  const label = command(["kubectl", "label", ...what, "app.kubernetes.io/managed-by=Helm"]);
  const marks = [
    `meta.helm.sh/release-name=${releaseName}`,
    `meta.helm.sh/release-namespace=${namespace}`,
  ];
  const annotate = command(["kubectl", "annotate", ...what, ...marks]);
  const adoption = renderAdoption(adopt(deps, place, { deployment, release: releaseName }));
  return `use the bundle with --release; or let the chart adopt every object of the operator: ${adoption}; an object is marked for it with ${label} and ${annotate}`;
}
