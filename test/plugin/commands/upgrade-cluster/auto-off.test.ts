/** The automatic upgrade is switched off where databases use user-defined modules, on a cluster in memory. */
import { choosePatience } from "../../../../plugin/kernel/wait";
import { defaultNames as names } from "../../../../plugin/domain/names/names";
import { getPath } from "../../../../plugin/domain/base/values";
import { type AutoOffFlags, autoOffPart } from "../../../../plugin/commands/upgrade-cluster/part";
import type { AskingPorts } from "../../../../plugin/kernel/world";
import { runPart } from "../../../../plugin/kernel/run-part";
import type { PartRunOptions } from "../../../../plugin/kernel/simple-part";
import type { KubeObject } from "../../../../plugin/ports/kubernetes";
import type { Report } from "../../../../plugin/kernel/report";
import { aPlayedWorld, here, product, type PlayedWorld } from "../../../support/played-operator";
import { aWitness, portsOf } from "../world";
import { ecLabel, ecRef, namespace, stepsOf } from "./scene";

const auto = ["spec", "upgradeSpec", "autoUpgradeEngineEnterprise"];

interface World extends PlayedWorld {
  readonly saved: readonly KubeObject[];
  switchOff(
    options?: Partial<PartRunOptions & AutoOffFlags>,
    deps?: Partial<AskingPorts>,
  ): Promise<Report>;
  isOn(): Promise<unknown>;
}

async function aWorld(): Promise<World> {
  const world = await aPlayedWorld();
  const { cluster, clock } = world;
  const seen = aWitness();
  const merge = { type: "merge", fieldManager: "kubectl-edit" } as const;
  const spec = {
    upgradeSpec: { autoUpgradeEngineEnterprise: true },
    userDefinedModules: [{ name: "gears", source: { https: { url: "https://m.example/g.zip" } } }],
  };
  await cluster.patch(ecRef, { spec }, merge);
  const modulesList = [{ name: "gears" }];
  await cluster.patch(here(product.edb, "config"), { spec: { modulesList } }, merge);
  return {
    ...world,
    saved: seen.saved,
    isOn: async () => getPath(await cluster.get(ecRef), auto),
    switchOff: async ({ clusters = ["ec"], ...more } = {}, deps = {}) => {
      const ports = { ...portsOf(seen, { kind: "AutoOff", cluster, clock }), ...deps };
      const { fieldManager } = names;
      const options = { takeFields: [], dryRun: "none", fieldManager, ...more } as const;
      const part = autoOffPart(
        { clusters, takeFields: options.takeFields },
        { ...options, namespace },
      );
      return await runPart(ports, part, {
        dryRun: options.dryRun,
        limitMs: choosePatience(options),
      });
    },
  };
}

test("it is switched off, its old value kept; a second run has nothing to do", async () => {
  const world = await aWorld();
  const report = await world.switchOff();
  expect([report.exit.code, report.exit.reason]).toEqual([0, `${ecLabel}: switched off`]);
  expect(stepsOf(report)).toEqual(["cluster.auto-off changed"]);
  expect(await world.isOn()).toBe(false);
  expect(world.saved).toHaveLength(1);
  const again = await world.switchOff();
  expect([again.exit.code, stepsOf(again)]).toEqual([0, []]);
  expect(again.exit.reason).toContain("no cluster upgrades itself");
});

test.each(["client", "server"] as const)("a dry run of the %s plans it alone", async (dryRun) => {
  const world = await aWorld();
  const report = await world.switchOff({ dryRun });
  expect([report.exit.code, report.exit.reason]).toEqual([
    0,
    "dry run: 1 write planned, nothing was changed",
  ]);
  expect(report.steps).toMatchObject([
    {
      id: "cluster.auto-off",
      result: "planned",
      write: { risk: expect.stringContaining("none by itself") as string },
    },
  ]);
  expect([await world.isOn(), world.saved]).toEqual([true, []]);
});

test("a cluster that is not there has nothing to switch off", async () => {
  const report = await (await aWorld()).switchOff({ clusters: ["gone"] });
  expect([report.exit.code, stepsOf(report)]).toEqual([0, []]);
});
