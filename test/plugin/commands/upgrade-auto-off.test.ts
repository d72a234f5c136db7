/** `upgrade` where databases use modules of the user's own and the clusters upgrade themselves (S51, S124). */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { defaultNames as names } from "../../../plugin/domain/names";
import type { KubeObject } from "../../../plugin/domain/objects";
import { at } from "../../../plugin/domain/values";
import { exampleSource } from "../../../plugin/rehearsal/example";
import { type Call, ObservedCluster } from "../../../plugin/rehearsal/observed-cluster";
import type { Report } from "../../../plugin/run/report";
import { testTime } from "../../support/manual-clock";
import { aPlayedWorld, here, type PlayedWorld, product } from "../../support/played-operator";
import { typed } from "../../support/program-world";
import { writeRelease } from "../../support/releases/tree";

let folder = "";
let release = "";
let objects: readonly KubeObject[] = [];
jest.setTimeout(120_000);

beforeAll(async () => {
  const source = await exampleSource(names, testTime);
  // an active-active database needs a later operator (S127)
  const fit = source.objects.filter(({ kind }) => kind !== names.eaadb.kind);
  objects = fit.map(withModules);
  folder = mkdtempSync(join(tmpdir(), "upgrade-auto-off-"));
  release = writeRelease(join(folder, "release"), "7.22.0-7");
});
afterAll(() => {
  rmSync(folder, { recursive: true });
});

const gears = { name: "gears", source: { https: { url: "https://modules.example/gears.zip" } } };

/** The EC upgrades itself and defines a module, which one of its databases uses. */
function withModules(object: KubeObject): KubeObject {
  const spec = object["spec"] as object;
  if (object.kind === names.ec.kind) {
    const upgradeSpec = { autoUpgradeEngineEnterprise: true };
    return { ...object, spec: { ...spec, upgradeSpec, userDefinedModules: [gears] } };
  }
  if (object.kind !== names.edb.kind || object.metadata.name !== "config") return object;
  return { ...object, spec: { ...spec, modulesList: [{ name: "gears" }] } };
}

/** What a person has seen to. */
const skipped = "MODULE-NAME";

async function upgrade(
  world: PlayedWorld,
  args: readonly string[],
): Promise<{ readonly report: Report; readonly writes: readonly string[] }> {
  const writes: string[] = [];
  const cluster = new ObservedCluster(world.cluster, async (call: Call, act) => {
    const value = await act();
    if (call.writes && !call.subject.includes("AccessReview")) {
      writes.push(`${call.verb} ${call.subject}`);
    }
    return value;
  });
  const words = ["upgrade", "-n", "engine", "--release", release, "--no-probe", "-o", "json"];
  const { out } = await typed([...words, ...args], {
    connect: () => Promise.resolve(cluster),
    clock: world.clock,
    env: { ENGINE_HOME: join(folder, "home") },
  });
  return { writes, report: JSON.parse(out) as Report };
}

test("it is switched off before the operator is written, and the cluster is upgraded by its tag", async () => {
  const world = await aPlayedWorld({ objects });
  const { report, writes } = await upgrade(world, ["--yes", "--skip", skipped]);
  expect(report.exit.code).toBe(0);
  const off = writes.findIndex((write) => write.startsWith(`patch ${names.ec.kind}`));
  const operator = writes.findIndex((write) => write.startsWith("apply Deployment"));
  expect(off).toBeGreaterThan(-1);
  expect(off).toBeLessThan(operator);
  await world.settle();
  const ec = await world.cluster.get(here(product.ec, "ec"));
  expect([
    at(ec, ["spec", "upgradeSpec", "autoUpgradeEngineEnterprise"]),
    at(ec, names.ecFields.versionTag),
    at(ec, names.ecFields.state),
  ]).toEqual([false, "7.22.0-28", "Running"]);
  const again = await upgrade(world, ["--yes", "--skip", skipped]);
  expect([again.report.exit.code, again.writes]).toEqual([0, []]);
});
