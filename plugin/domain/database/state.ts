/** Whether the state of a database lets an upgrade begin (domain facts 7): judged before anything is written or called. */
import type { Finding } from "../base/findings";
import { quote } from "../rules/wording";
import { databaseFinding, databaseFindings } from "./findings";

/** A state that is over by itself when what the database does is done. */
export const changePending = "active-change-pending";

interface StateProblem {
  readonly key: "busy" | "deleting" | "failed";
  readonly says: string;
  readonly fix?: string;
}

const problems: ReadonlyMap<string, StateProblem> = new Map(
  Object.entries({
    pending: { key: "busy", says: "it is still being created" },
    "import-pending": { key: "busy", says: "an import into it is in progress" },
    [changePending]: { key: "busy", says: "another change of it is in progress" },
    "delete-pending": { key: "deleting", says: "it is being deleted" },
    "creation-failed": {
      key: "failed",
      says: "it was never created",
      fix: "see the operator's log for why it was not created; correct its spec, or delete it if nobody needs it",
    },
    recovery: {
      key: "failed",
      says: "its data is not recovered yet",
      fix: "recover the database first, and wait until it is active",
    },
  } satisfies Readonly<Record<string, StateProblem>>),
);

/** What stands against beginning in this state; undefined for `active` and where none is told. */
export function stateFinding(object: string, state: string | undefined): Finding | undefined {
  if (state === undefined || state === "" || state === "active") return undefined;
  const { key, says, fix } = problemOf(state);
  const cause = `${says}: its state is ${quote(state)}`;
  return databaseFinding(key, { object, cause, ...(fix !== undefined && { fix }) });
}

function problemOf(state: string): StateProblem {
  const known = problems.get(state);
  if (known !== undefined) return known;
  return state.endsWith("failed") ? { key: "failed", says: "it has failed" } : unknown;
}

const unknown: StateProblem = { key: "busy", says: "it is not active" };

/** True for a state that waiting may end. */
export function isPassing({ code }: Finding): boolean {
  return code === databaseFindings.busy.code;
}
