/** `upgrade --wait` where something is at work at the beginning: the confirmed plan names what is written once it has ended. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { defaultNames as names } from "../../../../plugin/domain/names/names";
import { getPath } from "../../../../plugin/domain/base/values";
import { aPlayedWorld, here, type PlayedWorld, product } from "../../../support/played-operator";
import { folder, upgrade } from "../../../support/upgrade-runs";

const ecRef = here(product.ec, "ec");

/** An EC that restarts its pods, since it has new modules. */
async function aRestartingWorld(): Promise<PlayedWorld> {
  const world = await aPlayedWorld();
  const modules = [{ name: "search", source: { https: { url: "https://modules.example" } } }];
  await world.cluster.patch(ecRef, { spec: { userDefinedModules: modules } }, { type: "merge" });
  await world.clock.sleep(5_000);
  expect(await readEc(world, names.ecFields.state)).toBe("RunningRollingUpdate");
  return world;
}

/** An EC that moves to an older tag than the one that is wanted. */
async function aBusyWorld(): Promise<PlayedWorld> {
  const world = await aPlayedWorld();
  const older = { spec: { engineEnterpriseImageSpec: { versionTag: "7.22.2-21" } } };
  await world.cluster.patch(ecRef, older, { type: "merge" });
  await world.clock.sleep(5_000);
  expect(await readEc(world, names.ecFields.state)).toBe("Upgrade");
  return world;
}

async function readEc(world: PlayedWorld, path: readonly string[]): Promise<unknown> {
  return getPath(await world.cluster.get(ecRef), path);
}

const worlds: readonly (readonly [string, () => Promise<PlayedWorld>])[] = [
  ["restarts", aRestartingWorld],
  ["is busy", aBusyWorld],
];

test.each(worlds)("an EC that %s is waited for, and then written", async (_, make) => {
  const world = await make();
  const { report, writes } = await upgrade(world, ["--wait", "--yes"]);
  expect(report.exit).toMatchObject({ code: 0 });
  expect(writes.filter((write) => write.includes(names.ec.kind))).toHaveLength(1);
  await world.settle();
  expect(await readEc(world, names.ecFields.versionTag)).toBe("8.0.2-17");
});

test.each(worlds)("a saved plan names the write of an EC that %s", async (_, make) => {
  const world = await make();
  const file = join(folder, "waits.json");
  const { code, writes, report } = await upgrade(world, ["--wait", "--plan-out", file]);
  expect([code, writes]).toEqual([0, []]);
  expect(report.exit.next).toContain(` --wait --plan ${file}`);
  const plan = JSON.parse(readFileSync(file, "utf8")) as {
    readonly steps: readonly { readonly part: string; readonly object: string }[];
  };
  expect(plan.steps.filter(({ part }) => part === "cluster")).toMatchObject([
    { object: `${names.ec.kind}/engine/ec` },
  ]);
});
