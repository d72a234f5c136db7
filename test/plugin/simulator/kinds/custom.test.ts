import { readFileSync } from "node:fs";
import { join } from "node:path";
import { load } from "js-yaml";
import type { Json } from "../../../../plugin/domain/base/values";
import { createRegistry } from "../../../../plugin/simulator/kinds/registry";
import type { Registry } from "../../../../plugin/simulator/model";
import type { KubeObject } from "../../../../plugin/ports/kubernetes";
import { causeOf } from "../../../contract/expected";
import { anObject, prepared, refusalOf } from "./preparing";

function withSpec(properties: Json, version: Json = {}): Registry {
  const registry = createRegistry();
  const schema = {
    openAPIV3Schema: {
      type: "object",
      properties: { spec: { type: "object", properties }, status: { type: "object" } },
    },
  };
  const definition = anObject("apiextensions.k8s.io/v1", "CustomResourceDefinition", {
    metadata: { name: "foos.x.io" },
    spec: {
      group: "x.io",
      scope: "Namespaced",
      names: { plural: "foos", kind: "Foo" },
      versions: [{ name: "v1", served: true, storage: true, schema, ...version }],
    },
  });
  registry.define("foos.x.io", definition);
  return registry;
}

const foo = (spec: unknown, more: Json = {}): KubeObject =>
  anObject("x.io/v1", "Foo", { spec, ...more });

const properties = {
  text: { type: "string", minLength: 2, maxLength: 4, pattern: "^a" },
  choice: { type: "string", enum: ["z", "a"] },
  number: { type: "integer", minimum: 1, maximum: 5 },
  odd: { type: "number", exclusiveMinimum: true, minimum: 1, multipleOf: 2 },
  flag: { type: "boolean" },
  time: { type: "string", format: "date-time" },
  bytes: { type: "string", format: "byte" },
  either: { "x-kubernetes-int-or-string": true },
  free: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
  nullable: { type: "string", nullable: true },
  map: { type: "object", additionalProperties: { type: "integer" }, maxProperties: 2 },
  some: { type: "object", minProperties: 1, additionalProperties: true },
  list: { type: "array", minItems: 1, maxItems: 2, items: { type: "string" } },
  set: { type: "array", "x-kubernetes-list-type": "set", items: { type: "string" } },
  byKey: {
    type: "array",
    "x-kubernetes-list-type": "map",
    "x-kubernetes-list-map-keys": ["k", "p"],
    items: {
      type: "object",
      required: ["k"],
      properties: { k: { type: "string" }, p: { type: "string", default: "TCP" } },
    },
  },
  needs: { type: "object", required: ["a", "b"], additionalProperties: { type: "string" } },
  one: {
    type: "object",
    "x-kubernetes-preserve-unknown-fields": true,
    oneOf: [{ required: ["a"] }, { required: ["b"] }],
  },
  any: {
    "x-kubernetes-int-or-string": true,
    anyOf: [{ type: "integer" }, { type: "string" }],
    pattern: "^[0-9]+$",
  },
  not: { type: "string", not: { enum: ["no"] } },
  inner: { type: "object", "x-kubernetes-embedded-resource": true },
};

const mustBe = (field: string, type: string, found: string): string =>
  `${field}: Invalid value: "${found}": ${field} in body must be of type ${type}: "${found}"`;
const should = (field: string, value: string, words: string): string =>
  `${field}: Invalid value: ${value}: ${field} in body should ${words}`;

