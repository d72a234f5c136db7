import type { StatusCause } from "../../../../plugin/domain/base/errors";
import type { KubeObject, ObjectMeta } from "../../../../plugin/domain/kube/objects";
import {
  listHeld,
  isPersons,
  isPersonsManager,
  judgeConflict,
  findLivingOwner,
  findOwner,
  judgeOwnership,
  type LeftMarks,
} from "../../../../plugin/domain/kube/owners";
import { seekOwner } from "../../../../plugin/domain/kube/owner-seek";
import { aNewConfiguration } from "../../../support/builders";

const ours = ["kubectl-engine"];
const inherited = Object.create({ "olm.owner": "x" }) as Record<string, string>;

test.each<[ObjectMeta, string | undefined]>([
  [{ labels: { "app.kubernetes.io/managed-by": "Helm" } }, "Helm"],
  [{ annotations: { "meta.helm.sh/release-name": "engine" } }, "Helm"],
  [{ labels: { "olm.owner": "x" } }, "OLM"],
  [{ annotations: { "olm.operatorGroup": "x" } }, "OLM"],
  [{ ownerReferences: [{ kind: "ClusterServiceVersion" }] }, "OLM"],
  [{ labels: { "argocd.argoproj.io/instance": "x" } }, "Argo CD"],
  [{ annotations: { "argocd.argoproj.io/tracking-id": "x" } }, "Argo CD"],
  [{ labels: { "kustomize.toolkit.fluxcd.io/name": "x" } }, "Flux"],
  [{ labels: { "helm.toolkit.fluxcd.io/name": "x" } }, "Flux"],
  [{ labels: { "objectset.rio.cattle.io/hash": "x" } }, "Fleet"],
  [{ annotations: { "objectset.rio.cattle.io/id": "x" } }, "Fleet"],
  [{}, undefined],
  [{ labels: { "app.kubernetes.io/instance": "x" } }, undefined],
  [{ labels: { "app.kubernetes.io/managed-by": "kubectl" } }, undefined],
  [{ labels: inherited }, undefined],
  [{ ownerReferences: [{ kind: "Deployment" }, {}] }, undefined],
  [{ labels: ["olm.owner"] as unknown as Record<string, string> }, undefined],
])("an object with %j is owned by %s", (metadata, name) => {
  const found = findOwner({ ...aNewConfiguration(), metadata });
  expect(found?.name).toBe(name);
  expect(found?.way).not.toBe("");
});

const tracking = "argocd.argoproj.io/tracking-id";
const charts = { "app.kubernetes.io/managed-by": "Helm" };
const flux = { "kustomize.toolkit.fluxcd.io/name": "x" };
const role = (metadata: ObjectMeta, apiVersion = "rbac.authorization.k8s.io/v1"): KubeObject => ({
  apiVersion,
  kind: "Role",
  metadata: { name: "edb-role", namespace: "shop", ...metadata },
});
const roles = { "app.kubernetes.io/managed-by": "roles-manager" };
const tenant = { apiVersion: "tenancy.example/v1", kind: "Tenant", name: "shop", controller: true };
const tracked = (id: string): ObjectMeta => ({ annotations: { [tracking]: id } });
const rbac = "rbac:rbac.authorization.k8s.io/Role";

