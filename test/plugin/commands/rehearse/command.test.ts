import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import Ajv from "ajv";
import type { RehearsalDetails } from "../../../../plugin/commands/rehearse/text";
import { InterruptedError } from "../../../../plugin/cmdutil/context";
import { asArray, getOwn, withValue } from "../../../../plugin/domain/base/values";
import { defaultNames } from "../../../../plugin/domain/names/names";
import schema from "../../../../docs/reference/documents.schema.json";
import { runProgram } from "../../../../plugin/cli/program";
import { exampleSource } from "../../../../plugin/simulator/example";
import type { Report } from "../../../../plugin/kernel/report";
import type { KubeObject } from "../../../../plugin/domain/kube/objects";
import { expectGolden, expectGoldenText } from "../../../support/golden";
import { everyOverride } from "../../../support/renamed";
import { type Scene, startOfRun, stdinOf, typed, worldOf } from "../../../support/program-world";
import { aLenientWebhook, aWebhookProgram } from "../../../support/webhook-program";
import { admin, makeWorld } from "../../../support/world";
import { aFolder } from "../../../support/a-folder";

const program = aWebhookProgram();
const lenient = aLenientWebhook();
let folder = "";
let objects: readonly KubeObject[] = [];
beforeAll(async () => {
  ({ objects } = await exampleSource(defaultNames, startOfRun));
});
beforeEach(() => {
  folder = aFolder("rehearse");
});

const template = readFileSync(
  join(__dirname, "../../../../manifests/admission/webhook.yaml"),
  "utf8",
);
const home = () => join(folder, "home");

/** A rehearsal with the real webhook, in an environment without a kubeconfig. */
async function rehearse(line: readonly string[], scene: Scene = {}) {
  const env = { ENGINE_HOME: home(), HOME: folder, ...scene.env };
  const words = ["rehearse", `--webhook=${program.file}`, ...line];
  return await typed(words, { ...scene, env });
}

async function document(line: readonly string[], scene: Scene = {}) {
  const { code, out, err } = await rehearse([...line, "-o", "json"], scene);
  const report = JSON.parse(out) as Report;
  return { code, err, report, details: report.details as RehearsalDetails };
}

/** A dump with the example's objects, some of them left out or otherwise. */
function dump(change: (object: KubeObject) => KubeObject | undefined = (object) => object): string {
  const items = objects.map(change).filter((object) => object !== undefined);
  const path = join(folder, "dump.json");
  writeFileSync(path, JSON.stringify({ apiVersion: "v1", kind: "List", items }));
  return path;
}

const masked = (text: string): string =>
  text
    .replaceAll(/[0-9a-f]{64}/g, "0".repeat(64))
    .replaceAll(/[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}/g, "uid")
    .replaceAll(/\d{8}-\d{6}-[0-9a-f]{6}/g, "20260102-030405-abcdef")
    .replaceAll(program.file, "/path/engine-webhook")
    .replaceAll(folder, "/folder");

describe("where the webhook is not installed beside the program", () => {
  const bare = (...words: readonly string[]) =>
    typed(["rehearse", ...words], { env: { ENGINE_HOME: home(), HOME: folder, PATH: folder } });

  test.each([[["status", "--no-probe"]], [["cert", "inspect"]], [["reapply-rbac"]]])(
    "a command that calls none is rehearsed: %s",
    async (words) => {
      const { code, err } = await bare(...words);
      expect([code, err]).toEqual([0, expect.not.stringContaining("engine-webhook,") as unknown]);
    },
  );

  test("a swap says how to get it, and names no folder of the PATH", async () => {
    const { code, err } = await bare("upgrade-webhook");
    expect(code).toBe(2);
    expect(err).toContain("which this rehearsal calls, is neither beside this program nor on");
    expect(err).toContain("next: install engine-webhook beside this program, or name it with");
    expect(err).not.toContain(folder);
  });
});

const isGone = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return false;
  } catch {
    return true;
  }
};

test("the main job on the example: plan, run, refused edit, and a second run that writes nothing", async () => {
  const { code, out } = await rehearse([]);
  expectGoldenText("rehearse/example.txt", masked(out));
  expect(code).toBe(0);
  expect(existsSync(home())).toBe(false);
  const { pid, tlsDir } = program.lastRun();
  expect(isGone(pid)).toBe(true);
  expect(existsSync(tlsDir)).toBe(false);
});

test("the document has each stage's report, and fits the schema", async () => {
  const { report, details } = await document([]);
  expectGolden("rehearse/example.json", JSON.parse(masked(JSON.stringify(report))));
  const validate = new Ajv({ allErrors: true, strictTypes: false }).compile(schema);
  expect({ ok: validate(report), errors: validate.errors }).toEqual({ ok: true, errors: null });
  expect(details.stages.map(({ writes }) => writes)).toEqual([0, 2, 0, 0]);
  expect(JSON.stringify(report)).not.toContain('"backups"');
});

