import { readPreconditions, refTo } from "../../../../plugin/domain/kube/objects";

const read = { apiVersion: "v1", kind: "Secret" };

test.each([
  ["uid and resourceVersion, and nothing else", { name: "x", uid: "u", resourceVersion: "7" }],
  ["a resourceVersion alone", { name: "x", resourceVersion: "7" }],
  ["a uid alone", { uid: "u", generation: 2 }],
  ["neither", { name: "x", namespace: "y" }],
])("a write is bound to what was read: %s", (_name, metadata: Record<string, unknown>) => {
  const wanted = Object.fromEntries(
    Object.entries(metadata).filter(([key]) => key === "uid" || key === "resourceVersion"),
  );
  expect(readPreconditions({ ...read, metadata })).toStrictEqual(wanted);
});

test.each([
  ["with its namespace", { name: "x", namespace: "y" }, { name: "x", namespace: "y" }],
  ["without one where it has none", { name: "x" }, { name: "x" }],
  ["under an empty name where it has none", {}, { name: "" }],
])("an object is found %s", (_name, metadata, place) => {
  const resource = { group: "", version: "v1", plural: "secrets", kind: "Secret" };
  expect(refTo(resource, { ...read, metadata })).toStrictEqual({ resource, ...place });
});
