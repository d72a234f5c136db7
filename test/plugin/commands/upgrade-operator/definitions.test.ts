import { defaultNames as names } from "../../../../plugin/domain/names/names";
import type {
  CustomResourceDefinition,
  Deployment,
  SchemaProps,
} from "../../../../plugin/domain/kube/models";
import { type KubeObject, lastApplied } from "../../../../plugin/domain/kube/objects";
import {
  type DefinitionVerdict,
  judgeDefinition,
  listLosses,
  markRelease,
  renewStored,
  withFields,
} from "../../../../plugin/commands/upgrade-operator/definitions";
import { describeShared } from "../../../../plugin/commands/upgrade-operator/definition-checks";
import { getPath } from "../../../../plugin/domain/base/values";
import { factsOf } from "../../domain/engine-cluster/scene";

const [mark] = names.annotations.operatorVersion;

type Versions = Readonly<Record<string, Readonly<Record<string, SchemaProps>>>>;

const aDefinition = (
  versions: Versions,
  release?: string,
  more: object = {},
): CustomResourceDefinition => ({
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
  ...more,
});

const judge = (
  live: CustomResourceDefinition,
  wanted: KubeObject,
  goesUp = true,
): DefinitionVerdict => judgeDefinition({ live, wanted, goesUp, names, ours: "ours" });

const a = { a: { type: "string" } };
const ab = { ...a, b: {} };
const ac = { ...a, c: { items: { properties: { d: {} } } } };
const open = { a: { "x-kubernetes-preserve-unknown-fields": true } };

test.each<[string, Versions, Versions, "apply" | "keep", readonly string[]]>([
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
  [
    "one whose field keeps what is in it",
    { v1: { a: { properties: { b: {} } } } },
    { v1: open },
    "apply",
    [],
  ],
])("%s", (...[, live, wanted, is, lost]) => {
  const verdict = judge(aDefinition(live), aDefinition(wanted));
  // without a file nothing tells whose a field is, and then it is kept
  const isVersion = (field: string) => field.startsWith("version");
  const keeps = lost.filter((field) => !isVersion(field));
  const applied = { is, loses: lost.filter(isVersion), keeps };
  expect(verdict).toEqual(is === "apply" ? applied : { is, because: expect.any(String) as string });
});

const edited = (manager: string, release?: string): object => ({
  metadata: {
    ...(release !== undefined && { annotations: { [mark]: release } }),
    managedFields: [
      {
        manager,
        operation: "Update",
        apiVersion: "apiextensions.k8s.io/v1",
        fieldsV1: { "f:spec": { "f:versions": {} } },
      },
    ],
  },
});
const file = (properties: Versions[string]): object => ({
  metadata: { annotations: { [lastApplied]: JSON.stringify(aDefinition({ v1: properties })) } },
});

test.each<[string, object, readonly string[]]>([
  ["in the file goes with the old release", file(ab), ["v1.b"]],
  ["not in the file was added", file(a), []],
  ["of a person's edit was added", edited("kubectl-edit"), []],
  ["of this tool stays", edited("ours"), []],
])("a field %s", (_, more, loses) => {
  const verdict = judge(aDefinition({ v1: ab }, undefined, more), aDefinition({ v1: ac }));
  const keeps = loses.length === 0 ? ["v1.b"] : [];
  expect(verdict).toEqual({ is: "apply", loses, keeps });
});

test.each<[string, object, "apply" | "keep"]>([
  ["in the file: the stored one is newer", file(ab), "keep"],
  ["of this tool: the stored one is newer", edited("ours"), "keep"],
  ["of a kubectl create: the stored one is newer", edited("kubectl-create"), "keep"],
  ["not in the file: someone added it", file(a), "apply"],
  ["of an edit: someone added it", edited("kubectl-edit"), "apply"],
  ["of this tool at the same release: it was kept", edited("ours", "8.0.2-2"), "apply"],
  ["of this tool at an older release: it was kept", edited("ours", "7.4.2-2"), "apply"],
  ["of this tool at an unknown release: it may be newer", edited("ours", "latest"), "keep"],
  ["of a file applied later, whatever its mark", edited("kubectl-create", "8.0.2-2"), "keep"],
])("the only difference is a field %s", (_, more, is) => {
  const live = aDefinition({ v1: ab }, undefined, more);
  expect(judge(live, aDefinition({ v1: a }, "8.0.2-2")).is).toBe(is);
});

const list = (properties: object): object => ({ type: "array", items: { properties } });

test.each<[string, Versions, Versions, readonly string[], object]>([
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
  const made = withFields(aDefinition(wanted), aDefinition(live), fields);
  const [version] = getPath(made, ["spec", "versions"]) as readonly unknown[];
  expect(getPath(version, ["schema", "openAPIV3Schema", "properties"])).toEqual(properties);
});

test("fields are only lost on the way up, and a stored version continues being served", () => {
  expect(judge(aDefinition({ v1: ab }), aDefinition({ v1: ac }), false)).toEqual({
    is: "keep",
    because: "it has v1.b, which the release lacks",
  });
  const live = aDefinition({ v0: a }, undefined, { status: { storedVersions: ["v0", "v1"] } });
  expect(judge(live, aDefinition({ v1: ab }))).toEqual({ is: "refuse", versions: ["v0"] });
});

