/** Wrong usage and unreachable clusters: one message, the exit code of the contract, no write. */
import { spawn } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import type { AuditEvent } from "./audit";
import { makePair } from "./certificate";
import type { AuditMark } from "./control-plane";
import {
  containing,
  documentOf,
  matching,
  type PluginOptions,
  type PluginRun,
  runner,
  warningsIn,
} from "./plugin-run";
import { namespaceOf } from "./operator";
import { type KubeObject } from "./api";
import { freePorts } from "./site";
import { openSuite, type Suite } from "./suite";
import {
  applied,
  clear,
  deleted,
  putNewConfiguration,
  putOldConfiguration,
  readBack,
  runSwap,
  settle,
  templateFile,
} from "./swap-states";

let suite: Suite;
beforeAll(async () => {
  suite = await openSuite();
  await clear(suite.api, suite.scene);
  await putOldConfiguration(suite.api, suite.scene);
  await settle(suite.api, suite.scene);
});
afterAll(() => suite.close());

/** Runs the swap and holds it to having written nothing, whoever it was. */
async function stopped(args: readonly string[], options: PluginOptions = {}): Promise<PluginRun> {
  const { controlPlane } = suite;
  const before = await readBack(controlPlane);
  const mark = await controlPlane.auditMark();
  const run = await runSwap(controlPlane, args, options);
  expect(await writesSince(mark)).toEqual([]);
  expect(await readBack(controlPlane)).toEqual(before);
  return run;
}

/** The writes of everybody but the API server, which renews a lease of its own. */
async function writesSince(mark: AuditMark): Promise<readonly AuditEvent[]> {
  const writes = await suite.controlPlane.writesSince(mark);
  return writes.filter(({ user }) => user.username !== "system:apiserver");
}

interface Kubeconfig {
  readonly clusters: [{ readonly cluster: Record<string, unknown> }];
  readonly users: [{ readonly user: Record<string, unknown> }];
  readonly contexts: [{ readonly context: Record<string, unknown> }];
}

let spoiled = 0;

/** The runner's kubeconfig with something wrong in it. */
function spoil(change: (config: Kubeconfig) => void): string {
  const { controlPlane } = suite;
  const text = readFileSync(controlPlane.kubeconfigFor(runner.name), "utf8");
  const config = JSON.parse(text) as Kubeconfig;
  change(config);
  return write(JSON.stringify(config));
}

function write(text: string): string {
  spoiled += 1;
  const file = join(suite.controlPlane.site.dataDir, `spoiled-${String(spoiled)}.kubeconfig`);
  writeFileSync(file, text);
  return file;
}

describe("the cluster cannot be reached: 69", () => {
  let closedPort = 0;
  beforeAll(async () => {
    [closedPort = 0] = await freePorts(1);
  });

  const rows: readonly [string, (cluster: Record<string, unknown>) => void, RegExp][] = [
    [
      "a CA that does not fit",
      (cluster) => {
        const { cert } = makePair({ namespace: "elsewhere" });
        cluster["certificate-authority-data"] = Buffer.from(cert).toString("base64");
      },
      /certificate/,
    ],
    ["no CA at all", (cluster) => delete cluster["certificate-authority-data"], /certificate/],
    [
      "a server name that the certificate does not have",
      (cluster) => (cluster["tls-server-name"] = "elsewhere.example"),
      /certificate/,
    ],
    [
      "a refused connection",
      (cluster) => (cluster["server"] = `https://127.0.0.1:${String(closedPort)}`),
      /refused/i,
    ],
    [
      "a host that does not exist",
      (cluster) => (cluster["server"] = "https://no-such-host.invalid:6443"),
      /no-such-host\.invalid/,
    ],
  ];

  test.each(rows)("%s", async (_name, change, says) => {
    const kubeconfig = spoil(({ clusters }) => {
      change(clusters[0].cluster);
    });
    const run = await stopped([], { kubeconfig });
    expect(run.report.exit).toMatchObject({ code: 69, reason: matching(says) });
    expectOneMessage(run);
  });

  test("a server that never answers, with --request-timeout", async () => {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const { port } = server.address() as { readonly port: number };
    const run = await stopped(["--request-timeout=1s", "-s", `https://127.0.0.1:${String(port)}`]);
    server.close();
    expect(run.report.exit.code).toBe(69);
    expectOneMessage(run);
  });
});

