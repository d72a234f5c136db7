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

function tellBackup({ sent }: ApiDatabase, { bdbFields: fields }: Names): string {
  const at = asString(getOwn(sent, fields.lastBackupTime));
  const status = asString(getOwn(sent, fields.backupStatus)) ?? "";
  const reason = asString(getOwn(sent, fields.backupFailure));
  const why = reason === undefined ? "" : `: ${reason}`;
  const made =
    at === undefined ? "the REST API knows of no backup of it" : `its last backup is of ${at}`;
  return `${made}${status === "failed" ? `; the last try failed${why}` : ""}`;
}

/** Whether a backup was made is in no resource. */
function describeAsked(object: KubeObject, { edbFields }: Names): string {
  const path = edbFields.backup;
  return isObject(getPath(object, path))
    ? `${lost}; backups are set up in ${path.join(".")}, and when the last one was made is not known here`
    : `${lost}, and no backup is set up in ${path.join(".")}`;
}
