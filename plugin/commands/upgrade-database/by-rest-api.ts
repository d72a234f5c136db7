/** One database by the REST API: called once, its action followed, its resource brought in line (S75-S92). */
import type { DatabaseContext } from "./context";
import { nameProgress } from "../../domain/rollout/progress";
import {
  asksForMore,
  bdbVersion,
  modulesBehind,
  requestBody,
  type RequestWish,
  runsVersion,
} from "../../domain/database/bdb";
import { accept, isSkipped } from "../../domain/checks/selection";
import { databaseFinding, databaseFindings, lateCodes } from "../../domain/database/findings";
import { judgeKeeping, readKeeping } from "../../domain/database/keeping";
import type { DatabaseSubject } from "../../domain/database/subject";
import { databaseGate } from "../../domain/database/symptoms";
import { isBusy } from "../../domain/database/state";
import type { Diagnosed } from "../../domain/diagnosis/symptom";
import { identify, identifyAmong, type Identity } from "../../domain/database/identity";
import { type DatabasePlan, type DatabaseWish, planDatabase } from "../../domain/database/plan";
import { exitCodes, BlockedError } from "../../domain/base/errors";
import type { Facts } from "../../domain/facts/facts";
import type { Names } from "../../domain/names/names";
import type { Finding } from "../../domain/base/findings";
import { judgeBdb } from "../../domain/database/bdb-progress";
import { formatEngineVersion } from "../../domain/base/versions";
import type { ApiDatabase, ClusterApi, InstalledModule } from "../../ports/rest-api";
import type { CallEnd } from "../../kernel/session";
import { type Look, restApi } from "../../kernel/wait";
import type { StepInfo, Result } from "../../domain/kube/planned-write";
import { bringInLine, waitForSamePlan } from "./by-resource";
import { waitForDatabase } from "./waiting";
import { databasePatch } from "./changes";
import { type DatabaseTarget, targetNow } from "../../domain/database/target";

/** A database of the REST API, and the way to it. */
export interface Called {
  readonly api: ClusterApi;
  readonly uid: number;
  /** As it was read with the others, before the first call. */
  readonly bdb: ApiDatabase;
  /** The modules of its cluster. */
  readonly installed: readonly InstalledModule[];
  /** The databases of its EC as they are now, in all namespaces that may be listed. */
  readonly rivals: (facts: Facts) => Promise<readonly DatabaseTarget[]>;
}

/** What of the options the call is made of. */
type CallWish = Pick<DatabaseContext["options"], "request" | "version" | "skip">;

/**
 * What is sent: the fields that were asked for, with the version as a number. Where none was asked for
 * it is the one that runs, since without the field the server takes the latest one (S80, S81, S88).
 * To ask for the latest one beside a number would be a contradiction (S89): its modules come with it.
 */
function makeRequest(
  plan: DatabasePlan,
  bdb: ApiDatabase,
  { wanted, names }: { readonly wanted: CallWish; readonly names: Names },
): RequestWish {
  const { latestWithModules, ...given } = wanted.request;
  const request = { ...given, ...(isLossAccepted(plan, bdb, { wanted, names }) && allowed) };
  const kept = latestWithModules === false ? { ...request, latestWithModules } : request;
  if (request.keepEngineVersion === true) return kept;
  const version = plan.version ?? bdbVersion(bdb);
  return version === undefined ? kept : { ...kept, engineVersion: formatEngineVersion(version) };
}

const allowed = { mayDiscardData: true } as const;

/** The server refuses what a person has accepted for this database, unless the request says so too (S83). */
function isLossAccepted(
  { target, label }: DatabasePlan,
  bdb: ApiDatabase,
  { wanted: { skip }, names }: { readonly wanted: CallWish; readonly names: Names },
): boolean {
  const isAccepted = skip.length > 0 && isSkipped({ skip }, databaseFindings.volatile.code, label);
  return isAccepted && judgeKeeping(readKeeping(target, bdb, names)) !== "kept";
}

/** What stands against the call, what is accepted as a warning; without a version in it the server would take the latest one. */
export function callFindings(
  plan: DatabasePlan,
  bdb: ApiDatabase,
  { wanted, facts }: { readonly wanted: CallWish; readonly facts: Facts },
): readonly Finding[] {
  const { names } = facts;
  const { label: object, target } = plan;
  const request = makeRequest(plan, bdb, { wanted, names });
  const isOpen = request.engineVersion === undefined && request.keepEngineVersion !== true;
  const cause =
    "the REST API does not report which version it runs, and without one in the request would take the latest";
  const fix = "give the version with --engine-version";
  const found = [
    ...(isOpen ? [databaseFinding("runsUnknown", { object, cause, fix })] : []),
    ...judgeCalled(facts, { ...target, loss: wanted.request }, { is: "proven", bdb }),
  ];
  return accept(
    found,
    wanted.skip.filter(({ code }) => lateCodes.includes(code)),
  );
}

