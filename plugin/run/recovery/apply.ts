/** The remedies in their order: REST API, EC, then the resources, each step seen to its end (S97-S100). */
import { termOf } from "../../domain/names";
import { exitCodes, UsageError } from "../../domain/errors";
import { objectLabel } from "../../domain/objects";
import { recoveryFinding } from "../../domain/recovery/codes";
import { type Apart, modulesApart } from "../../domain/recovery/line";
import type { RecoveryPlan } from "../../domain/recovery/plan";
import { at } from "../../domain/values";
import { type Patch, refOf } from "../engine/change";
import { isSameSpec } from "../engine/session";
import type { ModuleFile } from "../modules/upload";
import { BlockedError, type StepInfo } from "../engine/recorder";
import type { RecoverContext, RecoverOptions } from "./deps";
import { digestEdit, followingEdits, lineEdits } from "./edits";
import { lookAt, type Look } from "./look";
import { install, installStep, upgrade, upgradeStep } from "./rest";
import { confirmed, NotResumedError, resumed } from "./resume";

/** What is to be done, and on what it was planned. */
export interface Planned {
  readonly look: Look;
  readonly plan: RecoveryPlan;
}

/** Nothing moves for so long: resources are brought in line early, the operator may wait for them (S123). */
const earlyMs = 60_000;

/** The calls of the REST API, in their order. */
export function callsOf(
  { options, api }: RecoverContext,
  plan: RecoveryPlan,
): readonly { readonly step: StepInfo }[] {
  if (api === undefined) return [];
  return [
    ...filesOf(options, plan).map((file) => ({ step: installStep(file, api) })),
    ...plan.upgrades.map((wanted) => ({ step: upgradeStep(wanted) })),
  ];
}

/** Records what would be done; the API server judges the edits where it is asked to. */
export async function plannedSteps(
  context: RecoverContext,
  { look, plan }: Planned,
): Promise<number> {
  const calls = callsOf(context, plan);
  for (const { step } of calls) context.deps.recorder.done(step, "planned");
  const edits = followingEdits(look, plan);
  for (const edit of edits) await context.session.plan(edit);
  return calls.length + edits.length;
}

/** Does it all; says how it ended. */
export async function applyRecovery(
  context: RecoverContext,
  { look, plan }: Planned,
): Promise<string> {
  await overRest(context, plan);
  for (const edit of digestEdit(look, plan, context.resource)) await write(context, edit);
  const now = await lookAt(context);
  const early = await goOn(context, now);
  const later = await lookAt(context);
  await writeLines(context, later);
  const written = early ? now : later;
  for (const apart of written.freeze.apart) await confirm(context, apart);
  return await agreed(context);
}

/** Nothing is to be changed any more: what an earlier run has set going is seen to its end. */
export async function followUpgrade(context: RecoverContext, look: Look): Promise<string> {
  await goOn(context, look);
  const { freeze } = await lookAt(context);
  const { observedGeneration } = context.deps.names.edbFields;
  for (const database of freeze.databases) {
    const edb = database.target?.object;
    if (edb === undefined || at(edb, observedGeneration) === edb.metadata.generation) continue;
    await confirm(context, { database, edb });
  }
  return await agreed(context);
}

async function overRest(context: RecoverContext, plan: RecoveryPlan): Promise<void> {
  const { api, options } = context;
  const files = filesOf(options, plan);
  if (files.length + plan.upgrades.length === 0) return;
  if (api === undefined) throw new UsageError("the REST API has to be asked: give --api-ca");
  for (const file of files) await install({ ...context, api }, file);
  for (const wanted of plan.upgrades) await upgrade({ ...context, api }, wanted);
}

function filesOf({ modules }: RecoverOptions, { installs }: RecoveryPlan): readonly ModuleFile[] {
  return modules.filter(({ module }) => installs.includes(module));
}

/** Waits for Running; true when the resources had to be brought in line before. */
async function goOn(context: RecoverContext, look: Look): Promise<boolean> {
  const { deps } = context;
  const { ec, freeze } = look;
  const early = freeze.apart.length > 0 && freeze.state === "Upgrade";
  const info = {
    id: "recover.resume",
    action: "wait",
    object: objectLabel(ec),
    why: `until the operator has gone on and the ${termOf(deps.names.ec)} is Running`,
  } as const;
  return await deps.recorder.step(info, async () => {
    try {
      const why = await resumed(context, look, early ? earlyMs : undefined);
      return { result: "done", value: false, why };
    } catch (error) {
      if (!early || !(error instanceof NotResumedError)) throw error;
    }
    deps.recorder.note("the operator does not go on: the resources are brought in line at once");
    await writeLines(context, look);
    return { result: "done", value: true, why: await resumed(context, look) };
  });
}

async function writeLines(context: RecoverContext, { freeze }: Look): Promise<void> {
  const { deps, session } = context;
  const edits = lineEdits(freeze.apart, deps.names);
  // a resource that asks for less than what runs by now would have the operator undo the remedy
  for (const edit of edits) if (session.isConfirmed(edit)) await write(context, edit);
  session.requireConfirmed(edits);
}

/** A status that was written meanwhile is no conflict. */
async function write({ deps, session }: RecoverContext, patch: Patch): Promise<void> {
  await session.send(patch, async (error) => {
    const object = await deps.cluster.get(refOf(patch), { signal: deps.signal });
    if (object === undefined || !isSameSpec(object, patch.object)) throw error;
    return { ...patch, object };
  });
}

/** Sees that the operator has acted on an edit. */
async function confirm(
  context: RecoverContext,
  apart: Pick<Apart, "edb" | "database">,
): Promise<void> {
  const { name = "", namespace = "" } = apart.edb.metadata;
  const info = {
    id: `recover.confirm.${namespace}.${name}`,
    action: "wait",
    object: objectLabel(apart.edb),
    why: "until the operator has acted on it, and both agree",
  } as const;
  await context.deps.recorder.step(info, async () => {
    const why = await confirmed(context, apart);
    return { result: "done", value: undefined, why };
  });
}

/** The last look: nothing is frozen, and no resource asks for less than what runs. */
async function agreed(context: RecoverContext): Promise<string> {
  const { deps } = context;
  const { facts, freeze, ec, api } = await lookAt(context);
  const label = objectLabel(ec);
  if (freeze.is !== "frozen" && freeze.apart.length === 0) {
    const stands = `${label} is in state ${freeze.state}`;
    if (api === undefined) return `${stands}, as far as the resources tell`;
    const apart = modulesApart(facts, freeze.databases, api);
    deps.recorder.findings(apart);
    return apart.length === 0
      ? `${stands}, resources and databases agree`
      : `${stands}, resources and databases agree in their versions, and differ in their modules`;
  }
  const causes = freeze.causes.map(({ finding }) => finding);
  const left = recoveryFinding("notResumed", { object: label, cause: `still so: ${freeze.says}` });
  throw new BlockedError(exitCodes.failed, causes.length > 0 ? causes : [left]);
}