test.each<[string, KubeObject, string | undefined]>([
  ["its own tracking-id", role(tracked(`${rbac}:shop/edb-role`)), "Argo CD"],
  ["that of another namespace", role(tracked(`${rbac}:team-a/edb-role`)), undefined],
  ["that of another name", role(tracked(`${rbac}:shop/other`)), undefined],
  [
    "that of another kind",
    role(tracked("rbac:rbac.authorization.k8s.io/RoleBinding:shop/edb-role")),
    undefined,
  ],
  ["that of another group", role(tracked("rbac:apps/Role:shop/edb-role")), undefined],
  ["the core group", role(tracked("x:/Role:shop/edb-role"), "v1"), "Argo CD"],
  [
    "a cluster's object, whatever namespace stands there",
    {
      ...role({ ...tracked(`${rbac}:engine/edb-role`) }),
      metadata: { name: "edb-role", ...tracked(`${rbac}:engine/edb-role`) },
    },
    "Argo CD",
  ],
  [
    "a chart that Argo CD applies",
    role({ ...tracked(`${rbac}:shop/edb-role`), labels: charts }),
    "Argo CD",
  ],
  ["a chart that Flux applies", role({ labels: { ...charts, ...flux } }), "Flux"],
  [
    "what Flux only may not delete",
    role({ labels: flux, annotations: { "kustomize.toolkit.fluxcd.io/prune": "disabled" } }),
    "Flux",
  ],
  [
    "Config Sync's by its label",
    role({ labels: { "app.kubernetes.io/managed-by": "configmanagement.gke.io" } }),
    "Config Sync",
  ],
  [
    "Kyverno's by its label",
    role({ labels: { "app.kubernetes.io/managed-by": "kyverno" } }),
    "Kyverno",
  ],
  [
    "a definition that OLM installed",
    role({ annotations: { "operatorframework.io/installed-alongside-1": "a/b.v1" } }),
    "OLM",
  ],
  ["a copy of HNC", role({ labels: { "hnc.x-k8s.io/inherited-from": "platform" } }), "HNC"],
  [
    "what Kyverno generates",
    role({ labels: { "generate.kyverno.io/policy-name": "p" } }),
    "Kyverno",
  ],
  ["Config Sync's", role({ annotations: { "configsync.gke.io/resource-id": "x" } }), "Config Sync"],
  ["the later OLM's", role({ labels: { "olm.operatorframework.io/owner-name": "x" } }), "OLM v1"],
  ["a controller's", role({ ownerReferences: [tenant] }), "Tenant/shop"],
  [
    "of a reference that is no controller's",
    role({ ownerReferences: [{ ...tenant, controller: false }] }),
    undefined,
  ],
  [
    "what the operator itself made",
    role({ ownerReferences: [{ ...tenant, apiVersion: "rbac.authorization.k8s.io/v9" }] }),
    undefined,
  ],
  [
    "a Pod's, which its set makes",
    { ...role({ ownerReferences: [tenant] }), kind: "Pod" },
    undefined,
  ],
  [
    "a hub's",
    role({ ownerReferences: [{ kind: "AppliedManifestWork" }] }),
    "Open Cluster Management",
  ],
  ["kapp's", role({ labels: { "kapp.k14s.io/app": "1" } }), "kapp"],
  [
    "the add-on manager's",
    role({ labels: { "addonmanager.kubernetes.io/mode": "Reconcile" } }),
    "the add-on manager",
  ],
  [
    "what the add-on manager only creates",
    role({ labels: { "addonmanager.kubernetes.io/mode": "EnsureExists" } }),
    undefined,
  ],
  [
    "an add-on of k3s",
    role({
      annotations: {
        "objectset.rio.cattle.io/id": "",
        "objectset.rio.cattle.io/owner-gvk": "k3s.cattle.io/v1, Kind=Addon",
      },
    }),
    "the add-ons of k3s",
  ],
  [
    "a program's that has written it",
    role({ labels: roles, managedFields: [{ manager: "Roles_Manager/v1" }, {}] }),
    "roles-manager",
  ],
  [
    "a program's that has not",
    role({ labels: roles, managedFields: [{ manager: "kubectl" }] }),
    undefined,
  ],
  ["a program's of which nothing is known", role({ labels: roles }), undefined],
  [
    "a person's",
    role({
      labels: { "app.kubernetes.io/managed-by": "kubectl" },
      managedFields: [{ manager: "kubectl" }],
    }),
    undefined,
  ],
  ["nobody's", role({ labels: { "app.kubernetes.io/managed-by": "" } }), undefined],
])("the owner of an object with marks of several: %s", (_, object, name) => {
  expect(findOwner(object)?.name).toBe(name);
});

