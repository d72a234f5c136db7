/** The recovery over the REST API: a version is posted, the action followed (S99, S100). */
import { type Awaited, nameAwaited } from "../../domain/base/awaited";
import { nameProgress, stallFinding } from "../../domain/rollout/progress";
import { lookKeys } from "./needs";
import { type ApiAction, renderPending } from "../../domain/rest-api/actions";
import { exitCodes, BlockedError } from "../../domain/base/errors";
import type { Finding } from "../../domain/base/findings";
import { type DatabaseUpgrade, judgeLoss, type RecoveryPlan } from "./plan";
import { recoveryFinding } from "../../domain/recovery/findings";
import { requestBody } from "../../domain/database/bdb";
import { recordedKeeping } from "../../domain/database/keeping";
import { type ApiFacts, otherRecord, type RecoveryDatabase } from "../../domain/recovery/databases";
import { databaseFindings } from "../../domain/database/findings";
import { judgeBdb } from "../../domain/database/bdb-progress";
import { judgeDatabase, renderVersion } from "../../domain/database/rollout";
import { parseEngineVersion } from "../../domain/base/versions";
import type { ClusterApi } from "../../ports/rest-api";
import {
  type Limit,
  type Look as Seen,
  restApi,
  timeIsUp,
  waitFor,
  type Waiting,
} from "../../kernel/wait";
import { isActive } from "../../domain/database/state";
import type { StepInfo } from "../../domain/kube/planned-write";
import {
  type RecoverySnapshot,
  type RecoverContext,
  type RecoverDeps,
  type RecoverOptions,
} from "./read";
import { clusterFindings } from "../../domain/engine-cluster/findings";
import { objectLabel } from "../../domain/kube/objects";
import { classifyFreeze } from "../../domain/recovery/classify";
import type { Apart } from "../../domain/recovery/line";
import { judgeCluster } from "../../domain/engine-cluster/rollout";
import type { StallDeadline } from "../../domain/rollout/stateful-set";
import { readClusterFacts } from "../../readers/engine-cluster";

/** A run whose REST API is asked. */
export interface Asking extends RecoverContext {
  readonly api: ClusterApi;
}

/** How the step is named in the report. */
function upgradeStep({ database, uid, version, mayDiscardData }: DatabaseUpgrade): StepInfo {
  const loss = mayDiscardData ? "; its data may be lost" : "";
  const why = `upgrade database ${uid} from ${renderVersion(database.runs)} to ${version} over the REST API${loss}`;
  return { id: `recover.upgrade.${uid}`, action: "call", object: database.label, why };
}

/** The calls of the REST API, in their order. */
export function callsOf({
  upgrades,
}: Pick<RecoveryPlan, "upgrades">): readonly { readonly step: StepInfo }[] {
  return upgrades.map((wanted) => ({ step: upgradeStep(wanted) }));
}

/** What is asked about it before the first change. */
export function describeUpgrade({ database, version, mayDiscardData }: DatabaseUpgrade): string {
  return `upgrade ${database.label} to ${version}${mayDiscardData ? ", which may lose its data" : ""}`;
}

/** Posts the version once, and follows the action to the end. */
export async function upgrade(
  { deps, options, session, api, resource }: Asking,
  wanted: DatabaseUpgrade,
): Promise<void> {
  const step = upgradeStep(wanted);
  const { uid, version, database, mayDiscardData } = wanted;
  const { namespace } = options;
  const now = await api.database(uid, deps.signal);
  const facts = await readClusterFacts(deps, { namespace, resource }, ["edbs", "eaadbs"]);
  const other = otherRecord(facts, database, now);
  if (other !== undefined) throw new BlockedError(exitCodes.blocked, [other]);
  const { keeping: before } = database;
  const keeping = now === undefined ? before : recordedKeeping(now, before, deps.names);
  const risks = judgeLoss(step.object, keeping, { mayDiscardData });
  const against = risks.filter(({ severity }) => severity === "error");
  if (against.length > 0) throw new BlockedError(exitCodes.blocked, against);
  const body = requestBody({ engineVersion: version, mayDiscardData }, deps.names);
  await session.call({
    step,
    // an answer on its way is waited for, so that the outcome is known
    send: () => api.upgrade(uid, body, new AbortController().signal),
    end: async ({ actionUid: action }) => {
      await waitFor(deps, {
        look: ({ idleMs }) => reached({ deps, options, api }, { ...wanted, action }, idleMs),
        server: restApi,
        ...makeLimits(options, stands(step.object)),
      });
      return { result: "changed", value: undefined };
    },
  });
}

