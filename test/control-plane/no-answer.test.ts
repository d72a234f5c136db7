/**
 * An API server that takes a request and never answers: the run ends, says truly what became of its
 * write, and the next run reaches the goal.
 */
import { chmodSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type PluginRun, runner } from "./plugin-run";
import { openSuite, type Suite } from "./suite";
import { lay, readBack, runSwap, templateFile } from "./swap-states";
import { newConfigurationName, oldConfigurationName } from "./webhook-configurations";
import { startWriteGate, type WriteGate } from "./write-gate";

let suite: Suite;
let gate: WriteGate;
beforeAll(async () => {
  suite = await openSuite();
  gate = await startWriteGate(suite.controlPlane);
});
afterAll(async () => {
  await gate.close();
  await suite.close();
});
beforeEach(async () => {
  await lay(suite, { old: {} });
});

/** Requests that the gate has swallowed since the last call. */
let swallowed: string[] = [];

/** From the first request of that form on, nothing of its kind is answered. */
function swallow(form: RegExp, when: "before" | "after"): void {
  swallowed = [];
  gate.watchAll((line, moment) => {
    if (moment !== when || !form.test(line)) return Promise.resolve("pass");
    swallowed.push(line);
    return Promise.resolve("hang");
  });
}

/** By default long enough for every request that a busy API server does answer. */
const swap = (kubeconfig: string, limit = "4s", ...flags: readonly string[]): Promise<PluginRun> =>
  runSwap(
    suite.controlPlane,
    ["--template", templateFile, `--request-timeout=${limit}`, ...flags],
    {
      kubeconfig,
      timeoutMs: 60_000,
    },
  );

async function expectGoal(): Promise<void> {
  gate.watch(() => Promise.resolve("pass"));
  expect((await swap(gate.kubeconfig, "30s")).code).toBe(0);
  const { old, current } = await readBack(suite.controlPlane);
  expect([old, current?.metadata.name]).toEqual([undefined, newConfigurationName]);
}

const configurations = "/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations";

test.each<[string, RegExp]>([
  ["a GET", /^GET \/api\/v1\/namespaces\/[^/]+\/secrets\//],
  ["a LIST", new RegExp(`^GET ${configurations}$`)],
  ["an access review", /^POST \S+selfsubjectaccessreviews$/],
  ["a dry-run apply", new RegExp(`^PATCH ${configurations}/\\S+ dry run$`)],
])("%s without an answer ends the run with 69, nothing is written", async (_title, form) => {
  swallow(form, "before");
  const run = await swap(gate.kubeconfig);
  expect(swallowed).not.toEqual([]);
  expect([run.code, run.writes]).toEqual([69, []]);
  expect(run.report.exit.next).toBeTruthy();
  await expectGoal();
});

const writes: readonly [string, RegExp][] = [
  ["the apply", new RegExp(`^PATCH ${configurations}/${newConfigurationName}$`)],
  ["the deletion", new RegExp(`^DELETE ${configurations}/${oldConfigurationName}$`)],
];

test.each(writes)("%s that is never carried out is told as such: 69", async (_title, form) => {
  swallow(form, "before");
  const run = await swap(gate.kubeconfig);
  expect(swallowed).not.toEqual([]);
  expect(run.code).toBe(69);
  expect(run.report.exit.reason).toContain("did not take effect");
  expect((await readBack(suite.controlPlane)).old).toBeDefined();
  await expectGoal();
});

test.each(writes)("%s whose answer never comes is read back, and counts", async (_title, form) => {
  swallow(form, "after");
  const run = await swap(gate.kubeconfig);
  expect(swallowed).toHaveLength(1);
  expect(run.code).toBe(0);
  expect((await readBack(suite.controlPlane)).old).toBeUndefined();
  await expectGoal();
});

test("a login plugin that never ends is ended: 4, and no request is sent", async () => {
  const { controlPlane } = suite;
  const plugin = join(controlPlane.site.dataDir, "login-plugin");
  writeFileSync(plugin, `#!${process.execPath}\nsetInterval(() => undefined, 1_000);\n`);
  chmodSync(plugin, 0o755);
  const config = JSON.parse(readFileSync(controlPlane.kubeconfigFor(runner.name), "utf8")) as {
    users: { user: unknown }[];
  };
  const exec = {
    apiVersion: "client.authentication.k8s.io/v1",
    command: plugin,
    interactiveMode: "Never",
  };
  config.users = config.users.map((user) => ({ ...user, user: { exec } }));
  const kubeconfig = join(controlPlane.site.dataDir, "login.kubeconfig");
  writeFileSync(kubeconfig, JSON.stringify(config), { mode: 0o600 });
  const run = await swap(kubeconfig, "4s", "--timeout=4s");
  expect([run.code, run.writes]).toEqual([4, []]);
  expect(run.report.exit.reason).toContain("did not end within 4 s");
  await expectGoal();
});
