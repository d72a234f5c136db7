import type { ApiDatabase } from "../../../../plugin/domain/api/records";
import {
  bdbFindings,
  bdbOf,
  bdbVersion,
  keeping,
  losesData,
  runsVersion,
} from "../../../../plugin/domain/databases/bdb";
import type { RequestWish } from "../../../../plugin/domain/databases/request";
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
  ["one that is not there", undefined, {}, false, ["DATABASE-UID-UNKNOWN"]],
  ["one that is kept", aBdb(), {}, false, []],
  ["one that would lose its data", aBdb(volatile), {}, false, ["DATABASE-DATA-AT-RISK"]],
  ["one that may", aBdb(volatile), { mayDiscardData: true }, false, []],
  ["one that is there already", aBdb(volatile), {}, true, []],
  [
    "one that is there and forced",
    aBdb(volatile),
    { forceRestart: true },
    true,
    ["DATABASE-DATA-AT-RISK"],
  ],
])("before the call: %s", (_title, ...[bdb, request, runs, expected]) => {
  expect(bdbFindings(anEdb(), bdb, { request, runs }).map(({ code }) => code)).toEqual(expected);
});