test.each<[string, ObjectMeta, string]>([
  ["Argo CD's", tracked("x"), `kubectl annotate role edb-role --namespace=shop ${tracking}-`],
  [
    "Flux's",
    { labels: flux },
    "kubectl annotate role edb-role --namespace=shop kustomize.toolkit.fluxcd.io/reconcile=disabled",
  ],
  [
    "a chart's that something else applied",
    { labels: charts },
    "kubectl label role edb-role --namespace=shop app.kubernetes.io/managed-by-",
  ],
  ["HNC's", { labels: { "hnc.x-k8s.io/inherited-from": "up" } }, "from which HNC copies it"],
  [
    "a HelmRelease's of Flux",
    {
      labels: {
        "helm.toolkit.fluxcd.io/name": "stack",
        "helm.toolkit.fluxcd.io/namespace": "releases",
      },
    },
    "flux suspend helmrelease stack --namespace=releases",
  ],
  [
    "a HelmRelease's of Flux that does not say where it is",
    { labels: { "helm.toolkit.fluxcd.io/name": "stack" } },
    "flux suspend helmrelease stack --namespace=shop",
  ],
  [
    "Fleet's, with both of its marks",
    {
      labels: { "objectset.rio.cattle.io/hash": "x" },
      annotations: { "objectset.rio.cattle.io/id": "x" },
    },
    "kubectl annotate role edb-role --namespace=shop objectset.rio.cattle.io/id- && kubectl label role edb-role --namespace=shop objectset.rio.cattle.io/hash-",
  ],
  [
    "Argo CD's, by its label",
    { labels: { "argocd.argoproj.io/instance": "x" } },
    "kubectl label role edb-role --namespace=shop argocd.argoproj.io/instance-",
  ],
])(
  "what is %s is given over by a line, where nobody can see its owner from here",
  (_, metadata, way) => {
    const owner = findOwner(role(metadata));
    expect(owner && judgeOwnership(owner)).toMatchObject({
      severity: "error",
      fix: expect.stringMatching(new RegExp(`${way}$`)) as string,
    });
  },
);

test.each<[Record<string, string>, object | undefined]>([
  [
    { "helm.toolkit.fluxcd.io/name": "r", "helm.toolkit.fluxcd.io/namespace": "n" },
    { is: "helmRelease", namespace: "n", name: "r" },
  ],
  [{ "helm.toolkit.fluxcd.io/name": "r" }, undefined],
  [
    {
      ...{ "helm.toolkit.fluxcd.io/name": "r", "helm.toolkit.fluxcd.io/namespace": "n" },
      ...flux,
    },
    undefined,
  ],
  [{ "helm.toolkit.fluxcd.io/namespace": "n", ...flux }, undefined],
])("of Flux with labels %j is looked for: %j", (labels, sought) => {
  expect(seekOwner(role({ labels }))).toEqual(sought);
});

