/** Wrong usage and unreachable clusters: one message, the exit code of the contract, no write. */
import { readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import type { AuditEvent } from "./audit";
import { makePair } from "./certificate";
import type { AuditMark } from "./control-plane";
import {
  containing,
  matching,
  type PluginOptions,
  type PluginRun,
  runner,
  warningsIn,
} from "./plugin-run";
import { namespaceOf } from "./operator";
import { type KubeObject } from "./api";
import { freePorts } from "../support/free-ports";
import { openSuite, type Suite } from "./suite";
import { applied, deleted, lay, readBack, runSwap, templateFile } from "./swap-states";

let suite: Suite;
beforeAll(async () => {
  suite = await openSuite();
  await lay(suite, { old: {} });
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

  const elsewhere = Buffer.from(makePair({ namespace: "elsewhere" }).cert).toString("base64");
  const rows: readonly [string, () => Record<string, unknown>, RegExp][] = [
    ["a CA that does not fit", () => ({ "certificate-authority-data": elsewhere }), /certificate/],
    ["no CA at all", () => ({ "certificate-authority-data": undefined }), /certificate/],
    [
      "a server name that the certificate does not have",
      () => ({ "tls-server-name": "elsewhere.example" }),
      /certificate/,
    ],
    [
      "a refused connection",
      () => ({ server: `https://127.0.0.1:${String(closedPort)}` }),
      /refused/i,
    ],
    [
      "a host that does not exist",
      () => ({ server: "https://no-such-host.invalid:6443" }),
      /no-such-host\.invalid/,
    ],
  ];

  test.each(rows)("%s", async (_name, change, says) => {
    const kubeconfig = spoil(({ clusters }) => {
      Object.assign(clusters[0].cluster, change());
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
  const exec = (command: string, ...args: readonly string[]) => ({
    exec: {
      apiVersion: "client.authentication.k8s.io/v1",
      command,
      args,
      interactiveMode: "Never",
    },
  });
  test.each<[string, () => object | Promise<object>, string]>([
    ["a wrong token", () => ({ token: "wrong-token" }), ""],
    ["no credentials at all", () => ({}), ""],
    ["a token that has ended", async () => ({ token: await endedToken() }), ""],
    [
      "a credential plugin that fails",
      () => exec("sh", "-c", "echo please log in again >&2; exit 3"),
      "exec credential plugin sh",
    ],
    ["a credential plugin that is not there", () => exec("/nowhere/login"), "/nowhere/login"],
  ])("%s", async (_name, login, says) => {
    const user = await login();
    const kubeconfig = spoil(({ users }) => {
      Object.assign(users[0].user, { token: undefined, ...user });
    });
    const run = await stopped([], { kubeconfig });
    expect(run.report.exit.code).toBe(4);
    expectOneMessage(run);
    expect(run.stderr).toContain(says);
    const { token = "no token" } = user as { readonly token?: string };
    expect(run.stdout + run.stderr).not.toContain(token.slice(0, 40));
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

test("a kubeconfig that does not exist: 2", async () => {
  const run = await stopped(["--kubeconfig", "/nowhere/config"]);
  expect(run.report.exit).toMatchObject({ code: 2, reason: containing("/nowhere/config") });
  expectOneMessage(run);
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
    const { controlPlane } = suite;
    await lay(suite, { current: {} });
    const [, env] = homes()[0] ?? [];
    const run = await stopped([], env === undefined ? {} : { env });
    expect(run.report.exit.code).toBe(0);
    expect(warningsIn(run.report)).toContain("HOME-NOT-WRITABLE");

    await lay(suite, { old: {} });
    const input = readFileSync(templateFile, "utf8");
    const good = await runSwap(controlPlane, ["--template", "-"], { input });
    expect(good.writes).toEqual([applied, deleted]);
  });
});
