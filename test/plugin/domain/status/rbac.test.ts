import type { KubeObject } from "../../../../plugin/domain/objects";
import { anOperator } from "../cluster/scene";
import { shipped } from "../rbac/objects";
import { aDeploymentWith } from "./operators";
import { aCluster, consumer, inShop, label, settings, statusOf, unread } from "./scene";

const extra = { apiGroups: [""], resources: ["endpoints"], verbs: ["get"] };
const own = { apiGroups: [""], resources: ["pods"], verbs: ["get"] };
const withRules = (change: (rules: readonly unknown[]) => readonly unknown[]): KubeObject => ({
  ...inShop.role,
  rules: change(inShop.role["rules"] as readonly unknown[]),
});

test.each<[string, Parameters<typeof statusOf>[0], string, readonly string[]]>([
  [
    "a right too few",
    { roles: [withRules((rules) => rules.slice(1))] },
    "1 of 1 namespace differ from the shipped files: shop; 1 lack a right or an account",
    ["shop"],
  ],
  [
    "a right too many",
    { roles: [withRules((rules) => [...rules, extra])] },
    "1 of 1 namespace differ from the shipped files: shop; 1 have rights of another release",
    [],
  ],
  [
    "no binding",
    { roleBindings: [] },
    "1 of 1 namespace differ from the shipped files: shop; 1 lack a right or an account",
    ["shop"],
  ],
  [
    "a binding for another role",
    { roleBindings: [{ ...inShop.binding, roleRef: { kind: "ClusterRole", name: "x" } }] },
    "1 of 1 namespace differ from the shipped files: shop; 1 lack a right or an account",
    ["shop"],
  ],
])("drift: %s", (...[, lists, because, lacking]) => {
  const { rbac } = statusOf(lists);
  expect(rbac).toMatchObject({ places: 1, differing: ["shop"], lacking });
  expect(rbac.verdict).toMatchObject({ is: "stalled", because });
});

describe("one ClusterRole gives the access", () => {
  const clusterRole = (change: Parameters<typeof withRules>[0]): KubeObject => ({
    ...withRules(change),
    kind: "ClusterRole",
    metadata: { name: "all-databases" },
  });
  const roleRef = { kind: "ClusterRole", name: "all-databases" };
  const bindings = { roles: [], roleBindings: [{ ...inShop.binding, roleRef }] };

  test.each([
    ["as the files", clusterRole((rules) => rules), "fine", []],
    ["and lacks a rule", clusterRole((rules) => rules.slice(0, -1)), "stalled", ["shop"]],
  ])("%s", (...[, role, is, lacking]) => {
    const { rbac } = statusOf({ ...bindings, clusterRoles: [role] });
    expect([rbac.verdict.is, rbac.lacking]).toEqual([is, lacking]);
  });

  test("that may not be read: nothing is claimed", () => {
    const { rbac } = statusOf(bindings, unread("clusterRoles")[1]);
    expect(rbac.verdict.is).toBe("unknown");
  });
});

test("what a person added is no drift", () => {
  const { rbac } = statusOf({ roles: [withRules((rules) => [...rules, own])] });
  expect(rbac).toMatchObject({ differing: [], beyond: [], local: ["shop"] });
  expect(rbac.verdict).toEqual({
    is: "fine",
    says: "1 namespace as in the shipped files; local additions in shop",
  });
});

const ofTheTool = { rbac: { documents: shipped, source: "the tool's", shipped: true } } as const;
const running = (tag: string) => ({ deployments: [anOperator(tag)] });

test.each([
  ["8.0.2-2", [], []],
  ["8.0.20-23", [], []],
  ["7.22.0-7", ["shop"], ["shop"]],
  ["7.8.6-1", ["shop"], ["shop"]],
])("without a release the role of operator %s is wanted", (tag, lacking, beyond) => {
  const { rbac } = statusOf(running(tag), {}, ofTheTool);
  expect(rbac).toMatchObject({ lacking, beyond, comparedWith: `the edb-role of operator ${tag}` });
});

test.each([
  ["6.4.2-4", "the edb-role of operator 6.4.2-4 is not known; give --release"],
  [
    "latest",
    "the operator's image does not report its release, so its edb-role is not known; give --release",
  ],
])("of operator %s it is unknown", (tag, because) => {
  const { rbac } = statusOf(running(tag), {}, ofTheTool);
  expect(rbac.verdict).toEqual({ is: "unknown", because });
});

test("no managed namespace: nothing is compared", () => {
  expect(statusOf({ configMaps: [] }).rbac).toMatchObject({
    places: 0,
    verdict: { is: "fine", says: "no other namespace is managed" },
  });
});

const byLabel = { configMaps: [settings({ EDB_NAMESPACES_LABEL: "team=db" })] };
const labeled: KubeObject = {
  apiVersion: "v1",
  kind: "Namespace",
  metadata: { name: "shop", labels: { team: "db" } },
};

test("by label: the labeled namespaces, and the ClusterRole for finding them", () => {
  const lists = { ...byLabel, namespaces: [labeled] };
  expect(statusOf(lists).rbac).toMatchObject({
    places: 2,
    differing: ["the whole cluster"],
    lacking: ["the whole cluster"],
  });
  if (label === undefined) throw new Error("the shipped files have none");
  const all = { ...lists, clusterRoles: [label.role], clusterRoleBindings: [label.binding] };
  expect(statusOf(all).rbac.verdict).toEqual({
    is: "fine",
    says: "2 namespaces as in the shipped files",
  });
});

test.each<[string, ReturnType<typeof unread>, string]>([
  ["roles", unread("roles", "roleBindings"), "may not list roles, rolebindings"],
  ["namespaces", unread("namespaces"), "may not list namespaces"],
  [
    "ClusterRoles, by label",
    [{ ...byLabel }, unread("clusterRoles")[1]],
    "may not list clusterroles",
  ],
  ["ECs, whose accounts are bound", unread("ecs"), "may not list engineenterpriseclusters"],
])("unknown: %s may not be listed", (_title, [lists, rest], because) => {
  expect(statusOf(lists, rest).rbac.verdict).toEqual({ is: "unknown", because });
});

test("unknown: no EC reports the account that the bindings are for", () => {
  expect(statusOf({ ecs: [] }).rbac.verdict).toMatchObject({
    is: "unknown",
    because: expect.stringContaining("service account") as string,
  });
});

test("the account is the one that the EC names", () => {
  const ecs = [aCluster(undefined, {}, { serviceAccountName: "other" })];
  expect(statusOf({ ecs }).rbac.lacking).toEqual(["shop"]);
});

test("unknown: settings from a place that is not read", () => {
  const deployments = [
    aDeploymentWith([{ name: "EDB_NAMESPACES", valueFrom: { secretKeyRef: { name: "x" } } }]),
  ];
  expect(statusOf({ deployments }).rbac.verdict).toMatchObject({
    is: "unknown",
    because: expect.stringContaining("a place that is not read") as string,
  });
});

test("unknown: files that are no roles and bindings", () => {
  const { rbac } = statusOf({}, {}, { rbac: { documents: [consumer.role], source: "mine" } });
  expect(rbac).toMatchObject({ comparedWith: "mine", places: 0 });
  expect(rbac.verdict.is === "unknown" && rbac.verdict.because).toMatch(/^the files do not fit: /);
});
