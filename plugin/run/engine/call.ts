/**
 * A request to another server or program as a value. It is bound to nothing that was read, and no
 * server tries it beforehand or takes it back: what it leads to is followed, not undone.
 */
import type { Act } from "../../domain/planned-write";
import type { StepInfo } from "./recorder";
import type { Result } from "../report";

/** Sent once; what came of it is looked for where no definite answer came, never sent again. */
export interface Call<A, T = void> {
  readonly step: StepInfo;
  /** What is confirmed of it; absent: the call as such, whatever it carries by then. */
  readonly does?: string;
  readonly send: () => Promise<A>;
  /**
   * What came of it all the same; undefined where nothing shows that it was done. Not cancelled by
   * an interrupt: the outcome has to be known. Absent: the error says that it is open.
   */
  readonly readBack?: (error: unknown) => Promise<A | undefined>;
  /** The end of its step: what the answer has begun may be followed first. */
  readonly end: (answer: A) => Promise<CallEnd<T>>;
}

/** How a call ended, as its step tells it. */
export interface CallEnd<T> {
  readonly result: Result;
  readonly value: T;
  readonly why?: string;
}

/** What can be said of a call before it is sent. */
export interface PlannedCall extends Pick<Call<never>, "does"> {
  readonly step: Pick<StepInfo, "object">;
}

/** What a call does, for comparison with one that is made again. */
export function actOfCall({ step, does = "call it" }: PlannedCall): Act {
  return { object: step.object, does };
}

/** The answer, or what came of the call where none was definite. */
export async function answered<A>({
  send,
  readBack,
}: Pick<Call<A, unknown>, "send" | "readBack">): Promise<A> {
  try {
    return await send();
  } catch (error) {
    const found = await readBack?.(error);
    if (found === undefined) throw error;
    return found;
  }
}
