/** Access of managed namespaces by one ClusterRole, with a RoleBinding to it in each. */
import { defaultNames as names } from "../../../../plugin/domain/names/names";
import { rbacKinds } from "../../../../plugin/domain/kube/kinds";
import { findLine } from "../../../../plugin/domain/rbac/lines";
import type { KubeObject } from "../../../../plugin/ports/kubernetes";
import { anOperator } from "../../domain/engine-cluster/scene";
import { aBinding, account, aRole } from "../../domain/rbac/objects";
import { aNamespace, aScene, may, resultsOf, type Scene, settings } from "./scene";

const rulesOfRole = (tag: string): readonly object[] => findLine(tag, names)?.rules ?? [];
const local = { apiGroups: ["apps"], resources: ["deployments"], verbs: ["get"] };
const shared = (rules: readonly object[], metadata: object = {}): KubeObject => ({
  apiVersion: "rbac.authorization.k8s.io/v1",
  kind: "ClusterRole",
  metadata: { name: "all-databases", ...metadata },
  rules,
});
const reference = { kind: "ClusterRole", name: "all-databases" };
const labels = { app: names.operator.appLabel };
const bound = (namespace: string): readonly KubeObject[] => [
  aNamespace(namespace),
  aBinding([account(), account("ec")], { metadata: { namespace, labels }, ...reference }),
];
const list = (...namespaces: readonly string[]) =>
  settings({ EDB_NAMESPACES: namespaces.join(",") });
const slices = ["get", "discovery.k8s.io", "endpointslices"] as const;
const old = ["get", "", "endpoints"] as const;
const own = ["get", "apps", "deployments"] as const;

const objects = (rules: readonly object[] = [...rulesOfRole("7.22.0-7"), local]) => [
  list("a", "b"),
  shared(rules),
  ...bound("a"),
  ...bound("b"),
];
const rights = async (scene: Scene) =>
  await Promise.all([old, slices, own].map((right) => may(scene, "b", right)));
const roles = async ({ cluster }: Scene) => await cluster.list(rbacKinds.role);

test("its rules are extended by one write, no Roles are made, and local additions stay", async () => {
  const scene = aScene(objects());
  const before = await roles(scene);
  const report = await scene.run();
  expect(report.exit.code).toBe(0);
  expect(scene.writes()).toEqual(["apply ClusterRole all-databases"]);
  expect(scene.questions).toEqual([]);
  expect(await roles(scene)).toEqual(before);
  expect(await rights(scene)).toEqual([true, true, true]);
  expect(resultsOf(report)).toEqual({
    "(ClusterRole/all-databases)": "changed",
    a: "unchanged",
    b: "unchanged",
  });
  expect(report.namespaces?.[0]?.rules?.gained.join()).toContain("endpointslices");
  expect(report.findings?.map(({ code, object }) => [code, object])).toEqual([
    ["RBAC-LOCAL", "ClusterRole/all-databases"],
  ]);
  expect(report.backups?.map(({ object }) => object)).toEqual(["ClusterRole/all-databases"]);
  expect((await scene.run()).exit.code).toBe(0);
  expect(scene.writes()).toEqual([]);
});

test("contract asks, takes what only another release had, and keeps local additions", async () => {
  const both = [...rulesOfRole("7.22.0-7"), ...rulesOfRole("8.0.2-2"), local];
  const scene = aScene([...objects(both), anOperator("8.0.2-2")]);
  const refused = await scene.run({ mode: "contract" }, { ask: () => Promise.resolve(false) });
  expect([refused.exit.code, scene.writes()]).toEqual([2, []]);
  const report = await scene.run({ mode: "contract" });
  expect([report.exit.code, scene.writes()]).toEqual([0, ["apply ClusterRole all-databases"]]);
  expect(scene.questions).toEqual([expect.stringContaining("remove permissions in 1 place?")]);
  expect(await rights(scene)).toEqual([false, true, true]);
});

test("--drop-local gives an addition up by the name of the ClusterRole", async () => {
  const scene = aScene([...objects(), anOperator("8.0.2-2")]);
  const dropLocal = ["all-databases:apps/deployments:get"];
  expect((await scene.run({ dropLocal })).exit.code).toBe(0);
  expect(await rights(scene)).toEqual([true, true, false]);
});

