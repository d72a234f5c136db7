import { defaultNames as names } from "../../../../plugin/domain/names";
import { getPath, few } from "../../../../plugin/domain/values";
import { type KubeObject, lastApplied } from "../../../../plugin/domain/objects";
import {
  judgeDefinition,
  marked,
  withFields,
} from "../../../../plugin/domain/operator/definitions";

const [mark] = names.annotations.operatorVersion;

interface Parts {
  readonly versions?: Readonly<Record<string, unknown>>;
  readonly release?: string;
  readonly stored?: readonly string[];
}

const aDefinition = ({ versions = {}, release, stored }: Parts): KubeObject => ({
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: "x", ...(release !== undefined && { annotations: { [mark]: release } }) },
  spec: {
    versions: [
      ...Object.entries(versions).map(([name, properties]) => ({
        name,
        served: true,
        schema: { openAPIV3Schema: { properties } },
      })),
      { name: "unserved", served: false },
    ],
  },
  ...(stored !== undefined && { status: { storedVersions: stored } }),
});

const a = { a: { type: "string" } };
const ab = { ...a, b: {} };
const ac = { ...a, c: { items: { properties: { d: {} } } } };

test.each([
  ["the same", { v1: a }, { v1: a }, "apply", []],
  ["one with more", { v1: a }, { v1: ab }, "apply", []],
  ["one with less", { v1: ab }, { v1: a }, "keep", []],
  ["one with other fields", { v1: ab }, { v1: ac }, "apply", ["v1.b"]],
  ["one without a version, with another", { v1: a, v2: a }, { v1: ab }, "apply", ["version v2"]],
  [
    "one with less in a list",
    { v1: { ...ac, x: {} } },
    { v1: { ...ac, c: {}, y: {} } },
    "apply",
    ["v1.c[].d", "v1.x"],
  ],
  ["one that keeps anything", { v1: ab }, { v1: { ...a, c: {} } }, "apply", ["v1.b"]],
  [
    "one whose field keeps what is in it",
    { v1: { a: { properties: { b: {} } } } },
    { v1: { a: { "x-kubernetes-preserve-unknown-fields": true } } },
    "apply",
    [],
  ],
] as const)("%s", (...[, live, wanted, is, loses]) => {
  const facts = {
    live: aDefinition({ versions: live }),
    wanted: aDefinition({ versions: wanted }),
  };
  const verdict = judgeDefinition({ ...facts, goesUp: true, names });
  if (verdict.is !== "apply") {
    expect(verdict.is).toBe(is);
    return;
  }
  // without a file nothing tells whose a field is, and then it is kept
  expect([verdict.is, [...verdict.loses, ...verdict.keeps].sort()]).toEqual([is, loses]);
  expect(verdict.keeps).toEqual(loses.filter((field) => !field.startsWith("version")));
});

const edited = (manager: string, release?: string): KubeObject["metadata"] => ({
  ...(release !== undefined && { annotations: { [mark]: release } }),
  managedFields: [
    {
      manager,
      operation: "Update",
      apiVersion: "apiextensions.k8s.io/v1",
      fieldsV1: { "f:spec": { "f:versions": {} } },
    },
  ],
});
const file = (properties: object): KubeObject["metadata"] => ({
  annotations: { [lastApplied]: JSON.stringify(aDefinition({ versions: { v1: properties } })) },
});

test.each([
  ["in the file goes with the old release", file(ab), { is: "apply", loses: ["v1.b"], keeps: [] }],
  ["not in the file was added", file(a), { is: "apply", loses: [], keeps: ["v1.b"] }],
  [
    "of a person's edit was added",
    edited("kubectl-edit"),
    { is: "apply", loses: [], keeps: ["v1.b"] },
  ],
  ["of this tool stays", edited(names.fieldManager), { is: "apply", loses: [], keeps: ["v1.b"] }],
])("a field %s", (_, metadata, verdict) => {
  const live = { ...aDefinition({ versions: { v1: ab } }), metadata };
  const wanted = aDefinition({ versions: { v1: ac } });
  expect(judgeDefinition({ live, wanted, goesUp: true, names })).toEqual(verdict);
});