describe("what a schema refuses", () => {
  test.each<readonly [string, Json, ...string[]]>([
    ["a number for text", { text: 7 }, mustBe("spec.text", "string", "integer")],
    ["a fraction for text", { text: 7.5 }, mustBe("spec.text", "string", "number")],
    ["a list for text", { text: ["a"] }, mustBe("spec.text", "string", "array")],
    ["text for a number", { number: "2" }, mustBe("spec.number", "integer", "string")],
    ["a fraction for a whole number", { number: 1.5 }, mustBe("spec.number", "integer", "number")],
    ["a number for a flag", { flag: 1 }, mustBe("spec.flag", "boolean", "integer")],
    ["a flag for either", { either: true }, mustBe("spec.either", "integer,string", "boolean")],
    ["an object for a list", { list: {} }, mustBe("spec.list", "array", "object")],
    ["text for an object", { map: "x" }, mustBe("spec.map", "object", "string")],
    ["null in a list", { list: ["a", null] }, mustBe("spec.list[1]", "string", "null")],
    ["a value of a map", { map: { a: "x" } }, mustBe("spec.map.a", "integer", "string")],
    ["text of no format", { time: "now" }, mustBe("spec.time", "date-time", "now")],
    ["text that is no base64", { bytes: "!" }, mustBe("spec.bytes", "byte", "!")],
    ["a number with a format", { time: 7 }, mustBe("spec.time", "date-time", "int64")],
    ["short text", { text: "a" }, should("spec.text", '"a"', "be at least 2 chars long")],
    ["long text", { text: "abcde" }, "spec.text: Too long: may not be more than 4 bytes"],
    ["text off its pattern", { text: "bcd" }, should("spec.text", '"bcd"', "match '^a'")],
    [
      "an unknown choice, the known ones in the schema's order",
      { choice: "q" },
      'spec.choice: Unsupported value: "q": supported values: "z", "a"',
    ],
    ["a small number", { number: 0 }, should("spec.number", "0", "be greater than or equal to 1")],
    ["a large number", { number: 6 }, should("spec.number", "6", "be less than or equal to 5")],
    [
      "a number at its open bound, and no multiple",
      { odd: 1 },
      should("spec.odd", "1", "be a multiple of 2"),
      should("spec.odd", "1", "be greater than 1"),
    ],
    ["too few items", { list: [] }, should("spec.list", "0", "have at least 1 items")],
    [
      "too many items",
      { list: ["a", "b", "c"] },
      "spec.list: Too many: 3: must have at most 2 items",
    ],
    ["too few keys", { some: {} }, should("spec.some", "0", "have at least 1 properties")],
    [
      "too many keys",
      { map: { a: 1, b: 2, c: 3 } },
      "spec.map: Too many: 3: must have at most 2 items",
    ],
    [
      "missing fields",
      { needs: {} },
      "spec.needs.a: Required value",
      "spec.needs.b: Required value",
    ],
    ["an item twice in a set", { set: ["a", "a", "a"] }, 'spec.set[1]: Duplicate value: "a"'],
    [
      "a key twice, one of them by default",
      { byKey: [{ k: "a" }, { k: "a", p: "TCP" }] },
      'spec.byKey[1]: Duplicate value: {"k":"a","p":"TCP"}',
    ],
    [
      "none of several schemas",
      { one: {} },
      '<nil>: Invalid value: "": "spec.one" must validate one and only one schema (oneOf). Found none valid',
      "spec.one.a: Required value",
    ],
    [
      "two of several schemas",
      { one: { a: 1, b: 2 } },
      '<nil>: Invalid value: "": "spec.one" must validate one and only one schema (oneOf). Found 2 valid alternatives',
    ],
    ["text off the pattern of either", { any: "x" }, should("spec.any", '"x"', "match '^[0-9]+$'")],
    [
      "what must not be",
      { not: "no" },
      '<nil>: Invalid value: "": "spec.not" must not validate the schema (not)',
    ],
    [
      "an embedded object without a kind",
      { inner: {} },
      "spec.inner.apiVersion: Required value",
      "spec.inner.kind: Required value",
    ],
  ])("%s", (...[, spec, ...errors]) => {
    const { status, reason, causes } = refusalOf(foo(spec), { registry: withSpec(properties) });
    expect({ status, reason }).toEqual({ status: 422, reason: "Invalid" });
    expect(causes).toEqual((errors as string[]).map(causeOf));
  });

  test("what fits is stored as it is", () => {
    const spec = {
      text: "abc",
      choice: "a",
      number: 5,
      odd: 4,
      flag: false,
      time: "2030-01-02T03:04:05Z",
      bytes: "eA==",
      either: 443,
      free: { any: { thing: [1] } },
      nullable: null,
      map: { a: 1 },
      list: ["a"],
      set: ["a", "b"],
      byKey: [
        { k: "a", p: "TCP" },
        { k: "a", p: "UDP" },
      ],
      one: { a: 1 },
      any: 7,
      not: "yes",
      inner: { apiVersion: "v1", kind: "X", metadata: { name: "n" } },
    };
    const { object, warnings } = prepared(foo(spec), { registry: withSpec(properties) });
    expect(object["spec"]).toEqual(spec);
    expect(warnings).toEqual([]);
  });

  test("the kind is named with its group", () => {
    expect(refusalOf(foo({ flag: 1 }), { registry: withSpec(properties) }).message).toBe(
      'Foo.x.io "x" is invalid: spec.flag: Invalid value: "integer": spec.flag in body must be of type boolean: "integer"',
    );
  });

  test("names, labels and namespace are checked as everywhere", () => {
    const metadata = { name: "A", labels: { "-": "c d" } };
    const { causes } = refusalOf(foo({}, { metadata }), { registry: withSpec(properties) });
    expect(causes.map(({ field }) => field)).toEqual([
      "metadata.name",
      "metadata.labels",
      "metadata.labels",
    ]);
  });

  test("metadata that cannot be read is refused before the schema is looked at", () => {
    const object = foo({ flag: 1 }, { metadata: { labels: { a: 1 } } });
    expect(refusalOf(object, { registry: withSpec(properties) })).toMatchObject({
      status: 400,
      message:
        'Foo in version "v1" cannot be handled as a Foo: json: cannot unmarshal number into Go struct field ObjectMeta.labels of type string',
    });
  });

  test("a pattern that cannot be read refuses nothing", () => {
    const registry = withSpec({ text: { type: "string", pattern: "(?i)a" } });
    expect(prepared(foo({ text: "b" }), { registry }).object["spec"]).toEqual({ text: "b" });
  });
});

