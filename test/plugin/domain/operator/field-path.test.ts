import { valueAt } from "../../../../plugin/domain/operator/differences";

const object = {
  metadata: { annotations: { "a.b/c": "dotted", a: { "b/c": "nested" } } },
  spec: {
    containers: [
      { name: "x", ports: [{ containerPort: 80 }, { containerPort: 81, protocol: "UDP" }] },
    ],
    finalizers: ["one", "two"],
    list: [[1], { "]": "odd" }],
  },
};

test.each([
  ["", object],
  [".metadata.annotations.a.b/c", "dotted"],
  ['.spec.containers[name="x"].name', "x"],
  ['.spec.containers[name="x"].ports[containerPort=80,protocol="TCP"].containerPort', 80],
  ['.spec.containers[name="x"].ports[containerPort=81,protocol="UDP"].protocol', "UDP"],
  ['.spec.containers[name="y"].name', undefined],
  ['.spec.containers[name=x"].name', undefined],
  ['.spec.finalizers[="two"]', "two"],
  [".spec.containers[name=x].name", undefined],
  [".spec.finalizers[=two]", undefined],
  ["[0]", undefined],
  [".spec.list[0][0]", 1],
  [".spec.list[9]", undefined],
  [".spec.list[", undefined],
  [".nothing.here", undefined],
  [".spec.cont", undefined],
])("%s leads to %j", (path, value) => {
  expect(valueAt(object, path)).toEqual(value);
});

test("what is not an object and no list has no fields", () => {
  expect(valueAt("text", ".a")).toBeUndefined();
  expect(valueAt(["text"], '[name="text"]')).toBeUndefined();
});
