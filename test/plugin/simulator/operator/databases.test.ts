/** The operator's work on databases. */
import { defaultNames as names } from "../../../../plugin/domain/names/names";
import { getPath, getOwn } from "../../../../plugin/domain/base/values";
import { exampleSource } from "../../../../plugin/simulator/example";
import { testTime } from "../../../support/manual-clock";
import { aPlayedWorld, here, type PlayedWorld, product } from "../../../support/played-operator";
import { edbStatus, edit, errorsOf, history, look } from "./acts";

const sessions = here(product.edb, "sessions", "shop");

async function aDatabase(world: PlayedWorld, name: string, spec: object): Promise<void> {
  await world.cluster.create({
    apiVersion: `${names.group}/${names.version}`,
    kind: names.edb.kind,
    metadata: { name, namespace: "shop" },
    spec,
  });
}

test("a new version is pending first, and reached with its action completed", async () => {
  const world = await aPlayedWorld();
  const seen = history(world, names.edb.kind, ({ status }) => [
    getOwn(status, "status"),
    getOwn(status, "version"),
    getOwn(status, "observedGeneration"),
    getOwn(status, "lastActionStatus"),
  ]);
  await edit(world, sessions, { engineVersion: "7.4" });
  await world.settle();
  expect(seen).toEqual([
    ["active", "7.2.0", 1, undefined],
    ["active-change-pending", "7.2.0", 1, "active"],
    ["active", "7.4.0", 2, "completed"],
  ]);
});

test("an edit of something else is taken note of", async () => {
  const world = await aPlayedWorld();
  await edit(world, sessions, { memorySize: "2GB" });
  await world.settle();
  expect(await edbStatus(world)).toMatchObject({ version: "7.2.0", observedGeneration: 2 });
});

test("old numbers of modules do not matter (S63)", async () => {
  const world = await aPlayedWorld();
  const modulesList = [{ name: "search", version: "2.6.1" }];
  await edit(world, sessions, { engineVersion: "7.4", modulesList });
  await world.settle();
  expect(await edbStatus(world)).toMatchObject({ version: "7.4.0", specStatus: "Valid" });
});

test.each([
  {
    what: "a version that is not bundled",
    spec: { engineVersion: "8.4" },
    why: "version 8.4 is not bundled",
  },
  {
    what: "a module that nobody knows",
    spec: { engineVersion: "7.4", modulesList: [{ name: "rg" }] },
    why: "module rg is not supported",
  },
])("$what makes the spec invalid, and nothing is raised", async ({ spec, why }) => {
  const world = await aPlayedWorld();
  await edit(world, sessions, spec);
  await world.settle();
  expect(await edbStatus(world)).toMatchObject({ version: "7.2.0", specStatus: "Invalid" });
  expect(errorsOf(world)).toEqual([why]);
});

test("a new database that cannot be made is not active; it is made once its spec is fixed", async () => {
  const world = await aPlayedWorld();
  await aDatabase(world, "fresh", { memorySize: "1GB", engineVersion: "8.2" });
  await world.settle();
  const failed = await edbStatus(world, "fresh");
  expect(failed).toMatchObject({ status: "creation-failed", specStatus: "Invalid" });
  expect(failed).not.toHaveProperty("databaseUID");
  await edit(world, here(product.edb, "fresh", "shop"), { engineVersion: "7.4" });
  await world.settle();
  expect(await edbStatus(world, "fresh")).toMatchObject({
    ...{ databaseUID: "6", status: "active", version: "7.4.0", specStatus: "Valid" },
  });
});

test("a lower version changes nothing", async () => {
  const world = await aPlayedWorld();
  await edit(world, here(product.edb, "orders", "shop"), { engineVersion: "7.2" });
  await world.settle();
  expect(await edbStatus(world, "orders")).toMatchObject({ version: "7.4.0", status: "active" });
});

test.each([
  { channel: "latest", version: "7.4.0" },
  { channel: "major", version: "7.2.0" },
])("the channel $channel leads to $version", async ({ channel, version }) => {
  const world = await aPlayedWorld();
  await edit(world, sessions, { engineVersion: channel });
  await world.settle();
  expect(await edbStatus(world)).toMatchObject({ version, status: "active" });
});

test("a new database gets a uid of its own and becomes active", async () => {
  const world = await aPlayedWorld();
  await aDatabase(world, "fresh", { memorySize: "1GB", engineVersion: "7.4" });
  await world.settle();
  expect(await edbStatus(world, "fresh")).toMatchObject({
    databaseUID: "6",
    status: "active",
    version: "7.4.0",
  });
});

test("a database without a version gets the newest", async () => {
  const world = await aPlayedWorld();
  await aDatabase(world, "fresh", { memorySize: "1GB" });
  await world.settle();
  expect(await edbStatus(world, "fresh")).toMatchObject({ status: "active", version: "7.4.0" });
});

test("the instances of an active-active database follow it, and its status follows them (S65)", async () => {
  const { objects } = await exampleSource(names, testTime);
  const world = await aPlayedWorld({
    objects: objects.map((object) =>
      object.kind === names.eaadb.kind
        ? { ...object, status: { ...(object["status"] as object), linkedEdbs: ["sessions"] } }
        : object,
    ),
  });
  const seen = history(world, names.eaadb.kind, (eaadb) =>
    getPath(eaadb, names.eaadbFields.status),
  );
  const carts = here(product.eaadb, "carts");
  await world.settle();
  expect(await edbStatus(world)).toMatchObject({ version: "7.4.0" });
  expect(seen).toEqual(["active-change-pending", "active"]);
  expect((await look(world, product.eaadb, "carts"))?.["status"]).toMatchObject({
    replicationStatus: "up",
    specStatus: "Valid",
  });
  await edit(world, carts, { globalConfigurations: { engineVersion: "7.4", memorySize: "2GB" } });
  await world.settle();
  expect(seen).toEqual(["active-change-pending", "active"]);
});
