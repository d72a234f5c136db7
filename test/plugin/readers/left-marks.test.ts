/** Marks outlive what made them: an owner is looked for where its absence proves something. */
import { ApiError } from "../../../plugin/domain/base/errors";
import type { KubeObject, ObjectMeta } from "../../../plugin/domain/kube/objects";
import { readLeftMarks } from "../../../plugin/readers/left-marks";

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

  list({ kind }: { kind: string }, { namespace }: { namespace?: string } = {}) {
    this.asked.push(`${kind} in ${String(namespace)}`);
    const held = this.objects.filter(
      (one) => one.kind === kind && one.metadata.namespace === namespace,
    );
    return Promise.resolve(held.length === 0 ? undefined : held);
  }
}

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

test("one owner of many objects is looked for once", async () => {
  const cluster = new Kept([]);
  const objects = ["a", "b", "c"].map((name) => marked({ labels: olm, name }));
  const { signal } = new AbortController();
  const left = await readLeftMarks({ cluster: cluster, signal }, objects);
  expect([...left.keys()]).toEqual(["Role/shop/a", "Role/shop/b", "Role/shop/c"]);
  expect(cluster.asked).toEqual([`ClusterServiceVersion/${csv}`, "Subscription in tools"]);
});

test("what may not be read counts as there, and another failure is one", async () => {
  const refuse = (status: number) => ({
    get: () => Promise.reject(new ApiError("no", { status, reason: "", message: "no" } as never)),
  });
  const look = (status: number) =>
    readLeftMarks({ cluster: refuse(status) as never }, [marked({ labels: olm })]);
  await expect(look(403)).resolves.toEqual(new Map());
  await expect(look(500)).rejects.toThrow(ApiError);
});
