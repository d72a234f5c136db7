/** One database by its resource: planned again, written once, followed to the end (S61-S66). */
import type { DatabaseContext } from "./context";
import { nameAwaited, nameFinding } from "../../domain/base/awaited";
import { nameProgress, type Progress } from "../../domain/rollout/progress";
import { busyCluster, targetNow } from "../../domain/database/target";
import { databaseFinding } from "../../domain/database/findings";
import { type DatabasePlan, type DatabaseWish, planDatabase } from "../../domain/database/plan";
import { exitCodes, BlockedError } from "../../domain/base/errors";
import type { Facts } from "../../domain/facts/facts";
import type { Finding } from "../../domain/base/findings";
import { judgeDatabase, lastActions, type WantedVersion } from "../../domain/database/rollout";
import { getPath, sameJson } from "../../domain/base/values";
import { changeRef } from "../../domain/kube/change";
import { makeChangedError } from "../../kernel/send";
import type { Result } from "../../domain/kube/planned-write";
import { isWritten, listBlocks } from "./plan";
import { databasePatch } from "./changes";
import { waitBySeen } from "./waiting";

/** A plan, with the facts that it was made from. */
interface FreshPlan {
  readonly facts: Facts;
  readonly plan: DatabasePlan;
}

/** Writes the version and follows; what is there already is only followed. */
export async function upgradeByResource(
  context: DatabaseContext,
  before: DatabasePlan,
): Promise<Result> {
  const fresh = await waitForSamePlan(context, before);
  return await bringInLine(context, fresh);
}

/** The plan as it is now: another one than was shown is someone else's work. */
export async function waitForSamePlan(
  context: DatabaseContext,
  before: DatabasePlan,
): Promise<FreshPlan> {
  const { options, poller } = context;
  const { label } = before;
  const waiting = { label, first: await poller.now() };
  return await waitBySeen<FreshPlan>(context, waiting, ({ facts }) => {
    const target = targetNow(facts, before.target);
    if (target === undefined) throw makeChangedError(undefined, label);
    const plan = planDatabase(facts, target, options);
    const [busy] = plan.busy;
    if (busy === undefined) {
      requireSame(context, before, plan);
      return { is: "done", value: { facts, plan } };
    }
    if (!options.wait) throw new BlockedError(exitCodes.blocked, plan.busy);
    return { is: "moving", on: nameAwaited(label, nameFinding(busy)) };
  });
}

function requireSame(context: DatabaseContext, before: DatabasePlan, now: DatabasePlan): void {
  const { deps, session } = context;
  const isSameCall = context.options.via === "resource" || sameJson(before.version, now.version);
  if (!sameJson(before.edits, now.edits) || !isSameCall)
    throw makeChangedError(undefined, before.label);
  const blocks = listBlocks(now.blocks, context.options);
  if (blocks.length > 0) throw new BlockedError(exitCodes.blocked, blocks);
  if (now.edits.length > 0) session.requireSendable([databasePatch(deps.names, now)]);
}

/** Makes the resource ask for the version, and waits until all signs agree. */
export async function bringInLine(context: DatabaseContext, fresh: FreshPlan): Promise<Result> {
  const { deps } = context;
  const { facts, plan } = fresh;
  const writes = isWritten(plan);
  const wanted: Omit<WantedVersion, "patience"> = {
    ...(plan.version !== undefined && { version: plan.version }),
    ...(plan.channel && { atLeast: true as const }),
    ...(writes && { actionsBefore: lastActions(facts, plan.target) }),
  };
  if (writes) await write(context, fresh);
  else if (await isThere(context, plan, wanted)) return "unchanged";
  const why = "until version, state, spec status, generation and action agree";
  await deps.recorder.step(
    { id: "database.follow", action: "wait", object: plan.label, why },
    async () => {
      const says = await follow(context, fresh, { wanted, written: writes });
      return { result: "done", value: undefined, why: says };
    },
  );
  return writes ? "changed" : "done";
}

