/** Plans the parts of an upgrade, each over the cluster as the earlier ones will leave it. */
import { exitCodes } from "../../domain/base/errors";
import type { UpgradePart } from "../../cmdutil/upgrade-part";
import { findLive, type PlannedChange } from "../../domain/kube/change";
import type { KubeObject } from "../../domain/kube/objects";
import type { Pause } from "../../domain/kube/planned-write";
import { type Part, type PlannedAside, planAhead } from "../../kernel/part";
import { predictStored } from "../../kernel/preview";
import { overlayWorld, unchanged, joinProjections } from "../../kernel/projection";
import type { AskingPorts } from "../../kernel/world";
import type { StepReport } from "../../kernel/report";
import { bindState } from "./bound-state";
import type { PlannedStep } from "./plan-document";

/** A part that is wanted here. */
export interface WantedPart {
  readonly part: Pick<UpgradePart, "id" | "title" | "source">;
  /** Why it has nothing to do here; absent: it is done. */
  readonly skipReason?: string;
  /** Of the plan before the question (`ahead`), with the definitions that earlier parts bring, or of that before the act. */
  readonly makeParts: (
    plan: "ahead" | "again",
    definitions: readonly KubeObject[],
  ) => Promise<readonly Part[]>;
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
    for (const part of await wanted.makeParts("ahead", after.definitions)) {
      const planned = planAhead(ports, part, { ...how, after });
      const aside = await planned.finally(() => part.close?.());
      all.push(aside);
      after = joinProjections(after, aside.plan.after);
    }
    plans.push(makePartPlan(wanted, all));
    // a server that does not answer one part answers none: each of them would wait for its deadline
    if (all.some(({ exit }) => exit.code === exitCodes.unavailable)) break;
  }
  return leaveAfterPause(plans);
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
function leaveAfterPause(plans: readonly PartPlan[]): readonly PartPlan[] {
  const at = plans.findIndex(({ pause }) => pause !== undefined);
  return plans.map((plan, index) => {
    if (at === -1 || index <= at) return plan;
    const { wanted, asides } = plan;
    return { wanted, asides, steps: [], questions: [], later: true };
  });
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
  const told = writes.flatMap((one) =>
    one.step === undefined ? [] : [{ step: one.step, states: bindStates(one) }],
  );
  const asked = calls.map((step) => ({ step, states: {} }));
  return [...told, ...asked].flatMap(({ step, states }) => {
    const { action, object, why, source, write } = step;
    if (write === undefined || !isWriting(action)) return [];
    const cited = source !== undefined && { source };
    return [{ part: part.id, action, object, why, ...cited, write, ...states }];
  });
}

/** The object of a write as it is, and as it will be. */
function bindStates({ change, stored }: PlannedChange): Pick<PlannedStep, "state" | "leaves"> {
  const live = findLive(change);
  return {
    ...(live !== undefined && { state: bindState(live) }),
    ...(change.verb !== "delete" && { leaves: bindState(stored ?? predictStored(change)) }),
  };
}

function isWriting(action: StepReport["action"]): action is PlannedStep["action"] {
  return action !== "read" && action !== "wait" && action !== "probe" && action !== "ask";
}