/** The action where it is known, and in any case the database itself (domain facts 9). */
async function reached(
  { deps, options, api }: Pick<Asking, "deps" | "options" | "api">,
  wanted: DatabaseUpgrade & { readonly action: string | undefined },
  idleMs: number,
): Promise<Seen<undefined>> {
  const { signal, names } = deps;
  const { uid, version, action: started } = wanted;
  const { label: object } = wanted.database;
  const action = started === undefined ? undefined : await api.action(started, signal);
  const bdb = await api.database(uid, signal);
  const patience = { idleMs, stallAfterMs: options.stallAfterMs };
  const sought = { version: parseEngineVersion(version), channel: true, patience };
  const seen = judgeBdb({ object, bdb, action }, sought, names);
  if (seen.is === "done") return { is: "done", value: undefined };
  if (seen.is === "moving") return nameProgress(object, seen);
  const { code, cause, fix } = seen;
  // without progress, the limit of the wait ends it
  if (!ends.includes(code)) return { is: "moving", on: nameAwaited(object, cause), step: code };
  const finding = recoveryFinding("actionFailed", { object, cause, fix });
  throw new BlockedError(exitCodes.failed, [finding]);
}

/** What is over at once. */
const ends: readonly string[] = [
  databaseFindings.actionFailed.code,
  databaseFindings.actionUnknown.code,
  databaseFindings.failed.code,
];

function renderFar(action: ApiAction): string {
  const { status = "no state", progress } = action;
  return `${status}${progress === undefined ? "" : ` ${progress} %`}${renderPending(action)}`;
}

/** The end of a wait for an action on this object that makes no progress. */
const stands =
  (object: string) =>
  (on: Awaited): BlockedError =>
    new BlockedError(exitCodes.failed, [
      recoveryFinding("actionFailed", {
        object,
        cause: `no progress: it waits for ${on}`,
        fix: "see the actions of the cluster's REST API and its health, then run again",
      }),
    ]);

/** Actions that are at work on these databases: nothing is changed while one runs. */
export async function runningActions(
  { signal }: RecoverDeps,
  api: ClusterApi,
  databases: readonly Pick<RecoveryDatabase, "label" | "uid" | "status">[],
): Promise<readonly { readonly on: Awaited; readonly finding: Finding }[]> {
  const found: { readonly on: Awaited; readonly finding: Finding }[] = [];
  for (const { label, uid, status } of databases) {
    const actions = uid === undefined ? undefined : await api.listActions(uid, signal);
    for (const action of actions ?? []) {
      // a state that is not known counts while the database is busy
      const isAtWork = action.is === "running" || (action.is === "unknown" && !isActive(status));
      if (!isAtWork) continue;
      const what = action.name === undefined ? "" : ` (${action.name})`;
      const cause = `action ${action.uid}${what} is running: ${renderFar(action)}`;
      const finding = recoveryFinding("actionRuns", { object: label, cause });
      found.push({ on: nameAwaited(label, `the end of action ${action.uid}`), finding });
    }
  }
  return found;
}