/** Nothing is written, and nothing has to be waited for. */
async function isThere(
  { deps, poller }: DatabaseContext,
  plan: DatabasePlan,
  wanted: Omit<WantedVersion, "patience">,
): Promise<boolean> {
  const { facts, participants } = await poller.now();
  const patience = { idleMs: 0, stallAfterMs: 1 };
  const verdict = judgeDatabase(facts, plan.target, { ...wanted, participants, patience });
  if (verdict.is !== "done") return false;
  const info = { id: "database.patch", action: "patch", object: plan.label } as const;
  deps.recorder.addStep({ ...info, why: verdict.says }, "unchanged");
  return true;
}

/** A status that moved meanwhile is read again; a version that moved is someone's. */
async function write(context: DatabaseContext, { facts, plan }: FreshPlan): Promise<void> {
  const { deps, options, session } = context;
  const patch = databasePatch(deps.names, plan);
  await session.send(patch, async (error) => {
    const object = await deps.cluster.get(changeRef(patch), { signal: deps.signal });
    const { uid } = plan.target.object.metadata;
    if (object === undefined || object.metadata.uid !== uid) throw error;
    const next = planDatabase(facts, { ...plan.target, object }, repeatWish(plan, options));
    if (!sameJson(plan.edits, next.edits)) throw error;
    const blocks = listBlocks(next.blocks, options);
    if (blocks.length > 0) throw new BlockedError(exitCodes.blocked, blocks);
    return databasePatch(deps.names, next);
  });
}

/** The same wish again: by the REST API it is the number that the call has led to. */
function repeatWish({ edits }: DatabasePlan, { via, request }: DatabaseWish): DatabaseWish {
  const [edit] = edits;
  return { version: String(edit?.to), via, ...(request !== undefined && { request }) };
}

interface Following {
  readonly wanted: Omit<WantedVersion, "patience">;
  /** The look has to be later than the write. */
  readonly written: boolean;
}

async function follow(
  context: DatabaseContext,
  { facts: before, plan: { target, label } }: FreshPlan,
  { wanted, written }: Following,
): Promise<string> {
  const { poller, deps } = context;
  const signs = beginningSigns(before, target);
  const first = await (written ? poller.next() : poller.now());
  return await waitBySeen(context, { label, first }, ({ facts, participants }, patience) => {
    const now = targetNow(facts, target);
    if (now === undefined) {
      const cause = "it was deleted during its upgrade";
      throw new BlockedError(exitCodes.failed, [
        databaseFinding("absent", { object: label, cause }),
      ]);
    }
    const progress = judgeDatabase(facts, now, { ...wanted, participants, patience });
    if (progress.is === "done" || !sameJson(signs, beginningSigns(facts, now))) {
      deps.recorder.passNoReturn("its upgrade has begun, and is not undone", label);
    }
    if (progress.is === "done") return { is: "done", value: progress.says };
    return nameProgress(label, withCause(progress, busyCluster(facts, now)));
  });
}

/** What moves once the operator has begun: the state, and the actions that work on the database. */
function beginningSigns(facts: Facts, target: DatabasePlan["target"]): readonly unknown[] {
  const { edbFields, eaadbFields } = facts.names;
  const { status } = target.kind === "edb" ? edbFields : eaadbFields;
  return [getPath(target.object, status), lastActions(facts, target)];
}

/** An EC that has left Running is the cause of what is stalled (S98). */
function withCause<P extends Exclude<Progress, { readonly is: "done" }>>(
  progress: P,
  [busy]: readonly Finding[],
): P {
  if (busy === undefined) return progress;
  const { cause, fix } = busy;
  return progress.is === "moving"
    ? { ...progress, on: `${progress.on}; ${cause}` }
    : { ...progress, cause: `${progress.cause}; ${cause}`, fix };
}