test("a dry run is passed on, and is all that is rehearsed", async () => {
  const { code, details } = await document(["upgrade-webhook", "--dry-run=server"]);
  expect(code).toBe(0);
  expect(details.stages).toMatchObject([
    {
      title: "the dry run",
      command: "kubectl engine upgrade-webhook --dry-run=server",
      writes: 0,
      report: { run: { dryRun: "server" } },
    },
  ]);
});

test("on a dump: as an administrator, with the Secret's values dropped and a pair in their place", async () => {
  const { code, details, report } = await document(["--from", dump(), "-n", "engine"]);
  expect(code).toBe(0);
  expect(details.source).toMatchObject({
    described: `file ${join(folder, "dump.json")}`,
    user: "system:admin, who may do everything",
    warnings: [expect.stringContaining("values of 1 Secret were dropped") as string],
  });
  expect(report.target?.server).toBe(`rehearsal of file ${join(folder, "dump.json")}`);
});

test("on a dump from stdin, which the command cannot read as well", async () => {
  const stdin = JSON.stringify({ apiVersion: "v1", kind: "List", items: objects });
  const well = await document(["--from", "-"], { stdin: stdinOf(stdin) });
  expect(well).toMatchObject({ code: 0, details: { source: { described: "standard input" } } });
  const both = await rehearse(["--from=-", "--template=-"], { stdin: stdinOf(stdin) });
  expect(both.code).toBe(2);
  expect(both.err).toContain("standard input cannot be both --from and another input");
});

test("a template from stdin is read once, for all stages", async () => {
  const { code, details } = await document(["--template=-"], { stdin: stdinOf(template) });
  expect({ code, stages: details.stages.length }).toEqual({ code: 0, stages: 4 });
});

test("as someone else on a dump: with the rights that its roles give, and none beyond", async () => {
  const { code, details } = await document(["--from", dump(), "--as=jane", "--as-group=dev"]);
  expect(code).toBe(4);
  expect(details.source.user).toBe("jane");
  const [plan, run, ...rest] = details.stages;
  expect(rest).toEqual([]);
  expect(plan?.report.permissions?.manifest).toContain("name: jane");
  expect(run).toMatchObject({ writes: 0, report: { exit: { code: 4 } } });
});

test("a dump without the Secret: said so, no webhook is started, and the command stops there", async () => {
  const path = dump((object) => (object.kind === "Secret" ? undefined : object));
  const { code, details } = await document(["--from", path, "--wait-secret=10m"]);
  expect(code).toBe(3);
  expect(details.source.warnings.join()).toContain("no Secret admission-tls to serve with");
  expect(details.stages[0]?.report.findings).toMatchObject([{ code: "SECRET-MISSING" }]);
});

test("a dump without ready endpoints: calls are refused as on a real cluster", async () => {
  const path = dump((object) => (object.kind === "EndpointSlice" ? undefined : object));
  const { code, details } = await document(["--from", path]);
  expect(code).toBe(3);
  expect(details.stages[0]?.report.findings).toMatchObject([{ code: "WEBHOOK-NO-ENDPOINTS" }]);
});

test("a foreign webhook is not called, and named among what cannot be known", async () => {
  const path = dump((object) => {
    if (object.metadata.name !== "edb-admission") return object;
    const [entry] = object["webhooks"] as [{ clientConfig: object }];
    const service = { name: "policy", namespace: "shop", path: "/", port: 443 };
    const clientConfig = { ...entry.clientConfig, service };
    const webhooks = [{ ...entry, name: "policy.example.com", clientConfig }];
    return { ...object, metadata: { name: "policy" }, webhooks };
  });
  const service = objects.find(({ kind }) => kind === "Service");
  const items = [
    { ...service, metadata: { name: "policy", namespace: "shop" } },
    ...(JSON.parse(readFileSync(path, "utf8")) as { items: unknown[] }).items,
  ];
  writeFileSync(path, JSON.stringify({ kind: "List", apiVersion: "v1", items }));
  const { details } = await document(["--from", path]);
  expect(details.unknown[0]).toContain("(here: policy.example.com)");
});

test("a webhook that lets bad edits pass: rolled back, and said with the exit code of a real run", async () => {
  const { code, report, details } = await document([`--webhook=${lenient.file}`]);
  expect(code).toBe(7);
  expect(details.stages.map(({ title }) => title)).toEqual(["the plan", "the run"]);
  expect(report.exit.reason).toMatch(/^the run: the proof failed/);
  expect(isGone(lenient.lastRun().pid)).toBe(true);
});

