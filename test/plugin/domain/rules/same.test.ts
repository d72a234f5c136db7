import { sameJson } from "../../../../plugin/domain/rules/same";

function deep(levels: number, end: unknown): unknown {
  let value = end;
  for (let level = 0; level < levels; level += 1) value = level % 2 === 0 ? [value] : { a: value };
  return value;
}

describe("sameJson", () => {
  test.each<[string, unknown, unknown, boolean]>([
    ["equal texts", "8.0", "8.0", true],
    ["a number and its text", 8, "8", false],
    ["null and undefined", null, undefined, false],
    ["equal objects in another order", { a: 1, b: [2] }, { b: [2], a: 1 }, true],
    ["another value inside", { a: { b: 1 } }, { a: { b: 2 } }, false],
    ["a key more", { a: 1 }, { a: 1, b: 1 }, false],
    ["another key", { a: 1 }, { b: 1 }, false],
    ["equal arrays", [1, [2]], [1, [2]], true],
    ["a longer array", [1], [1, 2], false],
    ["an array and an object", [], {}, false],
    ["an object and an array", {}, [], false],
    ["an object and a text", {}, "x", false],
    ["own __proto__ keys", JSON.parse(`{"__proto__":1}`), JSON.parse(`{"__proto__":2}`), false],
    ["an own key against an inherited one", JSON.parse(`{"toString":1}`), { x: 1 }, false],
    ["very deep equal values", deep(200_000, 1), deep(200_000, 1), true],
    ["very deep different values", deep(200_000, 1), deep(200_000, 2), false],
  ])("%s", (_title, ...[left, right, expected]) => {
    expect(sameJson(left, right)).toBe(expected);
  });
});