/** What its record and its cluster say against a call; the plan has judged its spec. */
export function judgeCalled(
  facts: Facts,
  target: DatabaseTarget & Pick<DatabaseSubject, "loss">,
  identity: Identity,
): readonly Diagnosed[] {
  return databaseGate(facts, { ...target, identity }, { acts: true, again: true });
}

/** False where the version runs with the modules of the release, and nothing else is asked for. */
export function needsCall(
  { bdb, installed }: Pick<Called, "bdb" | "installed">,
  plan: DatabasePlan,
  { options }: Pick<DatabaseContext, "options">,
): boolean {
  const { request } = options;
  if (!runsVersion(bdb, plan) || asksForMore(request)) return true;
  const raises = !plan.channel && request.latestWithModules !== false;
  return raises && modulesBehind(bdb, installed).length > 0;
}

/** How the call is named in the report. */
export function callStep(
  plan: DatabasePlan,
  bdb: ApiDatabase,
  { deps, options }: Pick<DatabaseContext, "deps" | "options">,
): StepInfo {
  const { names } = deps;
  const request = makeRequest(plan, bdb, { wanted: options, names });
  const body = JSON.stringify(requestBody(request, names));
  return { ...nameCall(plan), why: `upgrade with ${body}` };
}

/** How a call is named before it is known what it carries. */
export function nameCall({ label: object }: Pick<DatabasePlan, "label">) {
  return { id: "database.call", action: "call", object } as const;
}

/** Calls unless it is up to date, follows the action, then sees to the resource. */
export async function upgradeByApi(
  context: DatabaseContext,
  before: DatabasePlan,
  called: Called,
): Promise<Result> {
  const { plan } = await waitForSamePlan(context, before);
  const caller = new Caller(context, plan, called);
  const was = await caller.waitUntilIdle();
  const wasCalled = needsCall({ ...called, bdb: was }, plan, context);
  if (wasCalled) await caller.call(was);
  else {
    const why = `${was.version ?? "the version"} runs`;
    context.deps.recorder.addStep({ ...nameCall(plan), why }, "unchanged");
  }
  const now = wasCalled ? await caller.follow(undefined) : was;
  // a version that was kept is no reason to write the resource
  if (wasCalled && plan.version === undefined) return "changed";
  const followed = await bringResourceAlong(context, plan, now);
  return wasCalled ? "changed" : followed;
}

class Caller {
  #action: string | undefined;
  /** The call is made for the modules of a version that runs already. */
  #raisesModules = false;

  constructor(
    private readonly context: DatabaseContext,
    private readonly plan: DatabasePlan,
    private readonly called: Called,
  ) {}

  /** The database when no action works on it: one that runs already is followed, not doubled. */
  async waitUntilIdle(): Promise<ApiDatabase> {
    const { api, uid } = this.called;
    const { signal } = this.context.deps;
    const actions = (await api.listActions(uid, signal)) ?? [];
    const running = actions.find(({ is }) => is === "running");
    if (running !== undefined) return await this.follow({ uid: running.uid });
    const bdb = await this.#read();
    const waits = this.context.options.wait && isBusy(bdb.status);
    return waits ? await this.follow({}) : bdb;
  }