test("the same on a dump without what the API server fills in: the rollback is complete", async () => {
  const unscoped = (rule: unknown): object => withValue(rule as KubeObject, ["scope"], undefined);
  const port = ["clientConfig", "service", "port"];
  const path = dump((object) => {
    if (object.kind !== "ValidatingWebhookConfiguration") return object;
    const webhooks = asArray(object["webhooks"]).map((entry) => {
      const rules = asArray(getOwn(entry, "rules")).map(unscoped);
      return withValue({ ...(entry as object), rules }, port, undefined);
    });
    // the one that is there is written over, and has to be put back
    return {
      ...object,
      metadata: { ...object.metadata, name: "engine-enterprise-admission" },
      webhooks,
    };
  });
  expect(readFileSync(path, "utf8")).not.toMatch(/"scope":"\*"/);
  const { code, report } = await document([`--webhook=${lenient.file}`, "--from", path]);
  expect([code, report.exit.reason]).toEqual([
    7,
    expect.stringMatching(/^the run: the proof failed.*the change was rolled back/),
  ]);
});

test("a live cluster is reached read-only, by its context, and as the one who asks", async () => {
  writeFileSync(
    join(folder, "config"),
    JSON.stringify({ contexts: [{ name: "prod", context: {} }], clusters: [], users: [] }),
  );
  const live = makeWorld({ objects }).controlPlane;
  let changes = 0;
  live.onChange(() => (changes += 1));
  const asked: unknown[] = [];
  const { code, details, err } = await document(["--from=prod", "-n", "engine"], {
    env: { KUBECONFIG: join(folder, "config") },
    connect: (options, how) => {
      asked.push([options.connection.context, how?.readOnly]);
      return Promise.resolve(
        live.connect({ user: admin, namespace: "engine", server: "https://live:6443" }),
      );
    },
  });
  expect({ code, err }).toMatchObject({ code: 0 });
  expect(asked).toEqual([["prod", true]]);
  expect(changes).toBe(0);
  expect(details.source.user).toBe("admin, who may do everything");
  expect(details.stages.map(({ writes }) => writes)).toEqual([0, 2, 0, 0]);
});

test.each<[string, string[], string]>([
  ["a place that is neither", ["--from=nowhere"], "neither a file or folder nor a context"],
  ["a context that would not be read", ["--context=prod"], "--context names a cluster"],
  ["failures to put in", ["--faults=all"], "unknown flag: --faults"],
  ["no release on a cluster of one's own", ["upgrade", "--from=dump.yaml"], "--release"],
  ["a webhook that is not there", ["--webhook=/no/where"], "/no/where is no executable file"],
])("wrong usage: %s", async (_, line, message) => {
  const { code, err } = await rehearse(line);
  expect(code).toBe(2);
  expect(err).toContain(message);
});

describe("a context and a path of the same name", () => {
  const unreached = "reached for it";
  const withContexts = (...contexts: readonly string[]): Scene => {
    const config = join(folder, "config");
    const named = contexts.map((name) => ({ name, context: {} }));
    writeFileSync(config, JSON.stringify({ contexts: named, clusters: [], users: [] }));
    return {
      env: { KUBECONFIG: config },
      connect: () => Promise.reject(new Error(unreached)),
    };
  };

  // both are in the folder in which the tests run
  test.each([
    ["a folder", "plugin"],
    ["a file in a folder, as contexts of OpenShift have slashes", "plugin/main.ts"],
  ])("%s: neither is taken, and both spellings are named", async (_, name) => {
    const { code, err } = await rehearse([`--from=${name}`], withContexts(name));
    expect(code).toBe(2);
    expect(err).toContain(`--from: "${name}" is a context of the kubeconfig and also a path`);
    expect(err).toContain(`--from context:${name}`);
    expect(err).toContain(`--from ./${name}`);
    expect(err).not.toContain(unreached);
    expect(existsSync(home())).toBe(false);
  });

  test("the context that is spelled out is reached", async () => {
    const { code, err } = await rehearse(["--from=context:plugin"], withContexts("plugin"));
    expect(code).toBe(70);
    expect(err).toContain(unreached);
  });

  test.each([
    ["from here", () => relative(process.cwd(), dump())],
    ["from the root", dump],
  ])("the path that is spelled out, %s, is read", async (_, path) => {
    const { code, details } = await document([`--from=${path()}`], withContexts(path()));
    expect(code).toBe(0);
    expect(details.stages.map(({ writes }) => writes)).toEqual([0, 2, 0, 0]);
  });
});