test("a subject that a binding lacks is added there", async () => {
  const scene = aScene([
    ...objects(),
    aNamespace("c"),
    aBinding([account()], { metadata: { namespace: "c", labels }, ...reference }),
  ]);
  const report = await scene.run({ given: ["a", "b", "c"] });
  expect(resultsOf(report)).toMatchObject({ a: "unchanged", b: "unchanged", c: "changed" });
  expect(scene.writes()).toEqual([
    "apply ClusterRole all-databases",
    "apply RoleBinding c/edb-role",
  ]);
});

test.each<[string, KubeObject]>([
  ["gives no right on databases", shared([local])],
  ["gives rights by a wildcard", shared([{ apiGroups: ["*"], resources: ["*"], verbs: ["*"] }])],
  [
    "is kept by the API server",
    shared(rulesOfRole("7.22.0-7"), { labels: { "kubernetes.io/bootstrapping": "rbac-defaults" } }),
  ],
])("a ClusterRole that %s is left alone: the binding is replaced", async (_, role) => {
  const scene = aScene([list("a"), role, ...bound("a")]);
  const report = await scene.run();
  expect(report.exit.code).toBe(0);
  expect(scene.writes().filter((line) => line.includes("ClusterRole"))).toEqual([]);
  expect(scene.questions).toHaveLength(1);
});

test("a ClusterRole beside namespaces with Roles of their own: each is brought up to date", async () => {
  const mine = [
    aNamespace("c"),
    aRole(rulesOfRole("7.22.0-7"), { namespace: "c", labels }),
    aBinding([account(), account("ec")], { metadata: { namespace: "c", labels } }),
  ];
  const scene = aScene([...objects(), ...mine]);
  await scene.run({ given: ["a", "b", "c"] });
  expect(scene.writes()).toEqual(["apply ClusterRole all-databases", "apply Role c/edb-role"]);
});

describe("a ClusterRole that is made of others", () => {
  const aggregationRule = { clusterRoleSelectors: [{ matchLabels: { "team/part": "x" } }] };
  const made = (rules: readonly object[]) => ({ ...shared(rules), aggregationRule });
  const sceneOf = (role: KubeObject, ...more: readonly KubeObject[]) =>
    aScene([list("a", "b"), role, ...bound("a"), ...bound("b"), ...more]);

  test("with all rules it is left as it is, and the bindings with it", async () => {
    const scene = sceneOf(made([...rulesOfRole("8.0.2-2"), local]));
    const report = await scene.run();
    expect([report.exit.code, scene.writes(), scene.questions]).toEqual([0, [], []]);
    expect(resultsOf(report)).toMatchObject({ a: "unchanged", b: "unchanged" });
    expect(report.findings ?? []).toEqual([]);
  });

  test("without a rule nothing is written, and its own way is told", async () => {
    const scene = sceneOf(made(rulesOfRole("7.22.0-7")));
    const report = await scene.run();
    expect([report.exit.code, scene.writes()]).toEqual([5, []]);
    expect(report.findings?.map(({ code, object }) => [code, object])).toEqual([
      ["RBAC-AGGREGATED", "ClusterRole/all-databases"],
    ]);
    expect(report.findings?.[0]?.cause).toContain("endpointslices");
    expect(report.findings?.[0]?.fix).toContain("kubectl label clusterrole NAME team/part=x");
  });

  test("a binding that lacks an account gets it", async () => {
    const c = aBinding([account()], { metadata: { namespace: "c", labels }, ...reference });
    const scene = sceneOf(made(rulesOfRole("8.0.2-2")), aNamespace("c"), c);
    const report = await scene.run({ given: ["a", "b", "c"] });
    expect([report.exit.code, scene.writes()]).toEqual([0, ["apply RoleBinding c/edb-role"]]);
  });
});

test("accounts that have their access by a group are proven, and no twins are added", async () => {
  const group = { kind: "Group", name: `system:serviceaccounts:${account().namespace}` };
  const binding = aBinding([group], { metadata: { namespace: "a", labels }, ...reference });
  const scene = aScene([list("a"), shared(rulesOfRole("7.22.0-7")), aNamespace("a"), binding]);
  const report = await scene.run();
  expect([report.exit.code, scene.writes()]).toEqual([0, ["apply ClusterRole all-databases"]]);
  const reviewed = scene.calls.filter(({ subject }) => subject.startsWith("for a ")).length;
  expect(reviewed).toBeGreaterThanOrEqual(2);
  expect(report.findings ?? []).toEqual([]);
  expect((await scene.run()).exit.code).toBe(0);
  expect(scene.writes()).toEqual([]);
});
