import { defaultNames as names } from "../../../../plugin/domain/names";
import type { KubeObject } from "../../../../plugin/domain/objects";
import { few, judgeDefinition, marked } from "../../../../plugin/domain/operator/definitions";

const mark = names.annotations.operatorVersion;

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
  expect(verdict).toMatchObject(is === "apply" ? { is, loses } : { is });
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

test("a stored version goes on being served", () => {
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
  expect(marked(aDefinition({}), undefined, names).metadata.annotations).toEqual({});
});

test("a long list is cut", () => {
  expect([few(["a"]), few(["a", "b", "c", "d"])]).toEqual(["a", "a, b, c and 1 more"]);
});