/** Both limits as a wait takes them; `stalled` is the end where nothing moved for too long. */
export function makeLimits(
  { stallAfterMs, limitMs }: Pick<RecoverOptions, "stallAfterMs" | "limitMs">,
  stalled: Limit["end"],
): Pick<Waiting<unknown>, "total" | "idle"> {
  return {
    total: limitMs === undefined ? undefined : { ms: limitMs, end: timeIsUp },
    idle: { ms: stallAfterMs, end: stalled },
  };
}

const undefinedCode = clusterFindings.moduleUndefined.code;

/** Nothing has moved although the causes are gone. */
export class NotResumedError extends BlockedError {}

/** Waits until the EC is Running and all its pods are renewed; resources may be behind the REST API. */
export async function resumed(
  context: RecoverContext,
  { ec, api }: Pick<RecoverySnapshot, "ec" | "api">,
  stallAfterMs = context.options.stallAfterMs,
): Promise<string> {
  const { deps, options } = context;
  return await waitFor(deps, {
    look: ({ idleMs }) => lookAt(context, { api, patience: { idleMs, stallAfterMs } }),
    ...makeLimits({ ...options, stallAfterMs }, (on) => {
      const cause = `the causes are gone, and nothing moves: it waits for ${on}`;
      const finding = recoveryFinding("notResumed", { object: objectLabel(ec), cause });
      return new NotResumedError(exitCodes.failed, [finding]);
    }),
  });
}

async function lookAt(
  { deps, options: { namespace, name }, resource }: RecoverContext,
  { api, patience }: { readonly api: ApiFacts | undefined; readonly patience: StallDeadline },
): Promise<Seen<string>> {
  const facts = await readClusterFacts(deps, { namespace, resource }, lookKeys);
  // a refusal whose cause is gone is of before
  const wanted = { sameRelease: true, stateBefore: "InvalidUpgrade", patience } as const;
  const progress = judgeCluster(facts, name, wanted);
  if (progress.is === "done") return { is: "done", value: progress.says };
  const ec = facts.objects.ecs.find(({ metadata }) => metadata.name === name);
  const causes = ec === undefined ? [] : classifyFreeze(facts, ec, { api, patience }).causes;
  const found = causes.map(({ finding }) => finding);
  // to define a module is left to a person: no wait brings it about (S124; C9)
  const left = found.find(({ code }) => code === undefinedCode);
  if (left !== undefined) return { is: "stalled", ...left, object: String(left.object) };
  if (progress.is === "moving" || ec === undefined) {
    return nameProgress(`${resource.kind}/${namespace}/${name}`, progress);
  }
  if (found.some(({ code }) => code === progress.code)) return progress;
  // the resources lag behind what the REST API shows: the operator is given its time
  const { cause } = progress;
  return {
    is: "moving",
    on: nameAwaited(objectLabel(ec), `the operator to continue (${cause})`),
    step: cause,
  };
}

/** Waits until the operator has acted on the resource, and resource and database agree. */
export async function confirmed(
  { deps, options, resource }: RecoverContext,
  { edb, database }: Pick<Apart, "edb" | "database">,
): Promise<string> {
  const { namespace } = options;
  const { runs } = database;
  const object = objectLabel(edb);
  return await waitFor(deps, {
    look: async () => {
      const facts = await readClusterFacts(deps, { namespace, resource }, ["edbs", "eaadbs"]);
      const now = facts.objects.edbs.find((one) => objectLabel(one) === object);
      const progress = judgeDatabase(
        facts,
        { kind: "edb", object: now ?? edb },
        {
          ...(runs !== undefined && { version: runs }),
          atLeast: true,
          patience: { idleMs: 0, stallAfterMs: options.stallAfterMs },
        },
      );
      if (progress.is === "done") return { is: "done", value: progress.says };
      if (progress.is === "moving") return nameProgress(object, progress);
      throw new BlockedError(exitCodes.failed, [stallFinding(progress)]);
    },
    ...makeLimits(options, (on) => {
      const finding = recoveryFinding("notResumed", { object, cause: `no progress: ${on}` });
      return new NotResumedError(exitCodes.failed, [finding]);
    }),
  });
}
