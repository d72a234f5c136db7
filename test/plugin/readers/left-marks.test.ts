/** Marks outlive what made them: an owner is looked for where its absence proves something. */
import { ApiError } from "../../../plugin/domain/base/errors";
import type { KubeObject, ObjectMeta } from "../../../plugin/domain/kube/objects";
import { findLivingOwner } from "../../../plugin/domain/kube/owners";
import { mergeLeft, readLeftMarks } from "../../../plugin/readers/left-marks";

const csv = "engine-operator.v7.8.2-6";
const olm = { "olm.owner": csv, "olm.owner.namespace": "tools" };
const beside = { "operatorframework.io/installed-alongside-4c1d": `tools/${csv}` };
const generated = { "generate.kyverno.io/policy-name": "roles" };

function marked(metadata: ObjectMeta): KubeObject {
  return {
    apiVersion: "rbac.authorization.k8s.io/v1",
    kind: "Role",
    metadata: { name: "edb-role", namespace: "shop", ...metadata },
  };
}

const found = (
  kind: string,
  name: string,
  ...[rest = {}, namespace]: readonly [object?, string?]
): KubeObject => ({
  apiVersion: "v1",
  kind,
  metadata: { name, ...(namespace !== undefined && { namespace }) },
  ...rest,
});
const subscription = (rest: object): KubeObject => found("Subscription", "any", rest, "tools");

/** Answers by kind, namespace and name, with nothing else in the cluster. */
class Kept {
  readonly asked: string[] = [];
  constructor(private readonly objects: readonly KubeObject[]) {}

  get({
    resource,
    name,
    namespace,
  }: {
    resource: { kind: string };
    name: string;
    namespace?: string;
  }) {
    this.asked.push(`${resource.kind}/${name}`);
    return Promise.resolve(
      this.objects.find(
        ({ kind, metadata }) =>
          kind === resource.kind && metadata.name === name && metadata.namespace === namespace,
      ),
    );
  }

  serves(group: string, version: string) {
    this.asked.push(`what ${group}/${version} serves`);
    const kinds = [
      { group, version, kind: "Tenant", plural: "tenants", namespaced: true },
      { group, version, kind: "Zone", plural: "zones", namespaced: false },
      { group, version, kind: "Plan", plural: "plans" },
    ];
    return Promise.resolve(group === "tenancy.example" ? kinds : undefined);
  }

  list({ kind }: { kind: string }, { namespace }: { namespace?: string } = {}) {
    this.asked.push(`${kind} in ${String(namespace)}`);
    const held = this.objects.filter(
      (one) => one.kind === kind && one.metadata.namespace === namespace,
    );
    return Promise.resolve(held.length === 0 ? undefined : held);
  }
}

const ofRelease = {
  "helm.toolkit.fluxcd.io/name": "stack",
  "helm.toolkit.fluxcd.io/namespace": "releases",
};
const suspended =
  "HelmRelease/releases/stack is suspended; bring the same change into it before it is resumed, since Flux takes it back then";
const tenant = { apiVersion: "tenancy.example/v1", kind: "Tenant", name: "t", controller: true };
const gone = `ClusterServiceVersion/tools/${csv} does not exist, and no Subscription would bring it`;

