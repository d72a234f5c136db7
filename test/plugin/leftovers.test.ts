/** What a run leaves behind that is killed: its webhook ends with it, its folders go with a later run. */
import { fork, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readdirSync, symlinkSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { sweepLeftovers } from "../../plugin/adapters/files";
import { until } from "../control-plane/until";
import { aWebhookProgram } from "../support/webhook-program";
import { aFolder } from "../support/a-folder";
import { bundled } from "../support/bundled";

const root = join(__dirname, "../..");
const now = Date.now();
const minute = 60_000;

let temporary: string;
const webhook = aWebhookProgram();

beforeEach(() => {
  temporary = aFolder("leftovers");
});

/** The id of a process that has ended. */
const ended = spawnSync(process.execPath, ["--version"]).pid;

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

const old = (path: string, ms = now - 11 * minute): void => {
  utimesSync(path, ms / 1_000, ms / 1_000);
};

test.each<[string, number, () => string, boolean]>([
  ["of a process that has ended", 11, () => `kubectl-engine-${ended}-aB3xyZ`, false],
  ["of one that ended just now", 9, () => `kubectl-engine-${ended}-aB3xyZ`, true],
  ["of one that runs", 11, () => `kubectl-engine-${process.pid}-aB3xyZ`, true],
  ["with a name of someone else's", 11, () => `engine-${ended}-aB3xyZ`, true],
])("a folder %s, %i minutes old", (_name, ...[minutes, name, stays]) => {
  const path = join(temporary, name());
  mkdirSync(join(path, "tls"), { recursive: true });
  old(path, now - minutes * minute);
  sweepLeftovers(now, temporary);
  expect(existsSync(path)).toBe(stays);
});

test("a link is not followed, and a place that cannot be read is no error", () => {
  const target = join(temporary, "target");
  const link = join(temporary, `kubectl-engine-${ended}-aB3xyZ`);
  mkdirSync(target);
  old(target);
  symlinkSync(target, link);
  sweepLeftovers(now + 11 * minute, temporary);
  expect(readdirSync(temporary).sort()).toEqual([`kubectl-engine-${ended}-aB3xyZ`, "target"]);
  expect(() => {
    sweepLeftovers(now, join(temporary, "none"));
  }).not.toThrow();
});

test("a rehearsal that is killed takes its webhook with it, and its keys go with the next run that connects", async () => {
  const env = { PATH: process.env["PATH"], TMPDIR: temporary };
  const child = fork(bundled("test/support/rehearsal-process.ts"), [webhook.file], {
    execArgv: [],
    cwd: root,
    env,
    stdio: ["ignore", "ignore", "inherit", "ipc"],
  });
  const [tlsDir] = (await once(child, "message")) as [string];
  const { pid } = webhook.lastRun();
  expect([isAlive(pid), existsSync(tlsDir)]).toEqual([true, true]);

  child.kill("SIGKILL");
  await once(child, "exit");
  await until("the webhook to end", () => !isAlive(pid) || undefined);
  old(join(tlsDir, ".."));
  spawnSync(process.execPath, [bundled("plugin/main.ts"), "status"], { cwd: root, env });

  expect(existsSync(tlsDir)).toBe(false);
}, 60_000);