/** One error, and the fix: nothing that a person has to pick the cause from. */
function expectOneMessage({ stderr }: PluginRun): void {
  expect(stderr.match(/^error: /gm)).toHaveLength(1);
  expect(stderr).toMatch(/^ {2}next: /m);
}

describe("the server does not know who asks: 4", () => {
  test("a wrong token", async () => {
    const kubeconfig = spoil(({ users }) => {
      users[0].user["token"] = "wrong-token";
    });
    const run = await stopped([], { kubeconfig });
    expect(run.report.exit.code).toBe(4);
    expectOneMessage(run);
    expect(run.stdout + run.stderr).not.toContain("wrong-token");
  });

  test("no credentials at all", async () => {
    const kubeconfig = spoil(({ users }) => {
      delete users[0].user["token"];
    });
    const run = await stopped([], { kubeconfig });
    expect(run.report.exit.code).toBe(4);
  });

  test("a token that has ended", async () => {
    const token = await endedToken();
    const kubeconfig = spoil(({ users }) => {
      users[0].user["token"] = token;
    });
    const run = await stopped([], { kubeconfig });
    expect(run.report.exit.code).toBe(4);
    expectOneMessage(run);
    expect(run.stdout + run.stderr).not.toContain(token.slice(0, 40));
  });

  test("a credential plugin that fails", async () => {
    const kubeconfig = spoil(({ users }) => {
      const exec = {
        apiVersion: "client.authentication.k8s.io/v1",
        command: "sh",
        args: ["-c", "echo please log in again >&2; exit 3"],
        interactiveMode: "Never",
      };
      Object.assign(users[0].user, { token: undefined, exec });
    });
    const run = await stopped([], { kubeconfig });
    expect(run.report.exit.code).toBe(4);
    expect(run.stderr).toContain("exec credential plugin sh");
  });

  test("a credential plugin that is not there", async () => {
    const kubeconfig = spoil(({ users }) => {
      const exec = {
        apiVersion: "client.authentication.k8s.io/v1",
        command: "/nowhere/login",
        interactiveMode: "Never",
      };
      Object.assign(users[0].user, { token: undefined, exec });
    });
    const run = await stopped([], { kubeconfig });
    expect(run.report.exit.code).toBe(4);
    expect(run.stderr).toContain("/nowhere/login");
  });
});

/** The token of a service account, bound to a secret that is gone since: no clock has to be turned. */
async function endedToken(): Promise<string> {
  const { api } = suite;
  const namespace = "tokens";
  const v1 = (kind: string, name: string): KubeObject => ({
    apiVersion: "v1",
    kind,
    metadata: { name, namespace },
  });
  await api.create(namespaceOf(namespace));
  await api.create(v1("ServiceAccount", "robot"));
  const bound = await api.create(v1("Secret", "bound"));
  const path = `/api/v1/namespaces/${namespace}/serviceaccounts/robot/token`;
  const { body } = await api.send("POST", path, {
    body: {
      apiVersion: "authentication.k8s.io/v1",
      kind: "TokenRequest",
      spec: {
        boundObjectRef: {
          apiVersion: "v1",
          kind: "Secret",
          name: "bound",
          uid: bound.metadata.uid,
        },
      },
    },
  });
  await api.remove(bound);
  return (body as { readonly status: { readonly token: string } }).status.token;
}

