import type { KubeObject } from "../../../../plugin/domain/objects";
import { changesTo, covers, differences } from "../../../../plugin/domain/operator/differences";

const anObject = (spec: unknown, metadata: KubeObject["metadata"] = {}): KubeObject => ({
  apiVersion: "v1",
  kind: "Thing",
  metadata: { name: "x", ...metadata },
  spec,
});

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
  [
    "a named item",
    { a: [{ name: "n", v: 1 }] },
    { a: [{ name: "n", v: 2 }] },
    ['.spec.a[name="n"].v'],
  ],
  ["a new named item", { a: [] }, { a: [{ name: "n" }] }, ['.spec.a[name="n"]']],
  ["items in another order", { a: [{ name: "n" }, { name: "m" }] }, { a: [{ name: "m" }] }, []],
  [
    "subjects, which are one value",
    { subjects: [{ name: "n" }, { name: "m" }] },
    { subjects: [{ name: "n" }] },
    [".spec.subjects"],
  ],
])("%s", (...[, live, wanted, fields]) => {
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
