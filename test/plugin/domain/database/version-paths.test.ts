import { versionPaths } from "../../../../plugin/domain/engine-cluster/fields";
import { anEdb, anEaadb } from "./scene";
import { factsOf } from "../engine-cluster/scene";

const direct = ["spec", "engineVersion"];
const global = ["spec", "globalConfigurations", "engineVersion"];
const text = { engineVersion: { type: "string" } };
const inGlobal = { globalConfigurations: { properties: text } };

/** The definition of active-active databases with some fields below their spec. */
const serving = (properties: object, version = "v1alpha1") => ({
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: "engineenterpriseactiveactivedatabases.app.engine.com" },
  spec: {
    versions: [
      { name: version, schema: { openAPIV3Schema: { properties: { spec: { properties } } } } },
    ],
  },
});

const old = { globalConfigurations: { engineVersion: "7.2" } };
const both = { engineVersion: "7.4", globalConfigurations: { engineVersion: "7.2" } };
const none = { globalConfigurations: {} };

test.each([
  ["the only place that is served and filled", inGlobal, old, [global]],
  ["served directly, filled in the other", text, old, [direct]],
  ["both are served, one is filled", { ...text, ...inGlobal }, old, [global]],
  ["both are served and filled", { ...text, ...inGlobal }, both, [direct, global]],
  ["both are served, none is filled", { ...text, ...inGlobal }, none, [direct]],
  [
    "null counts as not filled",
    { ...text, ...inGlobal },
    { ...old, engineVersion: null },
    [global],
  ],
  ["both are filled, one is served", inGlobal, both, [global]],
  ["none is served", {}, both, [global]],
])("an active-active database keeps its version where it is served: %s", (...row) => {
  const [, properties, spec, paths] = row;
  const facts = factsOf({ definitions: [serving(properties)] });
  expect(versionPaths(facts, { kind: "eaadb", object: anEaadb({ spec }) })).toEqual(paths);
});

test.each([
  ["the place that is filled", [], old, [global]],
  ["both places that are filled", [], both, [direct, global]],
  ["the usual place where none is", [], none, [global]],
  ["of another version alone", [serving(text, "v9")], none, [global]],
])("while the definition is unknown: %s", (...row) => {
  const [, definitions, spec, paths] = row;
  const facts = factsOf({ definitions });
  expect(versionPaths(facts, { kind: "eaadb", object: anEaadb({ spec }) })).toEqual(paths);
});

test("a plain database has one place", () => {
  expect(versionPaths(factsOf({}), { kind: "edb", object: anEdb() })).toEqual([direct]);
});
