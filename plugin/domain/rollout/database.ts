/** How far a database's upgrade is: version, state, spec status, generation and action together (S61, S65; domain facts 11). */
import { databaseFindings } from "../databases/codes";
import { linkedNames } from "../databases/target";
import type { Facts } from "../facts";
import { type KubeObject, objectLabel } from "../objects";
import type { Edit } from "../rules/types";
import { at, text } from "../values";
import {
  compareEngineVersions,
  type EngineVersion,
  formatEngineVersion,
  leadingEngineVersion,
} from "../versions";
import type { Progress } from "./progress";

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

/** How far the database is; it was read with the facts. */
export function judgeDatabase(
  facts: Facts,
  { kind, object }: { readonly kind: Edit["kind"]; readonly object: KubeObject },
  wanted: WantedVersion,
): Progress {
  return kind === "edb"
    ? judgeOne(facts, object, wanted)
    : judgeActiveActive(facts, object, wanted);
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
  return {
    state: text(at(edb, edbFields.status)) ?? "",
    specStatus: text(at(edb, edbFields.specStatus)) ?? "Valid",
    observed: typeof observed !== "number" || observed >= (edb.metadata.generation ?? 0),
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

function judgeOne(facts: Facts, edb: KubeObject, wanted: WantedVersion): Progress {
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
  return restless({ object, on, step: stepOf(seen), wanted, observed: seen.observed });
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
  { state, specStatus, observed, ours, actionStatus, runs, reached }: Seen,
  { version }: WantedVersion,
): string | undefined {
  const shownState = state === "" ? "not told" : state;
  if (!observed) return `the operator to take up its new spec (state ${shownState})`;
  if (!reached)
    return `${shownVersion(runs)} to become ${shownVersion(version)} (state ${shownState})`;
  if (state !== "active") return `state active (now ${shownState})`;
  if (specStatus !== "Valid") return `spec status Valid (now ${specStatus})`;
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

interface Restless {
  readonly object: string;
  readonly on: string;
  readonly step: string;
  readonly wanted: WantedVersion;
  readonly observed: boolean;
}

/** Moving, until nothing has moved for too long. */
function restless({ object, on, step, wanted, observed }: Restless): Progress {
  const { idleMs, stallAfterMs } = wanted.patience;
  if (idleMs < stallAfterMs) return { is: "moving", on, step };
  const because = `nothing has moved for ${Math.round(idleMs / 1000)} s, it waits for ${on}`;
  return stalled(observed ? "stuck" : "notTakenUp", { object, because });
}

function stalled(
  what: keyof typeof databaseFindings,
  { object, because }: { readonly object: string; readonly because?: string },
): Progress {
  const { code, cause, fix } = databaseFindings[what];
  return { is: "stalled", code, object, because: because ?? cause, fix };
}

/** Its own status, then every instance, here and on the clusters that were given. */
function judgeActiveActive(facts: Facts, eaadb: KubeObject, wanted: WantedVersion): Progress {
  const own = ownProgress(facts, eaadb, wanted);
  if (own.is !== "done") return own;
  const here = instancesOf(facts, eaadb).map((edb) => judgeOne(facts, edb, wanted));
  const local = worst(here);
  if (local !== undefined) return local;
  const there = (wanted.participants ?? []).map((one) => remoteProgress(eaadb, one, wanted));
  const remote = worst(there);
  if (remote !== undefined) return remote;
  const count = here.length + there.length;
  return {
    is: "done",
    says: `${shownVersion(wanted.version)} runs on ${count} seen instances, active`,
  };
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
  if (eaadb.metadata.deletionTimestamp !== undefined) return stalled("deleting", { object });
  const told = (path: readonly string[], absent: string) => text(at(eaadb, path)) ?? absent;
  const state = told(eaadbFields.status, "active");
  const specStatus = told(eaadbFields.specStatus, "Valid");
  const replication = told(eaadbFields.replicationStatus, "up");
  if (specStatus !== "Valid") {
    return stalled("specRefused", { object, because: `its spec status is ${specStatus}` });
  }
  if (state.endsWith("failed")) {
    return stalled("failed", { object, because: `its state is ${state}` });
  }
  const step = `${state} ${replication}`;
  if (state !== "active") {
    return restless({ object, on: `state active (now ${state})`, step, wanted, observed: true });
  }
  if (replication === "up") return { is: "done", says: state };
  return restless({
    object,
    on: `replication up (now ${replication})`,
    step,
    wanted,
    observed: true,
  });
}

/** The last actions of a database, or of the instances of an active-active one. */
export function lastActions(
  facts: Facts,
  { kind, object }: { readonly kind: Edit["kind"]; readonly object: KubeObject },
): readonly string[] {
  const edbs = kind === "edb" ? [object] : instancesOf(facts, object);
  return edbs.flatMap((edb) => text(at(edb, facts.names.edbFields.lastActionUid)) ?? []);
}

function instancesOf({ names, objects }: Facts, eaadb: KubeObject): readonly KubeObject[] {
  const linked = linkedNames(eaadb, names);
  return objects.edbs.filter(
    ({ metadata }) =>
      metadata.namespace === eaadb.metadata.namespace && linked.includes(metadata.name),
  );
}

/** The instance on another cluster: of the resource of the same guid or name there. */
function remoteProgress(
  eaadb: KubeObject,
  { name, facts }: Participant,
  wanted: WantedVersion,
): Progress {
  const { names, objects } = facts;
  const guid = text(at(eaadb, names.eaadbFields.guid));
  const same = objects.eaadbs.filter((one) =>
    guid === undefined
      ? one.metadata.name === eaadb.metadata.name
      : text(at(one, names.eaadbFields.guid)) === guid,
  );
  const linked = same.flatMap((one) => instancesOf(facts, one));
  const alike = objects.edbs.filter(
    (edb) =>
      edb.metadata.name === eaadb.metadata.name &&
      (at(edb, names.edbFields.activeActive) ?? undefined) !== undefined,
  );
  const instances = linked.length > 0 ? linked : alike;
  // its own actions are not the ones that were seen here
  const there = { ...wanted, participants: [] };
  const object = `${name}: ${objectLabel(eaadb)}`;
  const on = "an instance of it to be seen";
  const found =
    instances.length === 0
      ? restless({ object, on, step: on, wanted: there, observed: true })
      : worst(instances.map((edb) => judgeOne(facts, edb, there)));
  if (found?.is === "moving") return { ...found, on: `${name}: ${found.on}` };
  if (found?.is === "stalled") {
    return stalled("participantBehind", { object, because: found.because });
  }
  return { is: "done", says: name };
}