describe("what is left out of a custom resource", () => {
  test("unknown fields are dropped and told, in the order of their names", () => {
    const registry = withSpec(properties);
    const given = foo(
      { zzz: 1, byKey: [{ k: "a", q: 1 }], free: { x: 1 }, aaa: { b: 1 } },
      { metadata: { odd: 1 }, extra: 1 },
    );
    const { object, warnings } = prepared(given, { registry });
    expect(object).toEqual(foo({ byKey: [{ k: "a", p: "TCP" }], free: { x: 1 } }));
    expect(warnings).toEqual([
      'unknown field "metadata.odd"',
      'unknown field "extra"',
      'unknown field "spec.aaa"',
      'unknown field "spec.byKey[0].q"',
      'unknown field "spec.zzz"',
    ]);
  });

  test("known fields within a free object are pruned all the same", () => {
    const inside = { type: "object", properties: { a: { type: "string" } } };
    const registry = withSpec({
      free: {
        type: "object",
        "x-kubernetes-preserve-unknown-fields": true,
        properties: { inside },
      },
    });
    const { object, warnings } = prepared(foo({ free: { b: 1, inside: { a: "x", b: 1 } } }), {
      registry,
    });
    expect(object["spec"]).toEqual({ free: { b: 1, inside: { a: "x" } } });
    expect(warnings).toEqual(['unknown field "spec.free.inside.b"']);
  });

  test("a null that is not allowed is as good as nothing", () => {
    const { object } = prepared(foo({ text: null, nullable: null }), {
      registry: withSpec(properties),
    });
    expect(object["spec"]).toEqual({ nullable: null });
  });

  test("a version without a schema keeps everything", () => {
    const registry = withSpec({}, { schema: undefined });
    const { object, warnings } = prepared(foo({ a: { b: 1 } }), { registry });
    expect(object["spec"]).toEqual({ a: { b: 1 } });
    expect(warnings).toEqual([]);
  });
});

describe("what is filled in", () => {
  const defaults = {
    text: { type: "string", default: "d" },
    nullable: { type: "string", nullable: true, default: "d" },
    object: {
      type: "object",
      default: {},
      properties: { inner: { type: "integer", default: 7 } },
    },
    absent: { type: "object", properties: { inner: { type: "integer", default: 7 } } },
  };

  test.each([
    ["where nothing is given", {}, { text: "d", nullable: "d", object: { inner: 7 } }],
    [
      "where null is not allowed",
      { text: null, nullable: null },
      { text: "d", nullable: null, object: { inner: 7 } },
    ],
    [
      "within what is given",
      { text: "x", absent: {}, object: { inner: 1 } },
      { text: "x", nullable: "d", absent: { inner: 7 }, object: { inner: 1 } },
    ],
  ])("%s", (_, spec, stored) => {
    expect(prepared(foo(spec), { registry: withSpec(defaults) }).object["spec"]).toEqual(stored);
  });

  test("a default is never shared between objects", () => {
    const registry = withSpec(defaults);
    const [one, other] = [prepared(foo({}), { registry }), prepared(foo({}), { registry })];
    expect((one.object["spec"] as Json)["object"]).not.toBe(
      (other.object["spec"] as Json)["object"],
    );
  });
});

