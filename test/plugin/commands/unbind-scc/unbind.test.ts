import { ApiError } from "../../../../plugin/domain/base/errors";
import { isObject, getOwn } from "../../../../plugin/domain/base/values";
import { aScene, type Scene } from "./memory-scene";
import {
  aBinding,
  account,
  aConstraint,
  adjusting,
  alone,
  anEc,
  aPod,
  aRole,
  bindingName,
  bindingRef,
  codesOf,
  constraintRef,
  granted,
  linesOf,
  namespaces,
  ns,
  objects,
  other,
  place,
  scc,
  useOf,
  user,
} from "./objects";
import { snapshotOf } from "./laws";
import { unwritable } from "../world";
import type { KubeObject } from "../../../../plugin/ports/kubernetes";
import { defaultNames as names } from "../../../../plugin/domain/names/names";

test("a cluster without the API group has nothing to do, and is asked nothing else", async () => {
  const scene = aScene([...namespaces, anEc(ns)], { openshift: false });
  const report = await scene.run();
  expect(report.exit.code).toBe(0);
  expect(report.exit.reason).toContain("not OpenShift");
  expect([report.steps, report.findings]).toEqual([[], []]);
});

test.each(["none", "client"] as const)(
  "the operator's namespace is being deleted: 3, dry run %s, nothing is written",
  async (dryRun) => {
    const held = { deletionTimestamp: "2026-01-02T01:00:00Z", finalizers: ["example.com/hold"] };
    const scene = aScene(
      alone.map((one) =>
        one.kind === "Namespace" && one.metadata.name === ns
          ? { ...one, metadata: { ...one.metadata, ...held } }
          : one,
      ),
    );
    const report = await scene.run({ scc, dryRun });
    expect([report.exit.code, scene.sent]).toEqual([3, []]);
    expect(report.findings).toMatchObject([
      {
        code: "NAMESPACE-DELETING",
        object: `Namespace/${ns}`,
        cause: expect.stringContaining("since 2026-01-02T01:00:00Z, held by") as string,
      },
    ]);
  },
);

test("the order is unbind, prove, delete, and what is written is kept first", async () => {
  const scene = aScene(alone);
  const report = await scene.run({ scc });
  expect(report.steps?.map(({ id, result }) => `${id} ${result}`)).toEqual([
    "scc.review-before done",
    "scc.unbind changed",
    "scc.unbind deleted",
    "scc.read-back done",
    "scc.review-after done",
    "scc.delete deleted",
  ]);
  expect(report.steps?.map(({ why }) => why)).toEqual([
    expect.stringContaining(`it may use ${scc}`),
    `${user(ns)} goes out of its users`,
    "it is bound only to ServiceAccount/engine/ec",
    "neither its users nor its groups name the account",
    expect.stringContaining(`it may not use ${scc}`),
    expect.any(String),
  ]);
  expect(report.backups?.map(({ command }) => command)).toEqual([
    `kubectl create -f /home/${bindingName}.json`,
    `kubectl create -f /home/${scc}.json`,
  ]);
  expect(scene.saved.map((object) => getOwn(object, "users"))).toEqual([[user(ns)], undefined]);
  expect(report.details).toEqual({
    constraint: scc,
    accounts: [user(ns)],
    usedBy: [],
    is: "deleted",
  });
});

test("a person is asked once, with every write in the question", async () => {
  const scene = aScene(objects);
  await scene.run({ scc });
  expect(scene.questions).toEqual([
    expect.stringContaining(
      `take ${user(ns)} out of SecurityContextConstraints/${scc}, then take ServiceAccount/engine/ec out of ClusterRoleBinding/${bindingName}?`,
    ),
  ]);
});

describe("nothing is written", () => {
  test("when the answer is no: 2", async () => {
    const scene = aScene(objects);
    const report = await scene.run({ scc }, { ask: () => Promise.resolve(false) });
    expect([report.exit.code, scene.sent]).toEqual([2, []]);
  });

  test("where nothing can be kept: 2", async () => {
    const scene = aScene(objects);
    const journal = unwritable();
    const report = await scene.run({ scc }, { journal });
    expect([report.exit.code, scene.sent, scene.questions]).toEqual([2, [], []]);
  });
});

test("where nothing is to be written, a home that cannot be written is a warning", async () => {
  const scene = aScene([...namespaces, anEc(ns)]);
  const report = await scene.run({ scc }, { journal: unwritable() });
  expect(report.exit.code).toBe(0);
  expect(codesOf(report.findings)).toEqual(["HOME-NOT-WRITABLE"]);
  expect(report.exit.reason).toContain("there is no such constraint; nothing was written");
});

