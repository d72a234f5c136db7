/** The finding codes of a database's upgrade, each with its cause, way out and source. */
import { codesOf, type Explained, findingIn } from "../findings";

const { error, warning } = codesOf({ prefix: "DATABASE-", source: "S61" });

/** What may be wrong with a database (EDB, EAADB) before or during its upgrade, by what it is about. */
export const databaseFindings = {
  absent: error(
    "ABSENT",
    "there is no database of that name",
    "give the name as kubectl get shows it, with its namespace before it where that is another: shop/orders",
    "S61",
  ),
  ambiguous: error(
    "AMBIGUOUS",
    "several databases have that name",
    "give the namespace before the name, or choose by a label with -l",
    "S61",
  ),
  actionFailed: error(
    "ACTION-FAILED",
    "the action that upgrades the database ended without success",
    "see the operator's log and the cluster's REST API for its error, mend that, then run again",
    "S92",
  ),
  changed: error(
    "CHANGED",
    "somebody else changed the database while this run was at work on it",
    "see with kubectl get -o yaml --show-managed-fields who it was, and run again when they are done",
    "domain facts 7",
  ),
  clusterNotRunning: error(
    "CLUSTER-NOT-RUNNING",
    "the EC of the database is not Running: until then databases are not reconciled",
    "bring the EC to Running first, or run again with --wait",
    "S98",
  ),
  clusterUnknown: error(
    "CLUSTER-UNKNOWN",
    "the EC of the database is not found",
    "correct the reference in the database, or give the namespace of its operator with -n",
    "C16",
  ),
  dataMayGo: warning(
    "DATA-MAY-GO",
    "the request allows the data of the database to be lost",
    "nothing, if the data may go; else run again without --may-discard-data and --force-discard",
    "S83, S84",
  ),
  deleting: error(
    "BEING-DELETED",
    "the database is being deleted",
    "leave it out",
    "domain facts 7",
  ),
  failed: error(
    "FAILED",
    "the database is in a state from which it does not come by itself",
    "see the operator's log for what failed",
    "domain facts 9",
  ),
  fieldPruned: error(
    "FIELD-PRUNED",
    "the API server did not keep the engine version: the definition of the database does not have it",
    "upgrade the operator with its definitions first",
    "S61",
  ),
  instance: error(
    "IS-INSTANCE",
    "the database is an instance of an active-active one, and is not edited itself",
    "upgrade the active-active database instead, on one of the clusters that take part",
    "S65",
  ),
  latestUnknown: error(
    "LATEST-UNKNOWN",
    "the EC does not publish the versions that it can run, so the latest one is not known",
    "give the version as a number with --engine-version, or let the REST API choose with --via api",
    "S88, C1",
  ),
  lower: error(
    "LOWER",
    "the database runs a later version than the one that is asked for",
    "give a later version, or leave the database out",
    "C7",
  ),
  modulesFollow: warning(
    "MODULES-FOLLOW",
    "the module list keeps its version numbers; the database uses the versions bundled with the new engine version, whatever the list says",
    "nothing; the old numbers may be edited afterwards, without any effect",
    "S63",
  ),
  newer: warning(
    "NEWER",
    "the database runs a later version than the one that is asked for, and is left as it is",
    "nothing, if that is wanted",
    "C7",
  ),
  notInLine: warning(
    "NOT-IN-LINE",
    "the database runs the new version, and its resource still asks for another one",
    "bring the resource in line, so that nothing undoes the upgrade",
    "S100",
  ),
  notProven: error(
    "NOT-PROVEN",
    "no instance of the active-active database was seen: it is not proven that the new version runs",
    "see why the resource links no database on this cluster, or name another cluster that has an instance with --participant CONTEXT/NAMESPACE, then run again",
    "S65",
  ),
  notTakenUp: error(
    "NOT-TAKEN-UP",
    "the operator has not acted on the database's new spec",
    "see whether the operator runs, manages this namespace, and what its log says",
    "S98",
  ),
  owned: error(
    "OWNED",
    "Helm, OLM or a GitOps controller owns the database and would undo the change",
    "use that owner's own way",
    "domain facts 4.4",
  ),
  participantBehind: error(
    "PARTICIPANT-BEHIND",
    "an instance on another cluster has not come to the new version",
    "see the operator and the link between the clusters there",
    "S65",
  ),
  participantOld: error(
    "PARTICIPANT-OLD",
    "an operator before 8.0.2-2 runs on a cluster that takes part: active-active databases are not upgraded with it",
    "upgrade that operator first",
    "S66",
  ),
  participantUnseen: error(
    "PARTICIPANT-UNSEEN",
    "the operator of a cluster that takes part is not seen, and active-active databases need 8.0.2-2 or later on all of them",
    "name each of the clusters with --participant CONTEXT/NAMESPACE, or check its operator there and accept it here with --skip DATABASE-PARTICIPANT-UNSEEN=OBJECT",
    "S66",
  ),
  refused: error(
    "EDIT-REFUSED",
    "the admission rules refuse the edit",
    "do what the rule says",
    "S61, S67",
  ),
  runsUnknown: error(
    "RUNS-UNKNOWN",
    "neither the status nor the spec of the database tells which version it runs, so the step cannot be judged",
    "wait until its status has a version, or accept it with --skip DATABASE-RUNS-UNKNOWN=OBJECT",
    "S67, S123",
  ),
  ruleWarning: warning(
    "EDIT-WARNED",
    "the admission rules let the edit pass with a warning",
    "read the warning before you go on",
    "C7",
  ),
  specRefused: error(
    "SPEC-REFUSED",
    "the operator does not accept the database's spec, and does not act on it",
    "see the operator's log for the field, mend it, then run again",
    "domain facts 7",
  ),
  stuck: error(
    "STUCK",
    "the upgrade of the database does not go on",
    "see the operator's log, and the actions of the cluster's REST API",
    "domain facts 11",
  ),
  suspended: error(
    "SUSPENDED",
    "the operator was upgraded and the EC was not: until then it does not look after databases",
    "upgrade the EC first, with upgrade-cluster",
    "S10",
  ),
  writeFailed: error(
    "WRITE-FAILED",
    "the write or the call that upgrades the database did not succeed",
    "mend what the answer says, then run again",
    "S61",
  ),
  timedOut: error(
    "TIMED-OUT",
    "the time of the run was over before the database had come to the new version",
    "run the same command again: it goes on from the state found",
    "domain facts 11",
  ),
  otherType: error(
    "OTHER-TYPE",
    "the database is of a type that has no engine version",
    "leave it out",
    "domain facts 7",
  ),
  uidUnknown: error(
    "UID-UNKNOWN",
    "the uid of the database in the cluster's REST API is not known",
    "see the databases that the REST API has, and the name of this one among them",
    "S75",
  ),
  volatile: error(
    "DATA-AT-RISK",
    "the database is neither replicated nor persistent: the upgrade would lose its data",
    "switch on replication or persistence, or allow the loss with --may-discard-data",
    "S83",
  ),
  restartsEmpty: warning(
    "VOLATILE",
    "a database is neither replicated nor persistent: an upgrade restarts it empty, or is refused",
    "switch on replication or persistence for the upgrade, or make up your mind to lose the data",
    "S83",
  ),
  versionsDiffer: warning(
    "VERSIONS-DIFFER",
    "the active-active database asks for different engine versions, in its spec and in its global configurations",
    "nothing before an upgrade, which writes both; else set both to the version that runs",
    "C8",
  ),
  viaResource: error(
    "VIA-RESOURCE",
    "an active-active database is upgraded by its resource, on one of the clusters that take part",
    "run again without --via api, or name its instance here",
    "S65",
  ),
} as const satisfies Readonly<Record<string, Explained>>;

/** A finding of one of the codes. */
export const databaseFinding = findingIn(databaseFindings);

/** What the cluster does not tell and a person may vouch for (`--skip CODE=OBJECT`). */
export const acceptable: readonly string[] = [
  databaseFindings.participantUnseen.code,
  databaseFindings.runsUnknown.code,
];

/** Every code, for the catalogue. */
export const databaseCodes: readonly Explained[] = Object.values(databaseFindings);
