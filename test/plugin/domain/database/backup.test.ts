/** What is known of the last backups is one warning, however many databases there are. */
import { warnOfBackup, warnOfBackups } from "../../../../plugin/domain/database/backup";
import { defaultNames as names } from "../../../../plugin/domain/names/names";
import type { ApiDatabase } from "../../../../plugin/domain/rest-api/records";
import { aBdb, anEdb } from "./scene";

const called = (count: number) =>
  Array.from({ length: count }, (_, at) => ({
    object: {
      ...{ apiVersion: "app.engine.com/v1alpha1", kind: names.edb.kind },
      metadata: { name: `db-${at}`, namespace: "data" },
    },
    bdb: { sent: at === 0 ? {} : { last_backup_time: `2026-11-${10 + at}` } } as ApiDatabase,
  }));

test("none: nothing is said", () => {
  expect(warnOfBackups([], names)).toEqual([]);
});

test("one: it is told alone", () => {
  expect(warnOfBackups(called(1), names).map(({ cause }) => cause)).toEqual([
    "the upgrade cannot be undone, and the REST API knows of no backup of it",
  ]);
});

test("twelve with days of their own: one finding, ten told, and how many more", () => {
  const found = warnOfBackups(called(12), names);
  expect(found).toHaveLength(1);
  const [{ object, cause } = { object: "", cause: "" }] = found;
  const label = (at: number): string => `${names.edb.kind}/data/db-${at}`;
  expect(cause).toContain(`${label(0)}: the REST API knows of no backup of it; ${label(1)}: its`);
  expect(cause).toContain(`${label(9)}: its last backup is of 2026-11-19; and 2 more`);
  expect(object).toMatch(/db-9 and 2 more$/);
});

test("two: both are told", () => {
  expect(warnOfBackups(called(2), names)[0]?.cause).toMatch(
    /db-1: its last backup is of 2026-11-11$/,
  );
});

test.each<[string, object, string]>([
  ["a good one", { lastBackupTime: "2026-11-20" }, "its last backup is of 2026-11-20"],
  [
    "one that failed",
    { backupStatus: "failed", backupFailureReason: "no-space", lastBackupTime: "2026-11-20" },
    "its last backup is of 2026-11-20; the last try failed: no-space",
  ],
  ["a failure alone", { backupStatus: "failed" }, "its status knows of no backup of it; the last"],
  [
    "one that is being made",
    { backupStatus: "exporting", backupProgressPercentage: 40 },
    "a backup is being made now (exporting, 40 %): let it end first",
  ],
  ["one that ended well", { backupStatus: "succeeded" }, "its status knows of no backup of it"],
])("what the status of a database says of its backup: %s", (_title, backupInfo, says) => {
  const { cause } = warnOfBackup(anEdb("a", { status: { backupInfo } }), undefined, names);
  expect(cause).toContain(says);
});

test("a backup that is being made is named by the record of the REST API, too", () => {
  const bdb = aBdb({ sent: { backup_status: "exporting", last_backup_time: "2026-11-20" } });
  expect(warnOfBackup(anEdb(), bdb, names).cause).toBe(
    "the upgrade cannot be undone, and its last backup is of 2026-11-20; a backup is being made now (exporting): let it end first",
  );
});
