import * as values from "../../../../plugin/domain/base/values";

const { asArray, asString, few, getOwn, getPath, isObject, parseJson, renderValue } = values;
const { sameJson, shapeProblem, withValue } = values;

const json = (text: string) => JSON.parse(text) as Readonly<Record<string, unknown>>;
const hostile = json(`{"__proto__": {"evil": 1}, "constructor": "c", "a": {"b": null}}`);

test("only what is neither null nor a list is an object", () => {
  const all = [{}, null, [], "x", undefined].map(isObject);
  expect(all).toEqual([true, false, false, false, false]);
});

test.each<[string, unknown, readonly string[], unknown]>([
  ["an own property", { a: 1 }, ["a"], 1],
  ["an absent property", { a: 1 }, ["b"], undefined],
  ["an inherited constructor", {}, ["constructor"], undefined],
  ["an inherited __proto__", {}, ["__proto__"], undefined],
  ["an own constructor", hostile, ["constructor"], "c"],
  ["an own __proto__ as data", hostile, ["__proto__"], { evil: 1 }],
  ["what an own __proto__ holds is not inherited", hostile, ["evil"], undefined],
  ["an array's length", [1], ["length"], undefined],
  ["a string's length", "x", ["length"], undefined],
  ["null", null, ["a"], undefined],
  ["no path", { a: 1 }, [], { a: 1 }],
  ["a full path", { a: { b: 2 } }, ["a", "b"], 2],
  ["a part that is null", hostile, ["a", "b", "c"], undefined],
  ["a path through the prototype", {}, ["constructor", "name"], undefined],
])("own properties alone are read: %s", (_title, value, ...[path, expected]) => {
  expect(getPath(value, path)).toEqual(expected);
  if (path.length === 1) expect(getOwn(value, String(path[0]))).toEqual(expected);
});

test.each<[string, object, readonly string[], unknown, string]>([
  ["that is there, in its place", { a: 1, b: 2 }, ["a"], 3, `{"a":3,"b":2}`],
  ["that is new", { a: 1 }, ["b", "c"], 3, `{"a":1,"b":{"c":3}}`],
  ["below what is not an object", { a: 1 }, ["a", "b"], 2, `{"a":{"b":2}}`],
  ["to nothing", { a: { b: 1, c: 2 } }, ["a", "b"], undefined, `{"a":{"c":2}}`],
  ["as data, whatever its name", {}, ["__proto__", "a"], 1, `{"__proto__":{"a":1}}`],
])("a field is set %s", (_title, object, ...[path, value, expected]) => {
  expect(JSON.stringify(withValue({ ...object }, path, value))).toBe(expected);
});

test("texts, lists and JSON are what they are, or nothing", () => {
  const all = ["x", "", 5, [1, 2], { length: 1, 0: "x" }, null];
  const none = undefined;
  expect(all.map(asString)).toEqual(["x", none, none, none, none, none]);
  expect(all.map(asArray)).toEqual([[], [], [], [1, 2], [], []]);
  expect([`{"a":[1]}`, "{", ""].map(parseJson)).toEqual([{ a: [1] }, none, none]);
  expect([undefined, "x", null].map(renderValue)).toEqual(["absent", `"x"`, "null"]);
  expect([few(["a"]), few(["a", "b", "c", "d"])]).toEqual(["a", "a, b, c and 1 more"]);
});

function deep(levels: number, end: unknown): unknown {
  let value = end;
  for (let level = 0; level < levels; level += 1) value = level % 2 === 0 ? [value] : { a: value };
  return value;
}

test.each<[string, unknown, unknown, boolean]>([
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
  ["own __proto__ keys", json(`{"__proto__":1}`), json(`{"__proto__":2}`), false],
  ["an own key against an inherited one", json(`{"toString":1}`), { x: 1 }, false],
  ["very deep equal values", deep(200_000, 1), deep(200_000, 1), true],
  ["very deep different values", deep(200_000, 1), deep(200_000, 2), false],
])("the same JSON: %s", (_title, ...[left, right, expected]) => {
  expect(sameJson(left, right)).toBe(expected);
});

const times = (levels: number, wrap: (inner: unknown) => unknown): unknown =>
  Array.from({ length: levels }).reduce<unknown>(wrap, "x");
const shared = (levels: number) => times(levels, (inner) => Array<unknown>(10).fill(inner));
const nested = (levels: number) => times(levels, (inner) => ({ inner }));
const endless: unknown[] = [];
endless.push(endless);

test.each<[string, unknown, RegExp]>([
  ["nothing", undefined, /^fits$/],
  ["a manifest", { kind: "X", list: [{ a: null }, 1, "x"] }, /^fits$/],
  ["as many values as aliases may make", shared(5), /^fits$/],
  ["ten billion values of aliases", shared(10), /absurd size/],
  ["200 levels", nested(200), /^fits$/],
  ["300 levels", nested(300), /deeper than 250 levels/],
  ["a value that contains itself", endless, /contains itself/],
])("the shape of %s", (_, value, problem) => {
  expect(shapeProblem(value, 100) ?? "fits").toMatch(problem);
});
