/** Whether the state of a database lets an upgrade begin (domain facts 7): judged before anything is written or called. */
import type { Finding } from "../base/findings";
import { kubectl, type Remedy } from "../base/remedy";
import { getPath, omit, pick, renderValue } from "../base/values";
import { complete } from "../diagnosis/diagnose";
import type { Found } from "../diagnosis/symptom";
import type { Facts } from "../facts/facts";
import { isDeleting } from "../kube/deletion";
import { type KubeObject, objectLabel } from "../kube/objects";
import { operatorLogWords } from "../operator/lease";
import { defaultStallAfterMs } from "../rollout/stateful-set";
import { quote } from "../rules/wording";
import { databaseFinding, databaseFindings } from "./findings";
import type { DatabaseSubject } from "./subject";

/** A state that is over by itself when what the database does is done. */
export const changePending = "active-change-pending";

type StateProblem =
  | { readonly key: "busy" | "deleting"; readonly says: string }
  /** What is done about it after a look into the operator's log. */
  | { readonly key: "failed"; readonly says: string; readonly then: string };

const creating = "pending";

const problems: ReadonlyMap<string, StateProblem> = new Map(
  Object.entries({
    [creating]: { key: "busy", says: "it is still being created" },
    "import-pending": { key: "busy", says: "an import into it is in progress" },
    [changePending]: { key: "busy", says: "another change of it is in progress" },
    "delete-pending": { key: "deleting", says: "it is being deleted" },
    "creation-failed": {
      key: "failed",
      says: "it was never created",
      then: "correct its spec, or delete it if nobody needs it",
    },
    recovery: {
      key: "failed",
      says: "its data is not recovered yet",
      then: "recover the database, and wait until it is active",
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

const looks = "see what the operator's log says of it";

/** A state that the database does not leave by itself, with what it means and the way out. */
export function failedState(
  state: string,
): { readonly says: string; readonly fix: string } | undefined {
  const problem = findProblem(state);
  if (problem.key !== "failed") return undefined;
  return { says: problem.says, fix: `${looks}; then ${problem.then}` };
}

/** True for a state that waiting may end. */
export function isBusy(state: string | undefined): boolean {
  return !isActive(state) && findProblem(String(state)).key === "busy";
}

/** A value of a status for people, of whatever type it is. */
export function renderTold(value: unknown): string {
  return typeof value === "string" ? quote(value) : renderValue(value);
}

/**
 * What its state says against beginning. Whether a database of the REST API is busy, its record there tells;
 * that its resource has failed holds all the same.
 */
export function judgeState(
  database: Pick<DatabaseSubject, "kind" | "object" | "identity">,
  facts: Facts,
): readonly Found[] {
  const { object, identity } = database;
  if (isDeleting(object)) return [];
  const own = judgeOwn(facts, database);
  if (identity === undefined) return own;
  const lasting = own.filter((one) => !isWaitedFor(one));
  if (lasting.length > 0 || identity === "later" || identity.is !== "proven") return lasting;
  return tellState(facts, objectLabel(object), identity.bdb.status);
}

function judgeOwn(
  facts: Facts,
  { object, kind }: Pick<DatabaseSubject, "kind" | "object">,
): readonly Found[] {
  const path = (kind === "edb" ? facts.names.edbFields : facts.names.eaadbFields).status;
  const state = getPath(object, path) ?? "";
  const field = path.join(".");
  const label = objectLabel(object);
  if (typeof state !== "string") {
    const cause = `whether it is active is not known: its state is ${renderTold(state)}`;
    return [{ ...databaseFinding("busy", { object: label, field, cause }), passes: true }];
  }
  const endless = spelled(state) === creating ? tellEndless(facts, object) : undefined;
  return tellState(facts, label, state).map((found) =>
    endless === undefined
      ? { ...found, field }
      : {
          ...omit(found, "fix", "passes"),
          field,
          ...endless,
          cause: `${found.cause}${endless.since}`,
        },
  );
}

/** A busy database is waited for; why one has failed, the operator's log shows. */
function tellState(facts: Facts, object: string, state: string | undefined): readonly Found[] {
  if (isActive(state)) return [];
  const told = String(state);
  const problem = findProblem(told);
  const cause = `${problem.says}: its state is ${quote(told)}`;
  const found = databaseFinding(problem.key, { object, cause });
  if (problem.key !== "failed") return [{ ...found, passes: true }];
  const remedy = { ...lookAtLog(facts), then: { says: problem.then } };
  return [{ ...omit(found, "fix"), remedies: [remedy] }];
}

/** What does not end although it should have, since when, and what shows why. */
interface Endless {
  readonly since: string;
  readonly remedies: readonly Remedy[];
}

/** A creation has no other time than the object's own, and does not take as long as that. */
export function tellEndless(
  facts: Facts,
  { kind, metadata: { name, namespace, creationTimestamp } }: KubeObject,
): Endless | undefined {
  const { names, now } = facts;
  const age = now - Date.parse(String(creationTimestamp));
  if (Number.isNaN(age) || age < defaultStallAfterMs) return undefined;
  const place = [`${kind.toLowerCase()}.${names.group}`, String(name), "-n", String(namespace)];
  const actions = `look for its action in the cluster's REST API, with GET ${names.restPaths.actions}`;
  const events = { ...kubectl("see its events", "describe", ...place), then: { says: actions } };
  return {
    since: `, since ${String(creationTimestamp)}`,
    remedies: [{ ...lookAtLog(facts), then: events }],
  };
}

function lookAtLog(facts: Facts): Remedy {
  return kubectl(looks, ...operatorLogWords(facts));
}

/** The same under the code of `check`, which is one for every state in which no upgrade begins. */
export function asInactive({ cause, fix, ...found }: Found): Found {
  const own = pick(found, "object", "field", "remedies", "passes");
  return { cause, ...own, ...(!isWaitedFor(found) && fix !== undefined && { fix }) };
}

/** What the upgrade of an EC says of a database that is not active. */
export function judgeInactive(
  facts: Facts,
  database: Pick<DatabaseSubject, "kind" | "object">,
): Finding | undefined {
  const [found] = judgeState(database, facts).map(asInactive);
  return found && complete(databaseFindings.notActive, found, { facts });
}

function findProblem(state: string): StateProblem {
  const known = problems.get(spelled(state));
  if (known !== undefined) return known;
  return /(^|-)(failed|error)$/.test(spelled(state))
    ? { key: "failed", says: "it has failed", then: "fix what it names, and run again" }
    : unknown;
}

const unknown: StateProblem = { key: "busy", says: "it is not active" };

/** True for a state that waiting ends, unless it should have ended by now. */
export function isWaitedFor({ code, passes }: Pick<Found, "code" | "passes">): boolean {
  return passes === true && code === databaseFindings.busy.code;
}
