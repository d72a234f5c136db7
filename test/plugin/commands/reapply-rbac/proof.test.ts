/** What is proven, by which kind of review, and what is said where nothing can be. */
import { rbacKinds } from "../../../../plugin/domain/kube/kinds";
import { defaultNames as names } from "../../../../plugin/domain/names/names";
import { objectLabel } from "../../../../plugin/domain/kube/objects";
import type { Planned } from "../../../../plugin/kernel/part";
import { unchanged } from "../../../../plugin/kernel/projection";
import type { KubeObject } from "../../../../plugin/ports/kubernetes";
import { anOperator } from "../../domain/engine-cluster/scene";
import { aBinding, account, aRole } from "../../domain/rbac/objects";
import {
  aNamespace,
  aScene,
  may,
  operatorNamespace,
  resultsOf,
  type Scene,
  settings,
  grant,
  inPlace,
  jane,
  list,
} from "./scene";
import { ApiError, type EngineError, TimeoutError } from "../../../../plugin/domain/base/errors";

const apiGroup = "rbac.authorization.k8s.io";
const endpoints = { apiGroups: [""], resources: ["endpoints"], verbs: ["get"] };
const old = ["get", "", "endpoints"] as const;

const works = [
  { apiGroups: ["", "apps", names.group], resources: ["*"], verbs: ["get", "list"] },
  { apiGroups: [apiGroup], resources: ["*"], verbs: ["*"] },
];
const reviews = (plural: string) => ({
  apiGroups: ["authorization.k8s.io"],
  resources: [plural],
  verbs: ["create"],
});
const local = reviews("localsubjectaccessreviews");
// beside what the user may do anyway
const reviewing = (rules: readonly object[], namespace?: string) =>
  grant(rules, namespace, "reviews");
const placed = (namespace: string, roleRef = {}) =>
  inPlace(namespace, { rules: [endpoints], roleRef });

function aSceneFor(rights: readonly KubeObject[], roleRef = {}): Scene {
  const both = ["a", "b"].flatMap((name) => placed(name, roleRef));
  return aScene([list("a", "b"), ...both, ...grant(works), ...rights], jane);
}

const asking = "for a ";

/** The kinds of the reviews that were sent, each once. */
const asked = ({ calls }: Scene): readonly string[] => [
  ...new Set(
    calls.flatMap(({ subject }) =>
      subject.startsWith(asking) ? [subject.slice(asking.length)] : [],
    ),
  ),
];

describe("access is proven", () => {
  test.each([
    ["cluster-wide where that is allowed", reviewing([reviews("*")]), "SubjectAccessReview"],
    ["in each namespace, by one right for all", reviewing([local]), "Local"],
    [
      "in each namespace, by a right in each",
      [...reviewing([local], "a"), ...reviewing([local], "b")],
      "Local",
    ],
  ])("%s", async (_, rights, kind) => {
    const scene = aSceneFor(rights);
    const report = await scene.run();
    expect([report.exit.code, resultsOf(report)]).toEqual([0, { a: "changed", b: "changed" }]);
    expect(asked(scene)).toEqual([kind === "Local" ? "LocalSubjectAccessReview" : kind]);
    expect(report.exit.reason).not.toContain("PROVEN");
  });
});

describe("where neither kind of review may be created", () => {
  test("what is wanted is written, and said plainly not to be proven, with the Role to ask for", async () => {
    const scene = aSceneFor(reviewing([local], "a"));
    const report = await scene.run();
    expect(report.exit.code).toBe(0);
    expect(resultsOf(report)).toEqual({ a: "changed", b: "changed RBAC-UNPROVEN" });
    expect(report.exit.reason).toContain("NOT PROVEN in 1");
    expect(report.permissions?.missing).toEqual([
      expect.stringMatching(/^create localsubjectaccessreviews.* in namespace b: to prove/),
    ]);
  });

  test("a binding is not replaced: the second one could not be seen to be in force", async () => {
    const scene = aSceneFor([], { kind: "ClusterRole", name: "other" });
    const report = await scene.run();
    expect(report.exit.code).toBe(4);
    expect(resultsOf(report)).toEqual({ a: "failed RBAC-FORBIDDEN", b: "failed RBAC-FORBIDDEN" });
    expect(report.permissions?.manifest).toContain("localsubjectaccessreviews");
    expect(scene.writes()).toEqual([]);
    expect(resultsOf(await scene.run({ prove: false }))).toEqual({ a: "changed", b: "changed" });
  });
});

