import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { expectGoldenText } from "../../support/golden";
import { typed } from "../../support/program-world";

describe("help", () => {
  test.each([
    ["the program alone", [], "help-root.txt"],
    ["--help", ["--help"], "help-root.txt"],
    ["help", ["help"], "help-root.txt"],
    ["upgrade-webhook", ["upgrade-webhook", "--help"], "help-upgrade-webhook.txt"],
    ["upgrade", ["upgrade", "--help"], "help-upgrade.txt"],
    ["status", ["status", "--help"], "help-status.txt"],
    ["recover", ["recover", "--help"], "help-recover.txt"],
    ["modules", ["modules"], "help-modules.txt"],
    ["options", ["options"], "options.txt"],
    ["modules list", ["modules", "list", "--help"], "help-modules-list.txt"],
    ["modules in-use", ["modules", "in-use", "--help"], "help-modules-in-use.txt"],
    ["modules install", ["modules", "install", "--help"], "help-modules-install.txt"],
    ["upgrade-operator", ["upgrade-operator", "--help"], "help-upgrade-operator.txt"],
    ["a group alone", ["cert"], "help-cert.txt"],
    ["a command of a group", ["cert", "create", "-h"], "help-cert-create.txt"],
    ["reapply-rbac", ["reapply-rbac", "--help"], "help-reapply-rbac.txt"],
    ["unbind-scc", ["unbind-scc", "--help"], "help-unbind-scc.txt"],
    ["check", ["check", "--help"], "help-check.txt"],
    ["upgrade-cluster", ["upgrade-cluster", "--help"], "help-upgrade-cluster.txt"],
    ["upgrade-database", ["upgrade-database", "--help"], "help-upgrade-database.txt"],
    ["diff", ["diff", "--help"], "help-diff.txt"],
    ["rehearse", ["rehearse", "--help"], "help-rehearse.txt"],
    ["help rehearse", ["help", "rehearse"], "help-rehearse.txt"],
    [
      "a command behind rehearse",
      ["rehearse", "--from=x", "upgrade-webhook", "-h"],
      "help-upgrade-webhook.txt",
    ],
    ["a command with an argument", ["completion", "--help"], "help-completion.txt"],
  ])("%s shows its help on stdout and ends with 0", async (_, argv, file) => {
    const { code, out, err } = await typed(argv);
    expectGoldenText(file, `${out.trimEnd()}\n`);
    expect({ code, err }).toEqual({ code: 0, err: "" });
  });

  test("help is for the caller: oc is named where oc called", async () => {
    const { out } = await typed(["upgrade-webhook", "--help"], { env: { _: "/usr/bin/oc" } });
    expect(out).toContain("oc engine upgrade-webhook");
    expect(out).not.toContain("kubectl engine");
  });

  test("--help wins over mistakes beside it", async () => {
    const { code, out } = await typed(["upgrade-webhook", "--bogus", "--help"]);
    expect({ code, head: out.slice(0, 7) }).toEqual({ code: 0, head: "Put the" });
  });
});

