/** How far a database is by the REST API: its record, and the action that works on it (S92; domain facts 9). */
import type { EngineVersion } from "../base/versions";
import type { Names } from "../names/names";
import { type ApiAction, renderPending } from "../rest-api/actions";
import type { ApiDatabase } from "../rest-api/records";
import { troubleFinding, troubleIn } from "../rest-api/troubles";
import type { Progress, Stalled } from "../rollout/progress";
import { runsVersion } from "./bdb";
import {
  type DatabasePatience,
  type DatabaseProblem,
  failure,
  restless,
  stalled,
  unknownEnd,
} from "./progress";
import { isActive } from "./state";

/** What was read at one look. */
interface BdbLook {
  /** The database's label, for people. */
  readonly object: string;
  readonly bdb: ApiDatabase | undefined;
  /** Undefined where the server keeps none, or has forgotten it. */
  readonly action: ApiAction | undefined;
}

/** What the call is to lead to. */
interface WantedBdb {
  /** Absent: whatever runs is right. */
  readonly version: EngineVersion | undefined;
  readonly channel: boolean;
  /** Modules that the release has newer builds of; absent: whatever they are is right. */
  readonly behind?: readonly string[];
  readonly patience: DatabasePatience;
}

/** Done by the action's end and the database's own word; an action that is gone has ended. */
export function judgeBdb(
  { object, bdb, action }: BdbLook,
  wanted: WantedBdb,
  names: Names,
): Progress {
  if (bdb === undefined)
    return stalled("uidUnknown", { object, because: "the REST API has it no more" });
  const trouble = bdbTrouble(bdb, action, { wanted, names });
  if (trouble !== undefined) return stalled(trouble.what, { object, ...trouble });
  const on = bdbWaitsFor(bdb, action, wanted);
  if (on === undefined) return { is: "done", says: `${bdb.version ?? "the version"} runs` };
  const step = `${on} ${bdb.status ?? ""} ${bdb.version ?? ""}`;
  const found = restless({ object, on, step, wanted, stall: "stuck" });
  return found.is === "stalled" ? { ...found, ...waysOut(bdb, action, names) } : found;
}

/** What stands against it for certain: an action's end, or a state that no action leaves. */
function bdbTrouble(
  bdb: ApiDatabase,
  action: ApiAction | undefined,
  { wanted, names }: { readonly wanted: WantedBdb; readonly names: Names },
): DatabaseProblem | undefined {
  if (action?.is === "running") return undefined;
  if (action?.is === "failed") return failedAction(action, names);
  const state = bdb.status ?? "";
  const reached = bdbWaitsFor(bdb, undefined, wanted) === undefined;
  const about = { state, reached, ours: true, runs: bdb.version ?? "unknown" };
  const { uid: of, status: actionStatus = "none" } = action ?? { uid: undefined, status: "" };
  return failure(state) ?? unknownEnd({ ...about, action: of, actionStatus }, wanted, names);
}

function failedAction(action: ApiAction, names: Names): DatabaseProblem {
  const { errorCode: code, error: message } = action;
  return {
    what: "actionFailed",
    because: describeEnd(action),
    fix: fixOf({ code, message }, names),
  };
}

/** How an action ended, with its code and its words. */
function describeEnd({ uid, status, error, errorCode, ...action }: ApiAction): string {
  const told = [errorCode, error].map((one) => (one === undefined ? "" : `: ${one}`)).join("");
  return `action ${uid} ended as ${status ?? "failed"}${told}${renderPending(action)}`;
}

/** The way out of a standstill follows what the shards say that they wait for. */
function waysOut(
  { uid }: ApiDatabase,
  action: ApiAction | undefined,
  names: Names,
): Pick<Stalled, "fix"> {
  const path = names.restPaths.bdbActions.replace(/\{[a-z]+\}/, String(uid));
  const look = `see what its shards wait for with GET ${path}, and the operator's log`;
  return { fix: fixOf({ code: undefined, message: action?.pending.join("; ") }, names) ?? look };
}

function fixOf(said: Parameters<typeof troubleIn>[0], names: Names): string | undefined {
  const trouble = troubleIn(said, names);
  return trouble && troubleFinding(trouble, {}, names).fix;
}

function bdbWaitsFor(
  bdb: ApiDatabase,
  action: ApiAction | undefined,
  wanted: WantedBdb,
): string | undefined {
  if (action?.is === "running") return `its action (${renderAction(bdb, action)})`;
  const { status = "active" } = bdb;
  if (!isActive(status)) return `state active (now ${status})`;
  if (wanted.version !== undefined && !runsVersion(bdb, wanted)) {
    return `its version (now ${bdb.version ?? "unknown"})`;
  }
  const { behind = [] } = wanted;
  return behind.length === 0 ? undefined : `its modules (now ${behind.join(", ")})`;
}

function renderAction({ shards }: ApiDatabase, action: ApiAction): string {
  const { status, progress } = action;
  const percent = progress === undefined ? (status ?? "running") : `${Math.round(progress)} %`;
  const far = shards === undefined ? percent : `${percent} of ${shards} shards`;
  return `${far}${renderPending(action)}`;
}
