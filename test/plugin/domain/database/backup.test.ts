/** What is known of the last backups is one warning, however many databases there are. */
import { warnOfBackups } from "../../../../plugin/domain/database/backup";
import { defaultNames as names } from "../../../../plugin/domain/names/names";
import type { ApiDatabase } from "../../../../plugin/domain/rest-api/records";

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
