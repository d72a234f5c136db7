/** The parts of an upgrade as they are planned, each over the cluster as the earlier ones will leave it. */
import { exitCodes } from "../../domain/base/errors";
import { distinct, type Finding } from "../../domain/base/findings";
import type { UpgradePart } from "../../cmdutil/upgrade-part";
import { findLive } from "../../domain/kube/change";
import { type KubeObject, objectLabel } from "../../domain/kube/objects";
import { bindState } from "./bound-state";
import { overlayWorld, type Part, planAhead, type PlannedAside } from "../../kernel/part";
import type { Pause } from "../../domain/kube/planned-write";
import type { AskingPorts } from "../../kernel/permissions";
import { joinProjections, unchanged } from "../../kernel/projected";
import type { ExitReport, Report, StepReport } from "../../kernel/report";
import { isGood, joinEnds } from "./ends";
import type { PlannedPart, PlannedStep } from "./saved-plan";

/** A part that is wanted here. */
export interface WantedPart {
  readonly part: Pick<UpgradePart, "id" | "title" | "source">;
  /** Why it has nothing to do here; absent: it is done. */
  readonly skipReason?: string;
  /** The Parts of one plan; `ahead`: of that before the question. */
  readonly make: (ahead: boolean) => Promise<readonly Part[]>;
  /** Of a part that is skipped since someone else does it: whether that has come about. */
  readonly prove?: Part["prove"];
}

/** A part as it is planned before the question. */
export interface PartPlan {
  readonly wanted: WantedPart;
  /** One for each of its Parts; none of one that is skipped, unless it could not be proven. */
  readonly asides: readonly (Pick<PlannedAside, "exit" | "told"> & Partial<PlannedAside>)[];
  readonly steps: readonly PlannedStep[];
  /** Asked for by the one question of the whole plan. */
  readonly questions: readonly string[];
  readonly waitsFor?: string | undefined;
  /** The run stops before the Part of this number. */
  readonly pause?: (Pause & { readonly before: number }) | undefined;
  /** It comes after a pause: nothing of it is done in this run. */
  readonly later?: true;
}

/** Plans all parts: one that cannot be done does not hide what stands against the others. */
export async function planParts(
  parts: readonly WantedPart[],
  ports: AskingPorts,
  options: { readonly dryRun: "none" | "client" | "server"; readonly wait: boolean },
): Promise<readonly PartPlan[]> {
  // only the API server itself knows every conflict: what will be written is tried by dry run
  const dryRun = options.dryRun === "client" ? "client" : "server";
  const how = { dryRun, waits: options.wait && options.dryRun === "none" } as const;
  const plans: PartPlan[] = [];
  let after = unchanged;
  for (const wanted of parts) {
    if (wanted.skipReason !== undefined) {
      plans.push(await planSkipped(wanted, ports, how));
      continue;
    }
    const all: PlannedAside[] = [];
    for (const part of await wanted.make(true)) {
      const planned = planAhead(ports, part, { ...how, after });
      const aside = await planned.finally(() => part.close?.());
      all.push(aside);
      after = joinProjections(after, aside.plan.after);
    }
    plans.push(makePartPlan(wanted, all));
    // a server that does not answer one part answers none: each of them would wait for its deadline
    if (all.some(({ exit }) => exit.code === exitCodes.unavailable)) break;
  }
  return untilPause(plans);
}

function makePartPlan(wanted: WantedPart, asides: readonly PlannedAside[]): PartPlan {
  const all = asides.map(({ plan }) => plan);
  const before = all.findIndex(({ pauses }) => pauses !== undefined);
  const pauses = all[before]?.pauses;
  const plans = pauses === undefined ? all : all.slice(0, before);
  return {
    wanted,
    asides,
    ...(pauses !== undefined && { pause: { ...pauses, before } }),
    steps: plans.flatMap((plan) => listSteps(wanted, plan)),
    questions: plans.flatMap(({ questions }) => questions),
    waitsFor: plans.find(({ waitsFor }) => waitsFor !== undefined)?.waitsFor,
  };
}

/** What comes after a pause is judged like the rest, and left to the next run. */
function untilPause(plans: readonly PartPlan[]): readonly PartPlan[] {
  const at = plans.findIndex(({ pause }) => pause !== undefined);
  return plans.map((plan, index) => {
    if (at === -1 || index <= at) return plan;
    const { wanted, asides } = plan;
    return { wanted, asides, steps: [], questions: [], later: true };
  });
}

/** Said of what comes after a pause. */
export const leftToNext = "left to the next run of the same upgrade";

/** How a run ends that stops at a pause of its plan; undefined where there is none. */
export function makePausedEnd(plans: readonly PartPlan[]): ExitReport | undefined {
  const left = plans.filter(({ pause, later }) => pause !== undefined || later === true);
  const [{ pause } = {}] = left;
  if (pause === undefined) return undefined;
  return {
    code: exitCodes.partial,
    reason: `stops here, as planned: ${pause.because}`,
    next: `${pause.type}; then run the same upgrade again: it continues from there`,
    leftOut: left.map(({ wanted }) => wanted.part.title),
  };
}