test("without --scc the current one is meant, and an older one is named with its command", async () => {
  const scene = aScene([
    ...namespaces,
    anEc(ns),
    aConstraint("engine-enterprise-scc-v2", { users: [user(ns)] }),
    aConstraint("engine-enterprise-scc", { users: [user(ns)] }),
  ]);
  const report = await scene.run();
  expect(report.exit.code).toBe(0);
  expect(report.findings).toMatchObject([
    {
      code: "SCC-OLDER-LEFT",
      fix: expect.stringContaining("--scc engine-enterprise-scc") as string,
    },
  ]);
  expect(linesOf(scene)).toEqual([
    "patch securitycontextconstraints",
    "delete securitycontextconstraints",
  ]);
});

describe("what someone changes meanwhile", () => {
  test("ends with 5 when it continues, and says what is written", async () => {
    const scene = aScene(objects);
    let count = 0;
    scene.beforeWrite = async (line) => {
      if (!line.endsWith("bindings")) return;
      count += 1;
      const body = { metadata: { labels: { count: String(count) } } };
      await scene.cluster.patch(bindingRef, body, { type: "merge" });
    };
    const report = await scene.run({ scc });
    expect(report.exit.code).toBe(5);
    expect(count).toBe(3);
    expect(report.exit.reason).toContain(`out of SecurityContextConstraints/${scc} already`);
    expect(getOwn(await scene.cluster.get(bindingRef), "subjects")).toHaveLength(2);
  });

  test("is a binding of the account again and again: 5, and the constraint stays", async () => {
    const scene = aScene(alone);
    scene.afterWrite = (line) => {
      if (!line.startsWith("patch sec")) return;
      const again = aConstraint(scc, { users: [user(ns)] });
      scene.controlPlane.load([again]);
    };
    const report = await scene.run({ scc });
    expect(report.exit.code).toBe(5);
    expect(await scene.cluster.get(constraintRef)).toBeDefined();
  });

  test("is a pod that starts under the constraint: it is not deleted", async () => {
    const scene = aScene(alone);
    scene.beforeWrite = async (line) => {
      if (line !== "delete clusterrolebindings") return;
      scene.controlPlane.load([aPod(other, { scc, serviceAccountName: "late" })]);
      await Promise.resolve();
    };
    const report = await scene.run({ scc });
    expect([report.exit.code, codesOf(report.findings)]).toEqual([
      0,
      ["SCC-ROLE-LEFT", "SCC-IN-USE"],
    ]);
    expect(await scene.cluster.get(constraintRef)).toBeDefined();
  });
});

