/** How far an upgrade by the REST API is: its action, then the database itself (S92; domain facts 9). */
import type { ApiAction, ApiDatabase } from "../api/records";
import { runsVersion } from "../databases/bdb";
import type { EngineVersion } from "../versions";
import { type DatabasePatience, restless, stalled } from "./edb";
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
  if (bdb === undefined)
    return stalled("uidUnknown", { object, because: "the REST API has it no more" });
  if (action?.is === "failed")
    return stalled("actionFailed", { object, because: failureOf(action) });
  const on = waitsFor(bdb, action, wanted);
  if (on === undefined) return { is: "done", says: `${bdb.version ?? "the version"} runs` };
  const step = `${on} ${bdb.status ?? ""} ${bdb.version ?? ""}`;
  return restless({ object, on, step, wanted, stall: "stuck" });
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