describe("what runs helm is told by the field manager that wrote last", () => {
  const marked: ObjectMeta = { labels: charts, annotations: { "meta.helm.sh/release-name": "op" } };
  const entry = (manager: string, second = 0, more: object = {}) => ({
    ...{ manager, operation: "Update", time: `2026-06-15T12:00:0${second}Z` },
    ...more,
  });
  const terraform = "terraform-provider-helm_v2.12.1_x5";
  const unmanaged =
    "kubectl patch role edb-role --namespace=shop --type=json -p .*/metadata/managedFields.*";

  test.each<[string, ObjectMeta, string, string]>([
    ["helm", { managedFields: [entry("helm")] }, "Helm", "helm upgrade"],
    ["helm on Windows", { managedFields: [entry("helm.exe")] }, "Helm", "helm upgrade"],
    ["nothing known", { managedFields: [entry("kubectl-edit")] }, "Helm", "helm upgrade"],
    ["no managed fields", {}, "Helm", "helm upgrade"],
    [
      "Terraform",
      { managedFields: [entry(terraform)] },
      "Terraform",
      `set the version or the values of helm_release op in the Terraform configuration, and run terraform apply; .*with: ${unmanaged}`,
    ],
    [
      "Flux",
      { managedFields: [entry("helm-controller")] },
      "Flux",
      "the version of its chart, .* (HelmRelease); .*with: flux suspend helmrelease NAME --namespace=shop",
    ],
    [
      "Argo CD over a chart's label, which tracks by another label",
      { annotations: {}, managedFields: [entry("argocd-controller")] },
      "Argo CD",
      `change targetRevision or the values of the chart in .*with: ${unmanaged}`,
    ],
    [
      "Argo CD without server-side apply",
      { managedFields: [entry("argocd-application-controller")] },
      "Argo CD",
      "targetRevision",
    ],
    ["helm after Terraform", { managedFields: [entry(terraform), entry("helm", 1)] }, "Helm", ""],
    [
      "Terraform after helm",
      { managedFields: [entry(terraform, 1), entry("helm")] },
      "Terraform",
      "",
    ],
    [
      "Terraform at once with helm",
      { managedFields: [entry("helm"), entry(terraform)] },
      "Terraform",
      "",
    ],
    [
      "helm, and Terraform when that is not known",
      { managedFields: [entry(terraform, 0, { time: undefined }), entry("helm")] },
      "Helm",
      "",
    ],
    [
      "helm, and the status by another",
      { managedFields: [entry("helm"), entry("helm-controller", 2, { subresource: "status" })] },
      "Helm",
      "",
    ],
    [
      "helm, over the label of Flux",
      {
        labels: { ...charts, "helm.toolkit.fluxcd.io/name": "op" },
        managedFields: [entry("helm")],
      },
      "Flux",
      "HelmRelease op",
    ],
  ])("%s", (_, metadata, name, fix) => {
    const owner = findOwner(role({ ...marked, ...metadata }));
    expect(owner?.name).toBe(name);
    expect(owner && judgeOwnership(owner).fix).toMatch(
      new RegExp(fix.replaceAll("(", "\\(").replaceAll(")", "\\)")),
    );
    expect(owner?.chart === true).toBe(["Helm", "Terraform"].includes(name));
  });

  test("without the marks of a chart, field managers of Terraform show no owner", () => {
    expect(findOwner(role({ managedFields: [entry(terraform)] }))).toBeUndefined();
  });

  test("Argo CD's own marks are taken off together with its field managers", () => {
    const metadata = { ...marked, managedFields: [entry("argocd-controller")] };
    const both = { ...metadata, annotations: { [tracking]: `${rbac}:shop/edb-role` } };
    expect(findOwner(role(both))?.over).toMatch(/patch role .* && kubectl annotate role/);
    const alone = { ...both, labels: {} };
    expect(findOwner(role(alone))?.over).toMatch(/^kubectl annotate role/);
  });

  test("the namespace of the release is looked for, whatever runs helm", () => {
    const annotations = {
      "meta.helm.sh/release-name": "op",
      "meta.helm.sh/release-namespace": "x",
    };
    const managedFields = [entry(terraform)];
    expect(seekOwner(role({ annotations, managedFields }))).toEqual({ is: "namespace", name: "x" });
  });
});

test.each<[string, ObjectMeta, string]>([
  [
    "HNC",
    { labels: { "hnc.x-k8s.io/inherited-from": "platform" } },
    "change Role edb-role in the parent namespace platform, from which HNC copies it",
  ],
  [
    "HNC, whose label names none",
    { labels: { "app.kubernetes.io/managed-by": "hnc.x-k8s.io" } },
    "change Role edb-role in the parent namespace, from which HNC copies it",
  ],
  [
    "Kyverno",
    {
      labels: {
        "generate.kyverno.io/policy-name": "p",
        "generate.kyverno.io/policy-namespace": "",
      },
    },
    "change the policy p of Kyverno, which generates the object",
  ],
  [
    "Kyverno, by a policy of a namespace",
    {
      labels: {
        "generate.kyverno.io/policy-name": "p",
        "generate.kyverno.io/policy-namespace": "s",
      },
    },
    "change the policy s/p of Kyverno, which generates the object",
  ],
  [
    "Argo CD",
    tracked(`${rbac}:shop/edb-role`),
    "change the object in the repository of the Argo CD application rbac and sync it",
  ],
  [
    "Argo CD, by its label",
    { labels: { "argocd.argoproj.io/instance": "apps" } },
    "change the object in the repository of the Argo CD application apps and sync it",
  ],
  [
    "Flux",
    { labels: { ...flux, "kustomize.toolkit.fluxcd.io/namespace": "flux-system" } },
    "change the object in the repository that Flux follows and reconcile it (Kustomization flux-system/x)",
  ],
  [
    "the later OLM",
    { labels: { "olm.operatorframework.io/owner-name": "stack" } },
    "set the version of ClusterExtension stack (spec.source.catalog.version)",
  ],
  [
    "k3s",
    {
      annotations: {
        "objectset.rio.cattle.io/owner-gvk": "k3s.cattle.io/v1, Kind=Addon",
        "objectset.rio.cattle.io/owner-name": "engine",
        "objectset.rio.cattle.io/owner-namespace": "kube-system",
      },
    },
    "change the manifest of Addon kube-system/engine in the folder of manifests on the servers",
  ],
  ["a controller", { ownerReferences: [tenant] }, "change Tenant/shop, which makes the object"],
])("the way names what %s names", (_, metadata, way) => {
  expect(findOwner(role(metadata))?.way).toBe(way);
});