describe("a contract that is planned over what expand leaves behind", () => {
  const scene = () => {
    const metadata = { namespace: "a" };
    const foreign = { kind: "ClusterRole", name: "other" };
    return aScene([
      settings({ EDB_NAMESPACES: "a,b" }),
      aNamespace("a"),
      aRole([endpoints], { namespace: "a" }),
      aBinding([account(), account("old")], { metadata, ...foreign }),
      aNamespace("b"),
    ]);
  };
  const pathsOf = ({ writes }: Planned) =>
    writes.map(({ change, step }) => [objectLabel(change.object), step?.write.changes]);

  test.each(["client", "server"] as const)("(%s) is that after expand", async (dryRun) => {
    const planned = scene();
    const expand = await planned.plan({ mode: "expand", dryRun });
    expect(expand.stops).toBeUndefined();
    const contract = await planned.plan({ mode: "contract", dryRun }, expand.after);
    expect([contract.stops, contract.expects.code]).toEqual([undefined, 0]);
    expect(resultsOf(contract)).toEqual({ a: "planned", b: "unchanged" });
    // today's roles would be tried otherwise
    expect(contract.writes.map(({ stored }) => stored)).toEqual([undefined]);

    const done = scene();
    await done.run({ mode: "expand" });
    expect(await may(done, "a", old)).toBe(true);
    const after = await done.plan({ mode: "contract", dryRun });
    expect(pathsOf(after)).toEqual(pathsOf(contract));
    expect(after.namespaces?.map(({ rules }) => rules)).toEqual(
      contract.namespaces?.map(({ rules }) => rules),
    );
  });

  test("before the operator runs the release it is refused, as a value", async () => {
    const planned = scene();
    const old = await planned.plan({ mode: "contract", release: "8.2.0-1" });
    expect(old.stops).toMatchObject({ findings: [{ code: "RBAC-CONTRACT-EARLY" }] });
    expect([old.writes, old.after]).toEqual([[], unchanged]);
    await expect(old.act({} as never)).rejects.toBe(old.stops);
    const stored = [anOperator("8.2.0-1")];
    const wanted = { mode: "contract", release: "8.2.0-1" } as const;
    const next = await planned.plan(wanted, { ...unchanged, stored });
    expect(next.stops).toBeUndefined();
  });

  test("what takes rights or subjects says so", async () => {
    const all = scene();
    await all.run({ mode: "expand" });
    const dropLocal = ["edb-role:ServiceAccount/engine/old"];
    const { steps = [] } = await all.run({ mode: "contract", dropLocal, dryRun: "client" });
    expect(steps.map(({ write }) => write?.risk)).toEqual([
      "1 permission is removed: an operator that still uses one is refused from then on",
      "ServiceAccount/engine/old loses the access",
    ]);
    expect(steps.map(({ write }) => write?.command)).toContain(
      "kubectl auth reconcile -f deploy/multi-namespace-edb/role.yaml -n a --remove-extra-permissions --remove-extra-subjects",
    );
    const [, binding] = steps;
    expect(binding?.write?.command).toMatch(
      /^kubectl patch rolebinding edb-role --type=merge -p {"subjects":\[.*"ec".*\]} -n a$/,
    );
  });
});

/** Every write of the first namespace is refused so. */
function refusing(scene: Scene, error: EngineError): void {
  scene.before = ({ writes, subject }) =>
    writes && subject.includes(" a/") ? Promise.reject(error) : Promise.resolve();
}

test.each([
  [
    "a namespace that began to end meanwhile",
    new ApiError("forbidden", { status: 403, causes: [{ reason: "NamespaceTerminating" }] }),
    "RBAC-NAMESPACE-TERMINATING",
  ],
  ["no answer in time", new TimeoutError("too slow"), "RBAC-REFUSED"],
  ["an invalid object", new ApiError("invalid", { status: 422 }), "RBAC-REFUSED"],
])("%s fails that namespace alone", async (_, error, code) => {
  const scene = aScene([list("a", "b"), ...placed("a"), ...placed("b")]);
  refusing(scene, error);
  const report = await scene.run();
  expect(report.exit.code).toBe(6);
  expect(resultsOf(report)).toEqual({ a: `failed ${code}`, b: "changed" });
});

