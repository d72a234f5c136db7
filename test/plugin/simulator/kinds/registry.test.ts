import { createRegistry } from "../../../../plugin/simulator/kinds/registry";
import { builtInKinds } from "../../../../plugin/adapters/schema/schema";
import { anObject } from "./preparing";

const crd = "apiextensions.k8s.io/v1";
const named = { plural: "foos", kind: "Foo" };

const version = (name: string, served = true) => ({
  name,
  served,
  storage: name === "v1",
  schema: { openAPIV3Schema: { type: "object" } },
});

const definition = (spec: object = {}) =>
  anObject(crd, "CustomResourceDefinition", {
    metadata: { name: "foos.x.io" },
    spec: {
      group: "x.io",
      scope: "Namespaced",
      names: named,
      versions: [version("v1"), version("v2", false)],
      ...spec,
    },
  });

describe("what is served", () => {
  test.each(builtInKinds)(
    "$kind is known by kind and by plural",
    ({ group, version, kind, plural }) => {
      const registry = createRegistry();
      const found = registry.byKind(group === "" ? version : `${group}/${version}`, kind);
      expect(found).toMatchObject({ resource: { group, version, plural, kind } });
      expect(registry.byPlural({ group, version, plural })).toBe(found);
      expect(registry.served(group, version)).toContain(found);
    },
  );

  test("a group without kinds serves none", () => {
    expect(createRegistry().served("x.io", "v1")).toEqual([]);
  });
});

describe("kinds of definitions", () => {
  test("a definition brings its served versions, and no other", () => {
    const registry = createRegistry();
    registry.define("foos.x.io", definition());
    expect(registry.byKind("x.io/v1", "Foo")).toMatchObject({
      resource: { group: "x.io", version: "v1", plural: "foos", kind: "Foo" },
      namespaced: true,
      custom: true,
      hasStatus: false,
      counted: true,
    });
    expect(registry.served("x.io", "v1")).toHaveLength(1);
    expect(registry.byKind("x.io/v2", "Foo")).toBeUndefined();
    expect(registry.byPlural({ group: "x.io", version: "v2", plural: "foos" })).toBeUndefined();
  });

  test("a changed definition takes the place of the earlier one", () => {
    const registry = createRegistry();
    registry.define("foos.x.io", definition());
    registry.define("foos.x.io", definition({ scope: "Cluster", versions: [version("v3")] }));
    expect(registry.byKind("x.io/v1", "Foo")).toBeUndefined();
    expect(registry.byKind("x.io/v3", "Foo")).toMatchObject({ namespaced: false });
  });

  test("a deleted definition takes its kinds along", () => {
    const registry = createRegistry();
    registry.define("foos.x.io", definition());
    registry.define("foos.x.io", undefined);
    expect(registry.served("x.io", "v1")).toEqual([]);
  });

  test("a status subresource is known", () => {
    const registry = createRegistry();
    const withStatus = { ...version("v1"), subresources: { status: {} } };
    registry.define("foos.x.io", definition({ versions: [withStatus] }));
    expect(registry.byKind("x.io/v1", "Foo")).toMatchObject({ hasStatus: true });
  });

  test.each([
    ["without a spec", anObject(crd, "CustomResourceDefinition")],
    ["with a spec of text", anObject(crd, "CustomResourceDefinition", { spec: "x" })],
    ["with versions of text", definition({ versions: ["v1"] })],
    ["without names", definition({ names: {} })],
  ])("a definition %s brings no kind and breaks nothing", (_, broken) => {
    const registry = createRegistry();
    registry.define("foos.x.io", broken);
    expect(registry.served("x.io", "v1")).toEqual([]);
  });

  test("a fork knows what is known, and neither learns of the other's changes", () => {
    const registry = createRegistry();
    registry.define("foos.x.io", definition());
    const fork = registry.fork();
    expect(fork.byKind("x.io/v1", "Foo")).toBeDefined();
    fork.define("foos.x.io", undefined);
    expect(registry.byKind("x.io/v1", "Foo")).toBeDefined();
    registry.define("bars.x.io", definition({ names: { plural: "bars", kind: "Bar" } }));
    expect(fork.byKind("x.io/v1", "Bar")).toBeUndefined();
  });
});
