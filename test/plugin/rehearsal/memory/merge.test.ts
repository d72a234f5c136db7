import { merge } from "../../../../plugin/rehearsal/memory/ownership";
import { dbStructure } from "./world";

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
