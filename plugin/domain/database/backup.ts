/** What is known of the last backup, before an upgrade that cannot be undone (C7). */
import type { Finding } from "../base/findings";
import { asString, boundList, getOwn, getPath, isObject } from "../base/values";
import { type KubeObject, objectLabel } from "../kube/objects";
import type { Names } from "../names/names";
import type { ApiDatabase } from "../rest-api/records";
import { databaseFinding } from "./findings";

/** The warning, by the REST API's record where it was read, else by what the spec asks for. */
export function warnOfBackup(
  object: KubeObject,
  bdb: ApiDatabase | undefined,
  names: Names,
): Finding {
  const told = bdb === undefined ? describeAsked(object, names) : `, and ${tellBackup(bdb, names)}`;
  const cause = `the upgrade cannot be undone${told}`;
  return databaseFinding("backup", { object: objectLabel(object), cause });
}

/** So many databases are told one by one. */
const toldAtMost = 10;

/** One warning for all databases of a run, each with what the REST API knows of its last backup. */
export function warnOfBackups(
  called: readonly { readonly object: KubeObject; readonly bdb: ApiDatabase }[],
  names: Names,
): readonly Finding[] {
  const [first] = called;
  if (first === undefined) return [];
  if (called.length === 1) return [warnOfBackup(first.object, first.bdb, names)];
  const each = called.map(({ object, bdb }) => `${objectLabel(object)}: ${tellBackup(bdb, names)}`);
  const object = boundList(
    called.map((one) => objectLabel(one.object)),
    toldAtMost,
  );
  const more = each.length > toldAtMost ? `; and ${each.length - toldAtMost} more` : "";
  const cause = `the upgrades cannot be undone. ${each.slice(0, toldAtMost).join("; ")}${more}`;
  return [databaseFinding("backup", { object, cause })];
}

function tellBackup({ sent }: ApiDatabase, { bdbFields: fields }: Names): string {
  return tellMade("the REST API", {
    at: getOwn(sent, fields.lastBackupTime),
    status: getOwn(sent, fields.backupStatus),
    progress: getOwn(sent, fields.backupProgress),
    reason: getOwn(sent, fields.backupFailure),
  });
}

/** The last backup, as the REST API or the status of the resource has it. */
type LastBackup = Readonly<Record<"at" | "status" | "progress" | "reason", unknown>>;

function tellMade(teller: string, last: LastBackup): string {
  const at = asString(last.at);
  const made =
    at === undefined ? `${teller} knows of no backup of it` : `its last backup is of ${at}`;
  return [made, ...tellEnd(last)].join("; ");
}

/** What a database's status says of a last backup that failed; undefined for any other. */
export function tellFailed(object: KubeObject, names: Names): string | undefined {
  const last = readLast(object, names);
  return readState(last) === "failed" ? tellMade("its status", last) : undefined;
}

function readLast(object: KubeObject, { edbFields: fields }: Names): LastBackup {
  return {
    at: getPath(object, fields.lastBackupTime),
    status: getPath(object, fields.backupStatus),
    progress: getPath(object, fields.backupProgress),
    reason: getPath(object, fields.backupFailure),
  };
}

function readState({ status }: LastBackup): string {
  return asString(status)?.toLowerCase() ?? "";
}

/** That it failed, or that it is being made. */
function tellEnd(last: LastBackup): readonly string[] {
  const { progress, reason } = last;
  const state = readState(last);
  const why = asString(reason);
  if (state === "failed") return [`the last try failed${why === undefined ? "" : `: ${why}`}`];
  if (["", "succeeded", "canceled"].includes(state)) return [];
  const far = typeof progress === "number" ? `, ${Math.round(progress)} %` : "";
  return [`a backup is being made now (${state}${far}): let it end first`];
}

/** Its status where the operator keeps it there, else what the spec asks for. */
function describeAsked(object: KubeObject, names: Names): string {
  const { edbFields: fields } = names;
  const last = readLast(object, names);
  if ((last.at ?? last.status) !== undefined) return `, and ${tellMade("its status", last)}`;
  const path = fields.backup;
  return isObject(getPath(object, path))
    ? `; backups are set up in ${path.join(".")}, and when the last one was made is not known here`
    : `, and no backup is set up in ${path.join(".")}`;
}
