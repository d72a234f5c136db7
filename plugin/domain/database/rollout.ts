/** How far a database is, active-active ones with all that take part in them (S61, S65). */
import { databaseVersion, listInstances } from "../engine-cluster/database-versions";
import { isDeleting, renderDeletion } from "../kube/deletion";
import type { Facts } from "../facts/facts";
import { type KubeObject, objectLabel } from "../kube/objects";
import type { Edit } from "../rules/types";
import { getPath, asString } from "../base/values";
import type { Progress } from "../rollout/progress";
import {
  type DatabasePatience,
  type DatabaseProblem,
  failure,
  restless,
  stalled,
  unknownEnd,
} from "./progress";
import { isActive } from "./state";
import { compareEngineVersions, type EngineVersion, formatEngineVersion } from "../base/versions";
import { actionState } from "../rest-api/actions";

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

/** A version for people. */
export function renderVersion(version: EngineVersion | undefined): string {
  return version === undefined ? "an unknown version" : formatEngineVersion(version);
}

interface DatabaseState {
  readonly state: string;
  readonly specStatus: string;
  /** The operator has seen the newest spec; true where it does not report. */
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

function look({ names }: Facts, edb: KubeObject, wanted: WantedVersion): DatabaseState {
  const { edbFields } = names;
  const observed = getPath(edb, edbFields.observedGeneration);
  const runs = databaseVersion({ names }, edb);
  const action = asString(getPath(edb, edbFields.lastActionUid));
  const { actionsBefore = [] } = wanted;
  const state = asString(getPath(edb, edbFields.status)) ?? "";
  const isObserved = typeof observed !== "number" || observed >= (edb.metadata.generation ?? 0);
  return {
    state,
    specStatus: asString(getPath(edb, edbFields.specStatus)) ?? "Valid",
    observed: isObserved,
    taken: isObserved || !isActive(state),
    action,
    ours: action === undefined || !actionsBefore.includes(action),
    actionStatus: asString(getPath(edb, edbFields.lastActionStatus))?.toLowerCase() ?? "",
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
function judgeEdb(facts: Facts, edb: KubeObject, wanted: WantedVersion): Progress {
  const object = objectLabel(edb);
  if (isDeleting(edb)) return stalled("deleting", { object, because: renderDeletion(edb) });
  const seen = look(facts, edb, wanted);
  const unknown = { ...seen, runs: renderVersion(seen.runs) };
  const trouble = findTrouble(facts, seen) ?? unknownEnd(unknown, wanted, facts.names);
  if (trouble !== undefined) return stalled(trouble.what, { object, ...trouble });
  const on = waitsFor(facts, seen, wanted);
  if (on === undefined) return { is: "done", says: `${renderVersion(seen.runs)} runs, active` };
  const stall = seen.taken ? "stuck" : "notTakenUp";
  return restless({ object, on, step: describeStep(seen), wanted, stall });
}

/** What stands against it for certain: an answer of the operator, or an end. */
function findTrouble(
  { names }: Facts,
  { state, specStatus, observed, action, ours, actionStatus, reached }: DatabaseState,
): DatabaseProblem | undefined {
  const refused = observed ? refusal(specStatus, state) : undefined;
  if (refused !== undefined) return refused;
  if (!reached && ours && actionState(actionStatus, names) === "failed") {
    return {
      what: "actionFailed",
      because: `action ${action ?? "without a uid"} ended as ${actionStatus}`,
    };
  }
  return undefined;
}

function refusal(specStatus: string, state: string): DatabaseProblem | undefined {
  if (specStatus !== "Valid") {
    return { what: "specInvalid", because: `its spec status is ${specStatus}` };
  }
  return failure(state);
}

/** What it still lacks; undefined when all signs agree. */
function waitsFor(
  { names }: Facts,
  { state, taken, ours, actionStatus, runs, reached }: DatabaseState,
  { version }: WantedVersion,
): string | undefined {
  const shownState = state === "" ? "not told" : state;
  if (!taken) return `the operator to take up its new spec (state ${shownState})`;
  if (!reached)
    return `${renderVersion(runs)} to become ${renderVersion(version)} (state ${shownState})`;
  if (!isActive(state) || state === "") return `state active (now ${shownState})`;
  // a spec status other than Valid is trouble once the spec is observed, and here it is
  // of a state that is not known, the database's own word counts: it is active, and runs the version
  const settled = !ours || actionState(actionStatus, names) !== "running";
  return settled ? undefined : `its action to be completed (now ${actionStatus})`;
}

function describeStep({
  state,
  specStatus,
  observed,
  action,
  actionStatus,
  runs,
}: DatabaseState): string {
  return [state, specStatus, observed, action, actionStatus, renderVersion(runs)].join(" ");
}

/** How far the database is; it was read with the facts. */
export function judgeDatabase(
  facts: Facts,
  { kind, object }: { readonly kind: Edit["kind"]; readonly object: KubeObject },
  wanted: WantedVersion,
): Progress {
  return kind === "edb"
    ? judgeEdb(facts, object, wanted)
    : judgeActiveActive(facts, object, wanted);
}

/** Its own status, then every instance, here and on the clusters that were given. */
function judgeActiveActive(facts: Facts, eaadb: KubeObject, wanted: WantedVersion): Progress {
  const own = ownProgress(facts, eaadb, wanted);
  if (own.is !== "done") return own;
  const here = listInstances(facts, eaadb).map((edb) => judgeEdb(facts, edb, wanted));
  const local = worst(here);
  if (local !== undefined) return local;
  const there = (wanted.participants ?? []).map((one) => remoteProgress(eaadb, one, wanted));
  const remote = worst(there);
  if (remote !== undefined) return remote;
  const count = here.length + there.length;
  if (count === 0) {
    const version = renderVersion(wanted.version);
    const on = `an instance of it to be seen: until then it is not proven that ${version} runs`;
    return restless({ object: objectLabel(eaadb), on, step: on, wanted, stall: "notProven" });
  }
  const seen = count === 1 ? "1 instance that was seen" : `${count} instances that were seen`;
  return { is: "done", says: `${renderVersion(wanted.version)} runs on ${seen}, active` };
}

function worst(all: readonly Progress[]): Progress | undefined {
  return all.find(({ is }) => is === "stalled") ?? all.find(({ is }) => is === "moving");
}

function ownProgress(
  { names: { eaadbFields } }: Facts,
  eaadb: KubeObject,
  wanted: WantedVersion,
): Progress {
  const object = objectLabel(eaadb);
  if (isDeleting(eaadb)) return stalled("deleting", { object, because: renderDeletion(eaadb) });
  const readTold = (path: readonly string[], absent: string) =>
    asString(getPath(eaadb, path)) ?? absent;
  const state = readTold(eaadbFields.status, "active");
  const specStatus = readTold(eaadbFields.specStatus, "Valid");
  const replication = readTold(eaadbFields.replicationStatus, "up");
  const trouble = refusal(specStatus, state);
  if (trouble !== undefined) return stalled(trouble.what, { object, ...trouble });
  if (state === "active" && replication === "up") return { is: "done", says: state };
  const on =
    state === "active" ? `replication up (now ${replication})` : `state active (now ${state})`;
  return restless({ object, on, step: `${state} ${replication}`, wanted, stall: "stuck" });
}

/** The last actions of a database, or of the instances of an active-active one. */
export function lastActions(
  facts: Facts,
  { kind, object }: { readonly kind: Edit["kind"]; readonly object: KubeObject },
): readonly string[] {
  const edbs = kind === "edb" ? [object] : listInstances(facts, object);
  return edbs.flatMap((edb) => asString(getPath(edb, facts.names.edbFields.lastActionUid)) ?? []);
}

/** The instance on another cluster: of the resource of the same guid or name there. */
function remoteProgress(
  eaadb: KubeObject,
  { name, facts }: Participant,
  wanted: WantedVersion,
): Progress {
  const { names, objects } = facts;
  const guid = asString(getPath(eaadb, names.eaadbFields.guid));
  const same = objects.eaadbs.filter((one) =>
    guid === undefined
      ? one.metadata.name === eaadb.metadata.name
      : asString(getPath(one, names.eaadbFields.guid)) === guid,
  );
  const linked = same.flatMap((one) => listInstances(facts, one));
  const alike = objects.edbs.filter(
    (edb) =>
      edb.metadata.name === eaadb.metadata.name &&
      (getPath(edb, names.edbFields.activeActive) ?? undefined) !== undefined,
  );
  const instances = linked.length > 0 ? linked : alike;
  // its own actions are not the ones that were seen here
  const there = { ...wanted, participants: [] };
  const object = `${name}: ${objectLabel(eaadb)}`;
  const on = "an instance of it to be seen";
  const found =
    instances.length === 0
      ? restless({ object, on, step: on, wanted: there, stall: "stuck" })
      : worst(instances.map((edb) => judgeEdb(facts, edb, there)));
  if (found?.is === "moving") return { ...found, on: `${name}: ${found.on}` };
  if (found?.is === "stalled") {
    return stalled("participantBehind", { object, because: found.cause });
  }
  return { is: "done", says: name };
}
