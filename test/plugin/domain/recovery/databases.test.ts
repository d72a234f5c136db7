import { databasesOfCluster } from "../../../../plugin/domain/recovery/databases";
import { renderVersion } from "../../../../plugin/domain/rollout/database";
import { aBdb, aFrozenEc, anApi, anEdb, frozenFacts } from "./scene";

const ec = aFrozenEc();

const of = (edb: ReturnType<typeof anEdb>, bdbs: readonly ReturnType<typeof aBdb>[]) =>
  databasesOfCluster(frozenFacts({ edbs: [edb] }, ec), ec, anApi({ databases: bdbs }))[0];

test("what runs is the REST API's word, then the status, then the spec", () => {
  const told = anEdb("orders", { engineVersion: "7.2" }, { version: "7.4.1" });
  expect(of(told, [aBdb({ version: "8.0.1" })])?.runs).toEqual({ major: 8, minor: 0 });
  expect(of(told, [aBdb({ version: undefined, engineVersion: "8.2" })])?.runs?.minor).toBe(2);
  expect(of(told, [])?.runs).toEqual({ major: 7, minor: 4 });
  expect(of(anEdb("orders", { engineVersion: "7.2" }), [])?.runs).toEqual({ major: 7, minor: 2 });
});

test("a resource without a number finds its database by its name, where one alone has it", () => {
  const edb = anEdb("orders", {}, { databaseUID: undefined });
  expect(of(edb, [aBdb({ uid: 7 })])?.uid).toBe(7);
  expect(of(edb, [aBdb({ uid: 7 }), aBdb({ uid: 8 })])?.uid).toBeUndefined();
  expect(of(anEdb("orders", {}, { databaseUID: "x" }), [])?.uid).toBeUndefined();
});

test("databases that the REST API alone knows are there too", () => {
  const all = databasesOfCluster(
    frozenFacts({ edbs: [anEdb("orders")] }, ec),
    ec,
    anApi({
      databases: [aBdb(), aBdb({ uid: 2, name: "more" }), aBdb({ uid: 3, name: undefined })],
    }),
  );
  expect(all.map(({ label, uid }) => [label, uid])).toEqual([
    ["EngineEnterpriseDatabase/engine/orders", 1],
    ["database 2 (more)", 2],
    ["database 3", 3],
  ]);
});

test.each([
  ["neither", { replication: false, dataPersistence: "disabled" }, { replication: false }, true],
  [
    "persistent",
    { replication: false, dataPersistence: "aof" },
    { replication: false, persistence: "aofEverySecond" },
    false,
  ],
  ["replicated", { replication: true, dataPersistence: "disabled" }, { replication: true }, false],
] as const)("data that nothing keeps: %s", (...[, fields, spec, volatile]) => {
  expect(of(anEdb("orders"), [aBdb(fields)])?.volatile).toBe(volatile);
  expect(of(anEdb("orders", spec), [])?.volatile).toBe(volatile);
});

test("a module without a name is none", () => {
  const edb = anEdb("orders", { moduleList: [{ version: "1" }, { name: "rg" }] });
  expect(of(edb, [])?.modules).toEqual([{ name: "rg", version: undefined }]);
});

test("a version is shown as the specification writes it", () => {
  expect(renderVersion({ major: 7, minor: 2 })).toBe("7.2");
  expect(renderVersion(undefined)).toBe("an unknown version");
});