test.each<[string, ObjectMeta, readonly KubeObject[], string | undefined]>([
  ["no mark", {}, [], undefined],
  [
    "OLM's, of a release that is there",
    { labels: olm },
    [found("ClusterServiceVersion", csv, {}, "tools")],
    undefined,
  ],
  ["OLM's, of a release that is gone", { labels: olm }, [], gone],
  [
    "OLM's, of a release of another namespace",
    { labels: olm },
    [found("ClusterServiceVersion", csv, {}, "shop")],
    gone,
  ],
  [
    "OLM's, by a reference",
    {
      ownerReferences: [{ kind: "ClusterServiceVersion", name: csv }],
      labels: { "olm.owner.namespace": "tools" },
    },
    [],
    gone,
  ],
  [
    "Flux's, of a HelmRelease that is suspended",
    { labels: ofRelease },
    [found("HelmRelease", "stack", { spec: { suspend: true } }, "releases")],
    suspended,
  ],
  [
    "Flux's, of a HelmRelease that is carried out",
    { labels: ofRelease },
    [found("HelmRelease", "stack", { spec: { suspend: false } }, "releases")],
    undefined,
  ],
  ["Flux's, of a HelmRelease that may live elsewhere", { labels: ofRelease }, [], undefined],
  [
    "Flux's, of a Kustomization as well",
    { labels: { ...ofRelease, "kustomize.toolkit.fluxcd.io/name": "x" } },
    [found("HelmRelease", "stack", { spec: { suspend: true } }, "releases")],
    undefined,
  ],
  [
    "Flux's, whose label names no namespace",
    { labels: { "helm.toolkit.fluxcd.io/name": "stack" } },
    [found("HelmRelease", "stack", { spec: { suspend: true } }, "releases")],
    undefined,
  ],
  ["OLM's, on a definition", { annotations: beside, namespace: "" }, [], gone],
  [
    "OLM's, that a Subscription would bring again",
    { labels: olm },
    [subscription({ status: { installedCSV: "engine-operator.v8.0.2-2" } })],
    undefined,
  ],
  [
    "OLM's, beside another's Subscription",
    { labels: olm },
    [subscription({ status: { currentCSV: "streams.v3.0.0" } })],
    gone,
  ],
  [
    "OLM's, with a Subscription that does not say what it brings",
    { labels: olm },
    [subscription({})],
    undefined,
  ],
  ["OLM's, that names no release", { labels: { "olm.managed": "true" } }, [], undefined],
  [
    "OLM's, by the annotation of its group",
    { annotations: { "olm.operatorGroup": "g" } },
    [],
    undefined,
  ],
  [
    "OLM's, of a release in no place",
    { labels: { "olm.owner": csv }, namespace: "" },
    [],
    undefined,
  ],
  [
    "HNC's, with its source",
    { labels: { "hnc.x-k8s.io/inherited-from": "up" } },
    [found("Namespace", "up")],
    undefined,
  ],
  [
    "HNC's, without its source",
    { labels: { "hnc.x-k8s.io/inherited-from": "up" } },
    [],
    "Namespace/up does not exist",
  ],
  ["HNC's, that names no source", { labels: { "hnc.x-k8s.io/inherited-from": "" } }, [], undefined],
  [
    "Kyverno's, with its policy",
    { labels: generated },
    [found("ClusterPolicy", "roles")],
    undefined,
  ],
  [
    "Kyverno's, without its policy",
    { labels: generated },
    [],
    "ClusterPolicy/roles does not exist",
  ],
  [
    "Kyverno's, of a policy of the later kind",
    { labels: generated },
    [found("GeneratingPolicy", "roles")],
    undefined,
  ],
  [
    "the later OLM's, with its extension",
    { labels: { "olm.operatorframework.io/owner-name": "stack" } },
    [found("ClusterExtension", "stack")],
    undefined,
  ],
  [
    "the later OLM's, without it",
    { labels: { "olm.operatorframework.io/owner-name": "stack" } },
    [],
    "ClusterExtension/stack does not exist",
  ],
  [
    "a controller that is there",
    { ownerReferences: [tenant] },
    [found("Tenant", "t", {}, "shop")],
    undefined,
  ],
  ["a controller that is gone", { ownerReferences: [tenant] }, [], "Tenant/t does not exist"],
  [
    "Kyverno's, as it writes them, without its policy",
    { labels: { ...generated, "generate.kyverno.io/policy-namespace": "" } },
    [],
    "ClusterPolicy/roles does not exist",
  ],
  [
    "Kyverno's, of a namespace's policy",
    { labels: { ...generated, "generate.kyverno.io/policy-namespace": "p" } },
    [],
    undefined,
  ],
  [
    "Kyverno's, that names no policy",
    { labels: { "app.kubernetes.io/managed-by": "kyverno" } },
    [],
    undefined,
  ],
  [
    "Helm's, of a namespace that is gone",
    { annotations: { "meta.helm.sh/release-namespace": "up" } },
    [],
    "Namespace/up does not exist",
  ],
  [
    "Helm's, of a namespace that is there",
    { annotations: { "meta.helm.sh/release-namespace": "up" } },
    [found("Namespace", "up")],
    undefined,
  ],
  [
    "Helm's, of the object's own namespace",
    { annotations: { "meta.helm.sh/release-namespace": "shop" } },
    [],
    undefined,
  ],
  // these may live in another cluster
  ["Argo CD's", { labels: { "argocd.argoproj.io/instance": "x" } }, [], undefined],
  ["Flux's", { labels: { "kustomize.toolkit.fluxcd.io/name": "x" } }, [], undefined],
  ["Config Sync's", { annotations: { "configsync.gke.io/resource-id": "x" } }, [], undefined],
  ["Fleet's", { annotations: { "objectset.rio.cattle.io/id": "x" } }, [], undefined],
])("a mark of an owner: %s", async (_, metadata, ...[objects, why]) => {
  const object = marked(metadata);
  if (metadata.namespace === "") delete (object.metadata as { namespace?: string }).namespace;
  const left = await readLeftMarks({ cluster: new Kept(objects) }, [object]);
  expect([...left.values()]).toEqual(why === undefined ? [] : [why]);
});