describe("wrong usage ends with 2 and one line a problem", () => {
  test.each([
    ["a misspelt command", ["upgrade-webhok"], ["upgrade-webhook?"]],
    ["a command that is none", ["frobnicate"], ["unknown command: frobnicate"]],
    [
      "a misspelt command of a group",
      ["cert", "crate"],
      ["unknown command: cert crate", "cert create?"],
    ],
    ["a misspelt flag", ["version", "--outptu", "x"], ["unknown flag: --outptu", "--output?"]],
    ["an unknown flag", ["version", "--zzzzzzz=1"], ["unknown flag: --zzzzzzz\n"]],
    ["a format that is none", ["version", "-o", "xml"], ['--output: "xml" is not one of text']],
    ["a choice forgotten", ["version", "--dry-run", "-o", "json"], ["--dry-run: needs a value"]],
    [
      "an argument that is missing",
      ["explain"],
      ["CODE is missing; see kubectl engine explain --help"],
    ],
    [
      "an argument too many",
      ["version", "now"],
      ['unexpected "now": kubectl engine version takes no argument; see'],
    ],
    [
      "arguments too many for a command of a group",
      ["cert", "inspect", "a", "b"],
      [
        'unexpected "a", "b": kubectl engine cert inspect takes no argument',
        "see kubectl engine cert inspect --help",
      ],
    ],
    [
      "a second argument of a command that takes one",
      ["explain", "R1", "R2"],
      ['unexpected "R2": kubectl engine explain takes one CODE'],
    ],
    ["a shell that is none", ["completion", "fihs"], ['"fihs" is not one of bash', "fish?"]],
    ["a bad duration", ["version", "--timeout", "5x"], ['--timeout: "5x" is not a duration']],
    ["a bad count", ["version", "--concurrency=0"], ["whole number from 1 to 256"]],
    ["a bad boolean", ["version", "--yes=maybe"], ['--yes: "maybe" is neither true nor false']],
    ["a bad own flag", ["cert", "create", "--years", "x"], ['--years: "x" is not a whole number']],
    ["two templates", ["upgrade-webhook", "--template=a", "--release=b"], ["give one of the two"]],
    ["a command that needs no rehearsal", ["rehearse", "version"], ["version cannot be rehearsed"]],
    ["a rehearsal of a rehearsal", ["rehearse", "rehearse"], ["rehearse cannot be rehearsed"]],
    ["a flag of rehearse without it", ["version", "--from=x"], ["unknown flag: --from"]],
    ["a part that is none", ["upgrade", "--only=rbac,dbs"], ['"dbs" is not one of rbac']],
    [
      "a refusal without its object",
      ["upgrade-webhook", "--skip", "WEBHOOK-OTHER-NAMESPACE"],
      ["name its object: WEBHOOK-OTHER-NAMESPACE=OBJECT"],
    ],
    [
      "a code that the command does not refuse",
      ["reapply-rbac", "--skip", "WEBHOOK-OTHER-NAMESPACE=x"],
      ["--skip: WEBHOOK-OTHER-NAMESPACE is not one of RBAC-OTHER-OPERATOR"],
    ],
    [
      "an unusual object without its name",
      ["upgrade-operator", "--release=./x", "--skip=OPERATOR-BUNDLE-UNUSUAL"],
      ["name its object: OPERATOR-BUNDLE-UNUSUAL=OBJECT"],
    ],
    ["a flag that is gone", ["upgrade-webhook", "--take-over"], ["unknown flag: --take-over"]],
    ["two proofs", ["upgrade-webhook", "--no-probe", "--probe-file=a"], ["give one of the two"]],
  ])("%s", async (_, argv, parts) => {
    const { code, err } = await typed(argv);
    expect(code).toBe(2);
    for (const part of parts) expect(err).toContain(part);
    expect(err).not.toMatch(/^\s+at /m);
  });

  test("all problems are named at once, those of the environment too", async () => {
    const { code, out, err } = await typed(
      ["upgrade-webhook", "--bogus", "-x", "--wait-secret", "x", "--color", "red", "extra"],
      { env: { ENGINE_TIMEOUT: "long", ENGINE_WAIT: "perhaps" } },
    );
    expect(err.split("\n").filter((line) => line.startsWith("error:"))).toEqual([
      "error: unknown flag: --bogus",
      "error: unknown flag: -x",
      'error: ENGINE_TIMEOUT: "long" is not a duration such as 500ms, 30s or 2m',
      'error: ENGINE_WAIT: "perhaps" is neither true nor false',
      'error: --color: "red" is not one of auto, always, never',
      'error: --wait-secret: "x" is not a duration such as 500ms, 30s or 2m',
    ]);
    expect({ code, out }).toEqual({ code: 2, out: "" });
  });

  test("the problems of rehearse and of what it is given are named at once", async () => {
    const { err } = await typed([
      "rehearse",
      "--limits=x",
      "cert",
      "create",
      "--years=x",
      "--color=red",
      "-Z",
      "extra",
    ]);
    expect(err.split("\n").filter((line) => line.startsWith("error:"))).toEqual([
      'error: --limits: "x" is neither true nor false',
      "error: unknown flag: -Z",
      'error: --color: "red" is not one of auto, always, never',
      'error: --years: "x" is not a whole number from 1 to 30',
    ]);
  });

  test.each([["-o=json"], ["-ojson"], ["--output=json"], ["--output", "json"]])(
    "with %s the document on stdout names them as well",
    async (...format) => {
      const { code, out } = await typed(["upgrade-webhook", "--bogus", ...format]);
      expect(code).toBe(2);
      expect(JSON.parse(out)).toMatchObject({
        apiVersion: "cli.engine.com/v1",
        kind: "UpgradeWebhook",
        findings: [{ code: "USAGE", severity: "error", cause: "unknown flag: --bogus" }],
        exit: { code: 2, reason: "unknown flag: --bogus" },
      });
    },
  );

  test("the document of an unknown command is of kind Usage and has no run", async () => {
    const { out } = await typed(["nonsense", "-o", "json"]);
    const document = JSON.parse(out) as { kind: string; run?: unknown };
    expect(document.kind).toBe("Usage");
    expect(document.run).toBeUndefined();
  });

  test("ENGINE_OUTPUT chooses the form where no flag does", async () => {
    const { out } = await typed(["nonsense"], { env: { ENGINE_OUTPUT: "json" } });
    expect(JSON.parse(out)).toMatchObject({ exit: { code: 2 } });
    const flagged = await typed(["version", "-o", "text"], { env: { ENGINE_OUTPUT: "json" } });
    expect(flagged.out).toMatch(/^Client Version: v/);
  });
});