test.each<[string, ObjectMeta, string]>([
  [
    "Flux",
    { labels: flux, annotations: { "kustomize.toolkit.fluxcd.io/reconcile": "disabled" } },
    "kustomize.toolkit.fluxcd.io/reconcile=disabled",
  ],
  [
    "Flux",
    { labels: flux, annotations: { "kustomize.toolkit.fluxcd.io/ssa": "Ignore" } },
    "kustomize.toolkit.fluxcd.io/ssa=Ignore",
  ],
  [
    "Config Sync",
    {
      labels: { "app.kubernetes.io/managed-by": "configmanagement.gke.io" },
      annotations: { "configmanagement.gke.io/managed": "disabled" },
    },
    "configmanagement.gke.io/managed=disabled",
  ],
])(
  "%s, told to leave an object, forbids nothing, and the change is to be brought to it",
  (name, metadata, told) => {
    const owner = findOwner(role(metadata));
    expect(findLivingOwner(role(metadata), undefined)).toBeUndefined();
    expect(owner && judgeOwnership(owner)).toEqual({
      severity: "warning",
      cause: `it has marks of ${name} and may be written all the same: ${told} tells ${name} to leave it`,
      fix: `bring the same change into what ${name} follows before ${told} goes: it would be undone then`,
    });
  },
);

const goneCsv = new Map([["Role/shop/edb-role", "X is gone"]]);

test.each<[string, ObjectMeta, string | undefined]>([
  ["another owner's mark counts", { labels: { "olm.owner": "x", ...flux } }, "Flux"],
  [
    "no second mark of the same owner does",
    { labels: { "olm.owner": "x" }, ownerReferences: [{ kind: "ClusterServiceVersion" }] },
    undefined,
  ],
  [
    "none that was told to leave it",
    {
      labels: { "olm.owner": "x", ...flux },
      annotations: { "kustomize.toolkit.fluxcd.io/ssa": "Ignore" },
    },
    undefined,
  ],
])("where the owner of the most exact mark is gone, %s", (_, metadata, name) => {
  expect(findLivingOwner(role(metadata), goneCsv)?.name).toBe(name);
  expect(findOwner(role(metadata), goneCsv)).toBeDefined();
});

test.each<[string, ObjectMeta, string]>([
  [
    "OLM's",
    {
      labels: { "olm.owner": "x" },
      annotations: { "operatorframework.io/installed-alongside-1": "a/b" },
      ownerReferences: [{ kind: "ClusterServiceVersion" }],
    },
    `kubectl patch role edb-role --namespace=shop --type=json -p '[{"op":"remove","path":"/metadata/ownerReferences"}]' && kubectl annotate role edb-role --namespace=shop operatorframework.io/installed-alongside-1- && kubectl label role edb-role --namespace=shop olm.owner-`,
  ],
  [
    "HNC's",
    { labels: { "hnc.x-k8s.io/inherited-from": "up" } },
    "kubectl label role edb-role --namespace=shop hnc.x-k8s.io/inherited-from-",
  ],
  [
    "a controller's",
    { ownerReferences: [tenant] },
    `kubectl patch role edb-role --namespace=shop --type=json -p '[{"op":"remove","path":"/metadata/ownerReferences"}]'`,
  ],
])(
  "%s mark, where the right to look is missing, stands, and how it is given over is told",
  (_, metadata, over) => {
    const unseen = new Map([["Role/shop/edb-role", undefined]]);
    expect(findLivingOwner(role(metadata), unseen)?.over).toBe(over);
    expect(findOwner(role(metadata), new Map())?.over).toBeUndefined();
  },
);