/** A copy of a cluster that holds objects of these kinds alone. */
class Copy extends Kept {
  constructor(private readonly held: readonly string[]) {
    super([]);
  }
  lacks({ kind }: { kind: string }, namespace?: string) {
    const place = namespace === undefined ? kind : `${kind} in ${namespace}`;
    return !this.held.includes(place);
  }
}

const inherited = { labels: { "hnc.x-k8s.io/inherited-from": "up" } };
test.each<[string, ObjectMeta, readonly string[], readonly (string | undefined)[]]>([
  ["OLM's, nothing of OLM", { labels: olm }, [], [undefined]],
  [
    "OLM's, releases alone",
    { labels: olm },
    ["ClusterServiceVersion in tools", "Subscription in shop"],
    [undefined],
  ],
  ["OLM's, Subscriptions alone", { labels: olm }, ["Subscription in tools"], [undefined]],
  [
    "OLM's, releases and Subscriptions",
    { labels: olm },
    ["ClusterServiceVersion in tools", "Subscription in tools"],
    [gone],
  ],
  ["HNC's, no Namespace", inherited, [], [undefined]],
  ["HNC's, other Namespaces", inherited, ["Namespace"], ["Namespace/up does not exist"]],
  ["Kyverno's, no policies", { labels: generated }, [], [undefined]],
  [
    "Kyverno's, policies of the later kind",
    { labels: generated },
    ["GeneratingPolicy"],
    ["ClusterPolicy/roles does not exist"],
  ],
  ["a controller's, none of its kind", { ownerReferences: [tenant] }, ["Tenant"], [undefined]],
  [
    "a controller's, others of its kind",
    { ownerReferences: [tenant] },
    ["Tenant in shop"],
    ["Tenant/t does not exist"],
  ],
  ["Argo CD's, nothing", { labels: { "argocd.argoproj.io/instance": "x" } }, [], []],
  ["Flux's, nothing", { labels: { "kustomize.toolkit.fluxcd.io/name": "x" } }, [], []],
])("a mark in a copy of a cluster: %s was read", async (_, metadata, ...[held, whys]) => {
  const object = marked(metadata);
  const left = await readLeftMarks({ cluster: new Copy(held) }, [object]);
  expect([...left.values()]).toEqual(whys);
  // what was not seen to be gone counts as an owner
  if (!whys.some((why) => why !== undefined)) expect(findLivingOwner(object, left)).toBeDefined();
});

