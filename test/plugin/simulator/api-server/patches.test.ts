import type { KindDefinition } from "../../../../plugin/simulator/model";
import { patchObject } from "../../../../plugin/simulator/api-server/patches";
import type { PatchType } from "../../../../plugin/ports/kubernetes";
import { aDb, dbs, dbStructure } from "./world";

const definition: KindDefinition = {
  resource: dbs,
  namespaced: true,
  custom: false,
  hasStatus: false,
  counted: false,
  structure: dbStructure,
  prepare: (object) => ({ object, warnings: [] }),
};

const specAfter = (type: PatchType, live: object, body: unknown): unknown =>
  patchObject(aDb("x", live), body, { type, definition })["spec"];

const merge = (spec: unknown): unknown => ({ spec });

test("a merge patch takes away what is null, and leaves it out of a new map", () => {
  const body = merge({ b: null, c: { d: null, e: 1 } });
  expect(specAfter("merge", { a: 1, b: 2 }, body)).toEqual({ a: 1, c: { e: 1 } });
});

const part = (name: string, more: object = {}): object => ({ name, kind: "k", ...more });

test.each([
  {
    name: "items merge by their first key, new ones come first",
    live: { parts: [part("a", { size: 1 }), part("b")] },
    body: merge({ parts: [part("n"), { name: "a", kind: "l" }] }),
    is: { parts: [part("n"), part("a", { size: 1, kind: "l" }), part("b")] },
  },
  {
    name: "a list is replaced",
    live: { parts: [part("a")] },
    body: merge({ parts: [{ $patch: "replace" }, part("b")] }),
    is: { parts: [part("b")] },
  },
  {
    name: "a map is replaced",
    live: { inner: { a: 1 } },
    body: merge({ inner: { $patch: "replace", b: 2 } }),
    is: { inner: { b: 2 } },
  },
  {
    name: "a map is emptied",
    live: { inner: { a: 1 } },
    body: merge({ inner: { $patch: "delete" } }),
    is: { inner: {} },
  },
  {
    name: "scalars are taken out of a set",
    live: { tags: ["a", "b"] },
    body: merge({ "$deleteFromPrimitiveList/tags": ["a"] }),
    is: { tags: ["b"] },
  },
  {
    name: "scalars join a set",
    live: { tags: ["a", "b"] },
    body: merge({ tags: ["b", "c"] }),
    is: { tags: ["a", "b", "c"] },
  },
  {
    name: "a list takes the order that is set",
    live: { parts: [part("a"), part("b")] },
    body: merge({
      "$setElementOrder/parts": [{ name: "b" }, { name: "a" }],
      parts: [{ name: "a", size: 2 }],
    }),
    is: { parts: [part("b"), part("a", { size: 2 })] },
  },
  {
    name: "an atomic list is replaced",
    live: { list: [1] },
    body: merge({ list: [2] }),
    is: { list: [2] },
  },
  { name: "null removes", live: { size: 1 }, body: merge({ size: null }), is: {} },
])("a strategic patch: $name", ({ live, body, is }) => {
  expect(specAfter("strategic", live, body)).toEqual(is);
});

const at = (path: string): string => `/spec${path}`;

test.each([
  { name: "adds", ops: [{ op: "add", path: at("/b"), value: 2 }], is: { a: 1, b: 2, l: [1, 2] } },
  {
    name: "replaces what is absent",
    ops: [{ op: "replace", path: at("/q"), value: 1 }],
    is: { a: 1, l: [1, 2], q: 1 },
  },
  {
    name: "copies null from what is absent",
    ops: [{ op: "copy", from: at("/q"), path: at("/r") }],
    is: { a: 1, l: [1, 2], r: null },
  },
  {
    name: "finds null where nothing is",
    ops: [{ op: "test", path: at("/q"), value: null }],
    is: { a: 1, l: [1, 2] },
  },
])("a JSON patch $name", ({ ops, is }) => {
  expect(specAfter("json", { a: 1, l: [1, 2] }, ops)).toEqual(is);
});

test.each([
  { name: "a test of what is absent", ops: [{ op: "test", path: at("/q"), value: 2 }] },
  { name: "an index beyond the list", ops: [{ op: "replace", path: at("/l/9"), value: 1 }] },
  { name: "a parent that is absent", ops: [{ op: "add", path: at("/q/r"), value: 1 }] },
  { name: "an unknown operation", ops: [{ op: "swap", path: at("/a") }] },
  { name: "a path that is none", ops: [{ op: "remove", path: "spec" }] },
])("a JSON patch is refused for $name, and changes nothing", ({ ops }) => {
  const object = aDb("x", { a: 1, l: [1, 2] });
  const before = JSON.stringify(object);
  const first = { op: "add", path: at("/new"), value: 1 };
  expect(() => patchObject(object, [first, ...ops], { type: "json", definition })).toThrow(
    expect.objectContaining({
      message: "the server rejected our request due to an error in our request",
      status: 422,
    }) as Error,
  );
  expect(JSON.stringify(object)).toBe(before);
});

test.each([
  { type: "json", body: {}, message: "cannot unmarshal object into Go value of type []handlers" },
  { type: "merge", body: [], message: "error decoding patch: json: cannot unmarshal array" },
  { type: "merge", body: null, message: "Invalid JSON Patch" },
  { type: "strategic", body: "x", message: "json: cannot unmarshal string" },
] as const)("a $type patch is refused with the body $body", ({ type, body, message }) => {
  const refused = expect.objectContaining({
    message: expect.stringContaining(message) as string,
    status: 400,
  }) as Error;
  expect(() => specAfter(type, {}, body)).toThrow(refused);
});

test.each([
  {
    custom: true,
    patch: { kind: "Foo" },
    message: 'Foo.test.io "x" is invalid: kind: Invalid value: "Foo": must be Db',
  },
  {
    custom: true,
    patch: { apiVersion: "test.io/v2" },
    message:
      'Db.test.io "x" is invalid: apiVersion: Invalid value: "test.io/v2": must be test.io/v1',
  },
  {
    custom: false,
    patch: { kind: "Foo" },
    message: 'no kind "Foo" is registered for version "test.io/v1"',
  },
])("a patch cannot make another kind: $patch", ({ custom, patch, message }) => {
  expect(() =>
    patchObject(aDb("x"), patch, { type: "merge", definition: { ...definition, custom } }),
  ).toThrow(
    expect.objectContaining({
      message: expect.stringContaining(message) as string,
      status: 422,
    }) as Error,
  );
});