test("a cluster's object is named without a namespace", () => {
  const object: KubeObject = {
    ...aNewConfiguration(),
    metadata: { ...tracked("x"), name: "gate" },
  };
  expect(findOwner(object)?.over).toBe(
    `kubectl annotate validatingwebhookconfiguration gate ${tracking}-`,
  );
  const nameless: KubeObject = { ...object, metadata: tracked("x") };
  expect(findOwner(nameless)?.over).toContain("kubectl annotate");
  const labels = { "helm.toolkit.fluxcd.io/name": "stack" };
  expect(findOwner({ ...object, metadata: { labels } })?.over).toBe(
    "flux suspend helmrelease stack",
  );
});

test("an owner that is gone forbids nothing, and that is said", () => {
  const object = role({ labels: { "olm.owner": "x" } });
  const left = new Map([["Role/shop/edb-role", "X is gone"]]);
  const owner = findOwner(object, left);
  expect(findLivingOwner(object, left)).toBeUndefined();
  expect(findLivingOwner(object, undefined)?.name).toBe("OLM");
  expect(owner && judgeOwnership(owner)).toMatchObject({
    severity: "warning",
    cause: "it has marks of OLM and may be written all the same: X is gone",
  });
  expect(findOwner(object, new Map())?.left).toBeUndefined();
});

const writtenBy = (...managers: readonly string[]): ObjectMeta => ({
  labels: { "app.kubernetes.io/managed-by": "Helm", "helm.sh/chart": "engine-1.0.0" },
  managedFields: managers.map((manager) => ({ manager })),
});
const status = { manager: "kube-controller-manager", subresource: "status" };

test.each<[string, ObjectMeta, "nobody" | "Helm" | "Argo CD"]>([
  ["kubectl", writtenBy("kubectl-client-side-apply", "oc-patch"), "nobody"],
  ["kubectl, and this tool since", writtenBy("kubectl", "kubectl-engine"), "nobody"],
  [
    "kubectl, beside a status",
    { ...writtenBy(), managedFields: [{ manager: "kubectl" }, status] },
    "nobody",
  ],
  ["helm", writtenBy("helm", "kubectl-edit"), "Helm"],
  ["one who gives no name", { ...writtenBy(), managedFields: [{}] }, "Helm"],
  ["a program of a pipeline", writtenBy("pipeline"), "Helm"],
  ["Argo CD", writtenBy("kubectl", "argocd-controller"), "Argo CD"],
  ["nobody knows whom", writtenBy(), "Helm"],
  ["nobody knows whom, beside a status", { ...writtenBy(), managedFields: [status] }, "Helm"],
  ["a dump without managers", { labels: writtenBy().labels ?? {} }, "Helm"],
  [
    "kubectl, with a label by which Argo CD may track it",
    {
      ...writtenBy("kubectl"),
      labels: { ...writtenBy().labels, "app.kubernetes.io/instance": "engine" },
    },
    "Helm",
  ],
  [
    "kubectl, of a release that an annotation names",
    { ...writtenBy("kubectl"), annotations: { "meta.helm.sh/release-name": "engine" } },
    "Helm",
  ],
])("a chart that was written by %s", (_, metadata, name) => {
  const owner = findLivingOwner(role(metadata), undefined);
  expect(owner?.name ?? "nobody").toBe(name);
  if (owner !== undefined) return;
  expect(findOwner(role(metadata))?.left).toBe(
    "no annotation names a release of Helm, and kubectl alone has written it",
  );
});

