import { defaultNames } from "../../../../plugin/domain/names/names";
import { parseReleaseTag } from "../../../../plugin/domain/base/versions";
import { findRetired } from "../../../../plugin/domain/release/retired-modules";
import { tables } from "../../../../plugin/domain/release/tables";
import { unprivilegedFrom } from "../../../../plugin/domain/release/unprivileged";

test("every release from which on something holds is a tag", () => {
  const tags = [unprivilegedFrom, ...tables.retiredModules.map(({ from }) => from)];
  expect(tags.filter((tag) => parseReleaseTag(tag) === undefined)).toEqual([]);
});

test("every entry of the names that a table speaks of is there", () => {
  const { upgradeRequest } = defaultNames;
  const lists = tables.retiredModules.map(({ names }) => defaultNames[names]);
  expect(lists.filter((names) => !Array.isArray(names) || names.length === 0)).toEqual([]);
  const fields = tables.deprecatedFields.map(({ field }) => field);
  expect(fields.filter((field) => !Object.hasOwn(upgradeRequest, field))).toEqual([]);
});

test.each([
  ["graph", "7.8.2-6"],
  ["ENGINEGRAPH", "7.8.2-6"],
  ["search", undefined],
])("module %s has come to its end with %s", (module, from) => {
  expect(findRetired(module, defaultNames)?.from).toBe(from);
});