describe("lazy loading", () => {
  const help = ["--help"];
  const command = ["upgrade-webhook"];
  const wrongFlag = ["upgrade-webhook", "--bogus"];
  const version = ["version", "--client"];
  let loaded: ReadonlyMap<readonly string[], readonly string[]>;

  /** The files that each of these loads, in one process that forgets all modules before each. */
  beforeAll(() => {
    const all = [help, command, wrongFlag, version];
    const script = `
      const out = { write: () => true };
      (async () => {
        const loaded = [];
        for (const argv of ${JSON.stringify(all)}) {
          for (const file of Object.keys(require.cache)) delete require.cache[file];
          const { runProgram } = require("./plugin/cli/program.ts");
          await runProgram({ argv, env: {}, streams: { out, err: out },
            clock: { now: () => 0 }, signal: new AbortController().signal,
            crashed: new Promise(() => {}) });
          loaded.push(Object.keys(require.cache));
        }
        process.stdout.write(JSON.stringify(loaded));
      })();`;
    const { stdout, stderr } = spawnSync(process.execPath, ["--import", "tsx", "--eval", script], {
      cwd: join(__dirname, "../../.."),
      encoding: "utf8",
    });
    if (stdout === "") throw new Error(stderr);
    const files = JSON.parse(stdout) as string[][];
    loaded = new Map(all.map((argv, index) => [argv, files[index] ?? []]));
  });

  const loadedBy = (argv: readonly string[], pattern: RegExp): readonly string[] | undefined =>
    loaded.get(argv)?.filter((file) => pattern.test(file));

  test.each([
    ["--help", help],
    ["a wrong flag", wrongFlag],
    ["version --client", version],
  ])("%s loads no adapter, no client, no certificate and no YAML library", (_, argv) => {
    // diff's command is its entry, and loads the run when it is called
    const heavy =
      /openid-client|node-forge|js-yaml|plugin\/adapters|commands\/(?!diff\/)[-\w]+\/command\.ts/;
    expect(loadedBy(argv, heavy)).toEqual([]);
  });

  test("a command that needs them loads them: the measurement can fail", () => {
    expect(loadedBy(command, /plugin\/adapters/)).not.toEqual([]);
    expect(loadedBy(help, /plugin\/cli\/program\.ts$/)).toHaveLength(1);
  });

  test("--help loads nothing of what runs commands", () => {
    expect(loadedBy(help, /cli\/run|plugin\/output\//)).toEqual([]);
  });
});
