import { isObject, own } from "../../../../plugin/domain/values";
import type { KubeObject } from "../../../../plugin/run/ports";
import { aScene, type Scene } from "./memory-scene";
import {
  aBinding,
  aConstraint,
  account,
  adjusting,
  anEc,
  aRole,
  granted,
  user,
  useOf,
} from "./objects";
import { ns, other, scc, namespaces, bindingRef, constraintRef, linesOf, codesOf } from "./start";

test("a cluster whose ECs are served in the newer version alone, or not at all", async () => {
  const definition = (versions: readonly string[]): KubeObject => ({
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: "engineenterpriseclusters.app.engine.com" },
    spec: {
      group: "app.engine.com",
      scope: "Namespaced",
      names: { kind: "EngineEnterpriseCluster", plural: "engineenterpriseclusters" },
      versions: versions.map((name) => ({
        name,
        served: true,
        storage: true,
        schema: {
          openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
        },
      })),
    },
  });
  const constraint = aConstraint(scc, { users: [user(ns)] });
  const newer = aScene([...namespaces, definition(["v1"]), anEc(ns), constraint], {
    product: false,
  });
  expect((await newer.run({ scc })).exit.code).toBe(0);
  const none = aScene([...namespaces, constraint], { product: false });
  expect((await none.run({ scc })).exit.code).toBe(3);
});

describe("a person with the rights that are asked for, and no others", () => {
  const eve = { name: "eve", groups: ["system:authenticated"] };

  test.each([
    ["in the account's namespace", { namespace: ns }, "ClusterRole"],
    ["to a Role of the namespace", { namespace: ns }, "Role"],
    ["cluster-wide", {}, "ClusterRole"],
  ] as const)("%s: the printed roles are enough", async (_case, where, kind) => {
    const role = kind === "Role" ? aRole("own", [useOf(scc)], ns) : aRole("own", [useOf(scc)]);
    const subjects = [account(other), account(ns)];
    const bound = aBinding("own", { kind, name: "own" }, { subjects, ...where });
    const scene = aScene([...namespaces, anEc(ns), aConstraint(scc), role, bound], {
      user: eve,
    });
    for (let round = 1; round <= 2; round += 1) {
      const refused = await scene.run({ scc });
      expect([round, refused.exit.code, scene.sent]).toEqual([round, 4, []]);
      const roles = JSON.parse(refused.permissions?.manifest ?? "") as readonly KubeObject[];
      scene.controlPlane.load(
        roles.map(({ metadata, roleRef, ...rest }) => ({
          ...rest,
          metadata: { ...metadata, name: `asked-${round}` },
          ...(isObject(roleRef) && { roleRef: { ...roleRef, name: `asked-${round}` } }),
        })),
      );
    }
    const report = await scene.run({ scc });
    expect([report.exit.code, report.exit.reason]).toEqual([0, expect.any(String)]);
    expect(linesOf(scene)).toHaveLength(1);
  });
});

describe("several ECs in the namespace", () => {
  const second = (spec: object) => anEc(ns, spec, "second");
  const bound = (...names: readonly string[]) => [
    aConstraint(scc),
    ...granted(scc, { subjects: names.map((name) => account(ns, name)) }),
  ];
  const left = async ({ cluster }: Scene): Promise<unknown> =>
    own(await cluster.get(bindingRef), "subjects");

  test("each with an account of its own: both are unbound", async () => {
    const scene = aScene([...namespaces, anEc(ns), second({}), ...bound("ec", "second")]);
    expect((await scene.run({ scc })).exit.code).toBe(0);
    expect(linesOf(scene)).toEqual([
      "delete clusterrolebindings",
      "delete securitycontextconstraints",
    ]);
  });

  test("--ec names one: the other keeps it", async () => {
    const scene = aScene([...namespaces, anEc(ns), second({}), ...bound("ec", "second")]);
    const report = await scene.run({ scc, ec: "second" });
    expect([report.exit.code, codesOf(report.findings)]).toEqual([0, ["SCC-IN-USE"]]);
    expect(await left(scene)).toMatchObject([{ name: "ec" }]);
  });

  test("--ec names none: 3", async () => {
    const scene = aScene([...namespaces, anEc(ns), ...bound("ec")]);
    const report = await scene.run({ scc, ec: "third" });
    expect([report.exit.code, codesOf(report.findings), scene.sent]).toEqual([
      3,
      ["SCC-NO-EC"],
      [],
    ]);
  });

  test("an account that two share is kept while one of them needs it: 3", async () => {
    const shared = { serviceAccountName: "shared" };
    const scene = aScene([
      ...namespaces,
      anEc(ns, shared),
      second({ ...shared, ...adjusting }),
      ...bound("shared"),
    ]);
    const report = await scene.run({ scc, ec: "ec" });
    expect([report.exit.code, codesOf(report.findings), scene.sent]).toEqual([
      3,
      ["SCC-ADJUSTMENT"],
      [],
    ]);
  });

  test("one of an older release is left out: 6, the other is done", async () => {
    const old = {
      engineEnterpriseImageSpec: { versionTag: "7.8.2-34", imagePullPolicy: "Always" },
    };
    const scene = aScene([...namespaces, anEc(ns), second(old), ...bound("ec", "second")]);
    const report = await scene.run({ scc });
    expect(report.exit).toMatchObject({
      code: 6,
      next: expect.stringContaining("run again") as string,
    });
    expect(codesOf(report.findings)).toEqual(["SCC-RELEASE-OLD", "SCC-IN-USE"]);
    expect(await left(scene)).toMatchObject([{ name: "second" }]);
  });

  test("one that asks for adjustment keeps a constraint that nobody is bound to", async () => {
    const scene = aScene([...namespaces, anEc(ns), second(adjusting), ...bound("ec")]);
    const report = await scene.run({ scc, ec: "ec" });
    expect(report.exit.code).toBe(0);
    expect(await scene.cluster.get(constraintRef)).toBeDefined();
  });
});

test("a constraint that Helm looks after is not deleted, and that is said", async () => {
  const labels = { "app.kubernetes.io/managed-by": "Helm" };
  const constraint = { ...aConstraint(scc), metadata: { name: scc, labels } };
  const scene = aScene([...namespaces, anEc(ns), constraint]);
  const report = await scene.run({ scc });
  expect([report.exit.code, scene.sent]).toEqual([0, []]);
  expect(report.findings).toMatchObject([{ code: "SCC-OWNED", severity: "warning" }]);
});
