/** The plan of a whole upgrade, and whether a saved one still holds. */
import { valueAt } from "../../domain/kube/differences";
import type { Pause, ChangedField, PlannedWrite } from "../../domain/kube/planned-write";
import type { Finding } from "../../domain/base/findings";
import type { KubeObject } from "../../domain/kube/objects";
import { type BoundState, stateReasons } from "./bound-state";
import type { PartId } from "../../kernel/report";
import {
  type Json,
  asArray,
  boundList,
  getOwn,
  sameJson,
  asString,
} from "../../domain/base/values";

/** One write of a plan. */
export interface PlannedStep {
  readonly part: PartId;
  /** `Kind/namespace/name`. */
  readonly object: string;
  readonly action: "apply" | "patch" | "delete" | "chart" | "call";
  readonly why: string;
  readonly write: PlannedWrite;
  /** What it rests on; absent of what did not exist, and of requests to others. */
  readonly state?: BoundState;
}

/** A finding that was there when the plan was made. */
export type PlannedFinding = Pick<Finding, "code"> & Partial<Pick<Finding, "object">>;

/** A part of a plan; `skipped` says why it has nothing to do. */
export interface PlannedPart {
  readonly id: PartId;
  readonly title: string;
  readonly source: string;
  readonly skipped?: string;
  /** Why its writes are not known; such a plan is never saved. */
  readonly unplanned?: string;
  /** What the part asks where it runs alone: the one question of the plan asks for all of it. */
  readonly questions?: readonly string[];
  /** What may pass by itself, and is waited for before the part is done. */
  readonly waitsFor?: string;
  /** The run stops before this part: why, and what is to be typed before the same upgrade is run again. */
  readonly pauses?: Pause;
  /** It comes after a pause, and is left to the next run. */
  readonly later?: true;
}

/** What a plan is bound to. */
interface PlanBinding {
  /** The uid of the namespace kube-system: one for each cluster, for as long as it lives. */
  readonly cluster: string;
  readonly namespace: string;
  /** The release or the chart, as given. */
  readonly release: string;
  /** Of the release; a chart has none. */
  readonly sha256?: string;
}

/** The plan as it is shown and saved. */
export interface UpgradePlan extends PlanBinding {
  readonly apiVersion: "cli.engine.com/v1";
  readonly kind: "UpgradePlan";
  /** The version of the program that made it: another one may plan other writes. */
  readonly program: string;
  /** RFC 3339. */
  readonly madeAt: string;
  /** The words that it was made with, to run it by. */
  readonly words: readonly string[];
  readonly parts: readonly PlannedPart[];
  readonly steps: readonly PlannedStep[];
  readonly findings: readonly PlannedFinding[];
}

/** Which version of the program saved a plan, for a sentence; undefined for what is not a plan. */
export function savedBy(value: unknown): string | undefined {
  if (!isPlan(value)) return undefined;
  const program = asString(getOwn(value, "program"));
  return program === undefined ? "an older version" : `version ${program}`;
}

function isPlan(value: unknown): value is Json {
  return (
    getOwn(value, "kind") === "UpgradePlan" && getOwn(value, "apiVersion") === "cli.engine.com/v1"
  );
}

/** A saved plan, read; undefined when it is none. */
export function parsePlan(value: unknown): UpgradePlan | undefined {
  if (!isPlan(value)) return undefined;
  const texts = ["cluster", "namespace", "release", "madeAt", "program"].map((key) =>
    getOwn(value, key),
  );
  const fit =
    texts.every((each) => typeof each === "string") &&
    Array.isArray(value["words"]) &&
    asArray(value["words"]).every((word) => typeof word === "string") &&
    Array.isArray(value["parts"]) &&
    Array.isArray(value["steps"]) &&
    Array.isArray(value["findings"]) &&
    asArray(value["steps"]).every(isStep);
  return fit ? (value as unknown as UpgradePlan) : undefined;
}

const actions: readonly PlannedStep["action"][] = ["apply", "patch", "delete", "chart", "call"];

function isStep(step: unknown): boolean {
  const write = getOwn(step, "write");
  const target = getOwn(write, "target");
  return (
    ["part", "object", "why"].every((key) => asString(getOwn(step, key)) !== undefined) &&
    actions.some((action) => action === getOwn(step, "action")) &&
    asString(getOwn(write, "verb")) !== undefined &&
    ["version", "resource", "kind", "name"].every(
      (key) => asString(getOwn(target, key)) !== undefined,
    )
  );
}

/** What a write is, whatever the state that it was planned on. */
export function writeKey({ verb, target }: PlannedWrite): string {
  const { group, resource, namespace = "", name } = target;
  return [verb === "create" ? "patch" : verb, group, resource, namespace, name].join(" ");
}

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
  const keyOf = ({ code, object = "" }: PlannedFinding): string => `${code} ${object}`;
  const before = new Set(known.map(keyOf));
  return found
    .filter((one) => !before.has(keyOf(one)))
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
  const known = changesOf(planned);
  return changesOf(found).filter((change) => !known.some((one) => includes(one, change)));
}

function changesOf({ changes = [{ path: "", to: null }] }: PlannedWrite): readonly ChangedField[] {
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
