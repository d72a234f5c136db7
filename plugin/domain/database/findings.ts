/** The finding codes of a database's upgrade, each with its cause, way out and source. */
import type { Names } from "../names/names";
import { ec, text } from "../names/text";
import { type Finding, error, warning } from "../base/findings";
import { dataLossCodes, type Skip } from "../base/skip";
import { type Code, bindFindings } from "../names/codes";
import { referenceFindings } from "../references/findings";

const nodesPath = (names: Names): string => names.restPaths.nodes;
const policyPath = (names: Names): string => names.restPaths.policy;

/** What may be wrong with a database (EDB, EAADB) before or during its upgrade, by what it is about. */
export const databaseFindings = {
  notActive: warning("DATABASE-NOT-ACTIVE", "Facts 7", {
    cause: "a database is not active: an upgrade begins with an active one",
    fix: "wait until it is, or see the operator's log for what keeps it",
  }),
  absent: error("DATABASE-ABSENT", "S61", {
    cause: "there is no database of that name",
    fix: "give the name as kubectl get shows it, with its namespace before it where that is another: shop/orders",
  }),
  ambiguous: error("DATABASE-AMBIGUOUS", "S61", {
    cause: "several databases have that name",
    fix: "give the namespace before the name, or choose by a label with -l",
  }),
  actionFailed: error("DATABASE-ACTION-FAILED", "S92", {
    cause: "the action that upgrades the database ended without success",
    fix: "see the operator's log and the cluster's REST API for its error, fix that, then run again",
  }),
  actionUnknown: error("DATABASE-ACTION-UNKNOWN", "S74, S92", {
    cause:
      "the action that upgrades the database is in a state that is not known, and the database is active without the new version",
    fix: "see in the operator's log and in the cluster's REST API how the action has ended, fix what it names, then run again",
  }),
  backup: warning("DATABASE-BACKUP", "C7", {
    cause:
      "the upgrade of the database cannot be undone: only a backup brings the old version back",
    fix: "make a backup first, and check that it can be restored; nothing, if the data may be lost or is kept elsewhere",
  }),
  backupFailed: warning("DATABASE-BACKUP-FAILED", "C7", {
    cause:
      "the last backup of a database failed: an upgrade that goes wrong cannot be undone without one",
    fix: "see to the reason that is named, and make a backup before the database is upgraded",
  }),
  busy: error("DATABASE-BUSY", "Facts 7", {
    cause:
      "the database is being created, imported into or changed, and an upgrade begins with an active one",
    fix: "wait until it is active, or run again with --wait; with --all it is left out, and the others are upgraded",
  }),
  channel: warning("DATABASE-CHANNEL", "S61, C2", {
    cause: text`a database follows its ${ec} by a channel: an upgrade of the ${ec} may upgrade it, and that cannot be undone`,
    fix: text`nothing, if it may go there, but make a backup; else write the version that runs in place of the channel before the ${ec} is upgraded`,
  }),
  channelEnds: warning("DATABASE-CHANNEL-ENDS", "S61, C2", {
    cause: text`a number replaces the channel of a database: from then on it no longer follows its ${ec}`,
    fix: "nothing, if that is intended; else leave the database out, or write the channel again afterwards",
  }),
  changed: error("DATABASE-CHANGED", "Facts 7", {
    cause: "someone else changed the database while this run was changing it",
    fix: "find out with kubectl get -o yaml --show-managed-fields who it was, and run again when they are done",
  }),
  clusterNotRunning: error("DATABASE-CLUSTER-NOT-RUNNING", "S98", {
    cause: text`the ${ec} of the database is not Running: until then databases are not reconciled`,
    fix: text`bring the ${ec} to Running first, or run again with --wait`,
  }),
  clusterUnknown: error("DATABASE-CLUSTER-UNKNOWN", "C16", {
    cause: text`the ${ec} of the database is not known: the one that it names is in neither its own nor the operator's namespace, or it names none and there are several`,
    fix: text`name an ${ec} of the operator's namespace in the database, or give the namespace of its operator with -n`,
  }),
  dataMayGo: warning("DATABASE-DATA-MAY-GO", "S83, S84", {
    cause: "the request allows the data of the database to be lost",
    fix: "nothing, if losing the data is acceptable; else run again without --may-discard-data and --force-discard",
  }),
  deleting: error("DATABASE-DELETING", "Facts 4.1", {
    cause: "the database is being deleted",
    fix: "nothing, if it is to go: with --all it is left out, and the others are upgraded; if it stays, check that the admission webhook answers: without it no finalizer can be removed",
  }),
  failed: error("DATABASE-FAILED", "Facts 9", {
    cause: "the database is in a failed state that it does not leave by itself",
    fix: "see the operator's log for what failed",
  }),
  fieldPruned: error("DATABASE-FIELD-PRUNED", "S61", {
    cause:
      "the API server did not keep the engine version: the definition of the database does not have it",
    fix: "upgrade the operator with its definitions first",
  }),
  instance: error("DATABASE-IS-INSTANCE", "S65", {
    cause: "the database is an instance of an active-active one, and is not edited itself",
    fix: "upgrade the active-active database instead, on one of the participating clusters",
  }),
  latestUnknown: error("DATABASE-LATEST-UNKNOWN", "S67, S88, C1", {
    cause: text`the ${ec} does not publish the versions that it can run, so the latest one is not known`,
    fix: "give the version as a number with --engine-version",
  }),
  lower: error("DATABASE-LOWER", "C7", {
    cause: "the database runs a later version than the one that is asked for",
    fix: "give a later version, or leave the database out",
  }),
  modulesFollow: warning("DATABASE-MODULES-FOLLOW", "S63", {
    cause:
      "the module list keeps its version numbers; the database uses the versions bundled with the new engine version, whatever the list says",
    fix: "nothing; the old numbers may be edited afterwards, without any effect",
  }),
  newer: warning("DATABASE-NEWER", "C7", {
    cause: "the database runs a later version than the one that is asked for, and is left as it is",
    fix: "nothing, if that is intended",
  }),
  nodeAway: error("REST-NODE-AWAY", "Facts 9", {
    cause: text`a node of the ${ec} is down or in maintenance: databases are upgraded while all nodes are up`,
    fix: "bring the node back, or end its maintenance, then run again; where it has to stay away, accept it with --skip REST-NODE-AWAY=OBJECT",
  }),
  notInLine: warning("DATABASE-NOT-IN-LINE", "S100", {
    cause: "the database runs the new version, and its resource still asks for another one",
    fix: "set the resource to the version that runs, so that nothing undoes the upgrade",
  }),
  notObserved: warning("DATABASE-NOT-OBSERVED", "S98", {
    cause: "the operator has not acted on the latest edit of a database",
    fix: text`wait for it; during an upgrade of the ${ec} databases are not reconciled`,
  }),
  notOffered: error("DATABASE-VERSION-NOT-OFFERED", "S88", {
    cause: text`not every node of the ${ec} can run the version that is asked for`,
    fix: text`give a version that all nodes can run, or upgrade the ${ec} first`,
  }),
  notProven: error("DATABASE-NOT-PROVEN", "S65", {
    cause:
      "no instance of the active-active database was seen: it is not proven that the new version runs",
    fix: "find out why the resource links no database on this cluster, or name another cluster that has an instance with --participant CONTEXT/NAMESPACE, then run again",
  }),
  notReplicating: warning("ACTIVE-ACTIVE-DOWN", "S65", {
    cause: "the instances of a database do not replicate: the change would not reach all of them",
    fix: "restore the link first: check the status of the remote clusters, and the operators' logs",
  }),
  notTakenUp: error("DATABASE-NOT-TAKEN-UP", "S98", {
    cause: "the operator has not acted on the database's new spec",
    fix: "check whether the operator runs, manages this namespace, and what its log says",
  }),
  offerDiffers: warning("DATABASE-OFFER-DIFFERS", "S67, S88", {
    cause: text`the ${ec} and its REST API report different versions, or different upgrade policies`,
    fix: text`check with GET ${nodesPath} and GET ${policyPath} which is right; until both agree, the stricter one counts`,
  }),
  owned: error("DATABASE-OWNED", "Facts 4.4", {
    cause: "Helm, OLM or a GitOps controller owns the database and would undo the change",
    fix: "make the change through that owner",
  }),
  participantBehind: error("DATABASE-PARTICIPANT-BEHIND", "S65", {
    cause: "an instance on another cluster is not upgraded",
    fix: "see the operator and the link between the clusters there",
  }),
  participantOld: error("DATABASE-PARTICIPANT-OLD", "S66", {
    cause:
      "an operator before 8.0.2-2 runs on a participating cluster, and does not upgrade active-active databases",
    fix: "upgrade that operator first",
  }),
  participantUnseen: error("DATABASE-PARTICIPANT-UNSEEN", "S66", {
    cause:
      "the operator of a participating cluster was not checked, and active-active databases need 8.0.2-2 or later on all of them",
    fix: "name each of the clusters with --participant CONTEXT/NAMESPACE, or check its operator there and accept it here with --skip DATABASE-PARTICIPANT-UNSEEN=OBJECT",
  }),
  replicaBehind: warning("DATABASE-REPLICA-BEHIND", "Facts 7", {
    cause:
      "a database that replicates from another one stays at an older version: it cannot read the replication stream of a source that is upgraded",
    fix: "if its source is among the databases to upgrade, upgrade this one first, or with them",
  }),
  refused: error("DATABASE-EDIT-REFUSED", "S61, S67", {
    cause: "the admission rules refuse the edit",
    fix: "follow the rule's message",
  }),
  runsUnknown: error("DATABASE-RUNS-UNKNOWN", "S67, S123", {
    cause:
      "neither the status nor the spec of the database reports which version it runs, so the step cannot be checked",
    fix: "wait until its status has a version, or accept it with --skip DATABASE-RUNS-UNKNOWN=OBJECT",
  }),
  specInvalid: error("DATABASE-SPEC-INVALID", "Facts 7", {
    cause: "the operator does not accept the database's spec, and does not act on it",
    fix: "see the operator's log for the field, fix it, then run again",
  }),
  stuck: error("DATABASE-STUCK", "Facts 11", {
    cause: "the upgrade of the database makes no progress",
    fix: "see the operator's log, and the actions of the cluster's REST API",
  }),
  suspended: error("DATABASE-SUSPENDED", "S10", {
    cause: text`the operator was upgraded and the ${ec} was not: until then it does not manage databases`,
    fix: text`upgrade the ${ec} first, with upgrade-cluster`,
  }),
  writeFailed: error("DATABASE-WRITE-FAILED", "S61", {
    cause: "the write or the call that upgrades the database did not succeed",
    fix: "fix what the answer says, then run again",
  }),
  timedOut: error("DATABASE-TIMED-OUT", "Facts 11", {
    cause: "the run timed out before the database was upgraded",
    fix: "run the same command again: it continues from the state found",
  }),
  otherType: error("DATABASE-OTHER-TYPE", "Facts 7", {
    cause: "the database is of a type that has no engine version",
    fix: "leave it out",
  }),
  typed: warning("DATABASE-TYPE", "Facts 7", {
    cause: "a database of another type has an engine version, which is for type engine only",
    fix: "remove the engine version",
  }),
  uidUnknown: error("DATABASE-UID-UNKNOWN", "S75", {
    cause: "the uid of the database in the cluster's REST API is not known",
    fix: "wait until the operator has written the uid into the status of the database, and see its log where it does not",
  }),
  uidMismatch: error("DATABASE-UID-MISMATCH", "S75", {
    cause:
      "the uid that the status of the database has is that of another database in the cluster's REST API",
    fix: "compare name, port and endpoint of both with the REST API's list, and have the operator correct the status of the database; nothing is called before both agree",
  }),
  uidShared: error("DATABASE-UID-SHARED", "S75", {
    cause: "two resources stand for the same database of the cluster's REST API",
    fix: "find out which of the two the database belongs to, and have the operator correct the status of the other one, or delete it if nobody needs it; nothing is called before",
  }),
  volatile: warning("DATABASE-VOLATILE", "S83", {
    cause:
      "a database is neither replicated nor persistent, or it is not known whether it is: its upgrade would lose its data, and is refused",
    fix: "switch on replication or persistence for the upgrade, or accept the loss: of one database with --skip DATABASE-VOLATILE=OBJECT, of all with --may-discard-data",
  }),
  twoVersions: warning("DATABASE-TWO-VERSIONS", "S61, C8", {
    cause:
      "the active-active database asks for different engine versions, in its spec and in its global configurations",
    fix: "nothing before an upgrade, which writes both; else set both to the version that runs",
  }),
  viaResource: error("DATABASE-VIA-RESOURCE", "S65", {
    cause:
      "an active-active database is upgraded by its resource, on one of the participating clusters",
    fix: "run again without --via api, or name its instance here",
  }),
} as const satisfies Readonly<Record<string, Code>>;

