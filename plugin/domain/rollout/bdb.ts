/** How far an upgrade by the REST API is: its action, then the database itself (S92; domain facts 9). */
import type { ApiAction, ApiDatabase } from "../api/records";
import { runsVersion } from "../databases/bdb";
import { databaseFindings } from "../databases/codes";
import type { EngineVersion } from "../versions";
import type { DatabasePatience } from "./edb";
import type { Progress } from "./progress";

/** What was read at one look. */
export interface BdbLook {
  /** The database's label, for people. */
  readonly object: string;
  readonly bdb: ApiDatabase | undefined;
  /** Undefined where the server keeps none, or has forgotten it. */
  readonly action: ApiAction | undefined;
}

/** What the call is to lead to. */
export interface WantedBdb {
  /** Absent: whatever runs is right. */
  readonly version: EngineVersion | undefined;
  readonly channel: boolean;
  /** Modules that the release has newer builds of; absent: whatever they are is right. */
  readonly behind?: readonly string[];
  readonly patience: DatabasePatience;
}

/** Done by the action's end and the database's own word; an action that is gone has ended. */
export function judgeBdb({ object, bdb, action }: BdbLook, wanted: WantedBdb): Progress {
  if (bdb === undefined) return stalled("uidUnknown", object, "the REST API has it no more");
  if (action?.is === "failed") return stalled("actionFailed", object, failureOf(action));
  const on = waitsFor(bdb, action, wanted);
  if (on === undefined) return { is: "done", says: `${bdb.version ?? "the version"} runs` };
  const { idleMs, stallAfterMs } = wanted.patience;
  if (idleMs < stallAfterMs) {
    return { is: "moving", on, step: `${on} ${bdb.status ?? ""} ${bdb.version ?? ""}` };
  }
  const because = `nothing has moved for ${Math.round(idleMs / 1000)} s, it waits for ${on}`;
  return stalled("stuck", object, because);
}

function failureOf({ uid, status, error }: ApiAction): string {
  const told = error === undefined ? "" : `: ${error}`;
  return `action ${uid} ended as ${status ?? "failed"}${told}`;
}

function waitsFor(
  bdb: ApiDatabase,
  action: ApiAction | undefined,
  wanted: WantedBdb,
): string | undefined {
  if (action?.is === "running") return `its action (${shown(bdb, action)})`;
  const state = bdb.status ?? "active";
  if (state !== "active") return `state active (now ${state})`;
  if (wanted.version !== undefined && !runsVersion(bdb, wanted)) {
    return `its version (now ${bdb.version ?? "unknown"})`;
  }
  const { behind = [] } = wanted;
  return behind.length === 0 ? undefined : `its modules (now ${behind.join(", ")})`;
}

function shown({ shards }: ApiDatabase, { status, progress }: ApiAction): string {
  const percent = progress === undefined ? (status ?? "running") : `${Math.round(progress)} %`;
  return shards === undefined ? percent : `${percent} of ${shards} shards`;
}

function stalled(what: keyof typeof databaseFindings, object: string, because: string): Progress {
  const { code, fix } = databaseFindings[what];
  return { is: "stalled", code, object, because, fix };
}
