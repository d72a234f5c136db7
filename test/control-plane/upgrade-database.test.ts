/** `kubectl engine upgrade-database` on a real API server, with the operator at play. */
import { connect } from "../../plugin/adapters/kubernetes/connect";
import { defaultNames as names } from "../../plugin/domain/names/names";
import { getPath } from "../../plugin/domain/base/values";
import { systemClock } from "../../plugin/adapters/clock";
import { type Misbehavior, productKinds } from "../../plugin/simulator/operator/snapshot";
import type { KubeClient } from "../../plugin/ports/kubernetes";
import { aCaFile, anApiSecret } from "../support/cluster-api-client";
import { aClusterApi } from "../support/played-cluster-api";
import { type ControlPlane, startControlPlane } from "./control-plane";
import {
  setOperator,
  shortTimes,
  untilPodsReady,
  whilePlaying as playWhile,
} from "./played-operator";
import { type PluginRun, runner, runPlugin } from "./plugin-run";
import { seedScene } from "./scene";

const namespace = "engine";
const { edb } = productKinds(names);
const times = { ...shortTimes, staleRunningMs: 10, databaseMs: 100 };

let controlPlane: ControlPlane;
let cluster: KubeClient;

beforeAll(async () => {
  controlPlane = await startControlPlane({ users: [runner] });
  await seedScene(controlPlane.api, {
    databases: [
      { name: "orders", version: "7.4", modules: ["search"] },
      { name: "sessions", version: "7.2" },
      { name: "totals", version: "7.2" },
    ],
  });
  cluster = await connect({ kubeconfig: controlPlane.kubeconfig, namespace }, {});
  await setOperator(cluster, namespace, "8.0.20-23");
  await whilePlaying({}, () => untilPodsReady(cluster, namespace));
});

afterAll(async () => {
  cluster.close();
  await controlPlane.stop();
});

/** The operator plays as long as something is done. */
function whilePlaying<T>(misbehave: Misbehavior, act: () => Promise<T>): Promise<T> {
  return playWhile({ cluster, namespace, times, misbehave }, act);
}

/** The databases here are neither replicated nor persistent: who loses their data has to say so. */
function upgrade(...args: readonly string[]): Promise<PluginRun> {
  return typeLine(...args, "--may-discard-data");
}

function typeLine(...args: readonly string[]): Promise<PluginRun> {
  return runPlugin(controlPlane, ["upgrade-database", ...args], { namespace });
}

const codesOf = ({ report }: PluginRun): readonly string[] =>
  (report.findings ?? []).map(({ code }) => code);

const runs = async (name: string): Promise<unknown> =>
  getPath(await cluster.get({ resource: edb, name, namespace }), ["status", "version"]);

test("dry runs write nothing: the plan is told with the command that does the same", async () => {
  for (const mode of ["client", "server"]) {
    const run = await upgrade("orders", "--engine-version", "8.0", `--dry-run=${mode}`);
    expect([run.code, run.writes]).toEqual([0, []]);
    expect(run.report.steps).toMatchObject([{ id: "database.patch", result: "planned" }]);
  }
});

test("data that nothing keeps: 3 without a word for it, nothing is written; its name accepts it", async () => {
  const line = ["sessions", "--engine-version", "8.0"];
  const run = await typeLine(...line);
  expect([run.code, codesOf(run)[0], run.writes]).toEqual([3, "DATABASE-VOLATILE", []]);
  const object = "EngineEnterpriseDatabase/engine/sessions";
  for (const code of ["DATABASE-DATA-AT-RISK", "DATABASE-VOLATILE"]) {
    const named = await typeLine(...line, "--skip", `${code}=${object}`, "--dry-run=server");
    expect([named.code, named.writes]).toEqual([0, []]);
  }
});

test("what the rules of the webhook refuse is not sent: 3", async () => {
  const run = await upgrade("orders", "--engine-version", "9.9");
  expect([run.code, codesOf(run)[0], run.writes]).toEqual([3, "DATABASE-EDIT-REFUSED", []]);
});

test("one that does not come: 6 with its name; the others are done", async () => {
  const run = await whilePlaying({ stuckDatabase: "totals" }, () =>
    upgrade("--all", "--engine-version", "8.0", "--canary", "orders", "--stall-after", "6s"),
  );
  expect(run.code).toBe(6);
  expect(run.writes.toSorted()).toEqual(["patch orders", "patch sessions", "patch totals"]);
  expect(run.writes[0]).toBe("patch orders");
  expect(run.report.exit.reason).toContain("failed: EngineEnterpriseDatabase/engine/totals");
  expect(codesOf(run)).toContain("DATABASE-STUCK");
  expect([await runs("orders"), await runs("sessions")]).toEqual(["8.0.0", "8.0.0"]);
});

test("run again when it is fixed: it continues to the end without a write", async () => {
  const run = await whilePlaying({}, () => upgrade("--all", "--engine-version", "8.0"));
  expect([run.code, run.writes]).toEqual([0, []]);
  // the operator may have been faster than the run
  expect(run.report.exit.reason).toMatch(/^3 databases: (3 unchanged|2 unchanged, 1 done)$/);
  expect(await runs("totals")).toBe("8.0.0");
});

test("two people at once: one write each, and the loser is told", async () => {
  const both = await whilePlaying({}, () =>
    Promise.all([
      upgrade("sessions", "--engine-version", "8.2"),
      upgrade("sessions", "--engine-version", "8.2"),
    ]),
  );
  const codes = both.map(({ code }) => code);
  expect(codes).toContain(0);
  // who comes after the write finds it done, who comes between reading and writing is told
  for (const code of codes) expect([0, 5]).toContain(code);
  expect(await runs("sessions")).toBe("8.2.0");
});

test("by the REST API: one call, and the resource is brought in line", async () => {
  const api = await aClusterApi({
    profile: "8.2",
    bdbs: [{ uid: 1, name: "orders", version: "8.0.0" }],
    clock: systemClock,
    times: { queuedMs: 10, batchMs: 50, failoverMs: 10, finishMs: 10, installMs: 10 },
  });
  try {
    await cluster.create(anApiSecret(api.admin.name, api.admin.password));
    const way = ["--via", "api", "--api-url", api.url, "--api-ca", aCaFile(api.caPem)];
    const run = await whilePlaying({}, () =>
      upgrade("orders", "--engine-version", "8.2", "--parallel-shards", "1", ...way),
    );
    expect([run.code, run.writes]).toEqual([0, ["patch orders"]]);
    expect(api.calls.filter(({ method }) => method === "POST").map(({ path }) => path)).toEqual([
      "/v1/bdbs/1/upgrade",
    ]);
    expect(run.stdout + run.stderr).not.toContain(api.admin.password);
    expect([api.store.bdbs.get(1)?.version, await runs("orders")]).toEqual(["8.2.0", "8.2.0"]);
  } finally {
    await api.close();
  }
});
