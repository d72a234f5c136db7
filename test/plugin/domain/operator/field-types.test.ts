/** The types of fields: as the shipped definitions have them, and as another release may. */
import { exampleDefinitions } from "../../../../plugin/simulator/example";
import { defaultNames as names, kinds } from "../../../../plugin/domain/names/names";
import { findOtherTypes, listTyped } from "../../../../plugin/domain/operator/field-types";

const path = ["status", "limit"];
const reads = "integer";

test.each(kinds)("the shipped definition of %s has the types that are read", (kind) => {
  const name = `${names[kind].plural}.${names.group}`;
  const definition = exampleDefinitions(names).find(({ metadata }) => metadata.name === name);
  if (definition === undefined) throw new Error(`there is no ${name}`);
  expect(findOtherTypes(definition, listTyped(kind, names))).toEqual([]);
});

const schemaWith = (limit: unknown): object => ({
  schema: { openAPIV3Schema: { properties: { status: { properties: { limit } } } } },
});

test.each<[string, readonly object[], readonly string[]]>([
  ["the same type", [schemaWith({ type: "integer" })], []],
  ["any number", [schemaWith({ type: "number" })], []],
  ["a number or a text", [schemaWith({ "x-kubernetes-int-or-string": true, type: "string" })], []],
  ["anything", [schemaWith({ "x-kubernetes-preserve-unknown-fields": true })], []],
  ["no such field", [schemaWith(undefined)], []],
  ["no schema", [{ served: true }], []],
  ["a text", [schemaWith({ type: "string" })], ["string"]],
  ["a type of no text", [schemaWith({ type: 5 })], []],
  [
    "a text in a version that is not served",
    [{ ...schemaWith({ type: "string" }), served: false }],
    [],
  ],
  [
    "a text in the second version",
    [schemaWith({ type: "integer" }), schemaWith({ type: "string" })],
    ["string"],
  ],
])("a definition with %s", (_title, versions, expected) => {
  const metadata = { name: "x" };
  const definition = { ...{ apiVersion: "v1", kind: "X" }, metadata, spec: { versions } };
  expect(findOtherTypes(definition, [{ path, reads }]).map(({ has }) => has)).toEqual(expected);
});