test("a path is read where the kubeconfig cannot be", async () => {
  writeFileSync(join(folder, "config"), "{");
  const { err } = await rehearse(["--from=package.json"], {
    env: { KUBECONFIG: join(folder, "config") },
  });
  expect(err).toContain("package.json");
  expect(err).not.toContain("kubeconfig");
});

test("under other names for everything, plugin, example and webhook alike", async () => {
  const names = join(folder, "names.yaml");
  writeFileSync(names, JSON.stringify(everyOverride));
  const { code, details } = await document(["--names", names]);
  expect(code).toBe(0);
  const [, run, edits] = details.stages;
  expect(run?.report.steps?.map(({ object }) => object)).toContain(
    "ValidatingWebhookConfiguration/engine-enterprise-admissionz",
  );
  expect(edits?.edits?.[0]?.answer).toContain(
    'The EngineEnterpriseDatabasez "config" is invalid: spec.engineVersionz: Unsupported value',
  );
});

test("an interrupt ends it with 130, and everything is taken down", async () => {
  const interrupt = new AbortController();
  const world = worldOf(["rehearse", `--webhook=${program.file}`], {
    env: { ENGINE_HOME: home(), HOME: folder },
    signal: interrupt.signal,
  });
  world.streams.err.on("data", (text: Buffer) => {
    if (text.includes("rehearsal: the run")) interrupt.abort(new InterruptedError("SIGINT"));
  });
  expect(await runProgram(world)).toBe(130);
  const { pid, tlsDir } = program.lastRun();
  expect(isGone(pid)).toBe(true);
  expect(existsSync(tlsDir)).toBe(false);
  expect(readdirSync(folder)).toEqual([]);
});

test("the version of Kubernetes is the source's: check checks the nodes of a dump", async () => {
  const nodes = (version: string) => ({
    apiVersion: "v1",
    kind: "Node",
    metadata: { name: "node-1" },
    status: {
      conditions: [{ type: "Ready", status: "True" }],
      nodeInfo: { kubeletVersion: version },
    },
  });
  const platform = async (version: string) => {
    const kept = objects.filter(({ kind, metadata }) => !isOpenShifts(kind, metadata.name ?? ""));
    const path = join(folder, "nodes.json");
    const items = [...kept, nodes(version)];
    writeFileSync(path, JSON.stringify({ apiVersion: "v1", kind: "List", items }));
    const line = ["check", "--target=8.0.2-2", "--from", path, "-n", "engine"];
    const { details, report } = await document(line);
    const findings = details.stages.flatMap(({ report: { findings: some = [] } }) => some);
    return {
      codes: [...new Set(findings.map(({ code }) => code))].filter((code) =>
        /^PLATFORM/.test(code),
      ),
      causes: findings.filter(({ code }) => /^PLATFORM/.test(code)).map(({ cause }) => cause)[0],
      dump: (report.findings ?? []).map(({ code }) => code),
    };
  };
  const isOpenShifts = (kind: string, name: string): boolean =>
    kind === "SecurityContextConstraints" || name.endsWith("security.openshift.io");
  expect(await platform("v1.28.2")).toEqual({
    codes: ["PLATFORM-UNSUPPORTED"],
    causes: expect.stringContaining("v1.28.2") as string,
    dump: ["DUMP-NO-OWNERS"],
  });
  expect((await platform("v1.33.1+k3s1")).codes).toEqual(["PLATFORM-DISTRIBUTION"]);
});

test("on an older definition, which takes channels alone, and beside versions of another type", async () => {
  const path = dump((object) => {
    const { kind, metadata } = object;
    if (metadata.name === `${defaultNames.edb.plural}.${defaultNames.group}`) {
      const channels = { type: "string", enum: ["major", "latest"] };
      return JSON.parse(JSON.stringify(object), (key, value: unknown) =>
        key === "engineVersion" && typeof value === "object" ? channels : value,
      ) as KubeObject;
    }
    if (kind === defaultNames.ec.kind) {
      const status = object["status"] as { bundledDatabaseVersions: readonly object[] };
      const others = [{ dbType: "memcached", version: "1.6" }];
      const bundledDatabaseVersions = [...status.bundledDatabaseVersions, ...others];
      return { ...object, status: { ...status, bundledDatabaseVersions } };
    }
    if (kind !== defaultNames.edb.kind) return object;
    return { ...object, spec: { ...(object["spec"] as object), engineVersion: "latest" } };
  });
  const { code, details } = await document(["--from", path, "-n", "engine"]);
  const edits = details.stages.flatMap((stage) => stage.edits ?? []);
  expect(edits.map(({ command }) => /-p '?(.*?)'? --dry/.exec(command)?.[1])).toEqual([
    expect.stringContaining("no-such-module"),
    '{"spec":{"engineVersion":"major"}}',
  ]);
  expect(code).toBe(0);
});
