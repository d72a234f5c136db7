/** The remedies in their order: REST API, EC, then the resources, each step seen to its end (S97-S100). */
import { termOf } from "../../domain/names";
import { exitCodes, UsageError } from "../../domain/errors";
import { objectLabel, type Resource } from "../../domain/objects";
import { recoveryFinding } from "../../domain/recovery/codes";
import { type Apart, modulesApart } from "../../domain/recovery/line";
import type { RecoveryPlan } from "../../domain/recovery/plan";
import { at } from "../../domain/values";
import type { ClusterApi } from "../cluster-api";
import { type Patch, refOf } from "../engine/change";
import { isSameSpec, type Session } from "../engine/session";
import type { ModuleFile } from "../modules/upload";
import { BlockedError, type StepInfo } from "../recorder";
import type { RecoverDeps, RecoverOptions } from "./deps";
import { digestEdit, followingEdits, lineEdits } from "./edits";
import { lookAt, type Look } from "./look";
import { install, installStep, upgrade, upgradeStep } from "./rest";
import { confirmed, NotResumedError, resumed } from "./resume";

/** What is to be done, and on what it was planned. */
export interface Applying {
  readonly look: Look;
  readonly resource: Resource;
  readonly api: ClusterApi | undefined;
  readonly plan: RecoveryPlan;
  readonly session: Session;
}

/** Nothing moves for so long: resources are brought in line early, the operator may wait for them (S123). */
const earlyMs = 60_000;

/** The calls of the REST API, in their order. */
export function callsOf(
  options: RecoverOptions,
  { plan, api }: Pick<Applying, "plan" | "api">,
): readonly { readonly step: StepInfo }[] {
  if (api === undefined) return [];
  return [
    ...filesOf(options, plan).map((file) => ({ step: installStep(file, api) })),
    ...plan.upgrades.map((wanted) => ({ step: upgradeStep(wanted) })),
  ];
}

/** Records what would be done; the API server judges the edits where it is asked to. */
export async function plannedSteps(
  deps: RecoverDeps,
  options: RecoverOptions,
  applying: Applying,
): Promise<number> {
  const calls = callsOf(options, applying);
  for (const { step } of calls) deps.recorder.done(step, "planned");
  const edits = followingEdits(applying.look, applying.plan);
  for (const edit of edits) await applying.session.plan(edit);
  return calls.length + edits.length;
}

/** Does it all; says how it ended. */
export async function applyRecovery(
  deps: RecoverDeps,
  options: RecoverOptions,
  applying: Applying,
): Promise<string> {
  const { resource, look, plan, session } = applying;
  await overRest(deps, options, applying);
  for (const edit of digestEdit(look, plan, resource)) await write(deps, session, edit);
  const now = await lookAt(deps, options, applying);
  const early = await goOn(deps, options, { ...applying, look: now });
  const later = await lookAt(deps, options, applying);
  await writeLines(deps, { look: later, session });
  const written = early ? now : later;
  for (const apart of written.freeze.apart) await confirm(deps, options, { resource, apart });
  return await agreed(deps, options, applying);
}

/** Nothing is to be changed any more: what an earlier run has set going is seen to its end. */
export async function followUpgrade(
  deps: RecoverDeps,
  options: RecoverOptions,
  applying: Omit<Applying, "plan">,
): Promise<string> {
  const { resource } = applying;
  await goOn(deps, options, applying);
  const { freeze } = await lookAt(deps, options, applying);
  const { observedGeneration } = deps.names.edbFields;
  for (const database of freeze.databases) {
    const edb = database.target?.object;
    if (edb === undefined || at(edb, observedGeneration) === edb.metadata.generation) continue;
    await confirm(deps, options, { resource, apart: { database, edb, edits: [] } });
  }
  return await agreed(deps, options, applying);
}

async function overRest(
  deps: RecoverDeps,
  options: RecoverOptions,
  { api, plan, session }: Applying,
): Promise<void> {
  const files = filesOf(options, plan);
  if (files.length + plan.upgrades.length === 0) return;
  if (api === undefined) throw new UsageError("the REST API has to be asked: give --api-ca");
  for (const file of files) await install(deps, options, { api, file, session });
  for (const wanted of plan.upgrades) await upgrade(deps, options, { api, wanted, session });
}

function filesOf({ modules }: RecoverOptions, { installs }: RecoveryPlan): readonly ModuleFile[] {
  return modules.filter(({ module }) => installs.includes(module));
}

/** Waits for Running; true when the resources had to be brought in line before. */
async function goOn(
  deps: RecoverDeps,
  options: RecoverOptions,
  { resource, look, session }: Omit<Applying, "plan">,
): Promise<boolean> {
  const { ec, api, freeze } = look;
  const early = freeze.apart.length > 0 && freeze.state === "Upgrade";
  const info = {
    id: "recover.resume",
    action: "wait",
    object: objectLabel(ec),
    why: `until the operator has gone on and the ${termOf(deps.names.ec)} is Running`,
  } as const;
  return await deps.recorder.step(info, async () => {
    const resuming = { resource, ec, api };
    const first = early ? { ...resuming, stallAfterMs: earlyMs } : resuming;
    try {
      const why = await resumed(deps, options, first);
      return { result: "done", value: false, why };
    } catch (error) {
      if (!early || !(error instanceof NotResumedError)) throw error;
    }
    deps.recorder.note("the operator does not go on: the resources are brought in line at once");
    await writeLines(deps, { look, session });
    const why = await resumed(deps, options, resuming);
    return { result: "done", value: true, why };
  });
}

async function writeLines(
  deps: RecoverDeps,
  { look, session }: Pick<Applying, "look" | "session">,
): Promise<void> {
  const edits = lineEdits(look.freeze.apart, deps.names);
  // a resource that asks for less than what runs by now would have the operator undo the remedy
  for (const edit of edits) if (session.isConfirmed(edit)) await write(deps, session, edit);
  session.requireConfirmed(edits);
}

/** A status that was written meanwhile is no conflict. */
async function write(deps: RecoverDeps, session: Session, patch: Patch): Promise<void> {
  await session.send(patch, async (error) => {
    const object = await deps.cluster.get(refOf(patch), { signal: deps.signal });
    if (object === undefined || !isSameSpec(object, patch.object)) throw error;
    return { ...patch, object };
  });
}

/** Sees that the operator has acted on an edit. */
async function confirm(
  deps: RecoverDeps,
  options: RecoverOptions,
  { resource, apart }: { readonly resource: Resource; readonly apart: Apart },
): Promise<void> {
  const { edb, database } = apart;
  const { name = "", namespace = "" } = edb.metadata;
  const info = {
    id: `recover.confirm.${namespace}.${name}`,
    action: "wait",
    object: objectLabel(edb),
    why: "until the operator has acted on it, and both agree",
  } as const;
  await deps.recorder.step(info, async () => {
    const why = await confirmed(deps, options, { resource, edb, database });
    return { result: "done", value: undefined, why };
  });
}

/** The last look: nothing is frozen, and no resource asks for less than what runs. */
async function agreed(
  deps: RecoverDeps,
  options: RecoverOptions,
  applying: Omit<Applying, "plan">,
): Promise<string> {
  const { facts, freeze, ec, api } = await lookAt(deps, options, applying);
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
