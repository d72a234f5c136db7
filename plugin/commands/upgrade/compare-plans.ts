/** A plan as it is now against the one that was confirmed: what is stale, and what exceeds it. */
import type { Finding } from "../../domain/base/findings";
import { valueAt } from "../../domain/kube/differences";
import { boundList, sameJson } from "../../domain/base/values";
import type { ChangedField } from "../../domain/kube/planned-write";
import type { PlannedWrite } from "../../kernel/report";
import type { KubeObject } from "../../ports/kubernetes";
import { stateReasons } from "./bound-state";
import type { UpgradePlan, PlannedFinding, PlanBinding, PlannedStep } from "./plan-document";

/** What is found now, before the first write. */
export interface FoundNow {
  readonly plan: UpgradePlan;
  readonly findings: readonly Finding[];
  /** False: no write was tried, so that its changes are spelled otherwise than in a plan of tried ones. */
  readonly tried: boolean;
  /** The objects of its writes as they are, by their labels. */
  readonly lives: ReadonlyMap<string, KubeObject>;
}

/**
 * Why a saved plan may not be carried out: each reason names what was found otherwise. The order
 * and the texts do not count, nor does a status; the writes and the states that they are bound to do, and
 * what is found now and was not then. A plan whose writes are all done holds.
 */
export function staleReasons(saved: UpgradePlan, found: FoundNow): readonly string[] {
  const { plan: now, findings } = found;
  const bound = boundElsewhere(saved, now);
  // on another cluster every object differs, which says nothing more
  if (saved.cluster !== now.cluster) return bound;
  const isDone = now.steps.length === 0 && findings.every(({ severity }) => severity !== "error");
  if (isDone) return bound;
  return [
    ...bound,
    ...changedWrites(saved.steps, now.steps, found),
    ...newFindings(saved.findings, findings),
  ];
}

/** Judged again before the first write: a status may have moved, and what it says counts. */
export function newFindings(
  known: readonly PlannedFinding[],
  found: readonly Finding[],
): readonly string[] {
  const nameFinding = ({ code, object = "" }: PlannedFinding): string => `${code} ${object}`;
  const before = new Set(known.map(nameFinding));
  return found
    .filter((one) => !before.has(nameFinding(one)))
    .map(({ code, object, cause }) => {
      const about = object === undefined ? "" : ` ${object}`;
      return `${code}${about}: ${cause}, which was not found when the plan was made`;
    });
}

function boundElsewhere(saved: PlanBinding, now: PlanBinding): readonly string[] {
  const words: readonly [keyof PlanBinding, string][] = [
    ["cluster", "the cluster (uid of the namespace kube-system)"],
    ["namespace", "the namespace"],
    ["release", "the release"],
    ["sha256", "the release's SHA-256"],
  ];
  return words.flatMap(([key, title]) => {
    const [was, is] = [saved[key] ?? "none", now[key] ?? "none"];
    return was === is ? [] : [`${title} is ${is}, the plan was made for ${was}`];
  });
}

function changedWrites(
  saved: readonly PlannedStep[],
  now: readonly PlannedStep[],
  found: Pick<FoundNow, "lives" | "tried">,
): readonly string[] {
  const before = indexByWrite(saved);
  const after = indexByWrite(now);
  const gone = [...before].filter(([key]) => !after.has(key));
  const added = [...after].filter(([key]) => !before.has(key));
  const same = [...after].flatMap(([key, step]) => {
    const was = before.get(key);
    return was === undefined ? [] : compareWrite(was, step, found);
  });
  return [
    ...gone.map(([, { object, action }]) => `${object}: its ${action} is no longer needed`),
    ...added.map(([, { object, action }]) => `${object}: its ${action} was not planned`),
    ...same,
  ];
}

/** Writes by what they are and the part that they belong to: one object may be written twice. */
function indexByWrite(steps: readonly PlannedStep[]): ReadonlyMap<string, PlannedStep> {
  return new Map(steps.map((step) => [`${step.part} ${writeKey(step.write)}`, step]));
}

/** What a write is, whatever the state that it was planned on. */
export function writeKey({ verb, target }: PlannedWrite): string {
  const { group, resource, namespace = "", name } = target;
  return [verb === "create" ? "patch" : verb, group, resource, namespace, name].join(" ");
}

function compareWrite(
  was: PlannedStep,
  is: PlannedStep,
  { lives, tried }: Pick<FoundNow, "lives" | "tried">,
): readonly string[] {
  const moved = stateMoved(was.write.read, is.write.read);
  if (moved !== undefined) return [`${is.object} ${moved}`];
  const reasons =
    was.state && is.state ? stateReasons(was.state, is.state, lives.get(is.object)) : [];
  if (reasons.length > 0) return reasons.map((reason) => `${is.object}: ${reason}`);
  const more = tried ? changesBeyond(was.write, is.write) : [];
  return more.length === 0 ? [] : [`${is.object}: ${renderChanges(is, more)} was not planned`];
}

function stateMoved(before: PlannedWrite["read"], after: PlannedWrite["read"]): string | undefined {
  if (before === undefined) return after && "exists now";
  if (after === undefined) return "no longer exists";
  return before.uid === after.uid ? undefined : "was deleted and recreated";
}

/** A write that goes beyond its plan, and how far. */
export interface ExceedingWrite {
  readonly step: PlannedStep;
  /** What it would be, for a sentence that continues with "was not planned". */
  readonly is: string;
}

/** Writes of a part that its plan did not have, as such or so wide: someone changed the cluster. */
export function findUnplannedWrites(
  planned: readonly PlannedStep[],
  found: readonly PlannedStep[],
): readonly ExceedingWrite[] {
  const known = indexByWrite(planned);
  return [...indexByWrite(found)].flatMap(([key, step]) => {
    const was = known.get(key);
    if (was === undefined) return [{ step, is: `its ${step.action}` }];
    const more = changesBeyond(was.write, step.write);
    return more.length === 0 ? [] : [{ step, is: renderChanges(step, more) }];
  });
}

/** What a write changes that the planned one does not: a narrower one has nothing of the kind. */
function changesBeyond(planned: PlannedWrite, found: PlannedWrite): readonly ChangedField[] {
  const known = listChanges(planned);
  return listChanges(found).filter((change) => !known.some((one) => includes(one, change)));
}

function listChanges({
  changes = [{ path: "", to: null }],
}: PlannedWrite): readonly ChangedField[] {
  return changes;
}

/** The same change, or the part of a wider one that is at its path. */
function includes(wide: ChangedField, { path, to }: ChangedField): boolean {
  if (!path.startsWith(wide.path)) return false;
  const rest = path.slice(wide.path.length);
  return /^($|[.[])/.test(rest) && sameJson(valueAt(wide.to, rest), to);
}

function renderChanges({ action }: PlannedStep, changes: readonly ChangedField[]): string {
  const paths = changes.map(({ path }) => path).filter((path) => path !== "");
  return paths.length === 0 ? `its ${action}` : `its ${action} of ${boundList(paths)}`;
}
