/** One database by the REST API: called once, its action followed, its resource brought in line (S75-S92). */
import { bdbFindings, bdbVersion, modulesBehind, runsVersion } from "../../domain/databases/bdb";
import { databaseFinding } from "../../domain/databases/codes";
import { type DatabasePlan, type DatabaseWish, planDatabase } from "../../domain/databases/plan";
import { asksForMore, requestBody, type RequestWish } from "../../domain/databases/request";
import { targetNow } from "../../domain/databases/target";
import { exitCodes } from "../../domain/errors";
import { judgeBdb } from "../../domain/rollout/bdb";
import { formatEngineVersion } from "../../domain/versions";
import type { ApiAction, ApiDatabase, ClusterApi, InstalledModule } from "../cluster-api";
import { pollMs } from "../engine/wait";
import { BlockedError, type StepInfo } from "../recorder";
import type { Result } from "../report";
import { databasePatch } from "./writes";
import { bringInLine, type Hands, planAgain } from "./by-resource";
import { Patience } from "./patience";

/** A database of the REST API, and the way to it. */
export interface Called {
  readonly api: ClusterApi;
  readonly uid: number;
  /** As it was read with the others, before the first call. */
  readonly bdb: ApiDatabase;
  /** The modules of its cluster. */
  readonly installed: readonly InstalledModule[];
}

/** What of the options the call is made of. */
type Wanted = Pick<Hands["options"], "request" | "version">;

/** The server chooses the version: the field is left out, which means the latest one (S88, S89). */
function isServersChoice({ request, version }: Wanted): boolean {
  return version !== undefined || request.latestWithModules === true;
}

/**
 * What is sent: the fields that were asked for, with the version as a number. Where none was asked for
 * it is the one that runs, since without the field the server takes the latest one (S80, S81, S88).
 */
function requestOf(plan: DatabasePlan, bdb: ApiDatabase, wanted: Wanted): RequestWish {
  const { request } = wanted;
  if (request.keepEngineVersion === true) return request;
  const version = plan.version ?? (isServersChoice(wanted) ? undefined : bdbVersion(bdb));
  return version === undefined
    ? request
    : { ...request, engineVersion: formatEngineVersion(version) };
}

/** False where the version runs with the modules of the release, and nothing else is asked for. */
export function needsCall(
  { bdb, installed }: Pick<Called, "bdb" | "installed">,
  plan: DatabasePlan,
  { deps, options }: Pick<Hands, "deps" | "options">,
): boolean {
  const { request } = options;
  if (!runsVersion(bdb, plan) || asksForMore(request)) return true;
  const raises = !plan.channel && request.latestWithModules !== false;
  return raises && modulesBehind(bdb, installed, deps.names).length > 0;
}

/** How the call is named in the report. */
export function callStep(
  plan: DatabasePlan,
  bdb: ApiDatabase,
  { deps, options }: Pick<Hands, "deps" | "options">,
): StepInfo {
  const request = requestOf(plan, bdb, options);
  const body = JSON.stringify(requestBody(request, deps.names));
  const { engineVersion, keepEngineVersion } = request;
  const choice =
    engineVersion === undefined && keepEngineVersion !== true ? ", to the latest version" : "";
  return { ...callOf(plan), why: `upgrade with ${body}${choice}` };
}

/** How a call is named before it is known what it carries. */
export function callOf({ label: object }: Pick<DatabasePlan, "label">) {
  return { id: "database.call", action: "call", object } as const;
}

/** Calls unless it is as wanted, follows the action, then sees to the resource. */
export async function byApi(hands: Hands, before: DatabasePlan, called: Called): Promise<Result> {
  const { plan } = await planAgain(hands, before);
  const caller = new Caller(hands, plan, called);
  const was = await caller.settled();
  const wasCalled = needsCall({ ...called, bdb: was }, plan, hands);
  if (wasCalled) await caller.call(was);
  else {
    const why = `${was.version ?? "the version"} runs`;
    hands.deps.recorder.done({ ...callOf(plan), why }, "unchanged");
  }
  const now = wasCalled ? await caller.follow(undefined) : was;
  const { options } = hands;
  // a version that was kept is no reason to write the resource
  if (wasCalled && plan.version === undefined && !isServersChoice(options)) return "changed";
  const followed = await alongside(hands, plan, now);
  return wasCalled ? "changed" : followed;
}

class Caller {
  #action: string | undefined;
  /** The call is made for the modules of a version that runs already. */
  #raisesModules = false;

  constructor(
    private readonly hands: Hands,
    private readonly plan: DatabasePlan,
    private readonly called: Called,
  ) {}

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
    const { deps, options, session } = this.hands;
    const { api, uid } = this.called;
    const { plan } = this;
    const request = requestOf(plan, bdb, options);
    const findings = bdbFindings(plan.target.object, bdb, { request, calls: true });
    if (findings.length > 0) throw new BlockedError(exitCodes.blocked, findings);
    this.#raisesModules = runsVersion(bdb, plan) && !asksForMore(request);
    this.#action = await session.call({
      step: callStep(plan, bdb, this.hands),
      send: () => api.upgrade(uid, requestBody(request, deps.names), deps.signal),
      end: ({ actionUid: value }) => Promise.resolve({ result: "changed", value }),
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
          { version: ours ? version : undefined, channel, behind: this.#behind(bdb), patience },
        ),
      );
      if (says !== undefined) return { bdb, says };
      await deps.clock.sleep(pollMs, deps.signal);
    }
  }

  #behind(bdb: ApiDatabase): readonly string[] {
    if (!this.#raisesModules) return [];
    return modulesBehind(bdb, this.called.installed, this.hands.deps.names);
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
  const because = plan === undefined ? "it was deleted meanwhile" : hindrance(plan, before);
  if (plan === undefined || because !== undefined) {
    const cause = `the database runs ${bdb.version ?? "the new version"}, and its resource is left as it is: ${because ?? ""}`;
    deps.recorder.findings([databaseFinding("notInLine", { object: before.label, cause })]);
    return "unchanged";
  }
  // the version that a confirmed call has led to is confirmed with it
  if (plan.edits.length > 0) hands.session.confirm([databasePatch(deps, plan)]);
  return await bringInLine(hands, { facts, plan });
}

/** Why the resource is not written; undefined where it is, or is as wanted. */
function hindrance(
  { edits, target, blocks, leaves }: DatabasePlan,
  before: DatabasePlan,
): string | undefined {
  if (edits.length === 0) return undefined;
  // only what was planned was asked about
  if (leaves !== undefined && before.edits.length === 0) return `it follows the channel ${leaves}`;
  if (target.instanceOf !== undefined) {
    return `it is an instance of ${target.instanceOf}, which has to ask for the version instead`;
  }
  return blocks.length === 0 ? undefined : blocks.map(({ cause }) => cause).join("; ");
}
