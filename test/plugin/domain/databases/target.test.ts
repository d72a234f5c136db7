import { selectDatabases, targetNow } from "../../../../plugin/domain/databases/target";
import type { Facts } from "../../../../plugin/domain/facts";
import { objectLabel } from "../../../../plugin/domain/objects";
import { anEaadb, anEdb, sceneOf, targetIn } from "./scene";

const facts = sceneOf({
  edbs: [
    anEdb("orders"),
    anEdb("orders", { metadata: { namespace: "shop", uid: "shop-orders" } }),
    anEdb("cache", { spec: { type: "memcached" } }),
    anEdb("carts-here"),
    anEdb("carts", { metadata: { uid: "same-name" } }),
  ],
  eaadbs: [anEaadb({ status: { linkedEdbs: ["carts-here", { name: "carts" }] } })],
});

function select(
  selection: Partial<Parameters<typeof selectDatabases>[1]>,
  of: Facts = facts,
): readonly string[] {
  const wanted = { names: [], everywhere: false, via: "resource", ...selection } as const;
  const { targets, findings } = selectDatabases(of, wanted);
  return [
    ...targets.map(({ object }) => objectLabel(object).replace("EngineEnterprise", "")),
    ...findings.map(({ code, cause }) => `${code}: ${cause}`),
  ];
}

test.each<[string, Parameters<typeof select>[0], readonly string[]]>([
  ["all of the namespace", {}, ["ActiveActiveDatabase/engine/carts", "Database/engine/orders"]],
  [
    "all of every namespace",
    { everywhere: true },
    ["ActiveActiveDatabase/engine/carts", "Database/engine/orders", "Database/shop/orders"],
  ],
  [
    "by their uids",
    { everywhere: true, chosen: new Set(["shop-orders"]) },
    ["Database/shop/orders"],
  ],
  [
    "by the REST API: instances, and no active-active one",
    { via: "api" },
    ["Database/engine/carts", "Database/engine/carts-here", "Database/engine/orders"],
  ],
  ["one by its name", { names: ["orders", "orders"] }, ["Database/engine/orders"]],
  ["one of another namespace", { names: ["shop/orders"] }, ["Database/shop/orders"]],
  [
    "the active-active one of two with one name",
    { names: ["carts"] },
    ["ActiveActiveDatabase/engine/carts"],
  ],
  ["its instance by the REST API", { names: ["carts"], via: "api" }, ["Database/engine/carts"]],
  [
    "no such name",
    { names: ["none"] },
    [
      "DATABASE-ABSENT: there is no database none in namespace engine; it has orders, cache, carts-here, carts, carts",
    ],
  ],
  [
    "no such name in any namespace",
    { names: ["none"], everywhere: true },
    [
      "DATABASE-ABSENT: there is no database none in any namespace; it has orders, orders, cache, carts-here, carts, carts",
    ],
  ],
  [
    "no such namespace",
    { names: ["no/orders"] },
    ["DATABASE-ABSENT: there is no database no/orders in namespace no"],
  ],
  [
    "a name that several have",
    { names: ["orders"], everywhere: true },
    [
      "DATABASE-AMBIGUOUS: orders may be EngineEnterpriseDatabase/engine/orders or EngineEnterpriseDatabase/shop/orders",
    ],
  ],
])("%s", (_title, selection, expected) => {
  expect(select(selection)).toEqual(expected);
});

test("a database that says false of active-active is none", () => {
  const of = sceneOf({ edbs: [anEdb("orders", { status: { activeActive: false } })] });
  expect(select({}, of)).toEqual(["Database/engine/orders"]);
});

test("of objects without names and namespaces nothing is expected", () => {
  const bare = { ...anEdb(), metadata: { uid: "u" } } as unknown as ReturnType<typeof anEdb>;
  expect(select({ everywhere: true, chosen: new Set(["u"]) }, sceneOf({ edbs: [bare] }))).toEqual([
    expect.stringContaining("Database"),
  ]);
  const of = sceneOf({ edbs: [{ ...anEdb(), metadata: { name: "orders", namespace: "engine" } }] });
  expect(select({ chosen: new Set(["u"]) }, of)).toEqual([]);
});

describe("a target later", () => {
  test("is the same database by its uid, as it is then", () => {
    const target = targetIn(sceneOf(), ["orders"]);
    const later = sceneOf({ edbs: [anEdb("orders", { spec: { engineVersion: "8.0" } })] });
    expect(targetNow(later, target)).toMatchObject({
      named: true,
      object: { spec: { engineVersion: "8.0" } },
    });
  });

  test("is gone where another one has its name", () => {
    const target = targetIn(sceneOf());
    expect(
      targetNow(sceneOf({ edbs: [anEdb("orders", { metadata: { uid: "new" } })] }), target),
    ).toBe(undefined);
  });

  test("is looked for among its own kind", () => {
    const active = sceneOf({ edbs: [], eaadbs: [anEaadb()] });
    expect(targetNow(active, targetIn(active))?.kind).toBe("eaadb");
  });
});