  /** The one call; whether it was begun is looked for where no answer came. */
  async call(bdb: ApiDatabase): Promise<void> {
    const { deps, options, session } = this.context;
    const { api, uid } = this.called;
    const { plan } = this;
    const { names } = deps;
    const request = makeRequest(plan, bdb, { wanted: options, names });
    const { facts } = await this.context.poller.now();
    const findings = callFindings(plan, bdb, { wanted: options, facts });
    const against = findings.filter(({ severity }) => severity === "error");
    if (against.length > 0) throw new BlockedError(exitCodes.blocked, against);
    await this.#requireAlone(bdb);
    this.#raisesModules = runsVersion(bdb, plan) && !asksForMore(request);
    this.#action = await session.call({
      step: callStep(plan, bdb, this.context),
      send: () => api.upgrade(uid, requestBody(request, names), deps.signal),
      end: ({ actionUid: value }) => Promise.resolve({ result: "changed", value }),
    });
  }

  /** To the end of the action: the one that the call began, or another one. */
  async follow(other: { readonly uid?: string } | undefined): Promise<ApiDatabase> {
    const { deps, options } = this.context;
    const { stallAfterMs } = options;
    const { label: object, version, channel } = this.plan;
    const ours = other === undefined;
    const uid = ours ? this.#action : other.uid;
    const why = "until its action and its shards are done";
    return await deps.recorder.step(
      { id: "database.action", action: "wait", object, why },
      async () =>
        await waitForDatabase(this.context, object, {
          server: restApi,
          look: async ({ idleMs }): Promise<Look<CallEnd<ApiDatabase>>> => {
            const found =
              uid === undefined ? undefined : await this.called.api.action(uid, deps.signal);
            const action = ours || found?.is === "running" ? found : undefined;
            const bdb = await this.#read();
            const behind = this.#behind(bdb);
            const patience = { idleMs, stallAfterMs };
            // what someone else has begun may lead elsewhere
            const wanted = { version: ours ? version : undefined, channel, behind, patience };
            const seen = judgeBdb({ object, bdb, action }, wanted, deps.names);
            if (seen.is !== "done") return nameProgress(object, seen);
            return { is: "done", value: { result: "done", value: bdb, why: seen.says } };
          },
        }),
    );
  }

  /** Another resource may stand for the record by now. */
  async #requireAlone(bdb: ApiDatabase): Promise<void> {
    const { deps, poller } = this.context;
    const { facts } = await poller.now();
    const others = await this.called.rivals(facts);
    const now = identifyAmong(this.plan.target, { others, all: [bdb] }, deps.names);
    if (now.is === "unproven") throw new BlockedError(exitCodes.blocked, [now.finding]);
  }

  #behind(bdb: ApiDatabase): readonly string[] {
    if (!this.#raisesModules) return [];
    return modulesBehind(bdb, this.called.installed);
  }

  async #read(): Promise<ApiDatabase> {
    const { api, uid } = this.called;
    const { names, signal } = this.context.deps;
    const bdb = await api.database(uid, signal);
    // the number may be another database's by now
    const now = identify(this.plan.target, bdb === undefined ? [] : [bdb], names);
    if (now.is === "proven") return now.bdb;
    const code = bdb === undefined ? exitCodes.failed : exitCodes.blocked;
    throw new BlockedError(code, [now.finding]);
  }
}

/** The resource follows, so that the operator does not undo it; where it may not be written, that is told. */
async function bringResourceAlong(
  context: DatabaseContext,
  before: DatabasePlan,
  bdb: ApiDatabase,
): Promise<Result> {
  const { deps, options, poller } = context;
  const runs = before.version ?? bdbVersion(bdb);
  const wish: DatabaseWish = {
    via: options.via,
    ...(runs !== undefined && { version: formatEngineVersion(runs) }),
  };
  const { facts } = await poller.now();
  const target = targetNow(facts, before.target);
  const plan = target && planDatabase(facts, { ...target, named: true }, wish);
  const because =
    plan === undefined ? "it was deleted meanwhile" : findHindrance(context, plan, before);
  if (plan === undefined || because !== undefined) {
    const cause = `the database runs ${bdb.version ?? "the new version"}, and its resource is left as it is: ${because ?? ""}`;
    deps.recorder.addFindings([databaseFinding("notInLine", { object: before.label, cause })]);
    return "unchanged";
  }
  // the version that a confirmed call has led to is confirmed with it
  if (plan.edits.length > 0) context.session.noteConfirmed([databasePatch(deps.names, plan)]);
  return await bringInLine(context, { facts, plan }).finally(() => {
    deps.recorder.passNoReturn("it runs this version already", before.label);
  });
}

/** Why the resource is not written; undefined where it is, or is up to date. */
function findHindrance(
  { deps, session }: DatabaseContext,
  plan: DatabasePlan,
  before: DatabasePlan,
): string | undefined {
  const { edits, target, blocks, leaves } = plan;
  // only what was planned was asked about
  const wasAsked = before.edits.length > 0;
  if (edits.length > 0) {
    if (leaves !== undefined && !wasAsked) return `it follows the channel ${leaves}`;
    if (target.instanceOf !== undefined) {
      return `it is an instance of ${target.instanceOf}, which has to ask for the version instead`;
    }
    if (blocks.length > 0) return blocks.map(({ cause }) => cause).join("; ");
  }
  // another owner or manager holds it
  const { conflicts, takes } = session.findConflicts(databasePatch(deps.names, plan));
  const unsaid = takes && !wasAsked ? "its fields were not said to be taken" : undefined;
  return conflicts[0]?.cause ?? unsaid;
}
