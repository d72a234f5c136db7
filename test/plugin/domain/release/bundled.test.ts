import { bundledVersions } from "../../../../plugin/domain/release/platforms";

test.each([
  ["8.0.20-44.23", "8.6"],
  ["8.0.10-64", "8.4"],
  ["8.0.6-54", "8.2"],
  ["7.22.0-28", "7.4"],
  ["7.4.2-1", "7.2"],
])("the newest version that %s bundles is %s", (tag, newest) => {
  expect(bundledVersions(tag)?.at(-1)).toBe(newest);
});

test("of others nothing is published", () => {
  expect([bundledVersions("6.4.2-8"), bundledVersions("own"), bundledVersions(undefined)]).toEqual([
    undefined,
    undefined,
    undefined,
  ]);
});
