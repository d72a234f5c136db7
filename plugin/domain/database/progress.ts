/** What moves and what stands, as databases are judged by their resource and by the REST API. */
import type { Names } from "../names/names";
import { actionState } from "../rest-api/actions";
import type { Progress, Stalled } from "../rollout/progress";
import { quote } from "../rules/wording";
import { databaseFindings } from "./findings";
import { failedState, isActive } from "./state";

/** How long nothing has moved, and after what time that is a standstill. */
export interface DatabasePatience {
  readonly idleMs: number;
  readonly stallAfterMs: number;
}

/** What a wait has of patience. */
interface Waited {
  readonly patience: DatabasePatience;
}

type StallCode =
  | "actionFailed"
  | "actionUnknown"
  | "deleting"
  | "failed"
  | "participantBehind"
  | "specInvalid"
  | "uidUnknown";

/** What stands against it for certain. */
export interface DatabaseProblem {
  readonly what: StallCode;
  readonly because: string;
  /** Closer than the code's. */
  readonly fix?: string | undefined;
}

/** A state that is over by nothing: no time is given to it. */
export function failure(state: string): DatabaseProblem | undefined {
  const failed = failedState(state);
  return (
    failed && { what: "failed", because: `${failed.says}: its state is ${state}`, fix: failed.fix }
  );
}

/** An action whose state is in no list, while the database is active: nothing shows that it continues. */
export function unknownEnd(
  { state, actionStatus, ours, reached, action, runs }: UnknownEnd,
  { patience }: Waited,
  names: Names,
): DatabaseProblem | undefined {
  const isUnknown =
    ours && !reached && actionStatus !== "" && actionState(actionStatus, names) === "unknown";
  const isOver = patience.idleMs >= Math.min(patience.stallAfterMs, unknownAfterMs);
  if (!isUnknown || !isActive(state) || !isOver) return undefined;
  const because = `action ${action ?? "without a uid"} is in a state that is not known, ${quote(actionStatus)}, and the database is active at ${runs}`;
  return { what: "actionUnknown", because };
}

/** An action, and the database that it works on. */
interface UnknownEnd {
  readonly action: string | undefined;
  readonly actionStatus: string;
  /** The action belongs to the change. */
  readonly ours: boolean;
  readonly reached: boolean;
  readonly state: string;
  /** What runs, for people. */
  readonly runs: string;
}

/** An action may be shown before the database's own state is. */
const unknownAfterMs = 60_000;

/** What is waited for. */
interface Restless {
  readonly object: string;
  readonly on: string;
  readonly step: string;
  readonly wanted: Waited;
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
  what: StallCode | Restless["stall"],
  { object, because, ...own }: Omit<DatabaseProblem, "what"> & { readonly object: string },
): Stalled {
  const { code, severity, fix, source } = databaseFindings[what];
  const about = { object, cause: because, fix: own.fix ?? fix };
  return { is: "stalled", code, severity, ...about, source };
}
