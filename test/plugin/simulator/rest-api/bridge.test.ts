/** The REST service and an operator at play in one cluster: a database for each EDB, in line both ways. */
import { defaultNames as names } from "../../../../plugin/domain/names/names";
import { getPath, getOwn } from "../../../../plugin/domain/base/values";
import type { KubeObject } from "../../../../plugin/domain/kube/objects";
import { here, product } from "../../../support/played-operator";
import { aForm, aModuleArchive } from "../../../support/played-cluster-api";
import { aServedWorld, type ServedWish, type ServedWorld } from "../../../support/served-world";
import {
  ecStatus,
  edbStatus,
  edit,
  errorsOf,
  history,
  isEc,
  podTags,
  sceneWith,
  setTag,
  upgradeOperator,
  withSpec,
  withStatus,
} from "../operator/acts";

const newTag = "7.22.0-28";
const sessions = here(product.edb, "sessions", "shop");
const isSessions = ({ kind, metadata }: KubeObject): boolean =>
  kind === names.edb.kind && metadata.name === "sessions";

/** The example's databases are neither replicated nor persistent. */
const kept = withSpec({ replication: true, persistence: "aofEverySecond" });

let world: ServedWorld;
async function open(wish: ServedWish = {}): Promise<void> {
  world = await aServedWorld({ objects: await sceneWith(isSessions, kept), ...wish });
}
afterEach(async () => {
  await world.api.close();
});

const bdb = (uid: number) => world.api.store.bdbs.get(uid);
async function post(uid: number, body: object) {
  return await world.api.call(`/v1/bdbs/${uid}/upgrade`, { body });
}

