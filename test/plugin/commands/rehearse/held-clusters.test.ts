/**
 * What people reported of upgrades that came to a stand, and more of the same kinds, as dumps of other clusters: what
 * `recover`, `status` and `check` say of each when they are rehearsed from it, and what a command does before its write.
 */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { RehearsalDetails } from "../../../../plugin/commands/rehearse/text";
import { asArray, asString, getPath } from "../../../../plugin/domain/base/values";
import type { Report } from "../../../../plugin/kernel/report";
import { listUnnamedWaits } from "../../../support/named-waits";
import { typed } from "../../../support/program-world";
import { aFolder } from "../../../support/a-folder";
import { aDatabase, Dump, newTag, ns } from "./held-clusters";
import { before, moving, standing } from "./held-states";

let folder = "";
beforeEach(() => {
  folder = aFolder("held");
});

/** The report of a command that is rehearsed from a dump; of one that writes, that of its plan. */
async function rehearse(dump: Dump, line: string): Promise<Report> {
  const [first] = await rehearseAll(dump, line);
  if (first === undefined) throw new Error("a rehearsal has a stage");
  return first.report;
}

async function rehearseAll(dump: Dump, line: string): Promise<RehearsalDetails["stages"]> {
  const file = join(folder, "dump.json");
  writeFileSync(file, dump.text);
  const env = { ENGINE_HOME: join(folder, "home"), HOME: folder };
  const words = ["rehearse", ...line.split(" "), "--from", file, "-n", ns, "-o", "json"];
  const { out, err } = await typed(words, { env });
  expect(listUnnamedWaits(err)).toEqual([]);
  try {
    const { details } = JSON.parse(out) as Report;
    return (details as RehearsalDetails).stages;
  } catch (cause) {
    throw new Error(err, { cause });
  }
}

function dumpOf(change: (dump: Dump) => void): Dump {
  const dump = new Dump();
  change(dump);
  return dump;
}

/** What is known of the webhook and the roles is not of the dump. */
const ofOthers = /^(WEBHOOK|RBAC|OPERATOR|SECRET|CERT|DEFINITION|SCC|LICENSE-EXPIRES|DATABASE)/;

function errorsIn({ findings = [] }: Report): readonly string[] {
  return findings
    .filter(({ code, severity }) => severity === "error" && !ofOthers.test(code))
    .map(({ code, object }) => `${code} ${String(object)}`);
}

/** The verdict of `status` on the first cluster. */
function verdictIn({ details }: Report) {
  const [ec] = asArray(getPath(details, ["clusters", "items"]));
  const [is, code, object] = ["is", "code", "object"].map((key) =>
    asString(getPath(ec, ["verdict", key])),
  );
  return { is, says: code === undefined ? undefined : `${code} ${String(object)}` };
}

test.each(standing)("standing still: $title", async ({ change, first }) => {
  const dump = dumpOf(change);
  const recover = await rehearse(dump, "recover");
  expect([recover.exit.code, errorsIn(recover)[0]]).toEqual([3, first]);
  const status = await rehearse(dump, "status");
  expect([status.exit.code, verdictIn(status)]).toEqual([0, { is: "stalled", says: first }]);
  const check = await rehearse(dump, "check");
  expect(check.exit.code).toBe(3);
  expect(errorsIn(check)).toContain(first);
});

test.each<[string, readonly string[], readonly string[]]>([
  ["of another namespace", [], ["CLUSTER-DATABASE-OLD"]],
  ["of a cluster of that name in another namespace", ["branch"], []],
])("an old database %s beside a standstill", async (_title, namesakes, told) => {
  const row = standing.find((one) => one.first.startsWith("POD-CRASH"));
  if (row === undefined) throw new Error("the table has a row");
  const dump = dumpOf(row.change);
  const old = aDatabase("archive", { engineVersion: "6.2" });
  dump.add({
    ...old,
    metadata: { ...old.metadata, namespace: "branch" },
    status: { ...old.status, version: "6.2.20" },
  });
  dump.add({ apiVersion: "v1", kind: "Namespace", metadata: { name: "branch" } });
  for (const namespace of namesakes) {
    dump.add({ ...dump.ec, metadata: { ...dump.ec.metadata, namespace, uid: "other" } });
  }
  const codes = errorsIn(await rehearse(dump, "recover")).map((one) => one.split(" ")[0]);
  expect(codes.filter((code) => code === "CLUSTER-DATABASE-OLD")).toEqual(told);
  expect(codes[0]).toBe(row.first.split(" ")[0]);
});

test.each(moving)("on its way, or done: $title", async ({ change, is }) => {
  const dump = dumpOf(change);
  const recover = await rehearse(dump, "recover");
  expect([recover.exit.code, errorsIn(recover)]).toEqual([0, []]);
  expect(verdictIn(await rehearse(dump, "status")).is).toBe(is);
  expect(errorsIn(await rehearse(dump, "check"))).toEqual([]);
});

test.each(before)("$title: $line", async ({ change, line, code, told, next }) => {
  const report = await rehearse(dumpOf(change), line);
  expect([
    report.exit.code,
    report.steps?.some(({ result }) => result === "changed") ?? false,
  ]).toEqual([code, false]);
  const codes = (report.findings ?? []).map((one) => one.code);
  if (told === undefined) expect(errorsIn(report)).toEqual([]);
  else expect(codes).toContain(told);
  if (next !== undefined) expect(JSON.stringify(report)).toMatch(next);
});

/** The words that `status` prints as next, as they are typed. */
function nextIn({ details }: Report): string | undefined {
  return asString(getPath(details, ["next", "command"]))?.replace("kubectl engine ", "");
}

test.each([...standing, ...moving, ...before])(
  "the next command of status takes its cause away: $title",
  async ({ change }) => {
    const dump = dumpOf(change);
    const next = nextIn(await rehearse(dump, "status"));
    if (next === undefined) return;
    const stages = await rehearseAll(dump, next);
    const ran = stages.find(({ title }) => title === "the run");
    expect([next, ran?.report.exit]).toEqual([next, expect.objectContaining({ code: 0 })]);
    // it stays where nothing is written
    expect(ran?.writes).toBeGreaterThan(0);
  },
);

test.each<[string, (dump: Dump) => void, string]>([
  ["nothing shows why", () => undefined, "InvalidUpgrade"],
  [
    "the license expired",
    ({ ec }) => {
      ec.status["licenseStatus"] = { licenseState: "Expired" };
    },
    "license",
  ],
  [
    "a database is too old",
    (dump) => {
      const old = aDatabase("archive", { engineVersion: "6.2" });
      dump.add({ ...old, status: { ...old.status, version: "6.2.20" } });
    },
    "6.2",
  ],
  [
    "its images are pinned",
    ({ ec }) => {
      ec.spec["engineEnterpriseImageSpec"] = { versionTag: newTag, digestHash: "a".repeat(64) };
      ec.spec["upgradeSpec"] = { autoUpgradeEngineEnterprise: true };
    },
    "digest",
  ],
])("what recover cannot do is a decision, and is no command: %s", async (_, change, says) => {
  const dump = dumpOf((one) => {
    one.ec.status["state"] = "InvalidUpgrade";
    change(one);
  });
  expect((await rehearse(dump, "recover")).exit.code).toBe(3);
  const { details } = await rehearse(dump, "status");
  const next = getPath(details, ["next"]);
  expect(Object.keys(next as object)).toEqual(["says"]);
  const said = asString(getPath(next, ["says"]));
  expect(said).toMatch(/^decide how the upgrade of EC billing continues: /);
  expect(said).toContain(says);
  expect(said).not.toContain("see each step with recover");
});