describe("what was stored before the schema grew stricter", () => {
  const registry = withSpec(properties);
  const before = foo({ number: 9, list: ["a", "b", "c"] });

  test("is left alone where it does not change", () => {
    const { object } = prepared(foo({ ...(before["spec"] as Json), flag: true }), {
      before,
      registry,
    });
    expect(object["spec"]).toMatchObject({ number: 9, flag: true });
  });

  test("is checked where it changes", () => {
    const changed = foo({ ...(before["spec"] as Json), number: 8 });
    const { causes } = refusalOf(changed, { before, registry });
    expect(causes.map(({ field }) => field)).toEqual(["spec.number"]);
  });
});

test.each([
  [{ deprecated: true }, ["x.io/v1 Foo is deprecated"]],
  [{ deprecated: true, deprecationWarning: "use v2" }, ["use v2"]],
  [{}, []],
])("a version with %j warns %j", (version, warnings) => {
  expect(prepared(foo({}), { registry: withSpec({}, version) }).warnings).toEqual(warnings);
});

describe("the shipped definition of databases", () => {
  const file = join(__dirname, "../../../../manifests/crds/engine_enterprise_database.yaml");
  const definition = load(readFileSync(file, "utf8")) as KubeObject;
  const registry = createRegistry();
  registry.define(definition.metadata.name ?? "", definition);
  const database = (spec: Json) =>
    anObject("app.engine.com/v1alpha1", "EngineEnterpriseDatabase", { spec });

  test("is accepted itself", () => {
    expect(prepared(definition).warnings).toEqual([]);
  });

  test("keeps what it knows and drops a misspelt field", () => {
    const { object, warnings } = prepared(database({ engineVersion: "7.4", enginVersion: "7" }), {
      registry,
    });
    expect(object["spec"]).toEqual({ engineVersion: "7.4" });
    expect(warnings).toEqual(['unknown field "spec.enginVersion"']);
  });

  test("refuses a version that is a number", () => {
    expect(refusalOf(database({ engineVersion: 7 }), { registry }).message).toBe(
      'EngineEnterpriseDatabase.app.engine.com "x" is invalid: spec.engineVersion: Invalid value: "integer": spec.engineVersion in body must be of type string: "integer"',
    );
  });
});

test("a definition that keeps unknown fields prunes nothing, and is refused no longer for that", () => {
  const registry = createRegistry();
  const definition = (more: Json): KubeObject =>
    anObject("apiextensions.k8s.io/v1", "CustomResourceDefinition", {
      metadata: { name: "foos.x.io" },
      spec: {
        group: "x.io",
        scope: "Namespaced",
        names: { plural: "foos", singular: "foo", kind: "Foo", listKind: "FooList" },
        preserveUnknownFields: true,
        versions: [
          {
            ...{ name: "v1", served: true, storage: true },
            schema: {
              openAPIV3Schema: { type: "object", properties: { a: { type: "string", ...more } } },
            },
          },
        ],
      },
      status: { storedVersions: ["v1"] },
    });
  registry.define("foos.x.io", definition({}));
  const sent = { spec: { kept: { deep: true } } };
  expect(prepared(foo(sent.spec), { registry }).object).toMatchObject(sent);
  const kind = registry.byKind("apiextensions.k8s.io/v1", "CustomResourceDefinition");
  expect(kind?.prepare(definition({ maxLength: 3 }), definition({})).warnings).toEqual([]);
  expect(() => kind?.prepare(definition({ default: "x" }), definition({}))).toThrow(
    "spec.preserveUnknownFields: Invalid value: true: must be false in order to use defaults in the schema",
  );
});
