/** What is known of the last backup, before an upgrade that cannot be undone (C7). */
import type { Finding } from "../base/findings";
import { asString, boundList, getOwn, getPath, isObject } from "../base/values";
import { type KubeObject, objectLabel } from "../kube/objects";
import type { Names } from "../names/names";
import type { ApiDatabase } from "../rest-api/records";
import { databaseFinding } from "./findings";

const lost = "the upgrade cannot be undone";

/** The warning, by the REST API's record where it was read, else by what the spec asks for. */
export function warnOfBackup(
  object: KubeObject,
  bdb: ApiDatabase | undefined,
  names: Names,
): Finding {
  const cause = bdb === undefined ? describeAsked(object, names) : describeMade(bdb, names);
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

function describeMade(bdb: ApiDatabase, names: Names): string {
  return `${lost}, and ${tellBackup(bdb, names)}`;
}

function tellBackup({ sent }: ApiDatabase, { bdbFields }: Names): string {
  return tellMade((field) => getOwn(sent, bdbFields[field]), "the REST API");
}

type BackupField = "backupFailure" | "backupProgress" | "backupStatus" | "lastBackupTime";

/** What the REST API, or the status of the resource, says of its backups. */
function tellMade(read: (field: BackupField) => unknown, teller: string): string {
  const at = asString(read("lastBackupTime"));
  const made =
    at === undefined ? `${teller} knows of no backup of it` : `its last backup is of ${at}`;
  const status = asString(read("backupStatus")) ?? "";
  return [made, ...tellLast(status.toLowerCase(), read)].join("; ");
}

/** How the last one ended, or that it is being made. */
function tellLast(status: string, read: (field: BackupField) => unknown): readonly string[] {
  const reason = asString(read("backupFailure"));
  if (status === "failed")
    return [`the last try failed${reason === undefined ? "" : `: ${reason}`}`];
  if (["", "succeeded", "canceled"].includes(status)) return [];
  const progress = read("backupProgress");
  const far = typeof progress === "number" ? `, ${Math.round(progress)} %` : "";
  return [`a backup is being made now (${status}${far}): let it end first`];
}

/** Its status where the operator keeps it there, else what the spec asks for. */
function describeAsked(object: KubeObject, { edbFields }: Names): string {
  const read = (field: BackupField) => getPath(object, edbFields[field]);
  const isTold = [read("backupStatus"), read("lastBackupTime")].some((one) => one !== undefined);
  if (isTold) return `${lost}, and ${tellMade(read, "its status")}`;
  const path = edbFields.backup;
  return isObject(getPath(object, path))
    ? `${lost}; backups are set up in ${path.join(".")}, and when the last one was made is not known here`
    : `${lost}, and no backup is set up in ${path.join(".")}`;
}
