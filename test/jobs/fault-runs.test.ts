import { EngineError } from "../../plugin/domain/base/errors";
import { kinds } from "../../plugin/domain/kube/kinds";
import { configurationResource } from "../../plugin/domain/admission/configuration";
import { playAlong } from "../../plugin/simulator/operator/controller";
import { defaultNames } from "../../plugin/domain/names/names";
import { everyFault, faults, type Injection } from "./faults";
import { type End, type FaultWorld, metBy, playScenario, runWithoutFaults } from "./fault-runs";
import type { KubeClient, KubeObject } from "../../plugin/ports/kubernetes";
import { aNamespace, aNewConfiguration, anOldConfiguration } from "../support/builders";
import { testTime } from "../support/manual-clock";
import { admin, makeWorld } from "../support/world";

const old = { resource: configurationResource, name: "edb-admission" };
const manager = { fieldManager: "kubectl-engine" };
const done: End = { code: 0, reason: "done" };

function at(call: number, id: string): Injection {
  const fault = faults.find((one) => one.id === id);
  if (fault === undefined) throw new Error(id);
  return { call, fault };
}

type Command = (cluster: KubeClient) => Promise<End>;

/** Ends as commands end: an expected error has its exit code. */
async function ended(cluster: KubeClient, command: Command): Promise<End> {
  try {
    return await command(cluster);
  } catch (error) {
    if (!(error instanceof EngineError)) throw error;
    return { code: error.exitCode, reason: error.message };
  }
}

const settings = (value: string): KubeObject => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name: "settings", namespace: "engine" },
  data: { value },
});

function worldOf(command: Command): FaultWorld {
  return {
    start: makeWorld({ objects: [aNamespace("engine"), anOldConfiguration()] }).controlPlane,
    now: testTime,
    connect: (controlPlane) => controlPlane.connect({ user: admin, namespace: "engine" }),
    command: (cluster) => ended(cluster, command),
    playAlong: (controlPlane, clock) =>
      playAlong({ controlPlane, clock, names: defaultNames, namespace: "engine" }),
    // as long as one of the two is there, something judges
    judgeMoment: ({ state }) => {
      const count = state.list(configurationResource).length;
      return Promise.resolve(count === 0 ? "no webhook is in force" : undefined);
    },
    signal: new AbortController().signal,
  };
}

/** Every scenario that `all` stands for, and what was wrong in each that went wrong. */
async function playAll(command: Command) {
  const world = worldOf(command);
  const wanted = await runWithoutFaults(world);
  const scenarios = everyFault(wanted.calls);
  const outcomes = await Promise.all(
    scenarios.map((scenario) => playScenario(world, wanted, scenario)),
  );
  const named = outcomes.map((outcome) => ({
    ...outcome,
    met: metBy(outcome),
  }));
  return { wanted, outcomes: named, wrong: named.filter((outcome) => outcome.wrong !== undefined) };
}

/** Make before break, and nothing that cannot be done twice. */
const careful: Command = async (cluster) => {
  await cluster.apply(aNewConfiguration(), manager);
  if ((await cluster.get(old)) !== undefined) await cluster.delete(old, {});
  return done;
};

test("a command that can be repeated comes out of every fault, with a webhook at each moment", async () => {
  const { wanted, outcomes, wrong } = await playAll(careful);
  expect(wanted.end).toEqual(done);
  expect(wanted.calls.map(({ verb }) => verb)).toEqual(["apply", "get", "delete"]);
  expect(wrong).toEqual([]);
  expect(outcomes).toHaveLength(10 + 6 + 10);
  expect(outcomes.filter(({ ends }) => ends[0] === "killed")).toHaveLength(5);
  expect(outcomes.every(({ ends }) => ends.length <= 2)).toBe(true);
  expect(outcomes.every(({ moments }) => moments === 2)).toBe(true);
});

test("a moment without a webhook is seen, in the run without faults already", async () => {
  const { wanted, wrong, outcomes } = await playAll(async (cluster) => {
    if ((await cluster.get(old)) !== undefined) await cluster.delete(old, {});
    await cluster.apply(aNewConfiguration(), manager);
    return done;
  });
  expect(wanted).toMatchObject({
    brokenMoment: true,
    wrong: "after change 1 of a webhook configuration: no webhook is in force",
  });
  expect(wrong).toHaveLength(outcomes.length);
});

