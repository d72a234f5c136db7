/** How far the writes of a saved plan are done, by the objects as they are: a run of it may have ended midway. */
import type { KubeObject, Ref } from "../../domain/kube/objects";
import { sameJson } from "../../domain/base/values";
import { bindState, listStateReasons, type BoundState } from "./bound-state";
import type { PlannedStep } from "./plan-document";

/** Objects as they are, by their keys; undefined for what is not there. Those that are not named were not read. */
export type Lives = ReadonlyMap<string, KubeObject | undefined>;

/** What has become of the writes of a plan. */
export interface PlanProgress {
  readonly done: ReadonlySet<PlannedStep>;
  /** How an object is neither as it was nor as a write of the plan leaves it, by its key. */
  readonly moved: ReadonlyMap<string, readonly string[]>;
}

/** The object that a write is sent to, whatever the write. */
export function objectKey({ write: { target } }: Pick<PlannedStep, "write">): string {
  const { group, resource, namespace = "", name } = target;
  return [group, resource, namespace, name].join(" ");
}

/** Its address. */
export function buildRef({ write: { target } }: Pick<PlannedStep, "write">): Ref {
  const { resource: plural, namespace, name, ...rest } = target;
  return { resource: { ...rest, plural }, name, ...(namespace !== undefined && { namespace }) };
}

/** A chart, or a request to another server: no object shows whether it was done. */
export function isRequest({ action }: PlannedStep): boolean {
  return action === "chart" || action === "call";
}

/** What of the plan is done of the objects that were read. A run writes part by part, and deletes last. */
export function judgeProgress(
  steps: readonly PlannedStep[],
  lives: Lives,
  ours: readonly string[],
): PlanProgress {
  const judged = [...lives].map(([key, live]) => {
    const own = steps.filter((step) => !isRequest(step) && objectKey(step) === key);
    return [key, judgeObject(own, live, ours)] as const;
  });
  const done = new Set(judged.flatMap(([, one]) => one.done));
  return {
    done: inOrder(steps, done),
    moved: new Map(judged.map(([key, { moved }]) => [key, moved] as const)),
  };
}

/** Without what somebody else has done: this tool would have done what comes before it first. */
function inOrder(
  steps: readonly PlannedStep[],
  done: ReadonlySet<PlannedStep>,
): ReadonlySet<PlannedStep> {
  const first = steps.findIndex((step) => !isRequest(step) && !done.has(step));
  const open = steps[first];
  if (open === undefined) return done;
  const isNext = ({ part, action }: PlannedStep): boolean =>
    part === open.part && action !== "delete";
  return new Set(steps.filter((step, at) => done.has(step) && (at < first || isNext(step))));
}

interface ObjectProgress {
  readonly done: readonly PlannedStep[];
  readonly moved: readonly string[];
}

function judgeObject(
  steps: readonly PlannedStep[],
  live: KubeObject | undefined,
  ours: readonly string[],
): ObjectProgress {
  const [first] = steps;
  if (first === undefined) return { done: [], moved: [] };
  if (live === undefined) return judgeAbsent(steps, first);
  const { object, state } = first;
  const { read } = first.write;
  if (read !== undefined && read.uid !== live.metadata.uid) {
    return { done: [], moved: [`${object} was deleted and recreated`] };
  }
  const is = bindState(live);
  const stages: readonly (BoundState | undefined)[] = [state, ...steps.map((one) => one.leaves)];
  const reasons = stages.map((was) => {
    if (was === undefined) return undefined;
    // a write that only takes fields over leaves the generation as it was
    const isWritten = state === undefined || !sameJson(was.fields, state.fields);
    const { generation } = state ?? was;
    return listStateReasons({ ...was, generation }, is, { live, ...(isWritten && { ours }) });
  });
  const at = reasons.findLastIndex((all) => all?.length === 0);
  if (at >= 0) return { done: steps.slice(0, at), moved: [] };
  if (read === undefined) return { done: [], moved: [`${object} exists now`] };
  const [nearest = []] = reasons
    .flatMap((all) => (all === undefined ? [] : [all]))
    .sort((one, other) => one.length - other.length);
  return { done: [], moved: nearest.map((reason) => `${object}: ${reason}`) };
}

function judgeAbsent(steps: readonly PlannedStep[], first: PlannedStep): ObjectProgress {
  const at = steps.findLastIndex(({ action }) => action === "delete");
  if (at >= 0) return { done: steps.slice(0, at + 1), moved: [] };
  if (first.write.read === undefined) return { done: [], moved: [] };
  return { done: [], moved: [`${first.object} no longer exists`] };
}
