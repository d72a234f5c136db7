/** How far a database is, active-active ones with all that take part in them (S61, S65). */
import { linkedNames } from "../databases/target";
import type { Facts } from "../facts";
import { type KubeObject, objectLabel } from "../objects";
import type { Edit } from "../rules/types";
import { at, text } from "../values";
import {
  judgeEdb,
  type Participant,
  restless,
  shownVersion,
  stalled,
  type WantedVersion,
} from "./edb";
import type { Progress } from "./progress";

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
  const here = instancesOf(facts, eaadb).map((edb) => judgeEdb(facts, edb, wanted));
  const local = worst(here);
  if (local !== undefined) return local;
  const there = (wanted.participants ?? []).map((one) => remoteProgress(eaadb, one, wanted));
  const remote = worst(there);
  if (remote !== undefined) return remote;
  const count = here.length + there.length;
  if (count === 0) {
    const version = shownVersion(wanted.version);
    const on = `an instance of it to be seen: until then it is not proven that ${version} runs`;
    return restless({ object: objectLabel(eaadb), on, step: on, wanted, stall: "notProven" });
  }
  const seen = count === 1 ? "1 instance that was seen" : `${count} instances that were seen`;
  return { is: "done", says: `${shownVersion(wanted.version)} runs on ${seen}, active` };
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
    return restless({ object, on: `state active (now ${state})`, step, wanted, stall: "stuck" });
  }
  if (replication === "up") return { is: "done", says: state };
  return restless({
    object,
    on: `replication up (now ${replication})`,
    step,
    wanted,
    stall: "stuck",
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
      ? restless({ object, on, step: on, wanted: there, stall: "stuck" })
      : worst(instances.map((edb) => judgeEdb(facts, edb, there)));
  if (found?.is === "moving") return { ...found, on: `${name}: ${found.on}` };
  if (found?.is === "stalled") {
    return stalled("participantBehind", { object, because: found.because });
  }
  return { is: "done", says: name };
}
