/** A plan as it is now against the one that was confirmed: what is stale, and what exceeds it. */
import type { Finding } from "../../domain/base/findings";
import { commonCode } from "../../domain/base/skip";
import { valueAt } from "../../domain/kube/differences";
import { boundList, sameJson } from "../../domain/base/values";
import type { ChangedField } from "../../domain/kube/planned-write";
import type { PlannedWrite } from "../../kernel/report";
import { listStateReasons } from "./bound-state";
import { isRequest, objectKey, type PlanProgress } from "./done-steps";
import type { UpgradePlan, PlannedFinding, PlanBinding, PlannedStep } from "./plan-document";

/** What is found now, before the first write. */
export interface FoundNow {
  readonly plan: UpgradePlan;
  readonly findings: readonly Finding[];
  /** False: no write was tried, so that its changes are spelled otherwise than in a plan of tried ones. */
  readonly tried: boolean;
  /** How far a run of the saved plan has come already, of the objects that `listSuspects` names. */
  readonly progress: PlanProgress;
}

/** Nothing of a plan is done, and nothing has moved. */
export const noProgress: PlanProgress = { done: new Set(), moved: new Map() };

/**
 * Why a saved plan may not be carried out: each reason names what was found otherwise. The order
 * and the texts do not count, nor does a status; the writes and the states that they are bound to do, and
 * what is found now and was not then. A plan whose writes are all done holds, and so does what is left of one.
 */
export function listStaleReasons(saved: UpgradePlan, found: FoundNow): readonly string[] {
  const { plan: now, findings, progress } = found;
  const bound = listBoundElsewhere(saved, now);
  // on another cluster every object differs, which says nothing more
  if (saved.cluster !== now.cluster) return bound;
  const isDone = now.steps.length === 0 && findings.every(({ severity }) => severity !== "error");
  if (isDone) return bound;
  return [
    ...bound,
    ...[...progress.moved.values()].flat(),
    ...listChangedParts(saved, now, progress),
    ...listChangedWrites(saved.steps, found),
    ...listNewFindings(saved, findings, progress),
  ];
}

/** Why one that the checks stop before any part is planned would not be carried out without them either. */
export function listBlockedReasons(
  saved: UpgradePlan,
  now: PlanBinding,
  { errors, progress }: { readonly errors: readonly Finding[]; readonly progress: PlanProgress },
): readonly string[] {
  const bound = listBoundElsewhere(saved, now);
  if (saved.cluster !== now.cluster) return bound;
  const moved = [...bound, ...[...progress.moved.values()].flat()];
  // what it has begun is not in order yet: it holds, and waits for that
  if (moved.length === 0 && progress.done.size > 0) return [];
  return [...moved, ...listNewFindings(saved, errors, progress)];
}

/** Judged again before the first write: a status may have moved, and what it says counts. */
export function listNewFindings(
  { steps, findings }: Pick<UpgradePlan, "steps" | "findings">,
  found: readonly Finding[],
  { done }: PlanProgress = noProgress,
): readonly string[] {
  // one finding may be about several objects
  const nameFindings = ({ code, object = "" }: PlannedFinding): readonly string[] =>
    object.split(", ").map((one) => `${commonCode(code)} ${one}`);
  const before = new Set(findings.flatMap(nameFindings));
  const open = new Set(steps.flatMap((step) => (done.has(step) ? [] : [step.object])));
  // halfway an object may be behind what is done: the plan has the write that ends this
  const isPassing = ({ severity, object = "" }: Finding): boolean =>
    severity === "warning" && done.size > 0 && open.has(object);
  return found
    .filter((one) => !nameFindings(one).every((name) => before.has(name)) && !isPassing(one))
    .map(({ code, object, cause }) => {
      const about = object === undefined ? "" : ` ${object}`;
      return `${code}${about}: ${cause}, which was not found when the plan was made`;
    });
}

function listBoundElsewhere(saved: PlanBinding, now: PlanBinding): readonly string[] {
  const words: readonly [keyof PlanBinding, string][] = [
    ["cluster", "the cluster (uid of the namespace kube-system)"],
    ["namespace", "the namespace"],
    ["release", "the release"],
    ["sha256", "the release's SHA-256"],
  ];
  // what is the same byte for byte may lie elsewhere
  const isSame = saved.sha256 !== undefined && saved.sha256 === now.sha256;
  const counted = words.filter(([key]) => !isSame || key !== "release");
  return counted.flatMap(([key, title]) => {
    const [was, is] = [saved[key] ?? "none", now[key] ?? "none"];
    return was === is ? [] : [`${title} is ${is}, the plan was made for ${was}`];
  });
}

