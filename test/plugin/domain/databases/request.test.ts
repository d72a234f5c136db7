import {
  asksForMore,
  deprecated,
  mayLoseData,
  parseModules,
  requestBody,
  requestFields,
  type RequestWish,
} from "../../../../plugin/domain/databases/bdb";
import { defaultNames as names } from "../../../../plugin/domain/names";

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

test("every field has its row, its name on the wire and its source", () => {
  expect(requestFields.map(({ field }) => field).toSorted()).toEqual(Object.keys(every).toSorted());
  expect(requestBody(every, names)).toEqual({
    engine_version: "8.0",
    force_restart: true,
    keep_engine_version: true,
    keep_crdt_protocol_version: true,
    may_discard_data: true,
    force_discard: true,
    preserve_roles: true,
    parallel_shards_upgrade: 2,
    modules: [{ current_module: "a", new_module: "b", new_module_args: [] }],
    latest_with_modules: true,
  });
});

test("what is false or absent is not sent, but for the field whose default is true", () => {
  expect(requestBody({ forceRestart: false, latestWithModules: false }, names)).toEqual({
    latest_with_modules: false,
  });
});

test("each deprecated field is told with what replaces it (S120)", () => {
  expect(deprecated(every, names).map((line) => line.split(" ")[0])).toEqual([
    "--keep-engine-version",
    "--latest-with-modules",
    "current_module",
    "new_module",
  ]);
  expect(deprecated({ latestWithModules: false, forceRestart: true }, names)).toEqual([]);
});

test.each<[string, unknown, readonly string[]]>([
  ["no list", {}, ["it has to be a list of at least one entry"]],
  ["an empty list", [], ["it has to be a list of at least one entry"]],
  ["no object", ["a"], ["entry 1 is not an object"]],
  [
    "an unknown field",
    [{ name: "a" }],
    ['entry 1: "name" is not one of current_module, new_module, new_module_args'],
  ],
])("modules are refused: %s", (_title, value, problems) => {
  expect(parseModules(value, names)).toEqual({ is: "wrong", problems });
});

test("modules of known fields are taken", () => {
  const modules = [{ new_module_args: ["a"] }];
  expect(parseModules(modules, names)).toEqual({ is: "modules", modules });
});

test.each<[RequestWish, boolean, boolean]>([
  [{}, false, false],
  [{ forceRestart: true }, true, false],
  [{ modules: [] }, true, false],
  [{ latestWithModules: true }, true, false],
  [{ latestWithModules: false, mayDiscardData: true }, false, true],
  [{ forceDiscard: true }, false, true],
])("%j asks for more: %s, may lose data: %s", (wish, more, loses) => {
  expect([asksForMore(wish), mayLoseData(wish)]).toEqual([more, loses]);
});
