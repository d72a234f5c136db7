import { createRegistry } from "../../../../plugin/rehearsal/kinds/registry";
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
  test.each([
    ["v1", "Namespace", "namespaces", false],
    ["v1", "Secret", "secrets", true],
    ["v1", "Service", "services", true],
    ["v1", "ConfigMap", "configmaps", true],
    ["v1", "ServiceAccount", "serviceaccounts", true],
    ["v1", "Pod", "pods", true],
    ["v1", "Endpoints", "endpoints", true],
    ["v1", "Event", "events", true],
    ["v1", "Node", "nodes", false],
    ["v1", "PersistentVolumeClaim", "persistentvolumeclaims", true],
    ["v1", "ResourceQuota", "resourcequotas", true],
    ["apps/v1", "Deployment", "deployments", true],
    ["apps/v1", "StatefulSet", "statefulsets", true],
    ["apps/v1", "ReplicaSet", "replicasets", true],
    ["batch/v1", "Job", "jobs", true],
    ["policy/v1", "PodDisruptionBudget", "poddisruptionbudgets", true],
    ["discovery.k8s.io/v1", "EndpointSlice", "endpointslices", true],
    ["rbac.authorization.k8s.io/v1", "Role", "roles", true],
    ["rbac.authorization.k8s.io/v1", "RoleBinding", "rolebindings", true],
    ["rbac.authorization.k8s.io/v1", "ClusterRole", "clusterroles", false],
    ["rbac.authorization.k8s.io/v1", "ClusterRoleBinding", "clusterrolebindings", false],
    [
      "admissionregistration.k8s.io/v1",
      "ValidatingWebhookConfiguration",
      "validatingwebhookconfigurations",
      false,
    ],
    [
      "admissionregistration.k8s.io/v1",
      "MutatingWebhookConfiguration",
      "mutatingwebhookconfigurations",
      false,
    ],
    [
      "admissionregistration.k8s.io/v1",
      "ValidatingAdmissionPolicy",
      "validatingadmissionpolicies",
      false,
    ],
    [
      "admissionregistration.k8s.io/v1",
      "ValidatingAdmissionPolicyBinding",
      "validatingadmissionpolicybindings",
      false,
    ],
    [crd, "CustomResourceDefinition", "customresourcedefinitions", false],
    ["authorization.k8s.io/v1", "SelfSubjectAccessReview", "selfsubjectaccessreviews", false],
    ["authorization.k8s.io/v1", "SubjectAccessReview", "subjectaccessreviews", false],
    ["authorization.k8s.io/v1", "LocalSubjectAccessReview", "localsubjectaccessreviews", true],
    ["authorization.k8s.io/v1", "SelfSubjectRulesReview", "selfsubjectrulesreviews", false],
    ["authentication.k8s.io/v1", "SelfSubjectReview", "selfsubjectreviews", false],
    ["coordination.k8s.io/v1", "Lease", "leases", true],
    ["networking.k8s.io/v1", "Ingress", "ingresses", true],
  ])("%s %s is known by kind and by plural", (...[apiVersion, kind, plural, namespaced]) => {
    const registry = createRegistry();
    const found = registry.byKind(apiVersion, kind);
    const [version = "", group = ""] = apiVersion.split("/").reverse();
    expect(found).toMatchObject({ resource: { group, version, plural, kind }, namespaced });
    expect(registry.byPlural({ group, version, plural })).toBe(found);
    expect(registry.served(group, version)).toContain(found);
  });

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

describe("how lists merge", () => {
  test.each([
    ["admissionregistration.k8s.io/v1", "ValidatingWebhookConfiguration", "webhooks", ["name"]],
    ["v1", "Service", "spec.ports", ["port", "protocol"]],
    ["apps/v1", "Deployment", "spec.template.spec.containers", ["name"]],
    ["v1", "ConfigMap", "metadata.ownerReferences", ["uid"]],
    ["apps/v1", "Deployment", "status.conditions", ["type"]],
  ])("%s %s: items of %s are known by %j", (...[apiVersion, kind, path, keys]) => {
    expect(structureAt(apiVersion, kind, path)).toMatchObject({ list: "map", keys });
  });

  test.each([
    ["rbac.authorization.k8s.io/v1", "Role", "rules", { list: "atomic" }],
    ["rbac.authorization.k8s.io/v1", "RoleBinding", "subjects", { list: "atomic" }],
    ["rbac.authorization.k8s.io/v1", "RoleBinding", "roleRef", { atomic: true }],
    ["apps/v1", "Deployment", "spec.selector", { atomic: true }],
    ["v1", "Service", "spec.selector", { atomic: true }],
    ["apps/v1", "Deployment", "spec.template.spec.nodeSelector", { atomic: true }],
    ["discovery.k8s.io/v1", "EndpointSlice", "endpoints", { list: "atomic" }],
    ["v1", "ConfigMap", "metadata.finalizers", { list: "set" }],
  ])("%s %s: %s is %j", (...[apiVersion, kind, path, how]) => {
    expect(structureAt(apiVersion, kind, path)).toMatchObject(how);
  });

  test("a Service's port has a protocol even where none is given", () => {
    expect(structureAt("v1", "Service", "spec.ports")).toMatchObject({
      keyDefaults: { protocol: "TCP" },
    });
  });
});

function structureAt(apiVersion: string, kind: string, path: string): unknown {
  const start = createRegistry().byKind(apiVersion, kind)?.structure;
  return path.split(".").reduce((structure, key) => structure?.fields?.[key], start);
}
