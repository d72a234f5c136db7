/** Nothing is waited for without an end: requests, streams, pauses and login plugins, on a clock moved by hand. */
import { chmodSync, existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { connect } from "../../../plugin/adapters/kubernetes/connect";
import type { ConnectionFlags, ConnectOptions } from "../../../plugin/adapters/kubernetes/target";
import type { KubeClient } from "../../../plugin/ports/kubernetes";
import {
  type FakeApiServer,
  type Handler,
  type Reply,
  startFakeApiServer,
  status,
  configMaps,
  aConfigMapRef as ref,
  aConfigMap as object,
} from "../../support/api-server";
import { type Folder, kubeconfig, temporaryFolder } from "../../support/api-server-kubeconfigs";
import { HandClock } from "../../support/manual-clock";

const served: Reply = {
  body: { resources: [{ name: "configmaps", kind: "ConfigMap", namespaced: true }] },
};
const silence: Reply = { instead: "hang" };

let server: FakeApiServer;
let handler: Handler;
let clock: HandClock;
let interrupt: AbortController;
let folder: Folder;
const clusters: KubeClient[] = [];

beforeAll(() => {
  folder = temporaryFolder();
});
afterAll(() => {
  folder.remove();
});
beforeEach(async () => {
  handler = ({ method, path }) => (method === "GET" && path === "/api/v1" ? served : silence);
  server = await startFakeApiServer((request) => handler(request));
  clock = new HandClock();
  interrupt = new AbortController();
});
afterEach(async () => {
  for (const cluster of clusters.splice(0)) cluster.close();
  await server.close();
});

async function clusterOf(
  flags: ConnectionFlags = {},
  more: ConnectOptions = {},
): Promise<KubeClient> {
  const options = { clock, signal: interrupt.signal, ...more };
  const cluster = await connect({ server: server.url, ...flags }, {}, options);
  clusters.push(cluster);
  return cluster;
}

/** How it ended, undefined until then. */
function watched(work: Promise<unknown>): { end?: unknown } {
  const seen: { end?: unknown } = {};
  work.then(
    (value) => (seen.end = { value }),
    (error: unknown) => (seen.end = error),
  );
  return seen;
}

/** Goes on when it is so; what is waited for is I/O of this machine. */
async function until(isSo: () => boolean): Promise<void> {
  for (let turn = 0; !isSo() && turn < 1_000_000; turn += 1) await new Promise(setImmediate);
}

const manager = { fieldManager: "m" };
const dryRun = { ...manager, dryRun: true };
const access = { verb: "get", group: "", resource: "secrets" };

type Act = (cluster: KubeClient) => Promise<unknown>;

const reads: readonly (readonly [string, Act])[] = [
  ["a GET", (cluster) => cluster.get(ref)],
  ["a LIST", (cluster) => cluster.list(configMaps)],
  ["a version", (cluster) => cluster.version()],
  ["an access review", (cluster) => cluster.can(access)],
  [
    "a log",
    (cluster) => cluster.logs?.(ref, { container: "c", tailLines: 1 }) ?? Promise.resolve(),
  ],
  ["a dry-run apply", (cluster) => cluster.apply(object, dryRun)],
  ["a dry-run deletion", (cluster) => cluster.delete(ref, {}, { dryRun: true })],
];
const writes: readonly (readonly [string, Act])[] = [
  ["a creation", (cluster) => cluster.create(object, manager)],
  ["an update", (cluster) => cluster.update(object, manager)],
  ["an apply", (cluster) => cluster.apply(object, manager)],
  ["a patch", (cluster) => cluster.patch(ref, {}, { type: "merge", ...manager })],
  ["a deletion", (cluster) => cluster.delete(ref, {})],
];

const limits: readonly (readonly [string, ConnectionFlags, number])[] = [
  ["90 s", {}, 90_000],
  ["--request-timeout", { requestTimeoutMs: 5_000 }, 5_000],
];

describe.each(limits)("without an answer for %s", (_limit, flags, ms) => {
  test.each([...reads, ...writes])("%s ends with 69, asked once", async (title, act) => {
    const seen = watched(act(await clusterOf(flags)));
    const isIt = () => server.requests.filter(({ path }) => path !== "/api/v1").length === 1;
    await until(isIt);
    clock.pass(ms - 1);
    await new Promise(setImmediate);
    expect(seen.end).toBeUndefined();
    clock.pass(1);
    await until(() => seen.end !== undefined);
    const open = writes.some(([write]) => write === title);
    expect(seen.end).toMatchObject({
      exitCode: 69,
      message: expect.stringMatching(
        open
          ? /^cannot tell whether .* was carried out: .* no answer within the request timeout$/
          : /^no answer to .*: no answer within the request timeout$/,
      ) as string,
    });
    expect(isIt()).toBe(true);
  });
});

test("an answer in time calls the deadline off", async () => {
  handler = () => ({ body: object });
  await (await clusterOf()).get(ref);
  expect(clock.waits).toEqual([]);
});

test("a watch without a byte for 90 s ends, as one that the server has closed", async () => {
  const line = `${JSON.stringify({ type: "ADDED", object })}\n`;
  handler = () => ({ body: line, instead: "open" });
  const events: unknown[] = [];
  const cluster = await clusterOf({ requestTimeoutMs: 1_000 });
  const watching = async (): Promise<void> => {
    const { signal } = new AbortController();
    for await (const event of cluster.watch(configMaps, { signal })) events.push(event);
  };
  const seen = watched(watching());
  await until(() => events.length === 1 && clock.waits.includes(90_000));
  clock.pass(89_999);
  await new Promise(setImmediate);
  expect(seen.end).toBeUndefined();
  clock.pass(1);
  await until(() => seen.end !== undefined);
  expect(seen.end).toEqual({ value: undefined });
});

describe("a write that is turned away for now (429)", () => {
  beforeEach(() => {
    let turned = 0;
    handler = () => {
      const busy = { ...status(429, "TooManyRequests"), headers: { "retry-after": "20" } };
      return (turned += 1) === 1 ? busy : { body: object };
    };
  });
  const stop = new Error("stop");

  test("is not sent again after an interrupt", async () => {
    const seen = watched((await clusterOf()).delete(ref, {}));
    await until(() => clock.waits.includes(20_000));
    interrupt.abort(stop);
    await until(() => seen.end !== undefined);
    expect(seen.end).toBe(stop);
    expect(server.requests).toHaveLength(1);
  });

  test("is sent again where it began after the interrupt: it puts something back", async () => {
    interrupt.abort(stop);
    const seen = watched((await clusterOf()).delete(ref, {}));
    await until(() => clock.waits.includes(20_000));
    clock.pass(20_000);
    await until(() => seen.end !== undefined);
    expect(seen.end).toEqual({ value: undefined });
    expect(server.requests).toHaveLength(2);
  });
});

describe("a login plugin that never ends", () => {
  const script = (pid: string): string => `#!${process.execPath}
    process.on("SIGTERM", () => undefined);
    // what it has started itself holds its output open, and does not end when it is asked to
    const inner = \`
      process.on("SIGTERM", () => undefined);
      require("node:fs").writeFileSync(${JSON.stringify(pid)}, process.ppid + " " + process.pid);
      setInterval(() => undefined, 1e6);
    \`;
    require("node:child_process").spawn(process.execPath, ["-e", inner], { stdio: "inherit" });
    setInterval(() => undefined, 1e6);
  `;
  const isGone = (pid: number): boolean => {
    try {
      process.kill(pid, 0);
      return false;
    } catch {
      return true;
    }
  };

  test.each([
    ["a GET", 5, { silent: true }],
    ["a deletion", 20, { silent: true, loginTimeoutMs: 20 * 60_000 }],
  ] as const)(
    "ends %s with 4 after %d min, is ended with what it has started, and is not begun again",
    async (title, minutes, options) => {
      const act = (cluster: KubeClient) =>
        [...reads, ...writes].find(([one]) => one === title)?.[1](cluster) ?? Promise.resolve();
      const pids = join(folder.dir, `pids-${title.replaceAll(" ", "-")}`);
      const command = folder.write(`login-${minutes}`, script(pids));
      chmodSync(command, 0o700);
      const apiVersion = "client.authentication.k8s.io/v1";
      const exec = { apiVersion, command, interactiveMode: "Never" };
      const file = folder.write("config", kubeconfig({ server: server.url }, { exec }));
      const flags = { kubeconfig: file, requestTimeoutMs: 20_000 };
      const cluster = await clusterOf(flags, options);
      const seen = watched(act(cluster));
      await until(() => existsSync(pids) && readFileSync(pids, "utf8").includes(" "));
      const [own = 0, inner = 0] = readFileSync(pids, "utf8").split(" ").map(Number);
      const late = {
        exitCode: 4,
        message: `the exec credential plugin ${command} of user "me" did not end within ${minutes * 60} s`,
        hint: `log in with ${command} by hand, then run the same command again; --timeout gives a login more time`,
      };
      clock.pass(minutes * 60_000 - 1);
      await new Promise(setImmediate);
      expect(seen.end).toBeUndefined();
      clock.pass(1);
      await until(() => seen.end !== undefined);
      expect(seen.end).toMatchObject(late);
      for (const again of [cluster, await clusterOf(flags, options)]) {
        await expect(again.get(ref)).rejects.toMatchObject(late);
      }
      expect(readFileSync(pids, "utf8")).toMatch(new RegExp(`^${own} `));
      expect([own, inner].map(isGone)).toEqual([false, false]);
      clock.pass(1_000);
      await until(() => isGone(own) && isGone(inner));
      expect(server.requests).toEqual([]);
    },
  );
});
