import type { KubeObject } from "../../../../plugin/domain/kube/objects";
import * as compared from "../../../../plugin/domain/kube/differences";

const { changesTo, covers, differences, listReordered, sameStored, valueAt } = compared;

const anObject = (spec: unknown, metadata: KubeObject["metadata"] = {}): KubeObject => ({
  apiVersion: "v1",
  kind: "Thing",
  metadata: { name: "x", ...metadata },
  spec,
});
const [n, m] = [{ name: "n" }, { name: "m" }];

test.each([
  ["the same", { a: 1 }, { a: 1 }, []],
  ["what others added", { a: 1, b: 2 }, { a: 1 }, []],
  ["null, which says nothing", {}, { a: null }, []],
  ["an empty list that is not there", {}, { a: [] }, []],
  ["another value", { a: 1 }, { a: 2 }, [".spec.a"]],
  ["a new field", {}, { a: { b: 1 } }, [".spec.a"]],
  ["text for an object", { a: "x" }, { a: { b: 1 } }, [".spec.a"]],
  ["text for a list", { a: "x" }, { a: [1] }, [".spec.a"]],
  ["a list of another length", { a: [1, 2] }, { a: [1] }, [".spec.a"]],
  ["list items with what is filled in", { a: [{ x: 1, y: 2 }] }, { a: [{ x: 1 }] }, []],
  ["a named item", { a: [{ ...n, v: 1 }] }, { a: [{ ...n, v: 2 }] }, ['.spec.a[name="n"].v']],
  ["a new named item", { a: [] }, { a: [n] }, ['.spec.a[name="n"]']],
  ["items in another order", { a: [n, m] }, { a: [m] }, []],
  ["subjects that are no objects", { subjects: ["x"] }, { subjects: ["y"] }, [".spec.subjects"]],
  ["subjects, which are one value", { subjects: [n, m] }, { subjects: [n] }, [".spec.subjects"]],
  [
    "a key of a selector",
    { selector: { a: "1", b: "2" } },
    { selector: { a: "1" } },
    [".spec.selector"],
  ],
  ["a selector alike", { selector: { a: "1" } }, { selector: { a: "1" } }, []],
  [
    "a subject with what is filled in",
    { subjects: [{ kind: "User", name: "a", apiGroup: "rbac.authorization.k8s.io" }] },
    { subjects: [{ kind: "User", name: "a", namespace: "", labels: [], uid: null }] },
    [],
  ],
  [
    "a subject of another namespace",
    { subjects: [{ kind: "ServiceAccount", name: "a", namespace: "x" }] },
    { subjects: [{ kind: "ServiceAccount", name: "a", namespace: "y" }] },
    [".spec.subjects"],
  ],
  [
    "a subject whose namespace the file leaves out",
    { subjects: [{ kind: "ServiceAccount", name: "a", namespace: "x" }] },
    { subjects: [{ kind: "ServiceAccount", name: "a" }] },
    [],
  ],
])("differences: %s", (...[, live, wanted, fields]) => {
  expect(differences(anObject(live), anObject(wanted)).map(({ field }) => field)).toEqual(fields);
});

test.each([
  ["as it is", { a: "1k" }, []],
  ["otherwise", { a: "2k" }, [{ field: ".spec.a", live: "1k", wanted: "2k" }]],
  ["unknown", undefined, [{ field: ".spec.a", live: "1k", wanted: "x" }]],
] as const)("what the API server would store is %s", (_, stored, changes) => {
  const after = stored === undefined ? undefined : anObject(stored);
  expect(changesTo(anObject({ a: "1k" }), anObject({ a: "x" }), after)).toEqual(changes);
});

test("labels and annotations count, names and owners do not", () => {
  const wanted = anObject({}, { name: "y", labels: { a: "1" }, annotations: { b: "2" } });
  expect(differences(anObject({}), wanted).map(({ field }) => field)).toEqual([
    ".metadata.labels",
    ".metadata.annotations",
  ]);
});

test.each([
  [{ a: [{ b: 1, c: 2 }] }, { a: [{ b: 1 }] }, true],
  [{ a: null }, { a: null }, true],
  [undefined, [], true],
  [undefined, [1], false],
  [[1], [2], false],
])("%j covers %j: %s", (live, wanted, is) => {
  expect(covers(live, wanted)).toBe(is);
});

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

test.each<[string, unknown]>([
  ["", object],
  [".metadata.annotations.a.b/c", "dotted"],
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
  expect([valueAt("text", ".a"), valueAt(["text"], '[name="text"]')]).toEqual([
    undefined,
    undefined,
  ]);
});

test.each<[unknown, unknown, string, boolean]>([
  ["4", "4000m", ".resources.limits.cpu", true],
  ["3", "4000m", ".resources.limits.cpu", false],
  ["x", "y", ".resources.limits.cpu", false],
  ["1Gi", "1024Mi", ".emptyDir.sizeLimit", true],
  ["4", "4000m", '.env[name="CPUS"].value', false],
  [{ a: 1 }, { a: 1 }, ".x", true],
  [undefined, "", ".value", true],
  [undefined, null, ".value", true],
  [undefined, false, ".spec.hostNetwork", true],
  [undefined, 0, ".spec.minReadySeconds", true],
  [undefined, false, ".allowPrivilegeEscalation", false],
  [undefined, "a", ".value", false],
  [undefined, "", ".data.a", false],
  [undefined, "", ".metadata.labels.a.io/b", false],
  [undefined, null, ".data.a", true],
])("%j and %j are stored the same in %s: %s", (live, ...[wanted, field, same]) => {
  expect(sameStored(live, wanted, field)).toBe(same);
});

test.each<[string, unknown, unknown, readonly string[]]>([
  ["the same order", { a: [n, m] }, { a: [n, m] }, []],
  ["another one", { a: [n, m] }, { a: [m, n] }, [".a"]],
  ["one that is new between them", { a: [n, m] }, { a: [n, { name: "k" }, m] }, []],
  ["one that is gone", { a: [{ name: "k" }, n, m] }, { a: [n, m] }, []],
  ["items without names", { a: [1, 2] }, { a: [2, 1] }, []],
  ["a list that is not there", {}, { a: [n] }, []],
  ["a list that goes", { a: [n] }, {}, []],
  [
    "a list below an item",
    { a: [{ ...n, b: [n, m] }, m] },
    { a: [{ ...n, b: [m, n] }, m] },
    ['.a[name="n"].b'],
  ],
  ["lists below items in another order", { a: [{ ...n, b: [n, m] }, m] }, { a: [m, n] }, [".a"]],
  ["nothing at all", undefined, { a: [n, m] }, []],
])("reordered: %s", (_, live, other, fields) => {
  expect(listReordered(live, other).map(({ field }) => field)).toEqual(fields);
});