test.each([
  [[], undefined],
  [["Tenant in shop"], "Tenant/t"],
])("the garbage collector, in a copy that holds %p", async (held, told) => {
  const object = marked({
    ownerReferences: [ofGroup("Tenant")] as ObjectMeta["ownerReferences"] & {},
  });
  const left = await readLeftMarks({ cluster: new Copy(held) }, [object]);
  expect(left.collected?.get("Role/shop/edb-role")).toBe(told);
});

test("one owner of many objects is looked for once", async () => {
  const cluster = new Kept([]);
  const objects = ["a", "b", "c"].map((name) => marked({ labels: olm, name }));
  const { signal } = new AbortController();
  const left = await readLeftMarks({ cluster: cluster, signal }, objects);
  expect([...left.keys()]).toEqual(["Role/shop/a", "Role/shop/b", "Role/shop/c"]);
  expect(cluster.asked).toEqual([`ClusterServiceVersion/${csv}`, "Subscription in tools"]);
});

const secretOf = (metadata: ObjectMeta): KubeObject => ({
  ...marked({ name: "tls", ...metadata }),
  apiVersion: "v1",
  kind: "Secret",
});
const issued = { "cert-manager.io/certificate-name": "pair" };

test.each<[string, ObjectMeta, readonly KubeObject[], readonly (string | undefined)[]]>([
  ["nobody", {}, [], []],
  [
    "a controller that is there",
    { ownerReferences: [tenant] },
    [found("Tenant", "t", {}, "shop")],
    [],
  ],
  ["a controller that is gone", { ownerReferences: [tenant] }, [], ["Tenant/t does not exist"]],
  ["a controller of a kind that is not served", { annotations: issued }, [], [undefined]],
  [
    "OLM, whose release is gone",
    { ownerReferences: [{ kind: "ClusterServiceVersion", name: csv }], labels: olm },
    [],
    [gone],
  ],
])("a Secret is kept by %s", async (_, metadata, ...[objects, whys]) => {
  const left = await readLeftMarks({ cluster: new Kept(objects) }, [secretOf(metadata)]);
  expect([...left.values()]).toEqual(whys);
});

test("what keeps a cluster's object is looked for without a namespace", async () => {
  const object = marked({ ownerReferences: [tenant] });
  delete (object.metadata as { namespace?: string }).namespace;
  const left = await readLeftMarks({ cluster: new Kept([found("Tenant", "t")]) }, [object]);
  expect(left.size).toBe(0);
});

test("a controller of the core group is looked for", async () => {
  const cluster = new Kept([]);
  const core = { apiVersion: "v1", kind: "ConfigMap", name: "c", controller: true };
  await readLeftMarks({ cluster }, [marked({ ownerReferences: [core] })]);
  expect([...new Set(cluster.asked)]).toEqual(["what /v1 serves"]);
});

test("what may not be read is told as not seen, and another failure is one", async () => {
  const refuse = (status: number) => ({
    get: () => Promise.reject(new ApiError("no", { status, reason: "", message: "no" } as never)),
  });
  const look = (status: number) =>
    readLeftMarks({ cluster: refuse(status) as never }, [marked({ labels: olm })]);
  await expect(look(403)).resolves.toEqual(new Map([["Role/shop/edb-role", undefined]]));
  await expect(look(500)).rejects.toThrow(ApiError);
});

const ofGroup = (kind: string, more: object = {}) => ({
  ...{ apiVersion: "tenancy.example/v1", kind, name: "t", uid: "u1" },
  ...more,
});
const collected = (label: string) => [["Role/shop/edb-role", label]];

