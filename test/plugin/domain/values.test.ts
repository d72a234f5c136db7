import {
  getPath,
  isObject,
  asArray,
  getOwn,
  parseJson,
  sameJson,
  renderValue,
  asString,
  withValue,
} from "../../../plugin/domain/values";

const hostile = JSON.parse(
  `{"__proto__": {"evil": 1}, "constructor": "c", "a": {"b": null}}`,
) as unknown;

describe("isObject", () => {
  test.each([
    ["an object", {}, true],
    ["null", null, false],
    ["an array", [], false],
    ["a string", "x", false],
    ["undefined", undefined, false],
  ])("%s", (_title, value, expected) => {
    expect(isObject(value)).toBe(expected);
  });
});

describe("own reads own properties alone", () => {
  test.each<[string, unknown, string, unknown]>([
    ["an own property", { a: 1 }, "a", 1],
    ["an absent property", { a: 1 }, "b", undefined],
    ["an inherited constructor", {}, "constructor", undefined],
    ["an inherited __proto__", {}, "__proto__", undefined],
    ["an own constructor", hostile, "constructor", "c"],
    ["an own __proto__ as data", hostile, "__proto__", { evil: 1 }],
    ["what an own __proto__ holds is not inherited", hostile, "evil", undefined],
    ["an array's length", [1], "length", undefined],
    ["a string's length", "x", "length", undefined],
    ["null", null, "a", undefined],
    ["a number", 5, "toFixed", undefined],
  ])("%s", (_title, ...[value, key, expected]) => {
    expect(getOwn(value, key)).toEqual(expected);
  });
});

describe("at follows a path of own properties", () => {
  test.each<[string, unknown, readonly string[], unknown]>([
    ["no path", { a: 1 }, [], { a: 1 }],
    ["a full path", { a: { b: 2 } }, ["a", "b"], 2],
    ["a part that is missing", { a: {} }, ["a", "b", "c"], undefined],
    ["a part that is null", hostile, ["a", "b", "c"], undefined],
    ["a path through the prototype", {}, ["constructor", "name"], undefined],
  ])("%s", (_title, ...[value, path, expected]) => {
    expect(getPath(value, path)).toEqual(expected);
  });
});

describe("withValue sets a field", () => {
  test.each<[string, object, readonly string[], unknown, string]>([
    ["that is there, in its place", { a: 1, b: 2 }, ["a"], 3, `{"a":3,"b":2}`],
    ["that is new", { a: 1 }, ["b", "c"], 3, `{"a":1,"b":{"c":3}}`],
    ["below what is not an object", { a: 1 }, ["a", "b"], 2, `{"a":{"b":2}}`],
    ["beside others", { a: { b: 1 } }, ["a", "c"], 2, `{"a":{"b":1,"c":2}}`],
    ["to nothing", { a: { b: 1, c: 2 } }, ["a", "b"], undefined, `{"a":{"c":2}}`],
    ["as data, whatever its name", {}, ["__proto__", "a"], 1, `{"__proto__":{"a":1}}`],
  ])("%s", (_title, object, ...[path, value, expected]) => {
    expect(JSON.stringify(withValue({ ...object }, path, value))).toBe(expected);
  });
});

test("what is no JSON is undefined", () => {
  expect([parseJson(`{"a":[1]}`), parseJson("{"), parseJson("")]).toEqual([
    { a: [1] },
    undefined,
    undefined,
  ]);
});

describe("text and list take their own type alone", () => {
  test.each<[string, unknown, string | undefined, readonly unknown[]]>([
    ["a string", "x", "x", []],
    ["an empty string", "", undefined, []],
    ["a number", 5, undefined, []],
    ["an array", [1, 2], undefined, [1, 2]],
    ["an array-like object", { length: 1, 0: "x" }, undefined, []],
    ["null", null, undefined, []],
    ["undefined", undefined, undefined, []],
  ])("%s", (_title, ...[value, asText, asList]) => {
    expect(asString(value)).toBe(asText);
    expect(asArray(value)).toEqual(asList);
  });
});

describe("shown", () => {
  test.each([
    ["an absent value by word", undefined, "absent"],
    ["a text in quotes", "x", `"x"`],
    ["null as JSON", null, "null"],
  ])("%s", (_title, value, expected) => {
    expect(renderValue(value)).toBe(expected);
  });
});

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
    ["what is absent altogether", undefined, undefined, true],
    ["an absent key and null", {}, { a: null }, false],
    ["an absent key and an undefined one", {}, { a: undefined }, false],
    [
      "equal objects in another order",
      { a: 1, b: { c: 2, d: 3 } },
      { b: { d: 3, c: 2 }, a: 1 },
      true,
    ],
    ["another value inside", { a: { b: 1 } }, { a: { b: 2 } }, false],
    ["a key more", { a: 1 }, { a: 1, b: 1 }, false],
    ["another key", { a: 1 }, { b: 1 }, false],
    ["equal arrays", [1, [2]], [1, [2]], true],
    ["a longer array", [1], [1, 2], false],
    ["an array in another order", [1, 2], [2, 1], false],
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