test("a person's managers are kubectl, oc and this tool, and an object is a person's by all of them", () => {
  const persons = ["kubectl", "kubectl-create", "kubectl-client-side-apply", "kubectl-edit"];
  const others = ["helm", "kubectl-something", "kubectlx", ""];
  const more = ["kubectl.exe", "oc", "oc-patch", "before-first-apply", "kubectl-engine"];
  const all = [...persons, ...more, ...others];
  expect(all.filter((one) => isPersonsManager(one, ours))).toEqual([...persons, ...more]);
  const isOf = (...managers: readonly (string | undefined)[]) => {
    const metadata = { managedFields: managers.map((manager) => ({ manager })) };
    return isPersons({ ...aNewConfiguration(), metadata }, ours);
  };
  expect([isOf(), isOf("kubectl-edit", "kubectl-engine")]).toEqual([true, true]);
  expect([isOf("kubectl-edit", "helm"), isOf(undefined)]).toEqual([false, false]);
  expect(isPersons({ ...aNewConfiguration(), metadata: {} }, ours)).toBe(true);
});

const by = (manager: string, field = ".webhooks"): StatusCause => ({
  reason: "FieldManagerConflict",
  field,
  message: `conflict with "${manager}" using v1`,
});
const judge = (causes: readonly StatusCause[], takeFields: readonly string[] = []) =>
  judgeConflict({ causes, object: "Kind/x", ours, takeFields });

test("a 409 names fields and managers, or neither", () => {
  expect(listHeld([by("x"), {}])).toEqual([
    { field: ".webhooks", manager: "x" },
    { field: "", manager: "" },
  ]);
});

test.each<[string, readonly StatusCause[], readonly string[]]>([
  ["with persons and this tool", [by("kubectl"), by("oc"), by("kubectl-engine")], []],
  ["over a field that was said to be taken", [by("flux")], [".webhooks"]],
  ["over such a field without its dot", [by("flux")], ["webhooks"]],
])("a conflict is forced %s", (_title, causes, takeFields) => {
  expect(judge(causes, takeFields)).toEqual({ is: "force" });
});

test.each<[string, readonly StatusCause[], readonly string[]]>([
  ["with another manager beside a person", [by("flux"), by("kubectl")], []],
  ["over another field than was said", [by("flux")], [".webhooks.x"]],
])("a conflict is refused %s", (_title, causes, takeFields) => {
  const finding = {
    code: "FIELD-CONFLICT",
    severity: "error",
    object: "Kind/x",
    field: ".webhooks",
    cause: 'the field is held by manager "flux", which may write it again',
    fix: "change it through that manager, or take the field with --take-fields '.webhooks'",
    source: "S18",
  };
  expect(judge(causes, takeFields)).toEqual({ is: "refuse", findings: [finding] });
});

test.each<[string, readonly StatusCause[]]>([
  ["without causes", []],
  ["without a field or a message", [{}]],
  ["with a message of another form", [{ message: "someone else" }]],
])("%s nobody is named, and nothing is forced", (_title, causes) => {
  const cause = "the field is held by another manager, which may write it again";
  const fix = "find out who writes the object: kubectl get -o yaml --show-managed-fields";
  expect(judge(causes)).toMatchObject({ is: "refuse", findings: [{ cause, fix }] });
});

test.each<[string, KubeObject["metadata"]]>([
  ["HNC does not say from where", { labels: { "hnc.x-k8s.io/inherited-from": "" } }],
  ["Kyverno does not name its policy", { labels: { "app.kubernetes.io/managed-by": "kyverno" } }],
])("no owner is looked for where %s", (_, metadata) => {
  const object = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a", ...metadata } };
  expect(findOwner(object)).toBeDefined();
  expect(seekOwner(object)).toBeUndefined();
});

test("what the garbage collector deletes is not written, and the line that keeps it is told", () => {
  const object = role({ namespace: "shop", name: "edb-role", labels: charts });
  const collected = new Map([["Role/shop/edb-role", "Tenant/t"]]);
  const left: LeftMarks = Object.assign(new Map(), { collected });
  const owner = findLivingOwner(object, left);
  expect(owner && judgeOwnership(owner)).toEqual({
    severity: "error",
    cause:
      "Tenant/t does not exist, which its owner reference names: the garbage collector deletes the object, and the change with it",
    fix: `where the object is to stay, take its owner references off: kubectl patch role edb-role --namespace=shop --type=json -p '[{"op":"remove","path":"/metadata/ownerReferences"}]'`,
  });
});