test.each<[string, object, string | undefined]>([
  ["another version by now", { name: "v1", served: true, storage: true }, "v1"],
  ["still that version", { name: "v0", served: true, storage: true }, undefined],
  ["none", { name: "v1", served: true }, undefined],
])("of a version that goes and a definition that writes %s", (_, version, writes) => {
  const live = aDefinition({}, undefined, { spec: { versions: [version] } });
  const remedy = renewStored(live, ["v0"]);
  const lines =
    remedy && [remedy.saves, remedy.run, remedy.then?.run].map((one) => one?.words.join(" "));
  expect(lines).toEqual(
    writes && [
      "get x --all-namespaces -o yaml",
      "replace -f x.yaml",
      `patch customresourcedefinition x --subresource=status --type=merge --patch={"status":{"storedVersions":["${writes}"]}}`,
    ],
  );
});

test.each<[string | undefined, string | undefined, "apply" | "keep"]>([
  ["8.0.2-2", "7.22.0-7", "keep"],
  ["7.22.0-7", "8.0.2-2", "apply"],
  ["8.0.2-2", "8.0.2-2", "apply"],
  ["latest", "8.0.2-2", "apply"],
  [undefined, "8.0.2-2", "apply"],
  ["8.0.2-2", undefined, "apply"],
])("one marked %s against one marked %s: %s", (held, given, is) => {
  expect(judge(aDefinition({ v1: a }, held), aDefinition({ v1: a }, given)).is).toBe(is);
});

test("the mark is the release's, unless the definition has one", () => {
  const marksOf = (release: string | undefined, given = names) =>
    markRelease(aDefinition({}, release), "8.0.2-2", given).metadata.annotations;
  expect(marksOf(undefined)).toEqual({ [mark]: "8.0.2-2" });
  expect(marksOf("7.22.0-7")).toEqual({ [mark]: "7.22.0-7" });
  expect(markRelease(aDefinition({}), undefined, names)).toEqual(aDefinition({}));
  const spellings = { operatorVersion: ["new.io/v", mark] as const };
  const later = { ...names, annotations: { ...names.annotations, ...spellings } };
  expect(marksOf("7.22.0-7", later)).toEqual({ [mark]: "7.22.0-7" });
  expect(marksOf(undefined, later)).toEqual({ "new.io/v": "8.0.2-2" });
});

const { group, edb } = names;
const database = `${edb.plural}.${group}`;
const aDatabase = (name: string, spec: object, version = "v1"): KubeObject => ({
  apiVersion: `${group}/${version}`,
  kind: edb.kind,
  metadata: { name, namespace: "a" },
  spec,
});
const dropped = "something there: it is dropped";
const unknown =
  "v1.spec.tier: whether objects hold something there, which would be dropped, is not known";

interface Given {
  readonly databases?: readonly KubeObject[];
  readonly unread?: true;
  readonly unserved?: true;
  readonly of?: string;
  readonly loses?: readonly string[];
}

const held = [
  aDatabase("x", { all: [{ b: 1 }, { tier: 1 }] }),
  aDatabase("y", { all: { any: { tier: 1 } } }),
];
const holding = [aDatabase("x", { tier: "gold" }), aDatabase("y", {})];
const statusAlone = [{ ...aDatabase("x", {}), status: { tier: 1 } }];
const inV2 = [aDatabase("x", {}, "v2")];

test.each<[string, Given, string | undefined]>([
  ["no object of the kind", {}, undefined],
  ["an object without the field", { databases: [aDatabase("x", { t: 1 })] }, undefined],
  [
    "an object with it",
    { databases: holding },
    `v1.spec.tier, and ${edb.kind}/a/x holds ${dropped}`,
  ],
  [
    "objects with it in a list and in a map",
    { databases: held, loses: ["v1.spec.all[].tier"] },
    `v1.spec.all[].tier, and ${edb.kind}/a/x, ${edb.kind}/a/y hold ${dropped}`,
  ],
  ["the status alone", { databases: statusAlone, loses: ["v1.status.tier"] }, undefined],
  ["another version than the one that is read", { databases: inV2 }, unknown],
  [
    "both versions, one of them read",
    { databases: inV2, loses: ["v1.spec.tier", "v2.spec.tier"] },
    undefined,
  ],
  ["objects that may not be read", { unread: true }, unknown],
  ["a version that is not served", { unserved: true }, unknown],
  ["another kind", { of: `others.${group}` }, unknown],
  ["a version", { loses: ["version v0", "v1.spec.tier"] }, "version v0"],
])("what is lost: %s", (_, { of = database, loses = ["v1.spec.tier"], ...given }, says) => {
  const definition = aDefinition({}, undefined, { metadata: { name: of } });
  const facts = factsOf(
    { edbs: given.databases ?? [] },
    {
      unserved: new Set(given.unserved === true ? (["edbs"] as const) : []),
      unread: new Map(given.unread === true ? ([["edbs", "forbidden"]] as const) : []),
    },
  );
  const told = says === undefined ? undefined : `the release's definition lacks ${says}`;
  expect(listLosses(loses, definition, facts)).toBe(told);
});

const placed = (namespace: string, image?: string): Deployment => ({
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: { name: names.operator.deployment, namespace },
  spec: {
    template: {
      spec: { containers: image === undefined ? [] : [{ name: names.operator.container, image }] },
    },
  },
});

test.each<[string, readonly Deployment[] | undefined, readonly string[], string | undefined]>([
  ["nobody", [], ["here"], undefined],
  ["nobody that was looked for", undefined, [], undefined],
  ["clusters", undefined, ["here", "far", "far"], "clusters are also in far"],
  [
    "operators and clusters",
    [placed("far", "engine/operator:8.0.2-2"), placed("near")],
    ["far"],
    "operators are also in far (8.0.2-2), near (its release is not told); clusters are also in far",
  ],
])("the definitions are shared with %s", (_title, ...[operators, places, cause]) => {
  const facts = { names, namespace: "here", ...(operators && { operators }) };
  expect(
    describeShared(
      facts,
      places.map((place) => placed(place)),
    ),
  ).toBe(cause);
});
