/** What is found of a chart, and why helm may not upgrade it. */
import { BlockedError, exitCodes } from "../../domain/base/errors";
import type { Finding } from "../../domain/base/findings";
import type { KubeObject } from "../../domain/kube/objects";
import { chooseCause, findLivingOwner, type LeftMarks } from "../../domain/kube/owners";
import { operatorFinding } from "../../domain/operator/findings";
import { type ChartRelease, readChartRelease } from "../../domain/operator/refusals";
import type { RunPorts } from "../../kernel/world";

/** The operator, and the release that the chart is known by. */
export interface ChartFacts {
  readonly deployment: KubeObject | undefined;
  readonly release: ChartRelease | undefined;
  /** Objects whose owner is gone. */
  readonly left?: LeftMarks;
}

/** Where it is, and what it is called. */
interface ChartPlace {
  readonly namespace: string;
  readonly releaseName: string;
}

interface ChartDeps extends Pick<RunPorts, "names" | "command"> {
  /** A helm command line for a person. */
  readonly helmCommand: (words: readonly string[]) => string;
}

/** Throws 5 where the operator is another's, or an earlier run of helm was cut off. */
export function requireOwnRelease(deps: ChartDeps, place: ChartPlace, found: ChartFacts): void {
  const findings = [...findOtherOwner(deps, place, found), ...findPending(deps, place, found)];
  if (findings.length > 0) throw new BlockedError(exitCodes.conflict, findings.slice(0, 1));
}

/** The operator's Deployment, as findings name it. */
export function nameOperator(
  { names }: Pick<ChartDeps, "names">,
  { namespace }: Pick<ChartPlace, "namespace">,
): string {
  return `Deployment/${namespace}/${names.operator.deployment}`;
}

function findOtherOwner(
  deps: ChartDeps,
  place: ChartPlace,
  { deployment, release, left }: ChartFacts,
): readonly Finding[] {
  const { releaseName } = place;
  const object = nameOperator(deps, place);
  const owner = deployment && findLivingOwner(deployment, left);
  if (owner !== undefined && owner.name !== "Helm") {
    const cause = chooseCause(
      owner,
      `${owner.name} owns the operator and would undo or fight the change`,
    );
    return [operatorFinding("owned", { object, cause, fix: owner.way })];
  }
  const held = deployment === undefined ? undefined : readChartRelease(deployment);
  if (release !== undefined && (deployment === undefined || held === releaseName)) return [];
  const other = held === undefined ? "no chart" : `release ${held} of a chart`;
  const cause = `the operator was installed by ${other}, not by release ${releaseName}`;
  const fix = held === undefined ? describeAdoption(deps, place) : `give --release-name ${held}`;
  return [operatorFinding("notChart", { object, cause, fix })];
}

function findPending(
  deps: ChartDeps,
  place: ChartPlace,
  { release }: ChartFacts,
): readonly Finding[] {
  if (release?.status.startsWith("pending-") !== true) return [];
  const { name, status } = release;
  const rollback = deps.helmCommand(["helm", "rollback", name]);
  const cause = `helm left release ${name} in state ${status}: an earlier run was cut off`;
  const fix = `run ${rollback}, then run again`;
  return [operatorFinding("chartPending", { object: nameOperator(deps, place), cause, fix })];
}

/** What makes helm take objects that it did not make. */
function describeAdoption(
  { command, names }: ChartDeps,
  { releaseName, namespace }: ChartPlace,
): string {
  const what = ["deployment", names.operator.deployment];
  const label = command(["kubectl", "label", ...what, "app.kubernetes.io/managed-by=Helm"]);
  const marks = [
    `meta.helm.sh/release-name=${releaseName}`,
    `meta.helm.sh/release-namespace=${namespace}`,
  ];
  const annotate = command(["kubectl", "annotate", ...what, ...marks]);
  return `use the bundle with --release; or let a chart adopt every object of the operator, for this one with ${label} and ${annotate}, and install it with helm`;
}
