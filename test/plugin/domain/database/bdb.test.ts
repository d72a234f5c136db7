import type { ApiDatabase, InstalledModule } from "../../../../plugin/domain/rest-api/records";
import {
  asksForMore,
  findDeprecated,
  modulesBehind,
  parseModules,
  requestBody,
  requestFields,
  type RequestWish,
  runsVersion,
} from "../../../../plugin/domain/database/bdb";
import { defaultNames as names } from "../../../../plugin/domain/names/names";
import { parseEngineVersion } from "../../../../plugin/domain/base/versions";
import { aModule } from "../recovery/scene";
import { aBdb } from "./scene";

test.each<[string, Partial<ApiDatabase>, string | undefined, boolean, boolean]>([
  ["the version", {}, "7.2", false, true],
  ["its engine version", { version: undefined, engineVersion: "7.2" }, "7.2", false, true],
  ["another one", {}, "8.0", false, false],
  ["a later one", { version: "8.2.0" }, "8.0", false, false],
  ["a later one of a channel", { version: "8.2.0" }, "8.0", true, true],
  ["an unknown one", { version: undefined }, "8.0", false, false],
  ["any, where none is wanted", {}, undefined, false, false],
])("it runs %s", (_title, ...[parts, wanted, channel, expected]) => {
  const version = parseEngineVersion(wanted);
  expect(runsVersion(aBdb(parts), { version, channel })).toBe(expected);
});

const search = { name: "search", version: "7.0.0" };
const build = { version: "7.2.0", compatibleEngineVersion: "7.2", bundled: undefined };

test.each<[string, Partial<ApiDatabase>, Partial<InstalledModule>, readonly string[]]>([
  ["a newer build", {}, {}, ["search 7.0.0"]],
  ["the same", {}, { version: "7.0.0" }, []],
  ["an older one", {}, { version: "6.10.0" }, []],
  ["another module's", {}, { name: "bf" }, []],
  ["one for another version", {}, { compatibleEngineVersion: "7.4" }, []],
  ["one that tells no version of the engine", {}, { compatibleEngineVersion: undefined }, []],
  ["one of the user's own", {}, { bundled: false }, ["search 7.0.0"]],
  ["one without a version", {}, { version: undefined }, []],
  ["one in use without a version", { modules: [{ name: "search", version: undefined }] }, {}, []],
  ["an engine that is not told", { version: undefined }, {}, []],
])("modules that the release has newer builds of: %s", (_title, ...[bdb, parts, expected]) => {
  const installed = [aModule("search", { ...build, ...parts })];
  expect(modulesBehind(aBdb({ modules: [search], ...bdb }), installed)).toEqual(expected);
});

const every: Required<RequestWish> = {
  engineVersion: "8.0",
  forceRestart: true,
  keepEngineVersion: true,
  keepCrdtProtocolVersion: true,
  mayDiscardData: true,
  forceDiscard: true,
  preserveRoles: true,
  parallelShardsUpgrade: 2,
  modules: [{ current_module: "a", new_module: "b", new_module_args: [] }],
  latestWithModules: true,
};

test("every field has its row and its name on the wire; what is false is not sent, but for one", () => {
  expect(requestFields.map(([field]) => field).toSorted()).toEqual(Object.keys(every).toSorted());
  const inSnakeCase = Object.entries(every).map(([key, value]) => [
    key.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
    value,
  ]);
  expect(requestBody(every, names)).toEqual(Object.fromEntries(inSnakeCase));
  expect(requestBody({ forceRestart: false, latestWithModules: false }, names)).toEqual({
    latest_with_modules: false,
  });
});

test("each deprecated field is told with what replaces it (S120)", () => {
  expect(findDeprecated(every, names).map((line) => line.split(" ")[0])).toEqual([
    "--keep-engine-version",
    "--latest-with-modules",
    "current_module",
    "new_module",
  ]);
  expect(findDeprecated({ latestWithModules: false, forceRestart: true }, names)).toEqual([]);
});

test.each<[unknown, readonly string[]]>([
  [[], ["it has to be a list of at least one entry"]],
  [["a"], ["entry 1 is not an object"]],
  [[{ name: "a" }], ['entry 1: "name" is not one of current_module, new_module, new_module_args']],
])("modules %j are refused", (value, problems) => {
  expect(parseModules(value, names)).toEqual({ is: "wrong", problems });
});

test.each<[RequestWish, boolean]>([
  [{ mayDiscardData: true, latestWithModules: false }, false],
  [{ forceRestart: true }, true],
  [{ modules: [] }, true],
  [{ latestWithModules: true }, true],
])("%j asks for more than a version: %s", (wish, more) => {
  expect(asksForMore(wish)).toBe(more);
});
