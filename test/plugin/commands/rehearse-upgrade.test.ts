import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { RehearsalDetails } from "../../../plugin/commands/rehearse-text";
import type { Report } from "../../../plugin/run/report";
import { typed } from "../../support/program-world";
import { everyOverride } from "../../support/renamed";
import { aWebhookProgram } from "../../support/webhook-program";
import { aFolder } from "../../support/a-folder";

const program = aWebhookProgram();
let folder = "";
beforeEach(() => {
  folder = aFolder("rehearse-upgrade");
});

async function rehearse(line: readonly string[]) {
  const env = { ENGINE_HOME: join(folder, "home"), HOME: folder };
  const words = ["rehearse", `--webhook=${program.file}`, ...line, "-o", "json"];
  const { code, out, err } = await typed(words, { env });
  const report = JSON.parse(out) as Report;
  return { code, err, report, details: report.details as RehearsalDetails };
}

const stageOf = ({ stages }: RehearsalDetails, title: string) =>
  stages.find((stage) => stage.title === title);

const parts = (report: Report | undefined): readonly string[] =>
  (report?.exit.reason ?? "").split(";\n").map((line) => line.trim());

test("the whole upgrade is rehearsed without any file, and run again it writes nothing", async () => {
  const { code, details } = await rehearse(["upgrade"]);
  expect(details.stages.map(({ title, report }) => [title, report.exit.code])).toEqual([
    ["the plan", 0],
    ["the run", 0],
    ["the same command again", 0],
  ]);
  const run = stageOf(details, "the run");
  expect(parts(run?.report)).toEqual(
    expect.arrayContaining([
      expect.stringContaining("8.0.18-11"),
      expect.stringContaining("8.0.18-23.11 runs on all pods, state Running"),
    ]),
  );
  expect(run?.command).toBe("kubectl engine upgrade --release=example:8.0.18-11");
  expect(run?.writes).toBeGreaterThan(5);
  expect(stageOf(details, "the same command again")?.writes).toBe(0);
  expect(code).toBe(0);
  expect(readdirSync(folder)).toEqual([]);
});

test.each([
  {
    name: "with the databases, the other clusters of an active-active one accepted",
    line: [
      "upgrade",
      "--engine-version=8.0",
      "--skip=DATABASE-PARTICIPANT-UNSEEN=EngineEnterpriseActiveActiveDatabase/engine/carts",
    ],
  },
  { name: "the operator alone", line: ["upgrade-operator"] },
  { name: "named as it is printed", line: ["upgrade", "--release=example:8.0.18-11"] },
])("the example's release: $name", async ({ line }) => {
  const { code, details } = await rehearse(line);
  expect(code).toBe(0);
  expect(stageOf(details, "the same command again")?.writes).toBe(0);
});

test("under other names the sample is what a release of these names is", async () => {
  const names = join(folder, "names.json");
  writeFileSync(names, JSON.stringify(everyOverride));
  const { code, details } = await rehearse(["upgrade", `--names=${names}`]);
  expect(code).toBe(0);
  const run = stageOf(details, "the run");
  expect(run?.writes).toBeGreaterThan(5);
  expect(stageOf(details, "the same command again")?.writes).toBe(0);
  expect(JSON.stringify(run?.report.steps)).not.toMatch(/engine-enterprise-operator\b(?!z)/);
});

test("on a cluster of one's own a release has to be given", async () => {
  const { code, out, err } = await typed(["rehearse", "upgrade", "--from=dump.yaml"]);
  expect({ code, out }).toEqual({ code: 2, out: "" });
  expect(err).toContain("--release");
});