describe("from Kubernetes to the service", () => {
  test("there is a database for every EDB, with its number, version and modules", async () => {
    await open();
    const { body } = await world.api.call("/v1/bdbs");
    expect(body).toMatchObject([
      { uid: 1, name: "config", version: "7.2.0", status: "active" },
      { uid: 2, name: "orders", version: "7.4.0", module_list: [{ module_name: "search" }] },
      { uid: 3, name: "sessions", version: "7.2.0" },
      { uid: 4, name: "totals", version: "7.4.0" },
      { uid: 5, name: "carts-db", version: "7.4.0", crdt: true },
    ]);
  });

  test("a version that is asked for is an upgrade there, and its action is told here", async () => {
    await open();
    const seen = history(world, names.edb.kind, ({ status }) => [
      getOwn(status, "status"),
      getOwn(status, "version"),
      getOwn(status, "lastActionStatus"),
      getOwn(status, "observedGeneration"),
    ]);
    await edit(world, sessions, { engineVersion: "7.4" });
    await world.settle();
    expect(seen).toEqual([
      ["active", "7.2.0", undefined, 1],
      ["active-change-pending", "7.2.0", "active", 1],
      ["active", "7.4.0", "completed", 2],
    ]);
    expect(bdb(3)).toMatchObject({ version: "7.4.0", failovers: 1 });
    const action = getPath(await edbStatus(world), ["lastActionUid"]);
    const { body } = await world.api.call(`/v1/actions/${String(action)}`);
    expect(body).toMatchObject({ status: "completed", object_name: "bdb:3" });
  });

  test("a new EDB gets a number that no database has, and a deleted one takes its database along", async () => {
    await open();
    world.api.store.put({ ...present(bdb(4)), uid: 17, name: "made-over-rest" });
    await world.cluster.create({
      apiVersion: `${names.group}/${names.version}`,
      kind: names.edb.kind,
      metadata: { name: "fresh", namespace: "shop" },
      spec: { memorySize: "1GB", engineVersion: "7.4" },
    });
    await world.settle();
    expect(bdb(18)).toMatchObject({ name: "fresh", version: "7.4.0" });
    expect(await edbStatus(world, "fresh")).toMatchObject({
      ...{ databaseUID: "18", status: "active", specStatus: "Valid" },
    });
    await world.cluster.delete(here(product.edb, "fresh", "shop"), {});
    await world.settle();
    expect([...world.api.store.bdbs.keys()].sort()).toEqual([1, 17, 2, 3, 4, 5]);
  });

  test("a cluster of a newer release has its versions and their modules", async () => {
    await open();
    await upgradeOperator(world, "8.0.2-2");
    await setTag(world, "8.0.2-17");
    await world.settle();
    expect(await ecStatus(world)).toMatchObject({ state: "Running" });
    expect(await world.api.call("/v1/nodes")).toMatchObject({
      body: [{ software_version: "8.0.2-17" }, {}, {}],
    });
    const body = { engine_version: "8.2", may_discard_data: true };
    expect(await post(2, body)).toMatchObject({ status: 200 });
    await world.settle();
    expect(bdb(2)).toMatchObject({ version: "8.2.0", modules: [{ version: "8.2.0" }] });
  });

  test.each([
    ["a module that is not installed", { modules: [{ name: "rg", version: "1.0.0", args: [] }] }, "module rg is not installed"],
  ])("%s: the service's refusal makes the spec invalid, and is logged", async (...[, change, why]) => {
    await open();
    world.api.store.put({ ...present(bdb(3)), ...change });
    await edit(world, sessions, { engineVersion: "7.4" });
    await world.settle();
    expect(await edbStatus(world)).toMatchObject({ version: "7.2.0", specStatus: "Invalid" });
    expect(errorsOf(world)).toEqual([why]);
    expect(world.api.store.actions.size).toBe(0);
  }); // prettier-ignore

  test("an upgrade that fails is told, and not tried again before the next edit", async () => {
    await open();
    world.api.store.failing.set(3, "no memory");
    await edit(world, sessions, { engineVersion: "7.4" });
    await world.settle();
    expect(await edbStatus(world)).toMatchObject({
      ...{ status: "active", version: "7.2.0", lastActionStatus: "failed" },
    });
    expect(world.api.store.actions.size).toBe(1);
    world.api.store.failing.clear();
    await edit(world, sessions, { memorySize: "2GB" });
    await world.settle();
    expect(await edbStatus(world)).toMatchObject({
      version: "7.4.0",
      lastActionStatus: "completed",
    });
  });

  test("modules that are not to be raised are not", async () => {
    await open();
    const rg = { name: "rg", displayName: "Gears", isBundled: false };
    for (const version of ["1.0.0", "1.2.0"])
      world.api.store.modules.set(version, { ...rg, uid: version, version });
    world.api.store.put({
      ...present(bdb(3)),
      modules: [{ name: "rg", version: "1.0.0", args: [] }],
    });
    await edit(world, sessions, {
      ...{ engineVersion: "7.4", upgradeSpec: { upgradeModulesToLatest: false } },
    });
    await world.settle();
    expect(bdb(3)).toMatchObject({ version: "7.4.0", modules: [{ version: "1.0.0" }] });
  });
});

describe("from the service to Kubernetes", () => {
  test("an upgrade over REST is told by the EDB, whose spec is left alone", async () => {
    await open();
    await post(3, { engine_version: "7.4" });
    await world.clock.sleep(3000);
    expect(await edbStatus(world)).toMatchObject({ status: "active-change-pending" });
    await world.settle();
    expect(await edbStatus(world)).toMatchObject({ status: "active", version: "7.4.0" });
    expect(await world.cluster.get(sessions)).toMatchObject({ spec: { engineVersion: "7.2" } });
    expect(world.api.store.actions.size).toBe(1);
  });

  test("a wish waits while an action of someone else is at work", async () => {
    await open();
    await post(3, { engine_version: "7.2", force_restart: true });
    await edit(world, sessions, { engineVersion: "7.4" });
    await world.settle();
    expect(bdb(3)).toMatchObject({ version: "7.4.0", status: "active" });
    expect([...world.api.store.actions.values()].map(({ status }) => status)).toEqual([
      ...["completed", "completed"],
    ]);
  });

  test("a license that was renewed is told by the EC, and lets the upgrade begin (S114)", async () => {
    const expired = withStatus({ licenseStatus: { licenseState: "Expired" } });
    await open({ objects: await sceneWith(isEc, expired) });
    expect(await post(3, {})).toMatchObject({ status: 403 });
    await upgradeOperator(world);
    await setTag(world, newTag);
    await world.settle();
    expect(await ecStatus(world)).toMatchObject({ state: "InvalidUpgrade" });
    const { store } = world.api;
    store.license = { ...store.license, expiresAt: world.clock.now() + 365 * 24 * 3_600_000 };
    await world.settle();
    expect(await ecStatus(world)).toMatchObject({
      ...{ state: "Running", licenseStatus: { licenseState: "Valid" } },
    });
    expect(await podTags(world)).toEqual([newTag, newTag, newTag]);
  });
});

