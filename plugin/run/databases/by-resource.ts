/** One database by its resource: planned anew, written once, followed to the end (S61-S66). */
import { busyCluster } from "../../domain/databases/blocks";
import { databaseFinding } from "../../domain/databases/codes";
import { type DatabasePlan, type DatabaseWish, planDatabase } from "../../domain/databases/plan";
import { targetNow } from "../../domain/databases/target";
import { exitCodes } from "../../domain/errors";
import type { Facts } from "../../domain/facts";
import type { Finding } from "../../domain/findings";
import type { KubeObject } from "../../domain/objects";
import { judgeDatabase, lastActions } from "../../domain/rollout/database";
import type { WantedVersion } from "../../domain/rollout/edb";
import type { Progress } from "../../domain/rollout/progress";
import { sameJson } from "../../domain/values";
import type { Session } from "../engine/session";
import { changedError } from "../outcome";
import { BlockedError } from "../recorder";
import type { Result } from "../report";
import type { Lookout } from "./lookout";
import { Patience, type Waiting } from "./patience";
import { databasePatch, readAgain } from "./writes";

/** What the work on databases is done with. */
export interface Hands extends Waiting {
  readonly session: Session;
  readonly lookout: Lookout;
}

/** A plan, with the facts that it was made from. */
export interface FreshPlan {
  readonly facts: Facts;
  readonly plan: DatabasePlan;
}

/** Writes the version and follows; what is there already is only followed. */
export async function byResource(hands: Hands, before: DatabasePlan): Promise<Result> {
  const fresh = await planAgain(hands, before);
  return await bringInLine(hands, fresh);
}

/** The plan as it is now: another one than was shown is somebody else's work. */
export async function planAgain(
  hands: Hands,
  before: DatabasePlan,
  wish: DatabaseWish = hands.options,
): Promise<FreshPlan> {
  const { options, lookout, board } = hands;
  const patience = new Patience(hands, before.label);
  let { facts } = await lookout.now();
  for (;;) {
    const target = targetNow(facts, before.target);
    if (target === undefined) throw changedError(undefined, before.label);
    const plan = planDatabase(facts, target, wish);
    const [busy] = plan.busy;
    if (busy === undefined) return { facts, plan: unchanged(hands, before, plan) };
    if (!options.wait) throw new BlockedError(exitCodes.blocked, plan.busy);
    board.waits(before.label, busy.cause);
    patience.requireTime(busy.cause);
    ({ facts } = await lookout.next());
  }
}

function unchanged(hands: Hands, before: DatabasePlan, now: DatabasePlan): DatabasePlan {
  if (!hasSameEdits(before, now)) throw changedError(undefined, before.label);
  if (now.blocks.length > 0) throw new BlockedError(exitCodes.blocked, now.blocks);
  if (now.edits.length > 0) {
    const { deps, session } = hands;
    session.confirm([databasePatch(deps, before)]);
    session.requireConfirmed([databasePatch(deps, now)]);
  }
  return now;
}

function hasSameEdits({ edits: one }: DatabasePlan, { edits: other }: DatabasePlan): boolean {
  return sameJson(one, other);
}

/** Makes the resource ask for the version, and waits until all signs agree. */
export async function bringInLine(hands: Hands, fresh: FreshPlan): Promise<Result> {
  const { deps } = hands;
  const { facts, plan } = fresh;
  const writes = plan.edits.length > 0 && plan.target.instanceOf === undefined;
  const wanted: Omit<WantedVersion, "patience"> = {
    ...(plan.version !== undefined && { version: plan.version }),
    ...(plan.channel && { atLeast: true as const }),
    ...(writes && { actionsBefore: lastActions(facts, plan.target) }),
  };
  if (writes) await write(hands, fresh);
  else if (await isThere(hands, plan, wanted)) return "unchanged";
  const why = "until version, state, spec status, generation and action agree";
  await deps.recorder.step(
    { id: "database.follow", action: "wait", object: plan.label, why },
    async () => {
      const says = await follow(hands, plan, { wanted, written: writes });
      return { result: "done", value: undefined, why: says };
    },
  );
  return writes ? "changed" : "done";
}

/** Nothing is written, and nothing has to be waited for. */
async function isThere(
  { deps, lookout }: Hands,
  plan: DatabasePlan,
  wanted: Omit<WantedVersion, "patience">,
): Promise<boolean> {
  const { facts, participants } = await lookout.now();
  const patience = { idleMs: 0, stallAfterMs: 1 };
  const verdict = judgeDatabase(facts, plan.target, { ...wanted, participants, patience });
  if (verdict.is !== "done") return false;
  const info = { id: "database.patch", action: "patch", object: plan.label } as const;
  deps.recorder.done({ ...info, why: verdict.says }, "unchanged");
  return true;
}

/** A status that moved meanwhile is read again; a version that moved is somebody's. */
async function write(hands: Hands, { facts, plan }: FreshPlan): Promise<void> {
  const { deps, options, session } = hands;
  const patch = databasePatch(deps, plan);
  await session.send(patch, async (error) => {
    const object = await readAgain(deps, patch);
    if (object === undefined || !isSameObject(object, plan.target.object)) throw error;
    const next = planDatabase(facts, { ...plan.target, object }, wishOf(plan, options));
    if (!hasSameEdits(plan, next)) throw error;
    if (next.blocks.length > 0) throw new BlockedError(exitCodes.blocked, next.blocks);
    return databasePatch(deps, next);
  });
}

/** The same wish again: by the REST API it is the number that the call has led to. */
function wishOf({ edits }: DatabasePlan, { via }: DatabaseWish): DatabaseWish {
  const [edit] = edits;
  return { version: String(edit?.to), via };
}

function isSameObject(one: KubeObject, other: KubeObject): boolean {
  return one.metadata.uid === other.metadata.uid;
}

interface Following {
  readonly wanted: Omit<WantedVersion, "patience">;
  /** The look has to be later than the write. */
  readonly written: boolean;
}

async function follow(
  hands: Hands,
  { target, label }: DatabasePlan,
  { wanted, written }: Following,
): Promise<string> {
  const { lookout } = hands;
  const patience = new Patience(hands, label);
  let seen = await (written ? lookout.next() : lookout.now());
  for (;;) {
    const { facts, participants } = seen;
    const now = targetNow(facts, target);
    if (now === undefined) {
      const cause = "it was deleted while its upgrade went on";
      throw new BlockedError(exitCodes.failed, [
        databaseFinding("absent", { object: label, cause }),
      ]);
    }
    const busy = busyCluster(facts, now);
    const says = patience.judge((patience) =>
      withCause(judgeDatabase(facts, now, { ...wanted, participants, patience }), busy),
    );
    if (says !== undefined) return says;
    seen = await lookout.next();
  }
}

/** An EC that has left Running is the cause of what stands still (S98). */
function withCause(progress: Progress, [busy]: readonly Finding[]): Progress {
  if (busy === undefined) return progress;
  const { cause, fix } = busy;
  if (progress.is === "moving") return { ...progress, on: `${progress.on}; ${cause}` };
  if (progress.is === "done") return progress;
  return { ...progress, because: `${progress.because}; ${cause}`, fix };
}
