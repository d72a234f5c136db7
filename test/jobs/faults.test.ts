import { ApiError, UnavailableError } from "../../plugin/domain/base/errors";
import { kinds } from "../../plugin/domain/kube/kinds";
import { everyFault, faults, faultyGate } from "./faults";
import { type ObservedCall, observe } from "../../plugin/simulator/observed-cluster";
import type { KubeObject } from "../../plugin/ports/kubernetes";
import { aNamespace } from "../support/builders";
import { ManualClock } from "../support/manual-clock";
import { admin, makeWorld } from "../support/world";

const settings: KubeObject = {
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name: "settings", namespace: "engine" },
};
const engine = { resource: kinds.namespace, name: "engine" };

/** A cluster whose second request meets the fault. */
function meeting(id: string) {
  const fault = faults.find((one) => one.id === id);
  if (fault === undefined) throw new Error(id);
  const controlPlane = makeWorld({ objects: [aNamespace("engine")] }).controlPlane;
  const inner = controlPlane.connect({ user: admin, namespace: "engine", server: "here" });
  const clock = new ManualClock();
  const faulty = faultyGate([{ call: 2, fault }], { server: "here", clock });
  const stored = () =>
    controlPlane.state.get({ group: "", plural: "configmaps" }, "settings", "engine");
  return { cluster: observe(inner, faulty.gate), stored, faulty, clock };
}

test.each<[string, boolean, string | RegExp]>([
  ["refused", false, "cannot reach the API server here: connection refused"],
  ["cut", false, /^cannot tell whether .* carried out: it was sent to here, .* was reset$/],
  ["lost", true, /^cannot tell whether .* it was sent to here, then no answer within/],
  ["conflict", false, /^Operation cannot be fulfilled on ConfigMap engine\/settings: the object/],
  ["throttled", false, "too many requests, please try again later"],
])("%s: the write is carried out: %s", async (id, applied, message) => {
  const { cluster, stored } = meeting(id);
  await cluster.get(engine);
  const write = cluster.apply(settings, { fieldManager: "x" });
  await expect(write).rejects.toThrow(message);
  expect(stored() !== undefined).toBe(applied);
  await expect(cluster.get(engine)).resolves.toBeDefined();
});

test.each<[string, boolean]>([
  ["hang", false],
  ["hang-after", true],
])("%s: the request ends at its deadline, the write is carried out: %s", async (id, applied) => {
  const { cluster, stored, clock } = meeting(id);
  await cluster.get(engine);
  const write = cluster.apply(settings, { fieldManager: "x" });
  await expect(write).rejects.toThrow(/^cannot tell whether .* no answer within/);
  expect(clock.sleeps).toEqual([90_000]);
  expect(stored() !== undefined).toBe(applied);
  await expect(cluster.get(engine)).resolves.toBeDefined();
});

test("silence: no later request of the run is answered, each ends at its deadline", async () => {
  const { cluster, stored, clock } = meeting("silence");
  await cluster.get(engine);
  await expect(cluster.create(settings)).rejects.toThrow(UnavailableError);
  await expect(cluster.get(engine)).rejects.toThrow("no answer to get Namespace engine");
  expect(clock.sleeps).toEqual([90_000, 90_000]);
  expect(stored()).toBeUndefined();
});

test.each<[string, boolean]>([
  ["killed-before", false],
  ["killed-after", true],
])("%s: no later request is sent, the write is carried out: %s", async (id, applied) => {
  const { cluster, stored, faulty } = meeting(id);
  await cluster.get(engine);
  await expect(cluster.create(settings)).rejects.toThrow("killed");
  expect(stored() !== undefined).toBe(applied);
  await expect(cluster.delete(engine, {})).rejects.toThrow("killed");
  expect(faulty.killed()).toBe(true);
  expect(faulty.calls).toHaveLength(2);
});

test("a read without an answer leaves nothing open, and says so", async () => {
  const { cluster } = meeting("cut");
  await cluster.get(engine);
  const read = cluster.get(engine);
  await expect(read).rejects.toThrow(UnavailableError);
  await expect(read).rejects.toThrow("no answer to get Namespace engine from the API server here");
});

test("a fault that cannot meet the request lets it pass", async () => {
  const { cluster } = meeting("conflict");
  await cluster.get(engine);
  await expect(cluster.get(engine)).resolves.toBeDefined();
});

test("the answers are those of an API server: status, reason, and when to come back", () => {
  const call = { verb: "apply", subject: "x", writes: true, dryRun: false } as const;
  const error = (id: string) => faults.find((one) => one.id === id)?.error(call, "here");
  expect(error("conflict")).toMatchObject({ status: 409, reason: "Conflict", causes: [] });
  expect(error("throttled")).toMatchObject({ status: 429, reason: "TooManyRequests" });
  expect(error("throttled")).toBeInstanceOf(ApiError);
});

const call = (verb: ObservedCall["verb"], writes: boolean, dryRun = false): ObservedCall => ({
  verb,
  subject: "Secret engine/admission-tls",
  writes,
  dryRun,
});
const calls = [call("get", false), call("create", false, true), call("apply", true)];

test("every request with every fault that can meet it", () => {
  const planned = everyFault(calls).flat();
  expect(planned.map(({ call: number, fault }) => `${String(number)}:${fault.id}`)).toEqual([
    ...["1:refused", "1:cut", "1:hang", "1:silence", "1:throttled", "1:killed-before"],
    ...["2:refused", "2:cut", "2:hang", "2:silence", "2:throttled", "2:killed-before"],
    ...faults.map(({ id }) => `3:${id}`),
  ]);
});
