import { merge } from "../../../../plugin/simulator/api-server/ownership";
import { dbStructure } from "./world";
import { typeProblems } from "../../../../plugin/simulator/api-server/structure";
import type { Structure } from "../../../../plugin/adapters/schema/schema";

const spec = dbStructure.fields?.["spec"] ?? {};

test.each([
  {
    name: "a field of the live object stays",
    live: { a: 1 },
    applied: { b: 2 },
    is: { a: 1, b: 2 },
  },
  { name: "an applied value replaces", live: { size: 1 }, applied: { size: 2 }, is: { size: 2 } },
  { name: "null is a value", live: { size: 1 }, applied: { size: null }, is: { size: null } },
  {
    name: "an atomic map is replaced as a whole",
    live: { whole: { a: 1 } },
    applied: { whole: { b: 1 } },
    is: { whole: { b: 1 } },
  },
  {
    name: "an atomic list is replaced as a whole",
    live: { list: [1, 2] },
    applied: { list: [3] },
    is: { list: [3] },
  },
  {
    name: "an empty map takes nothing away",
    live: { inner: { a: 1 } },
    applied: { inner: {} },
    is: { inner: { a: 1 } },
  },
  {
    name: "a set takes the order of the applied one, and keeps what it has besides",
    live: { tags: ["t", "u"] },
    applied: { tags: ["v", "t"] },
    is: { tags: ["v", "t", "u"] },
  },
  {
    name: "what stands between two shared elements stays behind the first",
    live: { tags: ["a", "x", "b", "c"] },
    applied: { tags: ["c", "a"] },
    is: { tags: ["x", "b", "c", "a"] },
  },
  {
    name: "items merge by their keys, a default key counting as said",
    live: { parts: [{ name: "p", size: 1 }, { name: "q" }] },
    applied: { parts: [{ name: "p", kind: "plain", size: 2 }] },
    is: { parts: [{ name: "p", kind: "plain", size: 2 }, { name: "q" }] },
  },
])("$name", ({ live, applied, is }) => {
  expect(merge(live, applied, spec)).toEqual(is);
});

const rows: readonly (readonly [string, unknown, Structure, readonly string[]])[] = [
  ["text", "x", { type: "string" }, []],
  ["text in base64", "x", { type: "bytes" }, []],
  ["a fraction for a whole number", 1.5, { type: "integer" }, []],
  ["a flag for a number or text", true, { type: "integer,string" }, []],
  ["null", null, { type: "string" }, []],
  ["anything without a type", 7, {}, []],
  [
    "a number for text",
    7,
    { type: "string" },
    [".f: expected string, got &value.valueUnstructured{Value:7}"],
  ],
  [
    "an object for text",
    { a: [1, "b"] },
    { type: "string" },
    [
      '.f: expected string, got &value.valueUnstructured{Value:map[string]interface {}{"a":[]interface {}{1, "b"}}}',
    ],
  ],
  [
    "text for a number",
    "x",
    { type: "integer" },
    [".f: expected numeric (int or float), got string"],
  ],
  [
    "a flag for a number",
    true,
    { type: "number" },
    [".f: expected numeric (int or float), got bool"],
  ],
  ["a number for a flag", 1, { type: "boolean" }, [".f: expected boolean, got &{1}"]],
  ["text for a list", "x", { type: "array" }, [".f: expected list, got &{x}"]],
  ["an object for a list", { a: 1 }, { type: "array" }, [".f: expected list, got &{map[a:1]}"]],
  ["a list for an object", [1, 2], { type: "object" }, [".f: expected map, got &{[1 2]}"]],
  [
    "fields that are not declared: the first of them",
    { a: 1, z: 1, y: 1 },
    { type: "object", fields: { a: {} } },
    [".f.y: field not declared in schema"],
  ],
  ["any field of an open object", { z: 1 }, { type: "object", fields: {}, open: true }, []],
  ["any key of a map", { z: 1 }, { type: "object", values: {} }, []],
];

test.each(rows)("server-side apply of %s", (...[, value, structure, problems]) => {
  expect(typeProblems(value, structure, ".f")).toEqual(problems);
});
