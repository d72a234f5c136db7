import { participantFindings } from "../../../../plugin/domain/database/plan";
import { selectDatabases, targetNow } from "../../../../plugin/domain/database/target";
import type { Facts } from "../../../../plugin/domain/facts/facts";
import { objectLabel } from "../../../../plugin/domain/kube/objects";
import { anOperator } from "../engine-cluster/scene";
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
const [carts, orders, inShop] = ["ActiveActive:engine/carts", "engine/orders", "shop/orders"];

function select(
  selection: Partial<Parameters<typeof selectDatabases>[1]>,
  of: Facts = facts,
): readonly string[] {
  const wanted = { names: [], everywhere: false, via: "resource", ...selection } as const;
  const { targets, findings } = selectDatabases(of, wanted);
  return [
    ...targets.map(({ object }) =>
      objectLabel(object)
        .replace("EngineEnterpriseActiveActiveDatabase/", "ActiveActive:")
        .replace("EngineEnterpriseDatabase/", ""),
    ),
    ...findings.map(({ code, cause }) => `${code}: ${cause}`),
  ];
}

test.each<[string, Parameters<typeof select>[0], readonly string[]]>([
  ["all of the namespace", {}, [carts, orders]],
  ["all of every namespace", { everywhere: true }, [carts, orders, inShop]],
  ["by uids", { everywhere: true, chosen: new Set(["shop-orders"]) }, [inShop]],
  ["by the REST API", { via: "api" }, ["engine/carts", "engine/carts-here", orders]],
  ["one by its name", { names: ["orders", "orders"] }, [orders]],
  ["one of another namespace", { names: ["shop/orders"] }, [inShop]],
  ["the active-active one of two with one name", { names: ["carts"] }, [carts]],
  ["its instance by its kind", { names: ["edb/carts"] }, ["engine/carts"]],
  ["its instance by the REST API", { names: ["carts"], via: "api" }, ["engine/carts"]],
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
  expect(select({}, of)).toEqual([orders]);
});

test("an object without a uid is none that a label has chosen", () => {
  const of = sceneOf({ edbs: [{ ...anEdb(), metadata: { name: "orders", namespace: "engine" } }] });
  expect(select({ chosen: new Set(["u"]) }, of)).toEqual([]);
});

test("a target later is the same database by its uid among its own kind, as it is then", () => {
  const target = targetIn(sceneOf(), ["orders"]);
  const later = (metadata = {}) =>
    sceneOf({ edbs: [anEdb("orders", { metadata, spec: { engineVersion: "8.0" } })] });
  expect(targetNow(later(), target)).toMatchObject({
    named: true,
    object: { spec: { engineVersion: "8.0" } },
  });
  expect(targetNow(later({ uid: "new" }), target)).toBe(undefined);
  const active = sceneOf({ edbs: [], eaadbs: [anEaadb()] });
  expect(targetNow(active, targetIn(active))?.kind).toBe("eaadb");
});

describe("who takes part in an active-active database", () => {
  const here = sceneOf();
  const changed = { object: anEaadb(), changes: true };
  const west = (there: Facts) => [{ name: "west/engine", facts: there }];
  const told = (...args: Parameters<typeof participantFindings>): readonly string[] =>
    participantFindings(...args).map(
      ({ code, severity, cause }) => `${code} ${severity}: ${cause}`,
    );

  test("with every operator at 8.0.2-2 or later, all is well", () => {
    expect(told(here, [changed], west(here))).toEqual([]);
    expect(told(sceneOf({ deployments: [] }), [], [])).toEqual([]);
  });

  test("an older operator is an error, here and there", () => {
    const old = sceneOf({ deployments: [anOperator("7.22.0-7")] });
    const rest =
      "the operator in namespace engine is at 7.22.0-7, active-active databases need 8.0.2-2 or later";
    expect(told(old, [changed], west(old))).toEqual([
      `DATABASE-PARTICIPANT-OLD error: here: ${rest}`,
      `DATABASE-PARTICIPANT-OLD error: west/engine: ${rest}`,
    ]);
  });

  test.each([
    ["error", true],
    ["warning", false],
  ])("a release that cannot be determined is an %s where it writes: %s", (severity, changes) => {
    expect(told(here, [{ ...changed, changes }], west(sceneOf({ deployments: [] })))).toEqual([
      `DATABASE-PARTICIPANT-UNSEEN ${severity}: west/engine: the release of the operator in namespace engine cannot be determined`,
    ]);
  });

  test("who is unseen is named, without the one that is here", () => {
    const erc = {
      apiVersion: "app.engine.com/v1alpha1",
      kind: "EngineEnterpriseRemoteCluster",
      metadata: { name: "here", namespace: "engine" },
      status: { local: true },
    };
    const known = sceneOf({ ercs: [erc] });
    expect(told(known, [changed], [])[0]).toContain("there participate, and none of them is given");
    const participatingClusters = [{ name: "here" }, { name: "b" }, { name: "c" }, {}];
    const three = { object: anEaadb({ spec: { participatingClusters } }), changes: true };
    expect(told(known, [three], west(here))[0]).toContain(
      "b, c participate, and only 1 of them are given",
    );
  });
});
