/**
 * `kubectl engine upgrade` cut off at every write, on a real API server: the next run continues, nothing
 * that was done is written again, and the end is that of a run that was left alone.
 */
import { defaultNames as names } from "../../plugin/domain/names/names";
import { rbacKinds } from "../../plugin/domain/kube/kinds";
import { makePair } from "./certificate";
import { containing, documentOf, matching, startPlugin } from "./plugin-run";
import type { Running, RunResult } from "./run";
import {
  managed,
  namespace,
  openUpgradeScene,
  operatorAtRest,
  type UpgradeScene,
} from "./upgrade-scene";
import { stateOf, writesSince } from "./upgrade-state";
import { startWriteGate, type WriteGate } from "./write-gate";

const to = "8.0.2-2";
const pair = makePair({ namespace });
jest.setTimeout(1_200_000);

function start(scene: UpgradeScene, kubeconfig: string): Running {
  const args = ["upgrade", "--release", scene.release(to), "--yes", "-o", "json"];
  return startPlugin(scene.controlPlane, args, kubeconfig);
}

/** Ways to be cut off, at a run's first write. */
const cuts = ["killed before it", "killed after it", "interrupted while it is on its way"] as const;
type Cut = (typeof cuts)[number];

/** Runs until the first write and cuts it off there. */
async function cutOff(scene: UpgradeScene, gate: WriteGate, cut: Cut): Promise<RunResult> {
  const started: { running?: Running } = {};
  let done = false;
  const moment = cut === "killed after it" ? "after" : "before";
  gate.watch((_, now) => {
    if (done || now !== moment) return Promise.resolve(done && cut !== cuts[2] ? "cut" : "pass");
    done = true;
    const interrupts = cut === "interrupted while it is on its way";
    started.running?.process.kill(interrupts ? "SIGINT" : "SIGKILL");
    return Promise.resolve(interrupts ? "pass" : "cut");
  });
  const running = start(scene, gate.kubeconfig);
  started.running = running;
  return await running.ended;
}

test("at every write in turn: the same end, and each write once", async () => {
  const alone = await openUpgradeScene({ pair });
  let wanted: unknown;
  let writes: readonly string[] = [];
  try {
    const mark = await alone.controlPlane.auditMark();
    const run = await alone.whilePlaying(() => alone.upgrade(to));
    expect(run.code).toBe(0);
    wanted = await stateOf(alone);
    writes = await writesSince(alone, mark);
  } finally {
    await alone.close();
  }
  const scene = await openUpgradeScene({ pair });
  const gate = await startWriteGate(scene.controlPlane);
  try {
    const mark = await scene.controlPlane.auditMark();
    const told: string[] = [];
    await scene.whilePlaying(async () => {
      for (let turn = 0; turn < 60; turn += 1) {
        const cut = cuts[turn % cuts.length] ?? cuts[0];
        const { code, stdout, stderr } = await cutOff(scene, gate, cut);
        told.push(`${cut}: ${String(code)}`);
        if (code === 0) break;
        if (code !== 137) {
          const { exit } = documentOf({ code, stdout, stderr }, ["upgrade"]);
          expect(exit).toMatchObject({ code: 130, next: matching(/run the same command again/) });
        }
      }
    });
    expect(told.at(-1)).toMatch(/: 0$/);
    expect(await stateOf(scene)).toEqual(wanted);
    // the managed namespaces go side by side
    expect([...(await writesSince(scene, mark))].sort()).toEqual([...writes].sort());
  } finally {
    await gate.close();
    await scene.close();
  }
});

describe("what a person changes in between", () => {
  let scene: UpgradeScene;
  let gate: WriteGate;
  beforeAll(async () => {
    scene = await openUpgradeScene({ pair });
    gate = await startWriteGate(scene.controlPlane);
  });
  afterAll(async () => {
    await gate.close();
    await scene.close();
  });

  const deployment = names.operator.deployment;
  async function setEnv(value: string): Promise<void> {
    const words = ["set", "env", `deployment/${deployment}`, `OPERATOR_NAME=${value}`];
    const { code, stderr } = await scene.controlPlane.kubectl([...words, "-n", namespace]);
    if (code !== 0) throw new Error(stderr);
  }

  test("after a run was killed is named by the next one, which writes nothing until it is undone", async () => {
    let patches = 0;
    await scene.whilePlaying(async () => {
      const started: { running?: Running } = {};
      gate.watch((line, moment) => {
        if (moment === "after" && line.endsWith(`deployments/${deployment}`)) patches += 1;
        if (patches < 2) return Promise.resolve("pass");
        started.running?.process.kill("SIGKILL");
        return Promise.resolve("cut");
      });
      const running = start(scene, gate.kubeconfig);
      started.running = running;
      expect((await running.ended).code).toBe(137);
      await setEnv("mine");
      const run = await scene.upgrade(to);
      expect([run.code, run.writes]).toEqual([5, []]);
      const found = run.report.findings?.filter(({ severity }) => severity === "error");
      expect(found).toContainEqual(
        expect.objectContaining({
          object: `Deployment/${namespace}/${deployment}`,
          field: containing("OPERATOR_NAME"),
          cause: matching(/kubectl-set.*mine|mine.*kubectl-set/),
        }),
      );
      await setEnv(deployment);
      await operatorAtRest(scene.cluster);
    });
  });

  test("while it runs ends it before anything beyond its plan, and the next run ends it all", async () => {
    const { consumerBinding: name } = names.rbac;
    const binding = { resource: rbacKinds.roleBinding, name, namespace: "team-b" };
    const own = [{ kind: "ServiceAccount", name: deployment, namespace }];
    let changed = false;
    gate.watch(async (line, moment) => {
      if (changed || moment !== "before" || !line.includes("validatingwebhook")) return "pass";
      changed = true;
      const options = { type: "merge", fieldManager: "kubectl-edit" } as const;
      await scene.cluster.patch(binding, { subjects: own }, options);
      return "pass";
    });
    await scene.whilePlaying(async () => {
      const run = await scene.upgrade(to, ["--yes"], { kubeconfig: gate.kubeconfig });
      expect([changed, run.code]).toEqual([true, 5]);
      expect(run.report.findings).toContainEqual(
        expect.objectContaining({ code: "PLAN-EXCEEDED", object: `RoleBinding/team-b/${name}` }),
      );
      expect(run.writes.filter((write) => write.endsWith(name))).toEqual([]);
      const next = await scene.upgrade(to);
      expect(next.code).toBe(0);
      expect([...next.writes].sort()).toEqual(
        [`patch ${name}`, ...managed.map(() => "patch edb-role")].sort(),
      );
    });
    expect((await scene.cluster.get(binding))?.["subjects"]).toHaveLength(2);
  });
});
