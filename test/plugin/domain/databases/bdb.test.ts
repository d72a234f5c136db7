import type { ApiDatabase, InstalledModule } from "../../../../plugin/domain/api/records";
import {
  bdbFindings,
  bdbOf,
  bdbVersion,
  keeping,
  losesData,
  modulesBehind,
  type RequestWish,
  runsVersion,
} from "../../../../plugin/domain/databases/bdb";
import { defaultNames as names } from "../../../../plugin/domain/names";
import { aBdb, anEdb } from "./scene";

const volatile = { replication: false, dataPersistence: "disabled" } as const;

test("it is found by the uid of the status, else by the one name", () => {
  const all = [aBdb(), aBdb({ uid: 2, name: "orders" }), aBdb({ uid: 3, name: "other" })];
  expect(bdbOf(anEdb(), all, names)?.uid).toBe(1);
  const without = { status: { databaseUID: "" } };
  expect(bdbOf(anEdb("other", without), all, names)?.uid).toBe(3);
  expect(bdbOf(anEdb("orders", without), all, names)).toBe(undefined);
  expect(bdbOf(anEdb("none", without), all, names)).toBe(undefined);
});

test("its version is the full one's beginning, else the engine version", () => {
  expect(bdbVersion(aBdb())).toEqual({ major: 7, minor: 2 });
  expect(bdbVersion(aBdb({ version: undefined, engineVersion: "8.0" }))).toEqual({
    major: 8,
    minor: 0,
  });
});

test.each<
  [string, Parameters<typeof aBdb>[0], readonly [number, number] | undefined, boolean, boolean]
>([
  ["the version", {}, [7, 2], false, true],
  ["another one", {}, [8, 0], false, false],
  ["a later one", { version: "8.2.0" }, [8, 0], false, false],
  ["a later one of a channel", { version: "8.2.0" }, [8, 0], true, true],
  ["an unknown one", { version: undefined }, [8, 0], false, false],
  ["any, where none is wanted", {}, undefined, false, false],
])("it runs %s", (_title, ...[parts, wanted, channel, expected]) => {
  const version = wanted && { major: wanted[0], minor: wanted[1] };
  expect(runsVersion(aBdb(parts), { version, channel })).toBe(expected);
});

test.each([
  [aBdb(), "replicated, persistence aof"],
  [aBdb(volatile), "not replicated, persistence disabled"],
  [
    aBdb({ replication: undefined, dataPersistence: undefined }),
    "replication unknown, persistence unknown",
  ],
])("what keeps its data is told", (bdb, expected) => {
  expect(keeping(bdb)).toBe(expected);
});

test.each<[string, ApiDatabase, RequestWish, boolean]>([
  ["force of any", aBdb(), { forceDiscard: true }, true],
  ["the mild flag of one that is kept", aBdb(), { mayDiscardData: true }, false],
  ["the mild flag of one that is not", aBdb(volatile), { mayDiscardData: true }, true],
  ["no flag", aBdb(volatile), {}, false],
])("data may be lost by %s", (_title, ...[bdb, request, expected]) => {
  expect(losesData(bdb, request)).toBe(expected);
});

test.each<[string, ApiDatabase | undefined, RequestWish, boolean, readonly string[]]>([
  ["one that is not there", undefined, {}, true, ["DATABASE-UID-UNKNOWN"]],
  ["one that is kept", aBdb(), {}, true, []],
  ["one that would lose its data", aBdb(volatile), {}, true, ["DATABASE-DATA-AT-RISK"]],
  ["one that may", aBdb(volatile), { mayDiscardData: true }, true, []],
  ["one that is not called", aBdb(volatile), {}, false, []],
])("before the call: %s", (_title, ...[bdb, request, calls, expected]) => {
  expect(bdbFindings(anEdb(), bdb, { request, calls }).map(({ code }) => code)).toEqual(expected);
});

describe("modules that the release has newer builds of", () => {
  const search = { name: "search", version: "7.0.0" };
  const build: InstalledModule = {
    uid: "u",
    name: "search",
    displayName: "EngineSearch",
    version: "7.2.0",
    platforms: undefined,
    minEngineVersion: undefined,
    compatibleEngineVersion: "7.2",
    bundled: undefined,
  };

  test.each<[string, Partial<ApiDatabase>, Partial<InstalledModule>, readonly string[]]>([
    ["a newer build", {}, {}, ["search 7.0.0"]],
    ["the same", {}, { version: "7.0.0" }, []],
    ["an older one", {}, { version: "6.10.0" }, []],
    ["another module's", {}, { name: "bf" }, []],
    ["one for another version", {}, { compatibleEngineVersion: "7.4" }, []],
    [
      "one from a version on",
      {},
      { compatibleEngineVersion: undefined, minEngineVersion: "7.2" },
      ["search 7.0.0"],
    ],
    ["one that tells no version of the engine", {}, { compatibleEngineVersion: undefined }, []],
    ["one of the user's own", {}, { bundled: false }, []],
    ["one by a name of another kind", {}, { name: "rg" }, []],
    ["one without a version", {}, { version: undefined }, []],
    ["one in use without a version", { modules: [{ name: "search", version: undefined }] }, {}, []],
    ["an engine that is not told", { version: undefined }, {}, []],
  ])("%s", (_title, ...[bdb, parts, expected]) => {
    const database = aBdb({ modules: [search], ...bdb });
    expect(modulesBehind(database, [{ ...build, ...parts }], names)).toEqual(expected);
  });
});
