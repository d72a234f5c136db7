import { readDefaults } from "../../../../plugin/cmdutil/spec";
import { recover, type RecoverFlags } from "../../../../plugin/commands/recover/flags";
import { execFile } from "node:child_process";
import { chmodSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import type { CommandContext } from "../../../../plugin/cmdutil/context";
import {
  recoverText,
  type RecoveryDetails,
  recoveryLines,
  runRecover,
} from "../../../../plugin/commands/recover/command";
import { defaultNames as names } from "../../../../plugin/domain/names/names";
import { palette, quoteCommand } from "../../../../plugin/output/escape";
import { anApiSecret } from "../../../support/cluster-api-client";
import { aCommandContext } from "../../../support/command-context";
import { expectGoldenText } from "../../../support/golden";
import { commandAt } from "../../../support/program-world";
import { aFrozenScene, aModuleFile, type FrozenWish, oldRef, type Scene, stateOf } from "./scene";
import { aFolder } from "../../../support/a-folder";

let scene: Scene | undefined;

afterEach(async () => {
  await scene?.api.close();
});

const flags: RecoverFlags = readDefaults(recover);

const style = { palette: palette(false), verbosity: 0 };

/** A context whose Secret holds the REST credentials, and the flags that reach the service. */
async function aContext(wish: FrozenWish, options: Partial<CommandContext["options"]> = {}) {
  const world = await aFrozenScene(wish);
  scene = world;
  const { admin, caPem, url } = world.api;
  await world.cluster.create(anApiSecret(admin.name, admin.password));
  const folder = aFolder("recover");
  const ca = join(folder, "my ca.pem");
  writeFileSync(ca, caPem);
  const context = aCommandContext(world, {
    timeoutMs: 300_000,
    contextArgs: ["--context=my cluster", "--namespace=engine"],
    ...options,
  });
  return { context, world, folder, api: { url, ca, insecure: false } };
}

const commandsOf = (details: unknown): readonly string[] =>
  (details as RecoveryDetails).procedure.flatMap(({ commands }) => commands);

test("a person reads the verdict, the evidence and the procedure, without any credentials", async () => {
  const { context, world } = await aContext({
    version: "6.2",
    modules: [{ name: "rg", version: "1.2.5" }],
  });
  const report = await runRecover(context, [], flags);
  expect(report).toMatchObject({
    kind: "Recover",
    exit: { code: 3 },
    details: { verdict: "frozen" },
  });
  expectGoldenText("recover-frozen.txt", recoverText(report, style));
  expect(JSON.stringify(report)).not.toContain(world.api.admin.password);
});

test("the printed procedure recovers, run line by line", async () => {
  const { context, world, folder, api } = await aContext({
    version: "6.2",
    modules: [{ name: "rg", version: "1.2.5" }],
  });
  const file = join(folder, "it's a module.zip");
  writeFileSync(file, aModuleFile().bytes);
  const given = { ...flags, engineVersion: "7.2", api };
  const missing = commandsOf((await runRecover(context, [], given)).details);
  const [install = ""] = missing.filter((line) =>
    line.startsWith("kubectl engine modules install"),
  );
  const words = await wordsOf(install.replace("FILE", quoteCommand([file])), folder);
  expect(words).toEqual([
    ...["kubectl", "engine", "modules", "install", file, "--ec", "ec"],
    ...["--api-url", api.url, "--api-ca", api.ca, "-n", "engine", "--context=my cluster"],
  ]);
  const { load } = commandAt("modules install").prepare({
    ec: "ec",
    apiUrl: api.url,
    apiCa: api.ca,
  });
  const { run } = await load();
  expect((await run(context, [file])).exit.code).toBe(0);
  const report = await runRecover(context, [], given);
  const commands = commandsOf(report.details);
  const sh = aShell(folder, world);
  for (const command of commands.filter((line) => line.includes("| curl"))) {
    await sh(command);
    await world.clock.sleep(60_000);
  }
  await world.settle();
  expect(await stateOf(world)).toMatchObject({ state: "Running", runs: "7.2.0", asks: "6.2" });
  for (const command of commands.filter((line) => line.startsWith("kubectl patch"))) {
    const words = (await sh(command)).slice("kubectl ".length).split("\u0000");
    expect(words.slice(0, 5)).toEqual([
      "patch",
      `${names.edb.plural}.${names.group}`,
      "sessions",
      "-n",
      "shop",
    ]);
    expect(words).toContain("--context=my cluster");
    const body = JSON.parse(words[words.indexOf("-p") + 1] ?? "") as object;
    await world.cluster.patch(oldRef, body, { type: "merge", fieldManager: "kubectl-patch" });
  }
  await world.settle();
  expect(await stateOf(world)).toMatchObject({ asks: "7.2", specStatus: "Valid", observed: true });
  expect((await runRecover(context, [], given)).exit.code).toBe(0);
});

test("its last line is a command of this tool that does the rest", async () => {
  const { context, folder, api } = await aContext({ version: "6.2" });
  const named = { ...api, credentialsSecret: "ec" };
  const given = { ...flags, ec: "ec", engineVersion: "7.2", api: named };
  const report = await runRecover(context, [], given);
  const words = await wordsOf(commandsOf(report.details).at(-1) ?? "", folder);
  expect(words).toEqual([
    ...["kubectl", "engine", "recover", "--apply", "--ec", "ec"],
    ...["--engine-version", "7.2", "--api-url", api.url, "--api-ca", api.ca],
    ...["--api-credentials-secret", "ec", "-n", "engine", "--context=my cluster"],
  ]);
  const { problems, load } = commandAt("recover").prepare({
    ...{ apply: true, ec: "ec", engineVersion: "7.2" },
    ...{ apiUrl: api.url, apiCa: api.ca, apiCredentialsSecret: "ec" },
  });
  expect(problems).toEqual([]);
  const { run } = await load();
  expect((await run(context, [])).exit.code).toBe(0);
});

test("its last line for data at risk is refused, and accepted with the flag that it names", async () => {
  const wish: FrozenWish = { version: "6.2", edb: { replication: false } };
  const { context, world, folder, api } = await aContext(wish);
  const given = { ...flags, ec: "ec", engineVersion: "7.2", api };
  const told = await runRecover(context, [], given);
  expect(recoverText(told, style)).toContain(
    "neither replicated nor persistent: switch on replication or persistence, or accept the loss: run again with --may-discard-data",
  );
  const accepted = await runRecover(context, [], { ...given, mayDiscardData: true });
  const lines = commandsOf(accepted.details);
  expect(lines.join("\n")).toContain('"may_discard_data":true');
  const words = await wordsOf(lines.at(-1) ?? "", folder);
  expect(words).toContain("--may-discard-data");
  const raw = { apply: true, ec: "ec", engineVersion: "7.2", apiUrl: api.url, apiCa: api.ca };
  const ends: number[] = [];
  for (const more of [{}, { mayDiscardData: true }]) {
    const { problems, load } = commandAt("recover").prepare({ ...raw, ...more });
    expect(problems).toEqual([]);
    ends.push((await (await load()).run(context, [])).exit.code);
    if (ends.length === 1) expect(world.sent).toEqual([]);
  }
  expect(ends).toEqual([3, 0]);
});

test.each<[string, FrozenWish, Partial<RecoverFlags["api"]>, string]>([
  ["any certificate", { version: "6.2" }, { insecure: true }, "--api-insecure"],
  ["no CA yet", { version: "6.2" }, {}, "--api-ca CA_FILE"],
  [
    "digests",
    {
      ec: {
        engineEnterpriseImageSpec: { digestHash: "sha256:ab", versionTag: "8.0.2-17" },
        upgradeSpec: { autoUpgradeEngineEnterprise: true },
      },
    },
    {},
    "--drop-digests -n engine",
  ],
])("the last line asks for what is still missing: %s", async (...[, wish, more, expected]) => {
  const { context, api } = await aContext(wish);
  const reached = more.insecure === true ? { url: api.url } : {};
  const given = { ...flags, api: { insecure: false, ...reached, ...more } };
  const report = await runRecover(context, [], given);
  expect(commandsOf(report.details).at(-1)).toContain(expected);
});

test("an address with a name is asked by that name", async () => {
  const { context } = await aContext({ version: "6.2" });
  const api = { insecure: true, url: "https://api.example.com" };
  const report = await runRecover(context, [], { ...flags, api });
  const all = commandsOf(report.details).join("\n");
  // it was not asked, so that no number is proven
  expect(all).toContain("https://api.example.com/v1/bdbs/UID/upgrade");
  expect(all).not.toContain("--connect-to");
});

test("a namespace without an EC is told as such", async () => {
  const { context } = await aContext({ asked: false });
  expect((await runRecover(context, [], { ...flags, ec: "other" })).exit).toMatchObject({
    code: 2,
  });
});

describe("the flags", () => {
  test.each<[string, Readonly<Record<string, unknown>>, string]>([
    ["no version", { engineVersion: "7" }, '--engine-version: "7" is not a version such as 7.2'],
    [
      "too old",
      { engineVersion: "6.2" },
      "--engine-version: before 7.2 the upgrade would stay frozen",
    ],
  ])("are refused: %s", (_title, raw, problem) => {
    expect(commandAt("recover").prepare(raw).problems).toEqual([problem]);
  });
});

/** A shell whose kubectl hands out the credentials, and prints its words for everything else. */
function aShell(folder: string, { api }: Scene) {
  const login = join(folder, "login");
  writeFileSync(login, `user = ${JSON.stringify(`${api.admin.name}:${api.admin.password}`)}\n`);
  const kubectl = join(folder, "kubectl");
  const script = `#!/bin/sh\nif [ "$1 $2" = "get secret" ]; then cat '${login}'; exit; fi\nprintf 'kubectl '; printf '%s\\0' "$@"\n`;
  writeFileSync(kubectl, script);
  chmodSync(kubectl, 0o755);
  expect(readFileSync(kubectl, "utf8")).toBe(script);
  const env = { ...process.env, PATH: `${folder}:${process.env["PATH"] ?? ""}` };
  const run = promisify(execFile);
  return async (command: string): Promise<string> =>
    (await run("sh", ["-c", command], { env })).stdout;
}

/** The words that a shell makes of a command. */
async function wordsOf(command: string, folder: string): Promise<readonly string[]> {
  const script = `printf '%s\\0' ${command}`;
  const { stdout } = await promisify(execFile)("sh", ["-c", script], { cwd: folder });
  return stdout.split("\u0000").slice(0, -1);
}

test("evidence stands beside, escaped, with its time and object where they are known", () => {
  const details: RecoveryDetails = {
    ...{ cluster: "ec", state: "Upgrade", verdict: "frozen", says: "it is stalled" },
    evidence: [
      { from: "log", at: "2026-08-01T10:00:00Z", object: "engine/ec", says: "a\u001b[31mb" },
      { from: "event", at: undefined, object: undefined, says: "c" },
    ],
    procedure: [],
  };
  const [, , , first, second] = recoveryLines(details, { palette: palette(false), verbosity: 1 });
  expect(first).toMatch(/^ {2}log 2026-08-01T10:00:00Z engine\/ec: a.*b$/);
  expect(first).not.toContain("\u001b");
  expect(second?.trim()).toMatch(/^event *: c$/);
});
