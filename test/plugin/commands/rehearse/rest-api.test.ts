/** Commands over the REST API in a rehearsal: it is played there, with credentials of its own (S75, S93-S95). */
import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { RehearsalDetails } from "../../../../plugin/commands/rehearse/text";
import { rehearse as entry } from "../../../../plugin/cli/commands";
import type { Report } from "../../../../plugin/kernel/report";
import { aModuleArchive } from "../../../support/played-cluster-api";
import { listUnnamedWaits } from "../../../support/named-waits";
import { typed } from "../../../support/program-world";
import { aWebhookProgram } from "../../../support/webhook-program";
import { aFolder } from "../../../support/a-folder";

const program = aWebhookProgram();
let folder = "";
beforeEach(() => {
  folder = aFolder("rehearse-api");
  const manifest = {
    module_name: "rg",
    display_name: "EngineGears",
    semantic_version: "1.2.5",
    min_engine_version: "7.2",
    compatible_engine_version: "7.4",
    capabilities: ["types"],
  };
  writeFileSync(join(folder, "module.zip"), aModuleArchive(manifest));
});

async function rehearse(line: readonly string[]) {
  const env = { ENGINE_HOME: join(folder, "home"), HOME: folder };
  const words = line.map((word) => word.replace("FOLDER", folder));
  const { code, out, err } = await typed(
    ["rehearse", `--webhook=${program.file}`, ...words, "-o", "json"],
    { env },
  );
  const report = JSON.parse(out) as Report;
  return { code, err, out, report, details: report.details as RehearsalDetails };
}

const carts = "EngineEnterpriseActiveActiveDatabase/engine/carts";
const lossy = ["--may-discard-data", "--confirm=config"];

interface Row {
  readonly line: readonly string[];
  /** What the command itself ends with on the example; 0 where not told. */
  readonly code?: number;
  /** Writes of the run, over either API; none where not told. */
  readonly writes?: number;
}

/** Every command that can be rehearsed, in all of its ways. */
const rows: Readonly<Record<string, readonly Row[]>> = {
  upgrade: [
    { line: ["upgrade", "--release=example:8.0.18-11"], writes: 13 },
    {
      line: [
        "upgrade",
        "--engine-version=8.0",
        "--may-discard-data",
        `--skip=DATABASE-PARTICIPANT-UNSEEN=${carts}`,
      ],
      writes: 18,
    },
  ],
  "upgrade-webhook": [{ line: ["upgrade-webhook"], writes: 2 }],
  "reapply-rbac": [{ line: ["reapply-rbac"] }],
  "upgrade-operator": [{ line: ["upgrade-operator"], writes: 6 }],
  "unbind-scc": [{ line: ["unbind-scc", "--scc=engine-enterprise-scc"], code: 3 }],
  "upgrade-cluster": [
    {
      line: [
        "upgrade-cluster",
        "ec",
        "--target=7.8.2-35",
        `--skip=ACTIVE-ACTIVE-OPERATOR=${carts}`,
      ],
      writes: 1,
    },
  ],
  "upgrade-database": [
    {
      line: ["upgrade-database", "config", "--engine-version=7.4", "--may-discard-data"],
      writes: 1,
    },
    {
      line: ["upgrade-database", "config", "--engine-version=7.4", "--via=api", ...lossy],
      writes: 2,
    },
    {
      line: ["upgrade-database", "config", "--via=api", "--force-restart", ...lossy],
      writes: 1,
    },
  ],
  "cert create": [{ line: ["cert", "create", "--replace"], writes: 2 }],
  "cert inspect": [{ line: ["cert", "inspect"] }],
  status: [{ line: ["status"] }],
  check: [{ line: ["check"], code: 3 }],
  audit: [{ line: ["audit"] }],
  "modules list": [{ line: ["modules", "list"] }],
  "modules define": [
    { line: ["modules", "define", "rg", "--source=rg=https://modules.example/rg.zip"], writes: 1 },
  ],
  "modules in-use": [{ line: ["modules", "in-use"] }],
  "modules install": [{ line: ["modules", "install", "FOLDER/module.zip"], writes: 1 }],
  recover: [{ line: ["recover"] }, { line: ["recover", "--apply", "--api-insecure"] }],
};

test("the table below has every command that can be rehearsed", () => {
  expect(Object.keys(rows).sort()).toEqual([...(entry.argument?.choices ?? [])].sort());
});

test.each(
  Object.values(rows)
    .flat()
    .map((row) => [row.line.join(" "), row] as const),
)("rehearse %s", async (_name, { line, code: wanted = 0, writes = 0 }) => {
  const { code, details, err } = await rehearse(line);
  expect(listUnnamedWaits(err)).toEqual([]);
  const run = details.stages.find(({ title }) => title === "the run");
  const again = details.stages.find(({ title }) => title === "the same command again");
  expect({ code, writes: run?.writes, again: again?.writes ?? 0 }).toEqual({
    code: wanted,
    writes,
    again: 0,
  });
});

test("the flags that say where the real API is are not followed, and no Secret is needed", async () => {
  const real = ["--api-url=https://127.0.0.1:1", "--api-credentials-secret=absent"];
  const { code, out } = await rehearse(["modules", "list", ...real, "--api-ca=/nowhere"]);
  expect(code).toBe(0);
  expect(out).not.toContain("127.0.0.1:1/");
  expect(out).not.toMatch(/password|Basic /);
});

test("the whole upgrade is rehearsed without any file, to the release that comes along", async () => {
  const { code, details } = await rehearse(["upgrade"]);
  const [, run, again] = details.stages;
  expect([code, run?.command, again?.writes]).toEqual([
    0,
    "kubectl engine upgrade --release=example:8.0.18-11",
    0,
  ]);
  expect(run?.report.exit.reason).toContain("8.0.18-23.11 runs on all pods, state Running");
  expect(readdirSync(folder)).toEqual(["module.zip"]);
});

test("a command that only reads has no plan before its run", async () => {
  const { details } = await rehearse(["cert", "inspect"]);
  expect(details.stages.map(({ title }) => title)).toEqual(["the run"]);
});
