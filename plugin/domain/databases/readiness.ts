/** Whether a database may be upgraded now, by its state: only an active one has no action at work. */
import type { Finding } from "../findings";
import { databaseFinding } from "./codes";

/** Ends and beginnings that no waiting leads out of, each with its own step. */
const lasting: Readonly<Record<string, string>> = {
  "creation-failed":
    "see the operator's log for why it was not created, then repair it or delete it; it was never there to be upgraded",
  "delete-pending": "leave it out: it is being deleted",
  recovery: "recover its data first, then run again",
};

/** What stands against a write or a call; `waits` where time may lift it. */
export interface Unready {
  readonly waits: boolean;
  readonly finding: Finding;
}

/** Judges the state as the status of the resource or the REST API tells it; an untold one passes. */
export function unready(object: string, state: string | undefined): Unready | undefined {
  if (state === undefined || ["", "active"].includes(state)) return undefined;
  const step = Object.hasOwn(lasting, state) ? lasting[state] : undefined;
  const cause = `its state is ${state}`;
  const finding = databaseFinding("notReady", {
    object,
    cause: step === undefined ? `${cause}: something else is at work on it` : cause,
    ...(step !== undefined && { fix: step }),
  });
  return { waits: step === undefined, finding };
}
