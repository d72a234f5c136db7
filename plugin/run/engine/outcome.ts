/** What became of a write: noted before it is sent, and looked for when no definite answer came. */
import { type Act, unconfirmedFindings } from "../../domain/planned-write";
import {
  ApiError,
  EngineError,
  TimeoutError,
  UnavailableError,
  UnknownOutcomeError,
  exitCodes,
} from "../../domain/errors";
import type { Journal } from "./journal";
import { BlockedError, type Recorder } from "./recorder";

/** Somebody changed the object since it was read: read and plan again. */
export class ChangedError extends EngineError {
  readonly code = "CHANGED-SINCE-READ";
  readonly exitCode = exitCodes.conflict;
}

/** Stops with 5 where a plan made again would send more than was confirmed. */
export function requireConfirmed(confirmed: readonly Act[], now: readonly Act[]): void {
  const findings = unconfirmedFindings(confirmed, now);
  if (findings.length > 0) throw new BlockedError(exitCodes.conflict, findings);
}

/** Where a write is noted. */
export interface Notes {
  readonly journal: Pick<Journal, "intent" | "outcome">;
  readonly recorder: Pick<Recorder, "note">;
}

/** A line for the record before the write, and one after it with what came of it. */
export async function noted<T>(
  notes: Notes,
  write: {
    readonly action: string;
    readonly object: string;
    readonly why: string;
    /** Sent even where the line cannot be kept. */
    readonly urgent?: boolean;
  },
  act: () => Promise<T>,
): Promise<T> {
  const { action, object, why, urgent = false } = write;
  await notes.journal.intent({ action, object, why }).catch((error: unknown) => {
    if (!urgent) throw error;
  });
  try {
    const value = await act();
    await observed(notes, { action, object, result: "done" });
    return value;
  } catch (error) {
    const result = error instanceof EngineError ? `failed: ${error.code}` : "failed";
    await observed(notes, { action, object, result });
    throw error;
  }
}

/** What has happened has happened: a record that cannot be kept does not undo it. */
async function observed(
  { journal, recorder }: Notes,
  line: { readonly action: string; readonly object: string; readonly result: string },
): Promise<void> {
  await journal.outcome(line).catch((error: unknown) => {
    if (!(error instanceof EngineError)) throw error;
    const { action, object } = line;
    recorder.note(`the outcome of ${action} ${object} is not in the record: ${error.message}`);
  });
}

/** A write without a definite answer leaves its outcome open: the object is read to see it. */
export async function certain<T>(write: {
  readonly send: () => Promise<T>;
  /** The outcome when what is stored shows that the write was done. */
  readonly seen: () => Promise<T | undefined>;
  readonly label: string;
  /** What a definite refusal means; absent: see changedSince. */
  readonly refused?: (error: unknown) => unknown;
}): Promise<T> {
  try {
    return await write.send();
  } catch (error) {
    const { label, refused = (said) => changedSince(said, label) } = write;
    if (!leavesOpen(error)) throw refused(error);
    const outcome = await write.seen().catch((cause: unknown) => {
      throw unknownOutcome(cause, write.label);
    });
    if (outcome !== undefined) return outcome;
    throw error instanceof UnavailableError ? notDone(error, write.label) : error;
  }
}

/** A cut connection, a deadline or an error of the server itself: the write may have been done. */
function leavesOpen(error: unknown): boolean {
  if (error instanceof UnavailableError || error instanceof TimeoutError) return true;
  return error instanceof ApiError && error.status >= 500;
}

/** Read back, so nothing is open: the object does not show the write. */
function notDone(cause: UnavailableError, label: string): UnavailableError {
  const message = `the write of ${label} did not take effect: it got no answer, and the object read back does not show it`;
  return new UnavailableError(message, {
    cause,
    hint: "check the network, then run the same command again: it goes on from what is there",
  });
}

function unknownOutcome(cause: unknown, label: string): unknown {
  if (!(cause instanceof EngineError)) return cause;
  const message = `the write of ${label} was sent, and whether it was done cannot be seen: ${cause.message}`;
  return new UnknownOutcomeError(message, { cause });
}

/** A conflict, or an object that is gone, as what it means; anything else as it is. */
export function changedSince(error: unknown, label: string): unknown {
  if (!(error instanceof ApiError) || (error.status !== 409 && error.status !== 404)) return error;
  return changedError(error, label);
}

/** The object is not what it was. */
export function changedError(cause: unknown, label: string): ChangedError {
  return new ChangedError(`${label} was changed or deleted by somebody else since it was read`, {
    cause,
    hint: "another run or a person is at work on it: run the same command again when they are done",
  });
}
