/** What a release's definition would no longer accept. */
import { renderFix } from "../../../../plugin/domain/base/remedy";
import {
  findKeepsUnknown,
  findUnfitObjects,
  hasDefault,
  isNarrower,
} from "../../../../plugin/domain/operator/definition-limits";
import type { CustomResourceDefinition } from "../../../../plugin/domain/kube/models";
import type { KubeObject } from "../../../../plugin/domain/kube/objects";

const aDefinition = (spec: object, more: object = {}): CustomResourceDefinition => ({
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: "ones.example.com" },
  spec: {
    ...more,
    versions: [
      { name: "v1", schema: { openAPIV3Schema: { properties: { spec } } } },
      { name: "v2", schema: {} },
    ],
  },
});
const properties = (fields: object, more: object = {}): object => ({ properties: fields, ...more });
const anObject = (spec: unknown, version = "v1"): KubeObject => ({
  apiVersion: `example.com/${version}`,
  kind: "One",
  metadata: { name: "orders", namespace: "data" },
  ...(spec !== undefined && { spec }),
});

test.each<[string, object, object, unknown, string | undefined]>([
  [
    "a value that is no longer in an enum",
    { enum: ["a", "b"] },
    { enum: ["a"] },
    "b",
    'spec.x "b", against enum ["a"]',
  ],
  ["a value that is in the enum", { enum: ["a", "b"] }, { enum: ["a"] }, "a", undefined],
  ["a value that no schema accepts", { enum: ["b"] }, { enum: ["a"] }, "c", undefined],
  ["a null", {}, { enum: ["a"] }, null, undefined],
  [
    "a number that was a text",
    { type: "string" },
    { type: "integer" },
    "7",
    'spec.x "7", against type "integer"',
  ],
  ["a whole number", {}, { type: "number" }, 7, undefined],
  ["a part of a number", {}, { type: "integer" }, 7.5, 'spec.x 7.5, against type "integer"'],
  ["a part of a number where one may be", {}, { type: "number" }, 7.5, undefined],
  ["a list that is none", {}, { type: "array" }, {}, 'spec.x {}, against type "array"'],
  ["a number over the maximum", {}, { maximum: 3 }, 4, "spec.x 4, against maximum 3"],
  ["a number under the minimum", {}, { minimum: 3 }, 2, "spec.x 2, against minimum 3"],
  ["a text beside a maximum", {}, { maximum: 3 }, "4", undefined],
  ["a limit that is none", {}, { maximum: "3" }, 4, undefined],
  ["a text that is too long", {}, { maxLength: 2 }, "abc", 'spec.x "abc", against maxLength 2'],
  ["a text that is too short", {}, { minLength: 2 }, "a", 'spec.x "a", against minLength 2'],
  ["a number beside a length", {}, { minLength: 2 }, 1, undefined],
  ["a list that is too long", {}, { maxItems: 1 }, [1, 2], "spec.x [1,2], against maxItems 1"],
  ["a list that is too short", {}, { minItems: 1 }, [], "spec.x [], against minItems 1"],
  ["a text beside a size", {}, { minItems: 1 }, "a", undefined],
  [
    "a text against its pattern",
    {},
    { pattern: "^[a-z]+$" },
    "A",
    'spec.x "A", against pattern "^[a-z]+$"',
  ],
  ["a text of its pattern", {}, { pattern: "^[a-z]+$" }, "a", undefined],
  ["a number beside a pattern", {}, { pattern: "^[a-z]+$" }, 1, undefined],
  ["a pattern that cannot be read", {}, { pattern: "(" }, "A", undefined],
  ["a pattern that is none", {}, { pattern: 1 }, "A", undefined],
  [
    "an item of a list",
    { items: {} },
    { items: { enum: ["a"] } },
    ["a", "b"],
    'spec.x[1] "b", against enum ["a"]',
  ],
  [
    "a value of a map",
    {},
    { additionalProperties: { enum: ["a"] } },
    { k: "b" },
    'spec.x.k "b", against enum ["a"]',
  ],
  [
    "a field that is required by now",
    {},
    { required: ["k"] },
    {},
    "spec.x.k nothing, and it is required",
  ],
  ["a field that was required before", { required: ["k"] }, { required: ["k"] }, {}, undefined],
  ["a required field that is there", {}, { required: ["k"] }, { k: 1 }, undefined],
  [
    "a required field that is filled in",
    {},
    { required: ["k"], properties: { k: { default: 1 } } },
    {},
    undefined,
  ],
])("%s", (...[, before, after, value, told]) => {
  const [live, wanted] = [before, after].map((x) => aDefinition(properties({ x })));
  if (live === undefined || wanted === undefined) throw new Error("two are made");
  const found = findUnfitObjects({ live, wanted }, [anObject({ x: value })]);
  expect(found).toEqual(told === undefined ? [] : [`One/data/orders has ${told}`]);
});