describe("what was given cannot be used: 2", () => {
  test("a kubeconfig that does not exist", async () => {
    const run = await stopped(["--kubeconfig", "/nowhere/config"]);
    expect(run.report.exit).toMatchObject({
      code: 2,
      reason: containing("/nowhere/config"),
    });
    expectOneMessage(run);
  });

  test("a kubeconfig that is a folder", async () => {
    const folder = join(suite.controlPlane.site.dataDir, "folder");
    mkdirSync(folder, { recursive: true });
    const run = await stopped(["--kubeconfig", folder]);
    expect(run.report.exit.code).toBe(2);
    expect(run.report.exit.reason).toContain(folder);
  });

  test.each([
    ["not YAML", "clusters: ["],
    ["a list", "- a\n"],
    ["binary", "\u0000\u0001\u0002"],
    ["of hostile shapes", '{"clusters": {"__proto__": []}, "contexts": 5, "current-context": "x"}'],
  ])("a kubeconfig that is %s", async (_name, text) => {
    const run = await stopped(["--kubeconfig", write(text)]);
    expect(run.report.exit.code).toBe(2);
    expectOneMessage(run);
  });

  test.each([
    ["context", "--context"],
    ["cluster", "--cluster"],
    ["user", "--user"],
  ])("a %s that the kubeconfig does not have", async (_name, flag) => {
    const run = await stopped([flag, "no-such-one"]);
    expect(run.report.exit).toMatchObject({
      code: 2,
      reason: containing("no-such-one"),
    });
    expectOneMessage(run);
  });

  test("several flags at once, all named", async () => {
    const run = await stopped(["--dry-run=maybe", "--timeout=soon", "--no-such-flag"]);
    expect(run.report.exit.code).toBe(2);
    for (const part of ["--dry-run", "--timeout", "--no-such-flag"]) {
      expect(run.stderr).toContain(part);
    }
  });

  test.each(["xml", "", "JSON"])("an output format %j", async (format) => {
    const { controlPlane } = suite;
    const mark = await controlPlane.auditMark();
    const args = ["engine", "upgrade-webhook", "-n", "engine", "--yes", `--output=${format}`];
    const result = await controlPlane.kubectl(args);
    expect(result.code).toBe(2);
    expect(result.stderr).toContain("--output");
    expect(result.stderr).not.toMatch(/^\s+at /m);
    expect(await writesSince(mark)).toEqual([]);
  });
});

describe("standard input", () => {
  test("closed, with --template -: 2", async () => {
    const { controlPlane } = suite;
    const mark = await controlPlane.auditMark();
    const args = ["engine", "upgrade-webhook", "-n", "engine", "--yes", "-o", "json"];
    const script = 'exec "$@" <&-';
    const words = ["-c", script, "sh", controlPlane.binaries.kubectl, ...args, "--template", "-"];
    const result = await new Promise<{ code: number; stdout: string; stderr: string }>(
      (resolve, reject) => {
        const child = spawn("sh", words, { stdio: "pipe", env: controlPlane.kubectlEnv() });
        let stdout = "";
        let stderr = "";
        child.stdout.on("data", (data: Buffer) => (stdout += data.toString()));
        child.stderr.on("data", (data: Buffer) => (stderr += data.toString()));
        child.on("error", reject);
        child.on("close", (code) => {
          resolve({ code: code ?? -1, stdout, stderr });
        });
      },
    );
    expect(documentOf(result, args).exit).toMatchObject({
      code: 2,
      reason: containing("stdin"),
    });
    expect(await writesSince(mark)).toEqual([]);
  });

  test("empty, with --template -: 2", async () => {
    const run = await stopped(["--template", "-"], { input: "" });
    expect(run.report.exit).toMatchObject({ code: 2, reason: containing("stdin") });
  });
});

describe("a home that cannot be written", () => {
  // The tests may run as root, whom no permission bits stop: a file stands where a folder should.
  const homes = (): readonly [string, NodeJS.ProcessEnv][] => {
    const file = join(suite.controlPlane.site.dataDir, "a-file");
    writeFileSync(file, "");
    return [
      ["ENGINE_HOME", { ENGINE_HOME: join(file, "engine") }],
      ["HOME", { ENGINE_HOME: undefined, HOME: file }],
    ];
  };

  test.each(["ENGINE_HOME", "HOME"])("(%s): 2 before the first write", async (name) => {
    const [, env] = homes().find(([home]) => home === name) ?? [];
    const run = await stopped([], env === undefined ? {} : { env });
    expect(run.report.exit).toMatchObject({ code: 2, reason: containing("a-file") });
    expectOneMessage(run);
  });

  test("is a warning where nothing is to be written", async () => {
    const { api, scene, controlPlane } = suite;
    await clear(api, scene);
    await putNewConfiguration(api, scene);
    await settle(api, scene);
    const [, env] = homes()[0] ?? [];
    const run = await stopped([], env === undefined ? {} : { env });
    expect(run.report.exit.code).toBe(0);
    expect(warningsIn(run.report)).toContain("HOME-NOT-WRITABLE");

    await clear(api, scene);
    await putOldConfiguration(api, scene);
    await settle(api, scene);
    const input = readFileSync(templateFile, "utf8");
    const good = await runSwap(controlPlane, ["--template", "-"], { input });
    expect(good.writes).toEqual([applied, deleted]);
  });
});
