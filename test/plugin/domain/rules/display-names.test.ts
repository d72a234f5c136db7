import { findBundled, mayBeDisplayName } from "../../../../plugin/domain/rules/display-names";
import { defaultNames as names } from "../../../../plugin/domain/names/names";

test.each<[string, readonly string[], boolean]>([
  ["EngineBloom", ["EngineSearch", "EngineJSON"], true],
  ["enginebloom", ["EngineSearch", "EngineJSON"], true],
  ["EngineBloom", ["Fast Search", "Slow JSON"], false],
  ["EngineBloom", ["EngineSearch"], false],
  ["EngineBloom", [], false],
  ["Slow JSON", ["Fast Search", "Slow JSON"], true],
  ["Slow.JSON (2)", ["Fast Search", "Slow.JSON (2)"], true],
  ["SlowxJSON (2)", ["Fast Search", "Slow.JSON (2)"], false],
  ["JSON", [], true],
  ["REJSON", [], false],
  ["", ["EngineSearch", "EngineJSON"], false],
  ["Engine\n", ["EngineSearch", "EngineJSON"], false],
  [`Engine${"x".repeat(65)}`, ["EngineSearch", "EngineJSON"], false],
])("%s may be the display name of a bundled module beside %j: %s", (name, known, may) => {
  expect(mayBeDisplayName(name, { ...names, moduleDisplayNames: [...known] })).toBe(may);
});

test.each([
  ["EngineJSON", "ReJSON"],
  ["json", "ReJSON"],
  ["EngineSearch 2", "search"],
  ["TimeSeries", "timeseries"],
  ["BF", "bf"],
  ["son", undefined],
  ["f", undefined],
  ["research", undefined],
  ["EngineGears", undefined],
])("whoever writes %s means %s", (name, module) => {
  expect(findBundled(name, names)).toBe(module);
});
