/** Whether the state of a database lets an upgrade begin (domain facts 7): judged before anything is written or called. */
import type { Finding } from "../base/findings";
import { asString, getPath } from "../base/values";
import type { Facts } from "../facts/facts";
import { isDeleting } from "../kube/deletion";
import { type KubeObject, objectLabel } from "../kube/objects";
import type { Edit } from "../rules/types";
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

/** True where no action is at work: the state is `active` in whatever capitals, or is not told. */
export function isActive(state: string | undefined): boolean {
  return ["", "active"].includes(spelled(state ?? ""));
}

/** One spelling for capitals, and for whatever stands between the parts of a state. */
function spelled(state: string): string {
  return state
    .trim()
    .replaceAll(/([a-z])([A-Z])/g, "$1-$2")
    .toLowerCase()
    .replaceAll(/[\s_]+/g, "-");
}

/** A state that the database does not leave by itself, with what it means and the way out. */
export function failedState(
  state: string,
): { readonly says: string; readonly fix: string } | undefined {
  const { key, says, fix = databaseFindings.failed.fix } = findProblem(spelled(state));
  return key === "failed" ? { says, fix } : undefined;
}

/** What stands against beginning in this state; undefined for `active` and where none is told. */
export function stateFinding(object: string, state: string | undefined): Finding | undefined {
  if (state === undefined || isActive(state)) return undefined;
  const { key, says, fix } = findProblem(spelled(state));
  const cause = `${says}: its state is ${quote(state)}`;
  return databaseFinding(key, { object, cause, ...(fix !== undefined && { fix }) });
}

/** A database that does something else, or has failed: told before a write to its cluster, and by `check`. */
export function judgeInactive(
  { names }: Pick<Facts, "names">,
  { object, kind }: { readonly object: KubeObject; readonly kind: Edit["kind"] },
): Finding | undefined {
  const path = (kind === "edb" ? names.edbFields : names.eaadbFields).status;
  const found = stateFinding(objectLabel(object), asString(getPath(object, path)));
  if (isDeleting(object) || found === undefined) return undefined;
  const { object: label, cause, fix } = found;
  const about = { object: label, cause, field: path.join("."), ...(!isPassing(found) && { fix }) };
  return databaseFinding("notActive", about);
}

function findProblem(state: string): StateProblem {
  const known = problems.get(state);
  if (known !== undefined) return known;
  return /(^|-)(failed|error)$/.test(state) ? { key: "failed", says: "it has failed" } : unknown;
}

const unknown: StateProblem = { key: "busy", says: "it is not active" };

/** True for a state that waiting may end. */
export function isPassing({ code }: Finding): boolean {
  return code === databaseFindings.busy.code;
}
