import { spawn, spawnSync, type ChildProcess } from "node:child_process";
import { mkdtempSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

const root = join(__dirname, "../..");
const program = ["--import", "tsx", join(root, "plugin/main.ts")];
const env = { ...process.env, KUBECONFIG: "/nowhere/at/all" };
jest.setTimeout(30_000); // transpiling on a busy machine

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

/** A run whose first request is never answered, interrupted as soon as that request has come. */
async function interrupted(signals: readonly NodeJS.Signals[]): Promise<Ended> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const argv = [...program, "upgrade-webhook", "-o", "json", "--kubeconfig", kubeconfig(port)];
  const child = spawn(process.execPath, argv, { cwd: root, env });
  server.once("request", () => {
    for (const signal of signals) child.kill(signal);
  });
  const end = await ended(child);
  server.closeAllConnections();
  server.close();
  return end;
}

function kubeconfig(port: number): string {
  const file = join(mkdtempSync(join(tmpdir(), "engine-main-")), "config");
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
  ["SIGINT", 130, ["SIGINT"]],
  ["SIGTERM", 143, ["SIGTERM"]],
] as const)("%s ends a waiting run with %d and one document", async (signal, code, signals) => {
  const end = await interrupted(signals);
  expect(end.code).toBe(code);
  expect(JSON.parse(end.out)).toMatchObject({
    kind: "UpgradeWebhook",
    exit: { code, reason: expect.stringContaining(`interrupted by ${signal}`) as string },
  });
});

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

test("closed outputs are no failure either", () => {
  const { status } = spawnSync(
    "bash",
    ["-c", `exec "$0" "$@" >&- 2>&-`, process.execPath, ...program, "version"],
    { cwd: root, env },
  );
  expect(status).toBe(0);
});