/** Codes of a database that is left out by itself: the others are upgraded all the same, and the run ends with 6. */
const leftOutCodes: readonly string[] = [
  databaseFindings.deleting.code,
  databaseFindings.busy.code,
  databaseFindings.failed.code,
  databaseFindings.specInvalid.code,
];

/** True where nothing else stands against the database. */
export function isLeftOut(blocks: readonly Finding[]): boolean {
  return blocks.length > 0 && blocks.every(({ code }) => leftOutCodes.includes(code));
}

/** A finding of one of the codes. */
export const databaseFinding = bindFindings(databaseFindings);

/** False for a --skip of all databases whose data would be lost: each of them has to be named. */
export function namesData({ code, object }: Skip): boolean {
  return object !== undefined || !dataLossCodes.includes(code);
}

/** What the REST API tells: before it was asked, no --skip of it is called unmatched. */
export const lateCodes: readonly string[] = [databaseFindings.nodeAway.code, ...dataLossCodes];

/** What a person may vouch for (`--skip CODE=OBJECT`): what the cluster does not report, what may stay so, and data that may go. */
export const acceptable: readonly string[] = [
  databaseFindings.participantUnseen.code,
  databaseFindings.runsUnknown.code,
  databaseFindings.specInvalid.code,
  referenceFindings.missing.code,
  ...lateCodes,
];

/** Every code, for the catalogue. */
export const databaseCodes: readonly Code[] = Object.values(databaseFindings);