describe("an API server that still allows it, though no binding does", () => {
  test("before anything was to be written: 7, nothing was changed", async () => {
    const scene = aScene([...namespaces, anEc(ns), aConstraint(scc, { users: ["zoe"] })]);
    scene.allowed.push(ns);
    const report = await scene.run({ scc });
    expect([report.exit.code, scene.sent]).toEqual([7, []]);
    expect(report.exit.reason).toContain("the other authorizer says so");
  });

  test("after the unbinding: everything is put back: 7", async () => {
    const scene = aScene(alone);
    const before = await snapshotOf(scene.cluster, place);
    scene.allowed.push(ns);
    const report = await scene.run({ scc });
    expect(report.exit.code).toBe(7);
    const after = await snapshotOf(scene.cluster, place);
    expect([...after.keys()]).toEqual([...before.keys()]);
    expect(getOwn(await scene.cluster.get(bindingRef), "subjects")).toEqual(
      getOwn(before.get(`ClusterRoleBinding/${bindingName}`), "subjects"),
    );
    expect(getOwn(await scene.cluster.get(constraintRef), "users")).toEqual([user(ns)]);
    expect(report.steps?.slice(-2).map(({ id, result }) => `${id} ${result}`)).toEqual([
      "rollback.restore created",
      "rollback.restore changed",
    ]);
  });

  test.each([
    ["cannot be written", "create ClusterRoleBinding", "refused"],
    ["is changed by someone else at once", "patch securitycontextconstraints", "lost"],
  ])("and what was there %s: 8, with the commands to run", async (_what, on, how) => {
    const scene = aScene(alone);
    scene.allowed.push(ns);
    let count = 0;
    scene.afterWrite = (line) => {
      if (line !== on) return;
      count += 1;
      if (how === "lost" && count === 2) scene.controlPlane.load([aConstraint(scc)]);
    };
    scene.beforeWrite = async (line) => {
      await Promise.resolve();
      if (how === "refused" && line === on) throw new ApiError("no", { status: 422 });
    };
    const report = await scene.run({ scc });
    expect(report.exit.code).toBe(8);
    expect(report.exit.next).toContain("printed commands");
    expect(report.backups).toHaveLength(2);
  });
});

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
    getOwn(await cluster.get(bindingRef), "subjects");

  const shared = { serviceAccountName: "shared" };
  const two = [anEc(ns), second({})];
  const sharing = [anEc(ns, shared), second({ ...shared, ...adjusting })];
  test.each<[string, readonly KubeObject[], readonly string[], string, number, string]>([
    ["--ec names one: the other keeps it", two, ["ec", "second"], "second", 0, "SCC-IN-USE"],
    ["--ec names none", [anEc(ns)], ["ec"], "third", 3, "SCC-NO-EC"],
    ["an account that two share, and one needs", sharing, ["shared"], "ec", 3, "SCC-ADJUSTMENT"],
  ])("%s", async (_title, ...[ecs, accounts, ec, code, finding]) => {
    const scene = aScene([...namespaces, ...ecs, ...bound(...accounts)]);
    const report = await scene.run({ scc, ec });
    expect([report.exit.code, codesOf(report.findings)]).toEqual([code, [finding]]);
    expect(await left(scene)).toMatchObject([{ name: accounts[0] }]);
  });

  test("each with an account of its own: both are unbound", async () => {
    const scene = aScene([...namespaces, ...two, ...bound("ec", "second")]);
    expect((await scene.run({ scc })).exit.code).toBe(0);
    expect(linesOf(scene)).toEqual([
      "delete clusterrolebindings",
      "delete securitycontextconstraints",
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

const jane = { name: "jane", groups: ["system:authenticated"] };
const apiGroup = "rbac.authorization.k8s.io";
const every = (apiGroups: readonly string[], verbs: readonly string[]) => ({
  apiGroups,
  resources: ["*"],
  verbs,
});

/** What the rest of the run needs, and local reviews in some namespaces. */
function rights(...reviewedIn: readonly string[]): readonly KubeObject[] {
  const role = { kind: "ClusterRole", name: "work" } as const;
  const subjects = [{ apiGroup, kind: "User", name: jane.name }];
  const rules = [
    every(["", "apps", names.group], ["get", "list"]),
    every(["security.openshift.io", apiGroup], ["*"]),
  ];
  const review = {
    apiGroups: ["authorization.k8s.io"],
    resources: ["localsubjectaccessreviews"],
    verbs: ["create"],
  };
  return [
    aRole("work", rules),
    aBinding("work", role, { subjects }),
    aRole("review", [review]),
    ...reviewedIn.map((namespace) =>
      aBinding("review", { ...role, name: "review" }, { subjects, namespace }),
    ),
  ];
}

describe("who may ask about their namespaces alone", () => {
  test("proves it there", async () => {
    const scene = aScene([...alone, ...rights(ns)], { user: jane });
    const report = await scene.run({ scc });
    expect(report.exit.code).toBe(0);
    expect(report.steps?.map(({ id }) => id)).toContain("scc.review-after");
    expect(await scene.cluster.get(bindingRef)).toBeUndefined();
  });

  test("and not where a binding is too, learns of that place before anything is written", async () => {
    const near = granted(scc, { subjects: [account(ns)], namespace: other });
    const start = [...namespaces, anEc(ns), aConstraint(scc, { users: [user(ns)] }), ...near];
    const scene = aScene([...start, ...rights(ns)], { user: jane });
    const report = await scene.run({ scc });
    expect([report.exit.code, scene.sent]).toEqual([4, []]);
    expect(report.permissions?.missing).toEqual([
      `create localsubjectaccessreviews.authorization.k8s.io in namespace ${other}: to prove who may use the constraint`,
    ]);
  });

  test("and nowhere, learns that reviews are missing", async () => {
    const scene = aScene([...alone, ...rights()], { user: jane });
    const report = await scene.run({ scc });
    expect([report.exit.code, scene.sent]).toEqual([4, []]);
    expect(report.permissions?.missing.join()).toContain("create subjectaccessreviews");
  });
});
