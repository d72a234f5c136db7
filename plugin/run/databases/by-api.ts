/** One database by the REST API: called once, its action followed, its resource brought in line (S75-S92). */
import { bdbFindings, bdbVersion, runsVersion } from "../../domain/databases/bdb";
import { databaseFinding } from "../../domain/databases/codes";
import { type DatabasePlan, type DatabaseWish, planDatabase } from "../../domain/databases/plan";
import { asksForMore, requestBody, type RequestWish } from "../../domain/databases/request";
import { targetNow } from "../../domain/databases/target";
import { exitCodes } from "../../domain/errors";
import { judgeBdb } from "../../domain/rollout/bdb";
import { formatEngineVersion } from "../../domain/versions";
import type { ApiAction, ApiDatabase, ClusterApi } from "../cluster-api";
import { noted } from "../outcome";
import { BlockedError, type StepInfo } from "../recorder";
import type { Result } from "../report";
import { bringInLine, type Hands, planAgain } from "./by-resource";
import { pollMs } from "./lookout";
import { Patience } from "./patience";

/** A database of the REST API, and the way to it. */
export interface Called {
  readonly api: ClusterApi;
  readonly uid: number;
}

/** What is sent: the fields that were asked for, with the version as a number. */
export function requestOf(
  plan: Pick<DatabasePlan, "version">,
  { request }: { readonly request: RequestWish },
): RequestWish {
  const { version } = plan;
  if (version === undefined || request.keepEngineVersion === true) return request;
  return { ...request, engineVersion: formatEngineVersion(version) };
}

/** False where the version runs, and nothing else is asked for. */
export function needsCall(
  bdb: ApiDatabase,
  plan: DatabasePlan,
  { request }: { readonly request: RequestWish },
): boolean {
  return !runsVersion(bdb, plan) || asksForMore(request);
}

/** How the call is named in the report. */
export function callStep(
  { label, version }: DatabasePlan,
  { names }: Hands["deps"],
  request: RequestWish,
): StepInfo {
  const body = JSON.stringify(requestBody(requestOf({ version }, { request }), names));
  return { id: "database.call", action: "call", object: label, why: `upgrade with ${body}` };
}

/** Calls unless it runs the version, follows the action, then sees to the resource. */
export async function byApi(hands: Hands, before: DatabasePlan, called: Called): Promise<Result> {
  const { plan } = await planAgain(hands, before);
  const caller = new Caller(hands, plan, called);
  const was = await caller.settled();
  const wasCalled = needsCall(was, plan, hands.options);
  if (wasCalled) await caller.call(was);
  else {
    const why = `${was.version ?? "the version"} runs`;
    hands.deps.recorder.done({ ...caller.step, why }, "unchanged");
  }
  const now = wasCalled ? await caller.follow(undefined) : was;
  const followed = await alongside(hands, plan, now);
  return wasCalled ? "changed" : followed;
}

class Caller {
  readonly step: StepInfo;
  readonly #request: RequestWish;
  #action: string | undefined;

  constructor(
    private readonly hands: Hands,
    private readonly plan: DatabasePlan,
    private readonly called: Called,
  ) {
    const { deps, options } = hands;
    this.#request = requestOf(plan, options);
    this.step = callStep(plan, deps, options.request);
  }

  /** The database when no action works on it: one that runs already is followed, not doubled. */
  async settled(): Promise<ApiDatabase> {
    const { api, uid } = this.called;
    const { signal } = this.hands.deps;
    const actions = (await api.actionsOf(uid, signal)) ?? [];
    const running = actions.find(({ is }) => is === "running");
    if (running === undefined) return await this.#read();
    return await this.follow(running.uid);
  }

  /** The one call; whether it was begun is looked for where no answer came. */
  async call(bdb: ApiDatabase): Promise<void> {
    const { deps } = this.hands;
    const { api, uid } = this.called;
    const request = this.#request;
    const { object } = this.plan.target;
    const findings = bdbFindings(object, bdb, { request, runs: runsVersion(bdb, this.plan) });
    if (findings.length > 0) throw new BlockedError(exitCodes.blocked, findings);
    deps.signal.throwIfAborted();
    await deps.recorder.step(this.step, async () => {
      const answer = await noted(deps, this.step, () =>
        api.upgrade(uid, requestBody(request, deps.names), deps.signal),
      );
      this.#action = answer.actionUid;
      return { result: "changed", value: undefined };
    });
  }

  /** To the end of the action: the one that the call began, or another one. */
  async follow(other: string | undefined): Promise<ApiDatabase> {
    const { deps } = this.hands;
    const { label: object } = this.plan;
    const action = other ?? this.#action;
    const why = "until its action and its shards are done";
    return await deps.recorder.step(
      { id: "database.action", action: "wait", object, why },
      async () => {
        const { bdb, says } = await this.#toEnd(action, other === undefined);
        return { result: "done", value: bdb, why: says };
      },
    );
  }

  async #toEnd(actionUid: string | undefined, ours: boolean) {
    const { deps } = this.hands;
    const { label: object, version, channel } = this.plan;
    const patience = new Patience(this.hands, object);
    for (;;) {
      const action = await this.#actionOf(actionUid);
      const bdb = await this.#read();
      const says = patience.judge((patience) =>
        judgeBdb(
          { object, bdb, action: ours || action?.is === "running" ? action : undefined },
          // what somebody else has begun may lead elsewhere
          { version: ours ? version : undefined, channel, patience },
        ),
      );
      if (says !== undefined) return { bdb, says };
      await deps.clock.sleep(pollMs, deps.signal);
    }
  }

  async #actionOf(uid: string | undefined): Promise<ApiAction | undefined> {
    if (uid === undefined) return undefined;
    return await this.called.api.action(uid, this.hands.deps.signal);
  }

  async #read(): Promise<ApiDatabase> {
    const { api, uid } = this.called;
    const bdb = await api.database(uid, this.hands.deps.signal);
    if (bdb !== undefined) return bdb;
    const object = this.plan.label;
    throw new BlockedError(exitCodes.failed, [databaseFinding("uidUnknown", { object })]);
  }
}

/** The resource follows, so that the operator does not undo it; where it may not be written, that is told. */
async function alongside(hands: Hands, before: DatabasePlan, bdb: ApiDatabase): Promise<Result> {
  const { deps, options, lookout } = hands;
  const runs = before.version ?? bdbVersion(bdb);
  const wish: DatabaseWish = {
    via: options.via,
    ...(runs !== undefined && { version: formatEngineVersion(runs) }),
  };
  const { facts } = await lookout.now();
  const target = targetNow(facts, before.target);
  const plan = target && planDatabase(facts, { ...target, named: true }, wish);
  const because = plan === undefined ? "it was deleted meanwhile" : hindrance(plan);
  if (plan === undefined || because !== undefined) {
    const cause = `the database runs ${bdb.version ?? "the new version"}, and its resource is left as it is: ${because ?? ""}`;
    deps.recorder.findings([databaseFinding("notInLine", { object: before.label, cause })]);
    return "unchanged";
  }
  return await bringInLine(hands, { facts, plan });
}

/** Why the resource is not written; undefined where it is, or is as wanted. */
function hindrance({ edits, target, blocks }: DatabasePlan): string | undefined {
  if (edits.length === 0) return undefined;
  if (target.instanceOf !== undefined) {
    return `it is an instance of ${target.instanceOf}, which has to ask for the version instead`;
  }
  return blocks.length === 0 ? undefined : blocks.map(({ cause }) => cause).join("; ");
}
