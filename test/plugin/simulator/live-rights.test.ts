import { kinds } from "../../../plugin/domain/kube/kinds";
import { type Can, withLiveRights } from "../../../plugin/simulator/source/live";
import type { Access, KubeClient, KubeObject } from "../../../plugin/ports/kubernetes";
import { aNamespace, aService } from "../../support/builders";
import { admin, makeWorld } from "../../support/world";

const service = { resource: kinds.service, name: "admission", namespace: "engine" };
const settings: KubeObject = {
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name: "settings", namespace: "engine" },
};
const manager = { fieldManager: "x" };

/** The copy as jane may use it, and every question that was asked of the live cluster. */
function copy(can: (access: Access) => boolean) {
  const asked: Access[] = [];
  const live: Can = (access) => {
    asked.push(access);
    return Promise.resolve(can(access));
  };
  const controlPlane = makeWorld({
    objects: [aNamespace("engine"), aService("engine")],
  }).controlPlane;
  const inner = controlPlane.connect({ user: admin, namespace: "engine" });
  const stored = () => controlPlane.state.list({ group: "", plural: "configmaps" });
  return { cluster: withLiveRights(inner, live, "jane"), asked, stored };
}

const on = { group: "", resource: "configmaps", namespace: "engine" };

test.each<[string, (cluster: KubeClient) => Promise<unknown>, Access[]]>([
  [
    "get",
    (to) => to.get(service),
    [{ verb: "get", group: "", resource: "services", name: "admission", namespace: "engine" }],
  ],
  [
    "list",
    (to) => to.list(kinds.service, { namespace: "engine" }),
    [{ verb: "list", group: "", resource: "services", namespace: "engine" }],
  ],
  ["create", (to) => to.create(settings), [{ ...on, verb: "create" }]],
  [
    "apply of what does not exist",
    (to) => to.apply(settings, manager),
    [
      { ...on, verb: "patch", name: "settings" },
      { ...on, verb: "create" },
    ],
  ],
  ["who it is", (to) => to.whoAmI(), []],
  ["what is served", (to) => to.serves("", "v1"), []],
])("%s asks the live cluster for what it needs", async (_, act, wanted) => {
  const { cluster, asked } = copy(() => true);
  await act(cluster);
  expect(asked).toEqual(wanted);
});

test("an apply of what exists needs no right to create", async () => {
  const { cluster, asked } = copy(() => true);
  await cluster.apply(settings, manager);
  asked.length = 0;
  await cluster.apply(settings, manager);
  expect(asked.map(({ verb }) => verb)).toEqual(["patch"]);
});

test("what the live cluster forbids is forbidden in its words, and not done", async () => {
  const { cluster, stored } = copy(({ verb }) => verb !== "create");
  const refusal = { status: 403, reason: "Forbidden", exitCode: 4 };
  await expect(cluster.create(settings)).rejects.toMatchObject({
    ...refusal,
    message:
      'configmaps "settings" is forbidden: User "jane" cannot create resource "configmaps" in API group "" in the namespace "engine"',
  });
  await expect(cluster.apply(settings, manager)).rejects.toMatchObject(refusal);
  expect(stored()).toEqual([]);
});

test("at the cluster scope the words say so", async () => {
  const { cluster } = copy(() => false);
  await expect(cluster.list(kinds.deployment)).rejects.toThrow(
    'deployments.apps is forbidden: User "jane" cannot list resource "deployments" in API group "apps" at the cluster scope',
  );
});

test("questions about rights and name are the live cluster's to answer", async () => {
  const { cluster } = copy(({ verb }) => verb === "get");
  const access = { group: "", resource: "secrets" };
  expect(await cluster.can({ ...access, verb: "get" })).toBe(true);
  expect(await cluster.can({ ...access, verb: "delete" })).toBe(false);
  expect(await cluster.whoAmI()).toBe("jane");
});