test("a command that stumbles over its own first half is named with call and fault", async () => {
  const { wrong } = await playAll(async (cluster) => {
    await cluster.create(settings("a"));
    await cluster.get(old);
    return done;
  });
  expect(wrong.map(({ met }) => met)).toEqual([
    "call 1 (create ConfigMap engine/settings) carried out, its answer lost",
    "call 1 (create ConfigMap engine/settings) carried out, never answered",
    "call 1 (create ConfigMap engine/settings) the process killed after it was carried out",
    "call 2 (get ValidatingWebhookConfiguration edb-admission) refused before it was sent",
    "call 2 (get ValidatingWebhookConfiguration edb-admission) sent, the connection cut before it was carried out",
    "call 2 (get ValidatingWebhookConfiguration edb-admission) sent, never answered and not carried out",
    "call 2 (get ValidatingWebhookConfiguration edb-admission) never answered, and no later request either",
    "call 2 (get ValidatingWebhookConfiguration edb-admission) turned away for too many requests (429)",
    "call 2 (get ValidatingWebhookConfiguration edb-admission) the process killed before it was sent",
  ]);
  expect(wrong[0]?.wrong).toContain('configmaps "settings" already exists');
});

test("a success that is none is a lie, whatever a later run makes of it", async () => {
  const { wrong } = await playAll(async (cluster) => {
    await cluster.apply(settings("a"), manager).catch(() => undefined);
    return done;
  });
  expect(wrong.map(({ scenario }) => scenario[0]?.fault.id)).toEqual([
    "refused",
    "cut",
    "hang",
    "silence",
    "conflict",
    "throttled",
  ]);
  expect(wrong[0]?.wrong).toBe(
    "a run ended with 0, and the cluster was otherwise than wanted: ConfigMap/engine/settings",
  );
});

test("an end that the command did not expect is wrong, and names itself", async () => {
  const { wrong } = await playAll(async (cluster) => {
    const found = await cluster.get(old).catch(() => undefined);
    if (found === undefined) throw new TypeError("no such thing");
    return done;
  });
  expect(wrong.map(({ wrong: why }) => why)).toEqual(
    Array.from({ length: 5 }, () => "unexpected failure: no such thing"),
  );
});

test("a refusal that changed nothing is an end; one that has changed something is none", async () => {
  const refuses = (early: boolean): Command => {
    let runs = 0;
    return async (cluster) => {
      const met = await cluster.get(old).then(
        () => false,
        () => true,
      );
      runs += met ? 1 : 0;
      if (runs > 0 && early) return { code: 5, reason: "conflict" };
      await cluster.apply(settings("a"), manager);
      if (runs > 0) return { code: 5, reason: "conflict" };
      await cluster.apply(settings("b"), manager);
      return done;
    };
  };
  const first = (command: Command) => async () => {
    const world = worldOf(command);
    const wanted = await runWithoutFaults(world);
    return await playScenario(world, wanted, [at(1, "refused")]);
  };
  expect(await first(refuses(true))()).not.toHaveProperty("wrong");
  expect(await first(refuses(false))()).toMatchObject({
    ends: Array.from({ length: 4 }, () => ({ code: 5, reason: "conflict" })),
    wrong:
      "after 3 re-runs it still ended otherwise (exit 5, conflict); otherwise than wanted: ConfigMap/engine/settings",
  });
});

test("what waits behind the request that a process is killed at is not sent", async () => {
  const heard: string[] = [];
  const world = worldOf(async (cluster) => {
    const killed = cluster.apply(settings("a"), manager);
    const behind = cluster.list(kinds.namespace).then(
      () => heard.push("an answer"),
      (error: unknown) => heard.push(String(error)),
    );
    await Promise.allSettled([killed, behind]);
    return done;
  });
  const wanted = await runWithoutFaults(world);
  const { ends } = await playScenario(world, wanted, [at(1, "killed-after")]);
  expect(ends[0]).toBe("killed");
  // without failures, with one, and again without
  expect(heard).toEqual(["an answer", "KilledError: killed", "an answer"]);
});

test("an interrupt ends it all", async () => {
  const interrupt = new AbortController();
  const world = { ...worldOf(careful), signal: interrupt.signal };
  const wanted = await runWithoutFaults(world);
  interrupt.abort(new Error("interrupted"));
  await expect(playScenario(world, wanted, [])).rejects.toThrow("interrupted");
});

test("requests are counted through all runs: a second failure may meet the repetition", async () => {
  const world = worldOf(careful);
  const wanted = await runWithoutFaults(world);
  const outcome = await playScenario(world, wanted, [at(1, "refused"), at(2, "lost")]);
  expect(metBy(outcome)).toBe(
    "call 1 (apply ValidatingWebhookConfiguration engine-enterprise-admission) refused before it was sent, " +
      "and call 2 (apply ValidatingWebhookConfiguration engine-enterprise-admission) carried out, its answer lost",
  );
  expect(outcome.ends.map((end) => (end === "killed" ? end : end.code))).toEqual([69, 69, 0]);
  expect(outcome).not.toHaveProperty("wrong");
});