test.each([
  ["is absent", undefined, "RBAC-NAMESPACE-ABSENT"],
  [
    "may be there, for who may not see it",
    new ApiError("forbidden", { status: 403 }),
    "RBAC-REFUSED",
  ],
])("a namespace in which nothing is found any more %s", async (_, blind, code) => {
  const scene = aScene([list("a"), ...placed("a")]);
  const resource = { group: "", version: "v1", plural: "namespaces", kind: "Namespace" };
  let sent = false;
  scene.before = async ({ writes, verb }) => {
    if (writes) {
      sent = true;
      for (const kind of [rbacKinds.role, rbacKinds.roleBinding]) {
        await scene.cluster.delete({ resource: kind, name: "edb-role", namespace: "a" }, {});
      }
      await scene.cluster.delete({ resource, name: "a" }, {});
      throw new ApiError("not found", { status: 404 });
    }
    if (sent && verb === "get" && blind !== undefined) throw blind;
  };
  expect(resultsOf(await scene.run())).toEqual({ a: `failed ${code}` });
});

test("of many refusals for want of rights the first are explained, the others point there", async () => {
  const places = Array.from({ length: 24 }, (_item, index) => `n${String(index)}`);
  const reads = { apiGroups: ["", "apps", names.group], resources: ["*"], verbs: ["get", "list"] };
  const verbs = ["get", "list", "create", "patch"];
  const writes = { apiGroups: [apiGroup], resources: ["*"], verbs };
  const all = [list(...places), ...places.flatMap((place) => placed(place))];
  const scene = aScene([...all, ...grant([reads, writes])], jane);
  const report = await scene.run();
  expect(report.exit.code).toBe(4);
  const causes = (report.namespaces ?? []).map(({ findings = [] }) => findings[0]?.cause ?? "");
  expect(causes.filter((cause) => cause.includes("as in namespace"))).toHaveLength(4);
});

test("a second binding that is not seen to be in force leaves the first as it was", async () => {
  const scene = aScene([list("a"), ...placed("a", { kind: "ClusterRole", name: "other" })]);
  const second = `${names.rbac.consumerBinding}-${names.fieldManager}`;
  scene.after = async ({ verb, subject }) => {
    if (verb !== "apply" || subject !== `RoleBinding a/${second}`) return;
    const resource = rbacKinds.roleBinding;
    await scene.cluster.delete({ resource, name: second, namespace: "a" }, {});
  };
  const report = await scene.run();
  expect(resultsOf(report)).toEqual({ a: "failed RBAC-NOT-PROVEN" });
  expect(scene.writes()).not.toContainEqual(expect.stringMatching(/^delete/));
});

test("a left-over that is refused is named, and the run ends with 6", async () => {
  const scene = aScene([list("b"), ...placed("a"), ...placed("b")]);
  refusing(scene, new ApiError("held by a policy", { status: 403 }));
  const report = await scene.run({ prune: true });
  expect(report.exit.code).toBe(6);
  expect(report.findings?.map(({ cause }) => cause)).toContain("held by a policy");
});

test("a setting from a place that is not read here stops before any write", async () => {
  const env = [
    {
      name: names.configMap.namespaces,
      valueFrom: { secretKeyRef: { name: "other", key: "namespaces" } },
    },
  ];
  const podLabels = { name: "operator" };
  const container = { name: names.operator.container, image: "operator:1", env };
  const deployment: KubeObject = {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name: names.operator.deployment, namespace: operatorNamespace },
    spec: {
      selector: { matchLabels: podLabels },
      template: { metadata: { labels: podLabels }, spec: { containers: [container] } },
    },
  };
  const scene = aScene([deployment, list("a"), ...placed("a")]);
  const report = await scene.run();
  expect(report.exit.code).toBe(3);
  expect(report.findings?.map(({ code }) => code)).toEqual(["RBAC-CONFIGURATION-UNKNOWN"]);
  expect(scene.writes()).toEqual([]);
});