test("an object of a version without a schema, or without a spec, is fit", () => {
  const live = aDefinition({});
  const wanted = aDefinition(properties({ x: { enum: ["a"] } }));
  const objects = [anObject({ x: "b" }, "v2"), anObject({ x: "b" }, "v3"), anObject(undefined)];
  expect(findUnfitObjects({ live, wanted }, objects)).toEqual([]);
});

test.each<[string, object, object, boolean]>([
  ["the same", { x: { enum: ["a"] } }, { x: { enum: ["a"] } }, false],
  ["one value less", { x: { enum: ["a", "b"] } }, { x: { enum: ["a"] } }, true],
  ["a limit less", { x: { maximum: 3 } }, { x: {} }, false],
  ["a required field more", { x: {} }, { x: { required: ["y"] } }, true],
  ["a limit in a list of schemas", {}, { x: { anyOf: [{ maximum: 3 }] } }, true],
  ["a field that is called like a limit", {}, { pattern: {} }, false],
])("a definition with %s: narrower %#", (...[, before, after, expected]) => {
  const [live, wanted] = [before, after].map((one) => aDefinition(properties(one)));
  expect(live && wanted && isNarrower(live, wanted)).toBe(expected);
});

const webhook = {
  strategy: "Webhook",
  webhook: { clientConfig: { service: { name: "convert", namespace: "data" } } },
};

test.each<[string, object, KubeObject | undefined, string | undefined]>([
  ["that keeps nothing", {}, undefined, undefined],
  ["that keeps, without a release", { preserveUnknownFields: true }, undefined, "warning"],
  [
    "that keeps, over a release without values to fill in",
    { preserveUnknownFields: true },
    aDefinition({}),
    "warning",
  ],
  [
    "that keeps, over a release that fills in values",
    { preserveUnknownFields: true },
    aDefinition(properties({ x: { default: 1 } })),
    "error",
  ],
  [
    "that keeps, over a release that converts",
    { preserveUnknownFields: true },
    aDefinition({}, { conversion: webhook }),
    "error",
  ],
  [
    "that keeps, over a release that sets it to false",
    { preserveUnknownFields: true },
    aDefinition(properties({ x: { default: 1 } }), { preserveUnknownFields: false }),
    undefined,
  ],
])("a definition %s", (...[, more, wanted, severity]) => {
  const found = findKeepsUnknown(aDefinition({}, more), wanted);
  expect(found.map((one) => one.severity)).toEqual(severity === undefined ? [] : [severity]);
  for (const { remedies = [] } of found) {
    expect(renderFix(remedies)).toContain(
      `kubectl patch customresourcedefinition ones.example.com --type=merge '--patch={"spec":{"preserveUnknownFields":false}}'`,
    );
  }
});

test.each<[string, unknown, boolean]>([
  ["a value of a field", properties({ x: { default: 1 } }), true],
  ["a field that is called default", properties({ default: {} }), false],
  ["a value in a list of schemas", { anyOf: [{}, { default: 1 }] }, true],
  ["none", "text", false],
])("a schema fills in values: %s", (_, schema, expected) => {
  expect(hasDefault(schema)).toBe(expected);
});