/** Where the run would stop, or what it would ask, that nobody has seen in the plan. */
function listChangedParts(
  saved: UpgradePlan,
  { parts }: UpgradePlan,
  { done }: PlanProgress,
): readonly string[] {
  return parts.flatMap(({ id, title, pauses, questions = [] }) => {
    const was = saved.parts.find((part) => part.id === id);
    const known = was?.questions ?? [];
    const asked = done.size > 0 ? [] : questions.filter((question) => !known.includes(question));
    return [
      ...(pauses !== undefined && was?.pauses === undefined
        ? [`${title}: the run would stop before it: ${pauses.because}`]
        : []),
      ...asked.map((question) => `${title}: it would ask what the plan does not: ${question}`),
    ];
  });
}

function listChangedWrites(
  saved: readonly PlannedStep[],
  { plan, progress, tried }: FoundNow,
): readonly string[] {
  const before = indexByWrite(saved);
  const after = indexByWrite(plan.steps);
  const gone = [...before].filter(([key]) => !after.has(key)).map(([, step]) => step);
  const added = [...after].filter(([key]) => !before.has(key));
  const same = [...after].flatMap(([key, step]) => {
    const was = before.get(key);
    return was === undefined ? [] : compareWrite(was, step, { progress, tried });
  });
  return [
    ...gone.flatMap((step) => nameGone(step, plan, progress)),
    ...added.map(([, { object, action }]) => `${object}: its ${action} was not planned`),
    ...same,
  ];
}

/** Nothing of what is done, or cannot be told since its part does not come to its writes. */
function nameGone(
  step: PlannedStep,
  { parts }: UpgradePlan,
  { done, moved }: PlanProgress,
): readonly string[] {
  const { skipped, unplanned, pauses, later } = parts.find(({ id }) => id === step.part) ?? {};
  const isOpen = [unplanned, pauses, later].some((one) => one !== undefined);
  const isTold = (moved.get(objectKey(step)) ?? []).length > 0;
  const isAnswered = isRequest(step) && skipped === undefined;
  if (done.has(step) || isOpen || isTold || isAnswered) return [];
  const why = skipped === undefined ? "" : `, since ${skipped}`;
  return [`${step.object}: its ${step.action} is no longer needed${why}`];
}

/** A step for each object that has to be looked at: what was to be done there is no longer, or otherwise. */
export function listSuspects(
  saved: readonly PlannedStep[],
  now: readonly PlannedStep[],
): readonly PlannedStep[] {
  const after = indexByWrite(now);
  const suspects = [...indexByWrite(saved)].flatMap(([key, step]) => {
    const is = after.get(key);
    const isSame = is !== undefined && sameState(step, is);
    return isRequest(step) || isSame ? [] : [[objectKey(step), step] as const];
  });
  return [...new Map(suspects).values()];
}

function sameState(was: PlannedStep, is: PlannedStep): boolean {
  const isSameObject = was.write.read?.uid === is.write.read?.uid;
  if (was.state === undefined || is.state === undefined) {
    return isSameObject && was.state === is.state;
  }
  return isSameObject && listStateReasons(was.state, is.state, {}).length === 0;
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

/** Beside how its object was and is, which was looked at where it differs. */
function compareWrite(
  was: PlannedStep,
  is: PlannedStep,
  { progress, tried }: Pick<FoundNow, "progress" | "tried">,
): readonly string[] {
  const isTold = (progress.moved.get(objectKey(was)) ?? []).length > 0;
  const more = tried && !isTold ? listChangesBeyond(was.write, is.write) : [];
  return more.length === 0 ? [] : [`${is.object}: ${renderChanges(is, more)} was not planned`];
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
    const more = listChangesBeyond(was.write, step.write);
    return more.length === 0 ? [] : [{ step, is: renderChanges(step, more) }];
  });
}

/** What a write changes that the planned one does not: a narrower one has nothing of the kind. */
function listChangesBeyond(planned: PlannedWrite, found: PlannedWrite): readonly ChangedField[] {
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