describe("a frozen upgrade thaws by what is done over REST (S97–S100)", () => {
  async function freeze(change: (object: KubeObject) => KubeObject): Promise<void> {
    await open({ objects: await sceneWith(isSessions, (edb) => change(kept(edb))) });
    await upgradeOperator(world);
    await setTag(world, newTag);
    await world.settle();
    expect(await ecStatus(world)).toMatchObject({ state: "Upgrade" });
  }

  test("S100: an incompatible version, raised there; its EDB is told afterwards (S98)", async () => {
    await freeze((edb) =>
      withStatus({ version: "6.2.0" })(withSpec({ engineVersion: "6.2" })(edb)),
    );
    expect(errorsOf(world)).toEqual(["database shop/sessions runs the incompatible version 6.2"]);
    await edit(world, sessions, { engineVersion: "7.4" });
    await world.settle();
    expect(bdb(3)).toMatchObject({ version: "6.2.0", status: "active" });
    await post(3, { engine_version: "7.4" });
    await world.clock.sleep(5000);
    expect(await edbStatus(world)).toMatchObject({ status: "active", version: "6.2.0" });
    await world.settle();
    expect(await ecStatus(world)).toMatchObject({ state: "Running" });
    expect(await podTags(world)).toEqual([newTag, newTag, newTag]);
    expect(await edbStatus(world)).toMatchObject({ version: "7.4.0", specStatus: "Valid" });
  });

  test("S99: an unsupported module, installed there and told by the EC, counts once it is defined (C9)", async () => {
    await freeze(withSpec({ modulesList: [{ name: "rg", version: "1.2.5" }] }));
    expect(errorsOf(world)).toEqual([
      "module rg is not supported",
      "database shop/sessions uses the unsupported module rg",
    ]);
    const manifest = {
      ...{ module_name: "rg", display_name: "EngineGears", semantic_version: "1.2.5" },
      compatible_engine_version: "7.4",
    };
    await world.api.call("/v2/modules", aForm({ module: aModuleArchive(manifest) }));
    await world.settle();
    expect(await ecStatus(world)).toMatchObject({ state: "Upgrade" });
    const defined = [{ name: "rg", source: { https: { url: "https://m" } } }];
    const ec = here(product.ec, "ec");
    await world.cluster.patch(ec, { spec: { userDefinedModules: defined } }, { type: "merge" });
    await world.settle();
    expect(await ecStatus(world)).toMatchObject({ state: "Running" });
    const modules = getPath(await ecStatus(world), ["modules"]);
    expect(modules).toContainEqual({
      ...{ name: "rg", displayName: "EngineGears", versions: ["1.2.5"] },
    });
    await edit(world, sessions, { engineVersion: "7.4" });
    await world.settle();
    expect(bdb(3)).toMatchObject({ version: "7.4.0", modules: [{ name: "rg", version: "1.2.5" }] });
  });
});

test("an operator that starts again finds all in line, and does nothing", async () => {
  await open();
  await edit(world, sessions, { engineVersion: "7.4" });
  await world.settle();
  const count = world.api.store.actions.size;
  expect(await world.again().step()).toBe(false);
  expect(world.api.store.actions.size).toBe(count);
});

test("without an operator that looks after it, nothing is brought in line (S10)", async () => {
  await open({ play: { misbehave: { deafOperator: true } } });
  await upgradeOperator(world);
  await edit(world, sessions, { engineVersion: "7.4" });
  await world.settle();
  expect(bdb(3)).toMatchObject({ version: "7.2.0" });
});

function present<T>(value: T | undefined): T {
  if (value === undefined) throw new Error("it is not there");
  return value;
}
