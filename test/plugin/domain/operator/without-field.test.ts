/** A value without one of its fields, by the path that the API server would name it by. */
import { dropField } from "../../../../plugin/domain/kube/differences";

const value = {
  "a.b": { c: 1, d: 2 },
  labels: { "x.io/y": "z", other: "z" },
  env: [
    { name: "A", value: "1" },
    { name: "B", value: "1" },
  ],
  set: ["x", "y"],
};

test.each<[name: string, path: string, is: object]>([
  ["a key", ".set", { ...value, set: undefined }],
  ["a key with dots", ".a.b.c", { ...value, "a.b": { d: 2 } }],
  ["a label", ".labels.x.io/y", { ...value, labels: { other: "z" } }],
  ["an item by its name", '.env[name="A"]', { ...value, env: [value.env[1]] }],
  ["a field of an item", '.env[name="B"].value', { ...value, env: [value.env[0], { name: "B" }] }],
  ["an item of a set", '.set[="x"]', { ...value, set: ["y"] }],
  ["nothing where there is no such key", ".spec.x", value],
  ["nothing where there is no such item", '.env[name="C"]', value],
  ["nothing in a text", ".labels.other.x", value],
])("%s", (_name, path, is) => {
  expect(dropField(value, path)).toEqual(is);
});
