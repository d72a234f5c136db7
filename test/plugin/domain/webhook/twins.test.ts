import { defaultNames, type Names } from "../../../../plugin/domain/names";
import { pairFromStored, pairsFor } from "../../../../plugin/domain/webhook/probe";
import { entriesOf } from "../../../../plugin/domain/webhook/configuration";
import {
  aDatabase,
  aNewConfiguration,
  anObject,
  anOldConfiguration,
  resourceOf,
} from "../../../support/builders";
import { hostile } from "./hostile";

const { edb, eaadb, erc } = defaultNames;
const scene = { names: defaultNames, namespace: "engine", name: "probe-1", labels: {} };
const [newEntry] = entriesOf(aNewConfiguration());
const [oldEntry] = entriesOf(anOldConfiguration());

describe("pairs are made for the kinds that the entry matches", () => {
  test("the present entry: all three, databases first", () => {
    expect(pairsFor(newEntry, scene).map(({ kind }) => kind)).toEqual([
      edb.kind,
      eaadb.kind,
      erc.kind,
    ]);
  });

  test("the older entry: databases alone", () => {
    expect(pairsFor(oldEntry, scene).map(({ resource }) => resource)).toEqual([resourceOf(edb)]);
  });

  test.each(hostile)("%s: none", (_title, value) => {
    expect(pairsFor(value, scene)).toEqual([]);
  });
});

describe("a pair", () => {
  test("of databases is a plain one and three bad ones", () => {
    const [pair] = pairsFor(newEntry, scene);
    expect(pair?.accept).toEqual({
      apiVersion: "app.engine.com/v1alpha1",
      kind: edb.kind,
      metadata: { name: "probe-1", namespace: "engine" },
      spec: {},
    });
    expect(pair?.denies.map(({ what, object }) => [what, object["spec"]])).toEqual([
      ["unknown engineVersion", { engineVersion: "0.0" }],
      ["illegal evictionPolicy", { evictionPolicy: "no-such-policy" }],
      ["undefined module", { modulesList: [{ name: "no-such-module", version: "0.0.0" }] }],
    ]);
  });

  test("of active-active databases has a bad version at both places, of which a definition may have one", () => {
    const [, pair] = pairsFor(newEntry, scene);
    expect(pair?.accept["spec"]).toEqual({ participatingClusters: [], globalConfigurations: {} });
    expect(pair?.denies[0]?.object["spec"]).toEqual({
      engineVersion: "0.0",
      participatingClusters: [],
      globalConfigurations: { engineVersion: "0.0" },
    });
  });

  test("of remote clusters has one bad twin", () => {
    const [, , pair] = pairsFor(newEntry, scene);
    expect(pair?.accept["spec"]).toEqual({ ecName: "probe", ecNamespace: "engine" });
    expect(pair?.denies.map(({ object }) => object["spec"])).toEqual([
      { ecName: "", ecNamespace: "engine" },
    ]);
  });

  test("carries the labels that were asked for", () => {
    const [pair] = pairsFor(newEntry, { ...scene, labels: { tier: "a" } });
    const objects = [pair?.accept, ...(pair?.denies ?? []).map(({ object }) => object)];
    expect(objects.every((object) => object?.metadata.labels?.["tier"] === "a")).toBe(true);
  });

  test("follows a names file", () => {
    const names: Names = {
      ...defaultNames,
      fields: {
        ...defaultNames.fields,
        engineVersion: ["spec", "dbVersion"],
        moduleLists: ["mods"],
        globalConfigurations: ["spec", "common"],
      },
    };
    const [database, activeActive] = pairsFor(newEntry, { ...scene, names });
    expect(Object.keys(database?.denies[0]?.object["spec"] as object)).toEqual(["dbVersion"]);
    expect(Object.keys(database?.denies[2]?.object["spec"] as object)).toEqual(["mods"]);
    expect(activeActive?.accept["spec"]).toHaveProperty("common");
  });
});

test("names that give no field make pairs all the same", () => {
  const fields = {
    ...defaultNames.fields,
    engineVersion: [],
    moduleLists: [],
    globalConfigurations: [],
  };
  expect(pairsFor(newEntry, { ...scene, names: { ...defaultNames, fields } })).toHaveLength(3);
});

describe("a stored object as a pair", () => {
  const spec = { memorySize: "1GB", modulesList: [{ name: "search" }], engineVersion: "7.4" };

  test("must pass unchanged, and not with a bad part", () => {
    const stored = { ...aDatabase("engine", "db1"), spec, status: { x: 1 } };
    const pair = pairFromStored(stored, resourceOf(edb), defaultNames);
    expect(pair.accept).toBe(stored);
    expect(pair.denies[0]?.object).toEqual({ ...stored, spec: { ...spec, engineVersion: "0.0" } });
    expect(pair.denies[2]?.object["spec"]).toMatchObject({
      modulesList: [{ name: "no-such-module", version: "0.0.0" }],
    });
  });

  test("keeps the rest of an active-active database's global configuration", () => {
    const stored = anObject(
      resourceOf(eaadb),
      { name: "aa1", namespace: "engine" },
      { spec: { globalConfigurations: { memorySize: "1GB" } } },
    );
    const pair = pairFromStored(stored, resourceOf(eaadb), defaultNames);
    expect(pair.denies[0]?.object["spec"]).toEqual({
      engineVersion: "0.0",
      globalConfigurations: { memorySize: "1GB", engineVersion: "0.0" },
    });
  });

  test("of a kind without bad parts has none", () => {
    const stored = anObject(resourceOf(erc), { name: "r1" });
    expect(pairFromStored(stored, resourceOf(erc), defaultNames).denies).toEqual([]);
  });

  test.each<[string, unknown]>([
    ["absent", undefined],
    ["null", null],
    ["a text", "x"],
  ])("with a spec that is %s gets one of its own", (_title, value) => {
    const stored = { ...aDatabase("engine", "db1"), spec: value };
    const [deny] = pairFromStored(stored, resourceOf(edb), defaultNames).denies;
    expect(deny?.object["spec"]).toEqual({ engineVersion: "0.0" });
  });
});
