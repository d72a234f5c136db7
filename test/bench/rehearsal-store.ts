/**
 * What one object costs in the embedded cluster when there are 1,000, 10,000 and 100,000 of them:
 * to load, to list, to apply again, and to apply once more to some. Exit code 1 when it grows with
 * their number.
 */
import type { KubeClient, Resource } from "../../plugin/ports/kubernetes";
import { MemoryControlPlane } from "../../plugin/simulator/api-server/control-plane";
import { openParts } from "./rehearsal/parts";
import { databaseNumber, definitions, namespaceNumber } from "./rehearsal/scene";

const sizes = [1_000, 10_000, 100_000];
const namespaces = 1_000;
/** An object among the most may cost so many times what it costs among ten times fewer. */
const growthLimit = 2.5;

const resource: Resource = {
  group: "app.engine.com",
  version: "v1alpha1",
  plural: "engineenterprisedatabases",
  kind: "EngineEnterpriseDatabase",
};
const user = { name: "admin", groups: ["system:masters"] };

/** Microseconds for one object. */
type Costs = Readonly<Record<"load" | "list" | "apply" | "applyAgain", number>>;

function emptyControlPlane(): MemoryControlPlane {
  const controlPlane = new MemoryControlPlane(openParts());
  controlPlane.load([
    ...definitions(),
    ...Array.from({ length: namespaces }, (_, n) => namespaceNumber(n)),
  ]);
  return controlPlane;
}

/** In time of the processor, which a busy machine does not lengthen. */
async function costOf(count: number, work: () => unknown): Promise<number> {
  const from = process.cpuUsage();
  await work();
  const { user: own, system } = process.cpuUsage(from);
  return (own + system) / count;
}

async function measure(count: number): Promise<Costs> {
  const objects = Array.from({ length: count }, (_, n) => databaseNumber(n, namespaces));
  const loaded = emptyControlPlane();
  const load = await costOf(count, () => {
    loaded.load(objects);
  });
  const list = await costOf(count, async () => {
    const found = await loaded.connect({ user, namespace: "default" }).list(resource);
    if (found?.length !== count) throw new Error(`${String(found?.length)} objects of ${count}`);
  });
  const cluster = emptyControlPlane().connect({ user, namespace: "default" });
  const apply = await costOf(count, () => applyAll(cluster, count));
  const applyAgain = await costOf(1_000, () => applyAll(cluster, 1_000));
  return { load, list, apply, applyAgain };
}

async function applyAll(cluster: KubeClient, count: number): Promise<void> {
  for (let n = 0; n < count; n += 1) {
    const { apiVersion, kind, metadata, spec } = databaseNumber(n, namespaces);
    const { name = "", namespace = "" } = metadata;
    const object = { apiVersion, kind, metadata: { name, namespace }, spec };
    await cluster.apply(object, { fieldManager: "bench" });
  }
}

async function main(): Promise<void> {
  await measure(2_000); // the first objects pay for the compiling
  const all: Costs[] = [];
  for (const count of sizes) {
    const costs = await measure(count);
    all.push(costs);
    const shown = Object.entries(costs).map(([name, cost]) => `${name} ${cost.toFixed(1)}`);
    console.log(`${String(count).padStart(7)} objects, µs for each: ${shown.join(", ")}`);
  }
  const [few, many] = all.slice(-2);
  for (const work of ["load", "list", "apply", "applyAgain"] as const) {
    const growth = (many?.[work] ?? NaN) / (few?.[work] ?? NaN);
    if (growth < growthLimit) continue;
    console.log(`${work} costs ${growth.toFixed(1)} times as much (limit ${growthLimit})`);
    process.exitCode = 1;
  }
}

if (require.main === module) {
  main().catch((error: unknown) => {
    console.error(error);
    process.exitCode = 1;
  });
}
