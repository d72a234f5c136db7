import { createHash } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import {
  type AdvisoriesWish,
  loadAdvisories,
  readAdvisoriesWish,
} from "../../../plugin/cmdutil/advisories-option";
import { listShipped } from "../../../plugin/domain/advisories/shipped";
import type { Event } from "../../../plugin/kernel/report";
import { aFolder } from "../../support/a-folder";

const digest = "a".repeat(64);

test.each<[string, readonly string[], readonly string[], NodeJS.ProcessEnv, AdvisoriesWish]>([
  ["nothing", [], [], {}, { sources: [], sha256: [] }],
  ["the flags", ["a", "b,c"], [digest], {}, { sources: ["a", "b,c"], sha256: [digest] }],
  [
    "the environment, by commas",
    [],
    [],
    { ENGINE_ADVISORIES: "a, b,", ENGINE_ADVISORIES_SHA256: digest },
    { sources: ["a", "b"], sha256: [digest] },
  ],
  [
    "the flags alone where both are there",
    ["a"],
    [],
    { ENGINE_ADVISORIES: "b", ENGINE_ADVISORIES_SHA256: digest },
    { sources: ["a"], sha256: [] },
  ],
  [
    "a digest that is typed for sources of the environment",
    [],
    [digest],
    { ENGINE_ADVISORIES: "b", ENGINE_ADVISORIES_SHA256: "c" },
    { sources: ["b"], sha256: [digest] },
  ],
])("the wish is that of %s", (_title, advisories, advisoriesSha256, env, wish) => {
  expect(readAdvisoriesWish({ advisories, advisoriesSha256 }, env)).toEqual(wish);
});

const file = (
  date: string,
  code = "DATABASE-FLASH",
  more = "",
): string => `apiVersion: advisories/v1
date: "${date}"
advisories:
  - code: ${code}
    severity: warning
    area: databases
    concerns: database
    title: No data is on flash
    when: database.flash
    cause: a part of its data is on flash
    fix: look at it by day
    source: rules of our house
    examples:
      fires: { database: { flash: true } }
      silent: { database: { flash: false } }
${more}`;

/** What is loaded of one file, and what is told meanwhile. */
async function load(text: string | undefined, sha256: readonly string[] = []) {
  const path = join(aFolder("advisories"), "own.yaml");
  if (text !== undefined) writeFileSync(path, text);
  const events: Event[] = [];
  const loaded = await loadAdvisories(
    { sources: text === undefined ? [] : [path], sha256 },
    {
      env: {},
      signal: new AbortController().signal,
      clock: { now: () => Date.parse("2026-08-01"), sleep: () => Promise.resolve() },
      event: (event) => events.push(event),
    },
  );
  const told = events.map((event) => ("text" in event ? event.text : ""));
  return { ...loaded, path, told };
}

test("without a source the rows are those that the tool ships", async () => {
  const { rows, findings, files, told } = await load(undefined);
  expect(rows).toBe(listShipped());
  expect([findings, files, told]).toEqual([[], [], []]);
});

test("a digest without a source is refused", async () => {
  await expect(load(undefined, [digest])).rejects.toThrow(`no source has ${digest}`);
});

test.each([
  ["2026-07-01", ""],
  ["2026-02-01", ": it is more than 180 days old"],
])("a file of %s is told with its digest%s", async (date, more) => {
  const text = file(date);
  const sha256 = createHash("sha256").update(text).digest("hex");
  const { rows, files, path, told } = await load(text);
  expect(rows).toHaveLength(listShipped().length + 1);
  expect(files).toEqual([{ origin: path, digest: sha256, date }]);
  expect(told).toEqual([`advisories ${path}, SHA-256 ${sha256}, of ${date}${more}`]);
});

test("a row of a shipped code takes the place of the shipped rows of that code", async () => {
  const [shipped] = listShipped();
  const code = shipped?.code ?? "";
  const { rows, path } = await load(file("2026-07-01", code));
  expect(rows.filter((row) => row.code === code).map(({ origin }) => origin)).toEqual([path]);
});

test("a broken row is a finding, and the others are there", async () => {
  const broken = "  - code: DATABASE-BROKEN\n";
  const { rows, findings } = await load(file("2026-07-01", "DATABASE-FLASH", broken));
  expect(rows).toHaveLength(listShipped().length + 1);
  expect(new Set(findings.map(({ code }) => code))).toEqual(new Set(["ADVISORY-BROKEN"]));
});
