/** Refusals of the API server, each made into a finding of its namespace with a way out. */
import { ApiError, type EngineError, TimeoutError } from "../../../../plugin/domain/errors";
import { defaultNames as names } from "../../../../plugin/domain/names";
import { rbacKinds } from "../../../../plugin/domain/kinds";
import type { KubeObject } from "../../../../plugin/run/ports";
import { aBinding, account, aRole } from "../../domain/rbac/objects";
import { aNamespace, aScene, operatorNamespace, resultsOf, type Scene, settings } from "./scene";

const endpoints = { apiGroups: [""], resources: ["endpoints"], verbs: ["get"] };
const inPlace = (namespace: string, roleRef = {}): readonly KubeObject[] => [
  aNamespace(namespace),
  aRole([endpoints], { namespace }),
  aBinding([account(), account("ec")], { metadata: { namespace }, ...roleRef }),
];
const list = (...namespaces: readonly string[]) =>
  settings({ [names.configMap.namespaces]: namespaces.join(",") });

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
  const scene = aScene([list("a", "b"), ...inPlace("a"), ...inPlace("b")]);
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
  const scene = aScene([list("a"), ...inPlace("a")]);
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
  const user = { name: "jane", groups: ["system:authenticated"] };
  const apiGroup = "rbac.authorization.k8s.io";
  const reads = { apiGroups: ["", "apps", names.group], resources: ["*"], verbs: ["get", "list"] };
  const writes = {
    apiGroups: [apiGroup],
    resources: ["*"],
    verbs: ["get", "list", "create", "patch"],
  };
  const scene = aScene(
    [
      list(...places),
      ...places.flatMap((place) => inPlace(place)),
      {
        apiVersion: `${apiGroup}/v1`,
        kind: "ClusterRole",
        metadata: { name: "jane" },
        rules: [reads, writes],
      },
      {
        apiVersion: `${apiGroup}/v1`,
        kind: "ClusterRoleBinding",
        metadata: { name: "jane" },
        roleRef: { apiGroup, kind: "ClusterRole", name: "jane" },
        subjects: [{ apiGroup, kind: "User", name: "jane" }],
      },
    ],
    user,
  );
  const report = await scene.run();
  expect(report.exit.code).toBe(4);
  const causes = (report.namespaces ?? []).map(({ findings = [] }) => findings[0]?.cause ?? "");
  expect(causes.filter((cause) => cause.includes("as in namespace"))).toHaveLength(4);
});

test("a second binding that is not seen to be in force leaves the first as it was", async () => {
  const scene = aScene([list("a"), ...inPlace("a", { kind: "ClusterRole", name: "other" })]);
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
  const scene = aScene([list("b"), ...inPlace("a"), ...inPlace("b")]);
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
  const scene = aScene([deployment, list("a"), ...inPlace("a")]);
  const report = await scene.run();
  expect(report.exit.code).toBe(3);
  expect(report.findings?.map(({ code }) => code)).toEqual(["RBAC-CONFIGURATION-UNKNOWN"]);
  expect(scene.writes()).toEqual([]);
});