/** Of a part that someone else does: tries its proof now, since who refuses good edits now would refuse the proof at the end too. */
async function planSkipped(
  wanted: WantedPart,
  ports: AskingPorts,
  how: { readonly dryRun: "client" | "server"; readonly waits: boolean },
): Promise<PartPlan> {
  const told = ports.recorder.aside();
  const { recorder } = told;
  const tell = recorder.once();
  const exit = await wanted.prove?.(overlayWorld({ ...ports, ...how, recorder, tell }, unchanged));
  const isRefused = exit?.code === exitCodes.blocked;
  return { wanted, asides: isRefused ? [{ exit, told }] : [], steps: [], questions: [] };
}

/** The writes of a plan, and its requests to others. */
export function listSteps(
  { part }: WantedPart,
  { writes, calls = [] }: PlannedAside["plan"],
): readonly PlannedStep[] {
  const told = writes.flatMap(({ step, change }) =>
    step === undefined ? [] : [{ step, live: findLive(change) }],
  );
  const asked = calls.map((step) => ({ step, live: undefined }));
  return [...told, ...asked].flatMap(({ step: { action, object, why, write }, live }) => {
    if (write === undefined || !isWriting(action)) return [];
    const state = live && { state: bindState(live) };
    return [{ part: part.id, action, object, why, write, ...state }];
  });
}

/** The objects of all writes as they were read, by their labels. */
export function indexLives(plans: readonly PartPlan[]): ReadonlyMap<string, KubeObject> {
  const all = plans.flatMap(({ asides }) => asides.flatMap(({ plan }) => plan?.writes ?? []));
  return new Map(
    all.flatMap(({ change }) => {
      const live = findLive(change);
      return live === undefined ? [] : [[objectLabel(live), live] as const];
    }),
  );
}

function isWriting(action: StepReport["action"]): action is PlannedStep["action"] {
  return action !== "read" && action !== "wait" && action !== "probe" && action !== "ask";
}

/** The end of a part whose Parts follow one another. */
export function joinPartEnds({ asides }: PartPlan): ExitReport | undefined {
  const [first, ...others] = asides.map(({ exit }) => exit);
  return first && others.reduce(joinEnds, first);
}

/** Why the plan cannot be carried out: the first part's code, and every part's reason. */
export function findObstacles(plans: readonly PartPlan[]): ExitReport | undefined {
  const stopped = plans.flatMap((plan) => {
    const end = joinPartEnds(plan);
    return end === undefined || isGood(end) ? [] : [{ ...end, title: plan.wanted.part.title }];
  });
  const [first] = stopped;
  if (first === undefined) return undefined;
  const nexts = new Set(stopped.flatMap(({ next }) => next ?? []));
  return {
    code: first.code,
    reason: `nothing was written: ${stopped.map(({ title, reason }) => `${title}: ${reason}`).join("; ")}`,
    ...(nexts.size > 0 && { next: [...nexts].join("; ") }),
  };
}

/** Those of the checks and of all plans; those of namespaces too, which have no place of their own in the document. */
export function collectFindings(
  { recorder }: Pick<AskingPorts, "recorder">,
  plans: readonly PartPlan[],
): readonly Finding[] {
  const recorders = plans.flatMap(({ asides }) => asides.map(({ told }) => told.recorder));
  return distinct(
    [recorder, ...recorders].flatMap(({ found, kept }) => [
      ...found,
      ...(kept.namespaces ?? []).flatMap((one) => one.findings ?? []),
    ]),
  );
}

/** What is missing in all parts, as one. */
export function joinPermissions(plans: readonly PartPlan[]): Pick<Report, "permissions"> {
  const all = plans.flatMap(({ asides }) =>
    asides.flatMap(({ told }) => told.recorder.kept.permissions ?? []),
  );
  const last = all.at(-1);
  if (last === undefined) return {};
  const missing = [...new Set(all.flatMap((one) => one.missing))];
  // each holds what was known to be needed by then
  return { permissions: { ...last, missing } };
}

/** The writes of a plan as steps of a report. */
export function plannedSteps(steps: readonly PlannedStep[]): readonly StepReport[] {
  return steps.map(({ part, action, object, why, write }, index) => ({
    n: index + 1,
    id: part,
    action,
    object,
    result: "planned",
    why,
    ms: 0,
    write,
  }));
}

/** The parts as a plan names them. */
export function describeParts(plans: readonly PartPlan[]): readonly PlannedPart[] {
  return plans.map((plan) => {
    const { id, title, source } = plan.wanted.part;
    const { skipReason } = plan.wanted;
    const end = joinPartEnds(plan);
    const { questions, waitsFor, pause, later } = plan;
    return {
      id,
      title,
      source,
      ...(skipReason !== undefined && { skipped: skipReason }),
      ...(end !== undefined && !isGood(end) && { unplanned: end.reason }),
      ...(questions.length > 0 && { questions }),
      ...(waitsFor !== undefined && { waitsFor }),
      ...(pause !== undefined && { pauses: { because: pause.because, type: pause.type } }),
      ...(later === true && { later }),
    };
  });
}
