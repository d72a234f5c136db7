import { spawn, spawnSync, type ChildProcess } from "node:child_process";
import { writeFileSync } from "node:fs";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { aFolder } from "../support/a-folder";
import { bundled } from "../support/bundled";

const root = join(__dirname, "../..");
const program = [bundled("plugin/main.ts")];
const env = { ...process.env, KUBECONFIG: "/nowhere/at/all" };

interface Ended {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

async function ended(child: ChildProcess): Promise<Ended> {
  let [out, err] = ["", ""];
  child.stdout?.on("data", (chunk: Buffer) => (out += chunk.toString()));
  child.stderr?.on("data", (chunk: Buffer) => (err += chunk.toString()));
  const code = await new Promise<number | null>((resolve) => child.once("close", resolve));
  return { code, out, err };
}

/** What is said of the first signal: the second one may follow. */
const heard = "a second signal ends at once";

/**
 * `cert create` against a server that allows everything and has nothing, and that never answers a
 * request that is `met`: that is when the signals come, one after the other was heard.
 */
async function interrupted(
  signals: readonly NodeJS.Signals[],
  met: (request: IncomingMessage) => boolean,
): Promise<Ended> {
  const home = aFolder("engine-main");
  const left = [...signals];
  const server = createServer((request, response) => {
    if (met(request)) {
      const signal = left.shift();
      if (signal !== undefined) child.kill(signal);
    } else {
      const { method, url } = request;
      const allowed = { status: { allowed: true } };
      const kinds = { resources: [{ name: "secrets", kind: "Secret", namespaced: true }] };
      const found = method === "POST" ? allowed : url === "/api/v1" ? kinds : undefined;
      response.writeHead(found ? 200 : 404, { "content-type": "application/json" });
      response.end(JSON.stringify(found ?? { kind: "Status" }));
    }
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const words = ["cert", "create", "-o", "json", "--kubeconfig", kubeconfig(port)];
  const options = { cwd: root, env: { ...env, ENGINE_HOME: home } };
  const child = spawn(process.execPath, [...program, ...words], options);
  child.stderr.on("data", (chunk: Buffer) => {
    if (chunk.toString().includes(heard) && left.length > 0) child.kill(left.shift());
  });
  const end = await ended(child);
  server.closeAllConnections();
  server.close();
  return end;
}

function kubeconfig(port: number): string {
  const file = join(aFolder("engine-main"), "config");
  const cluster = { name: "c", cluster: { server: `http://127.0.0.1:${String(port)}` } };
  const context = { name: "x", context: { cluster: "c", user: "u", namespace: "engine" } };
  const user = { name: "u", user: {} };
  const config = {
    apiVersion: "v1",
    kind: "Config",
    clusters: [cluster],
    contexts: [context],
    users: [user],
    "current-context": "x",
  };
  writeFileSync(file, JSON.stringify(config));
  return file;
}

test.each([
  ["SIGHUP", 129],
  ["SIGINT", 130],
  ["SIGTERM", 143],
] as const)("%s ends a waiting run with %d and one document", async (signal, code) => {
  const end = await interrupted([signal], () => true);
  expect(end.code).toBe(code);
  expect(JSON.parse(end.out)).toMatchObject({
    kind: "CertCreate",
    exit: { code, reason: expect.stringContaining(`interrupted by ${signal}`) as string },
  });
});

const isWrite = ({ method, url = "" }: IncomingMessage): boolean =>
  method === "POST" && url.includes("/secrets");

test.each<[NodeJS.Signals, NodeJS.Signals, number]>([
  ["SIGHUP", "SIGHUP", 129],
  ["SIGINT", "SIGINT", 130],
  ["SIGINT", "SIGTERM", 130],
  ["SIGTERM", "SIGTERM", 143],
])(
  "%s, then %s while a write gets no answer: %d at once, one document, the write is named",
  async (first, second, code) => {
    const end = await interrupted([first, second], isWrite);
    expect(end.code).toBe(code);
    const told = `second signal (${second}): outcome open: apply Secret/engine/admission-tls`;
    expect(JSON.parse(end.out)).toMatchObject({
      exit: { code, reason: expect.stringContaining(told) as string },
    });
    expect(end.err).toContain(told);
  },
);

test("a closed stdin is wrong usage, named in one line", () => {
  const { status, stderr } = spawnSync(
    "bash",
    ["-c", `exec "$0" "$@" <&-`, process.execPath, ...program, "upgrade-webhook", "--template=-"],
    { cwd: root, env, encoding: "utf8" },
  );
  expect(stderr).toContain("error: stdin: is empty or closed\n");
  expect(status).toBe(2);
});

test("a reader that goes away is no failure", () => {
  const { stdout, stderr } = spawnSync(
    "bash",
    ["-c", `"$0" "$@" | true; echo "\${PIPESTATUS[0]}"`, process.execPath, ...program, "options"],
    { cwd: root, env, encoding: "utf8" },
  );
  expect({ stdout, stderr }).toEqual({ stdout: "0\n", stderr: "" });
});

test("an output that cannot be written is a failure, said in one line", () => {
  const { status, stderr } = spawnSync(
    "bash",
    ["-c", `exec "$0" "$@" >/dev/full`, process.execPath, ...program, "options"],
    { cwd: root, env, encoding: "utf8" },
  );
  expect(stderr).toBe(
    "error: cannot write the output: ENOSPC: no space left on device, write\n  next: free disk space for stdout, or redirect it elsewhere, then run the same command again\n",
  );
  expect(status).toBe(1);
});

test("closed outputs are no failure either", () => {
  const { status } = spawnSync(
    "bash",
    ["-c", `exec "$0" "$@" >&- 2>&-`, process.execPath, ...program, "version"],
    { cwd: root, env },
  );
  expect(status).toBe(0);
});