test.each<[string, readonly object[], readonly KubeObject[], readonly (readonly string[])[]]>([
  ["no owner reference", [], [], []],
  ["an owner that is gone", [ofGroup("Tenant")], [], collected("Tenant/t")],
  ["an owner that is there", [ofGroup("Tenant")], [found("Tenant", "t", {}, "shop")], []],
  [
    "an owner of the name that is another object",
    [ofGroup("Tenant")],
    [{ ...found("Tenant", "t"), metadata: { name: "t", namespace: "shop", uid: "u2" } }],
    collected("Tenant/t"),
  ],
  ["an owner of the cluster that is there", [ofGroup("Zone")], [found("Zone", "t")], []],
  ["an owner of the cluster that is gone", [ofGroup("Zone")], [], collected("Zone/t")],
  ["an owner of a kind that is not served", [ofGroup("Other")], [], []],
  ["an owner of a group that is not served", [ofGroup("Tenant", { apiVersion: "x/v1" })], [], []],
  ["an owner of which nobody knows where it lives", [ofGroup("Plan")], [], []],
  [
    "an owner that is gone beside one that is there",
    [ofGroup("Tenant"), ofGroup("Zone")],
    [found("Zone", "t")],
    [],
  ],
  [
    "two owners that are gone",
    [ofGroup("Tenant"), ofGroup("Zone")],
    [],
    collected("Tenant/t, Zone/t"),
  ],
])(
  "the garbage collector deletes what has %s, or does not",
  async (_, ownerReferences, ...rest) => {
    const [objects, told] = rest;
    const object = marked({
      ownerReferences: ownerReferences as ObjectMeta["ownerReferences"] & {},
    });
    const left = await readLeftMarks({ cluster: new Kept(objects) }, [object]);
    expect([...(left.collected ?? [])]).toEqual(told);
  },
);

test("a controller of the cluster is looked for outside of the namespace", async () => {
  const object = marked({ ownerReferences: [{ ...ofGroup("Zone"), controller: true }] });
  const there = await readLeftMarks({ cluster: new Kept([found("Zone", "t")]) }, [object]);
  expect([there.size, there.collected]).toEqual([0, undefined]);
  const gone = await readLeftMarks({ cluster: new Kept([]) }, [object]);
  expect([...gone]).toEqual([["Role/shop/edb-role", "Zone/t does not exist"]]);
});

test("a StatefulSet is not asked about: its owner is read beside it", async () => {
  const cluster = new Kept([]);
  const set = { ...marked({ ownerReferences: [ofGroup("Zone")] }), kind: "StatefulSet" };
  expect([...(await readLeftMarks({ cluster }, [set]))]).toEqual([]);
  expect(cluster.asked).toEqual([]);
});

test("an owner of namespaces does not have an object of the cluster deleted", async () => {
  const object = marked({ ownerReferences: [ofGroup("Tenant")] });
  delete (object.metadata as { namespace?: string }).namespace;
  const left = await readLeftMarks({ cluster: new Kept([]) }, [object]);
  expect(left.collected).toBeUndefined();
});

test("an owner that may not be read counts as there, and another failure is one", async () => {
  const [serves] = [() => Promise.resolve([{ kind: "Tenant", namespaced: true }])];
  const refuse = (status: number) => ({
    serves,
    get: () => Promise.reject(new ApiError("no", { status, reason: "", message: "no" } as never)),
  });
  const object = marked({ ownerReferences: [ofGroup("Tenant")] });
  const look = (status: number) => readLeftMarks({ cluster: refuse(status) as never }, [object]);
  expect((await look(403)).collected).toBeUndefined();
  await expect(look(500)).rejects.toThrow(ApiError);
});

test("what was found of two sets of objects is one", () => {
  const one = Object.assign(new Map([["a", "gone"]]), { collected: new Map([["a", "T/t"]]) });
  const both = mergeLeft(one, new Map([["b", undefined]]), undefined);
  expect([[...both], [...(both.collected ?? [])]]).toEqual([
    [
      ["a", "gone"],
      ["b", undefined],
    ],
    [["a", "T/t"]],
  ]);
  expect(mergeLeft(undefined).collected).toBeUndefined();
});
