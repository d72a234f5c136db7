/** How far one database is: version, state, spec status, generation and action together (S61; domain facts 11). */
import { databaseFindings } from "../databases/codes";
import type { Facts } from "../facts";
import { type KubeObject, objectLabel } from "../objects";
import { at, text } from "../values";
import {
  compareEngineVersions,
  type EngineVersion,
  formatEngineVersion,
  leadingEngineVersion,
} from "../versions";
import type { Progress, Stalled } from "./progress";

/** How long nothing has moved, and after what time that is a standstill. */
export interface DatabasePatience {
  readonly idleMs: number;
  readonly stallAfterMs: number;
}

/** A cluster elsewhere that takes part, as it was read. */
export interface Participant {
  /** As it was given: CONTEXT/NAMESPACE. */
  readonly name: string;
  readonly facts: Facts;
}

/** What the upgrade is to lead to. */
export interface WantedVersion {
  /** Absent: whatever runs is right, and only the state counts. */
  readonly version?: EngineVersion;
  /** A channel was asked for: a later one does as well. */
  readonly atLeast?: true;
  /** The last actions before the change: they say nothing of it. */
  readonly actionsBefore?: readonly string[];
  readonly participants?: readonly Participant[];
  readonly patience: DatabasePatience;
}

/** The engine version that a database runs; undefined where its status does not tell. */
export function databaseVersion(
  { names }: Pick<Facts, "names">,
  object: KubeObject,
): EngineVersion | undefined {
  return leadingEngineVersion(at(object, names.fields.statusVersion));
}

interface Seen {
  readonly state: string;
  readonly specStatus: string;
  /** The operator has seen the newest spec; true where it does not tell. */
  readonly observed: boolean;
  /** It has acted on it: an operator may note the generation at the end alone. */
  readonly taken: boolean;
  readonly action: string | undefined;
  /** The last action belongs to the change. */
  readonly ours: boolean;
  readonly actionStatus: string;
  readonly runs: EngineVersion | undefined;
  readonly reached: boolean;
}

function look({ names }: Facts, edb: KubeObject, wanted: WantedVersion): Seen {
  const { edbFields } = names;
  const observed = at(edb, edbFields.observedGeneration);
  const runs = leadingEngineVersion(at(edb, names.fields.statusVersion));
  const action = text(at(edb, edbFields.lastActionUid));
  const { actionsBefore = [] } = wanted;
  const state = text(at(edb, edbFields.status)) ?? "";
  const isObserved = typeof observed !== "number" || observed >= (edb.metadata.generation ?? 0);
  return {
    state,
    specStatus: text(at(edb, edbFields.specStatus)) ?? "Valid",
    observed: isObserved,
    taken: isObserved || !["", "active"].includes(state),
    action,
    ours: action === undefined || !actionsBefore.includes(action),
    actionStatus: text(at(edb, edbFields.lastActionStatus))?.toLowerCase() ?? "",
    runs,
    reached: isReached(runs, wanted),
  };
}

function isReached(runs: EngineVersion | undefined, { version, atLeast }: WantedVersion): boolean {
  if (version === undefined) return true;
  if (runs === undefined) return false;
  const order = compareEngineVersions(runs, version);
  return order === 0 || (atLeast === true && order > 0);
}

/** How far an EDB is. */
export function judgeEdb(facts: Facts, edb: KubeObject, wanted: WantedVersion): Progress {
  const object = objectLabel(edb);
  if (edb.metadata.deletionTimestamp !== undefined) return stalled("deleting", { object });
  const seen = look(facts, edb, wanted);
  const trouble = troubleOf(facts, seen);
  if (trouble !== undefined) {
    const [what, because] = trouble;
    return stalled(what, { object, because });
  }
  const on = waitsFor(facts, seen, wanted);
  if (on === undefined) return { is: "done", says: `${shownVersion(seen.runs)} runs, active` };
  const stall = seen.taken ? "stuck" : "notTakenUp";
  return restless({ object, on, step: stepOf(seen), wanted, stall });
}

type Trouble = readonly [what: keyof typeof databaseFindings, because: string];

/** What stands against it for certain: an answer of the operator, or an end. */
function troubleOf(
  { names }: Facts,
  { state, specStatus, observed, action, ours, actionStatus, reached }: Seen,
): Trouble | undefined {
  if (specStatus !== "Valid" && observed) {
    return ["specRefused", `its spec status is ${specStatus}`];
  }
  if (state.endsWith("failed") && observed) return ["failed", `its state is ${state}`];
  if (!reached && ours && names.actionStates.failed.includes(actionStatus)) {
    return ["actionFailed", `action ${action ?? "without a uid"} ended as ${actionStatus}`];
  }
  return undefined;
}

/** What it still lacks; undefined when all signs agree. */
function waitsFor(
  { names }: Facts,
  { state, taken, ours, actionStatus, runs, reached }: Seen,
  { version }: WantedVersion,
): string | undefined {
  const shownState = state === "" ? "not told" : state;
  if (!taken) return `the operator to take up its new spec (state ${shownState})`;
  if (!reached)
    return `${shownVersion(runs)} to become ${shownVersion(version)} (state ${shownState})`;
  if (state !== "active") return `state active (now ${shownState})`;
  // a spec status other than Valid is trouble once the spec is observed, and here it is
  const { completed, failed } = names.actionStates;
  const settled = !ours || ["", ...completed, ...failed].includes(actionStatus);
  return settled ? undefined : `its action to be completed (now ${actionStatus})`;
}

function stepOf({ state, specStatus, observed, action, actionStatus, runs }: Seen): string {
  return [state, specStatus, observed, action, actionStatus, shownVersion(runs)].join(" ");
}

/** A version for people. */
export function shownVersion(version: EngineVersion | undefined): string {
  return version === undefined ? "an unknown version" : formatEngineVersion(version);
}

/** What is waited for. */
export interface Restless {
  readonly object: string;
  readonly on: string;
  readonly step: string;
  readonly wanted: Pick<WantedVersion, "patience">;
  /** What it is called once nothing has moved for too long. */
  readonly stall: "stuck" | "notTakenUp" | "notProven";
}

/** Moving, until nothing has moved for too long. */
export function restless({ object, on, step, wanted, stall }: Restless): Progress {
  const { idleMs, stallAfterMs } = wanted.patience;
  if (idleMs < stallAfterMs) return { is: "moving", on, step };
  const because = `nothing has moved for ${Math.round(idleMs / 1000)} s, it waits for ${on}`;
  const found = stalled(stall, { object, because });
  return stall === "notProven" ? { ...found, unproven: true } : found;
}

/** A standstill, told with what is known of it. */
export function stalled(
  what: keyof typeof databaseFindings,
  { object, because }: { readonly object: string; readonly because?: string },
): Stalled {
  const { code, cause, fix } = databaseFindings[what];
  return { is: "stalled", code, object, because: because ?? cause, fix };
}