test.each([
  ["in the file: the stored one is newer", file(ab), "keep"],
  ["of this tool: the stored one is newer", edited("ours"), "keep"],
  ["of a kubectl create: the stored one is newer", edited("kubectl-create"), "keep"],
  ["not in the file: someone added it", file(a), "apply"],
  ["of an edit: someone added it", edited("kubectl-edit"), "apply"],
  ["of this tool at the same release: it was kept", edited("ours", "8.0.2-2"), "apply"],
  ["of this tool at an older release: it was kept", edited("ours", "7.4.2-2"), "apply"],
  ["of this tool at an unknown release: it may be newer", edited("ours", "latest"), "keep"],
  [
    "of a file applied later: the release that it was marked with tells nothing",
    edited("kubectl-create", "8.0.2-2"),
    "keep",
  ],
])("the only difference is a field %s", (_, metadata, is) => {
  const live = { ...aDefinition({ versions: { v1: ab } }), metadata };
  const wanted = aDefinition({ versions: { v1: a }, release: "8.0.2-2" });
  expect(judgeDefinition({ live, wanted, goesUp: true, names, ours: "ours" }).is).toBe(is);
});

const list = (properties: object): object => ({ type: "array", items: { properties } });

test.each([
  ["nothing", { v1: a }, { v1: ab }, [], a],
  ["a field", { v1: a }, { v1: ab }, ["v1.b"], ab],
  ["one of two fields", { v1: a }, { v1: { ...ab, bc: {} } }, ["v1.bc"], { ...a, bc: {} }],
  [
    "a field of a list",
    { v1: { l: list(a) } },
    { v1: { l: list(ab) } },
    ["v1.l[].b"],
    { l: list(ab) },
  ],
  [
    "a list's items",
    { v1: { l: {} } },
    { v1: { l: list(a) } },
    ["v1.l[].a"],
    { l: { items: { properties: a } } },
  ],
  [
    "a field of an empty object",
    { v1: { o: {} } },
    { v1: { o: { properties: a } } },
    ["v1.o.a"],
    { o: { properties: a } },
  ],
  ["a field of another version", { v1: a }, { v2: ab }, ["v2.b"], a],
])("%s is put to the release's", (...[, wanted, live, fields, properties]) => {
  const made = withFields(
    aDefinition({ versions: wanted }),
    aDefinition({ versions: live }),
    fields,
  );
  const [version] = getPath(made, ["spec", "versions"]) as readonly unknown[];
  expect(getPath(version, ["schema", "openAPIV3Schema", "properties"])).toEqual(properties);
});

test("fields are only lost on the way up", () => {
  const facts = {
    live: aDefinition({ versions: { v1: ab } }),
    wanted: aDefinition({ versions: { v1: ac } }),
  };
  expect(judgeDefinition({ ...facts, goesUp: false, names })).toEqual({
    is: "keep",
    because: "it has v1.b, which the release lacks",
  });
});

test.each([
  ["8.0.2-2", "7.22.0-7", "keep"],
  ["7.22.0-7", "8.0.2-2", "apply"],
  ["8.0.2-2", "8.0.2-2", "apply"],
  ["latest", "8.0.2-2", "apply"],
  [undefined, "8.0.2-2", "apply"],
  ["8.0.2-2", undefined, "apply"],
])("one marked %s against one marked %s: %s", (held, given, is) => {
  const live = aDefinition({ versions: { v1: a }, ...(held !== undefined && { release: held }) });
  const wanted = aDefinition({
    versions: { v1: a },
    ...(given !== undefined && { release: given }),
  });
  expect(judgeDefinition({ live, wanted, goesUp: true, names }).is).toBe(is);
});

test("a stored version continues being served", () => {
  const live = aDefinition({ versions: { v0: a }, stored: ["v0", "v1"] });
  const wanted = aDefinition({ versions: { v1: ab } });
  expect(judgeDefinition({ live, wanted, goesUp: true, names })).toEqual({
    is: "refuse",
    versions: ["v0"],
  });
});

test("the mark is the release's, unless the definition has one", () => {
  expect(marked(aDefinition({}), "8.0.2-2", names).metadata.annotations).toEqual({
    [mark]: "8.0.2-2",
  });
  const own = aDefinition({ release: "7.22.0-7" });
  expect(marked(own, "8.0.2-2", names).metadata.annotations).toEqual({ [mark]: "7.22.0-7" });
  expect(marked(aDefinition({}), undefined, names)).toEqual(aDefinition({}));
  const spellings = { operatorVersion: ["new.io/v", mark] as const };
  const later = { ...names, annotations: { ...names.annotations, ...spellings } };
  expect(marked(own, "8.0.2-2", later)).toEqual(own);
  expect(marked(aDefinition({}), "8.0.2-2", later).metadata.annotations).toEqual({
    "new.io/v": "8.0.2-2",
  });
});

test("a long list is cut", () => {
  expect([few(["a"]), few(["a", "b", "c", "d"])]).toEqual(["a", "a, b, c and 1 more"]);
});
