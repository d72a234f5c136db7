import { apply, grant } from "../acts";
import { invalid } from "../expected";
import { configMap, database, deployment, ec, kinds, refTo } from "../objects";
import { ownersOf, refusalOf, sameVersion } from "../plain";
import type { ContractGroup } from "../world";

const running = { state: "Running", specStatus: "Valid" };

/** Generation, status, and what a built-in kind fills in. */
export const status: ContractGroup = {
  about: "generation and status",
  cases: [
    {
      says: "the generation counts changes of the spec, not of metadata and status",
      act: async ({ cluster, namespace, seed, setStatus }) => {
        const object = ec(namespace);
        await seed(object);
        const ref = refTo(kinds.clusters, object);
        const seen: unknown[] = [];
        const look = async (): Promise<void> => {
          seen.push((await cluster.get(ref))?.metadata.generation);
        };
        await look();
        await cluster.patch(ref, { metadata: { labels: { a: "b" } } }, { type: "merge" });
        await look();
        await setStatus(object, running);
        await look();
        await cluster.patch(ref, { spec: { nodes: 5 } }, { type: "merge" });
        await look();
        return seen;
      },
      sees: [1, 1, 1, 2],
    },
    {
      says: "a status that is sent with a new object is dropped",
      act: async ({ cluster, namespace }) =>
        (await cluster.create({ ...ec(namespace), status: running }))["status"] ?? "absent",
      sees: "absent",
    },
    {
      says: "a status that is sent with a change is left as it was stored",
      act: async ({ cluster, namespace, seed }) => {
        await seed({ ...ec(namespace), status: running });
        const ref = refTo(kinds.clusters, ec(namespace));
        const before = await cluster.get(ref);
        const body = { status: { state: "Upgrade" } };
        const answer = await cluster.patch(ref, body, { type: "merge" });
        return { status: answer["status"], unchanged: sameVersion(before, answer) };
      },
      sees: { status: { specStatus: "Valid", state: "Running" }, unchanged: true },
    },
    {
      says: "an update without the status keeps the stored one",
      act: async ({ cluster, namespace, seed }) => {
        await seed({ ...ec(namespace), status: running });
        const { resourceVersion = "" } =
          (await cluster.get(refTo(kinds.clusters, ec(namespace))))?.metadata ?? {};
        const wanted = ec(namespace, { nodes: 5 });
        const metadata = { ...wanted.metadata, resourceVersion };
        const answer = await cluster.update({ ...wanted, metadata });
        return [answer["spec"], answer["status"]];
      },
      sees: [{ nodes: 5 }, { specStatus: "Valid", state: "Running" }],
    },
    {
      says: "an applied status is neither stored nor owned",
      act: async (world) => {
        const answer = await apply(world, { ...ec(world.namespace), status: running });
        return { status: answer["status"] ?? "absent", owners: ownersOf(answer) };
      },
      sees: { status: "absent", owners: ["us: spec{nodes}"] },
    },
    {
      says: "a write of the status makes a new version",
      act: async ({ cluster, namespace, seed, setStatus }) => {
        await seed(ec(namespace));
        const ref = refTo(kinds.clusters, ec(namespace));
        const before = await cluster.get(ref);
        await setStatus(ec(namespace), running);
        const after = await cluster.get(ref);
        return { status: after?.["status"], sameVersion: sameVersion(before, after) };
      },
      sees: { status: { specStatus: "Valid", state: "Running" }, sameVersion: false },
    },
    {
      says: "a patch of the status changes the status alone, and is owned apart",
      act: async ({ cluster, namespace }) => {
        await cluster.create(ec(namespace), { fieldManager: "us" });
        const body = { spec: { nodes: 9 }, status: running };
        const answer = await cluster.patch(refTo(kinds.clusters, ec(namespace)), body, {
          type: "merge",
          subresource: "status",
          fieldManager: "controller",
        });
        const { generation, managedFields = [] } = answer.metadata;
        // the API server puts the older first, by whole seconds
        const parts = managedFields
          .map(({ manager, subresource }) => [manager, subresource])
          .sort();
        return { spec: answer["spec"], status: answer["status"], generation, parts };
      },
      sees: {
        spec: { nodes: 3 },
        status: { specStatus: "Valid", state: "Running" },
        generation: 1,
        parts: [
          ["controller", "status"],
          ["us", undefined],
        ],
      },
    },
    {
      says: "a patch of the status from an old version is a conflict",
      act: async ({ cluster, namespace }) => {
        const made = await cluster.create(ec(namespace));
        const ref = refTo(kinds.clusters, ec(namespace));
        await cluster.patch(ref, { metadata: { labels: { a: "b" } } }, { type: "merge" });
        const { resourceVersion } = made.metadata;
        const body = { metadata: { resourceVersion }, status: running };
        const write = cluster.patch(ref, body, { type: "merge", subresource: "status" });
        return refusalOf(write);
      },
      sees: {
        status: 409,
        reason: "Conflict",
        message:
          'Operation cannot be fulfilled on engineenterpriseclusters.app.engine.com "ec": the object has been modified; ' +
          "please apply your changes to the latest version and try again",
      },
    },
    {
      says: "a patch of a status that the kind does not have is not found",
      act: async ({ cluster, namespace }) => {
        await cluster.create(configMap(namespace, {}, "plain"));
        const ref = refTo(kinds.configMaps, configMap(namespace, {}, "plain"));
        return refusalOf(
          cluster.patch(ref, { status: {} }, { type: "merge", subresource: "status" }),
        );
      },
      sees: {
        status: 404,
        reason: "NotFound",
        message: "the server could not find the requested resource",
      },
    },
    {
      says: "a patch of the status needs a permission of its own",
      act: async (world) => {
        const group = "app.engine.com";
        const resources = ["engineenterpriseclusters"];
        const rules = [{ apiGroups: [group], resources, verbs: ["get", "patch"] }];
        await world.seed(ec(world.namespace));
        const person = await grant(world, "painter", rules);
        const ref = refTo(kinds.clusters, ec(world.namespace));
        return refusalOf(
          person.patch(ref, { status: running }, { type: "merge", subresource: "status" }),
        );
      },
      sees: {
        status: 403,
        reason: "Forbidden",
        message:
          'engineenterpriseclusters.app.engine.com "ec" is forbidden: User "painter" cannot patch resource ' +
          '"engineenterpriseclusters/status" in API group "app.engine.com" in the namespace "NS"',
      },
    },
    {
      says: "an edit of one version of a kind is seen in the other",
      act: async ({ cluster, namespace, seed }) => {
        await seed(ec(namespace));
        const older = { ...kinds.clusters, version: "v1alpha1" };
        const found = await cluster.get({ resource: older, name: "ec", namespace });
        return found === undefined ? "absent" : [found.apiVersion, found["spec"]];
      },
      sees: ["app.engine.com/v1alpha1", { nodes: 3 }],
    },
    {
      says: "a Deployment is stored with what it leaves open",
      act: async ({ cluster, namespace }) => {
        const made = await cluster.create(deployment(namespace));
        return { spec: made["spec"], generation: made.metadata.generation };
      },
      sees: {
        spec: {
          replicas: 1,
          selector: { matchLabels: { name: "operator" } },
          template: {
            metadata: { labels: { name: "operator" } },
            spec: {
              containers: [
                {
                  name: "operator",
                  image: "engine/operator:1",
                  ports: [{ containerPort: 8080, protocol: "TCP" }],
                  resources: {},
                  terminationMessagePath: "/dev/termination-log",
                  terminationMessagePolicy: "File",
                  imagePullPolicy: "IfNotPresent",
                },
              ],
              restartPolicy: "Always",
              terminationGracePeriodSeconds: 30,
              dnsPolicy: "ClusterFirst",
              securityContext: {},
              schedulerName: "default-scheduler",
            },
          },
          strategy: {
            type: "RollingUpdate",
            rollingUpdate: { maxUnavailable: "25%", maxSurge: "25%" },
          },
          revisionHistoryLimit: 10,
          progressDeadlineSeconds: 600,
        },
        generation: 1,
      },
    },
    {
      says: "a Deployment's generation counts changes of its image",
      act: async ({ cluster, namespace, seed }) => {
        await seed(deployment(namespace));
        const ref = refTo(kinds.deployments, deployment(namespace));
        const containers = [{ name: "operator", image: "engine/operator:2" }];
        const body = { spec: { template: { spec: { containers } } } };
        const answer = await cluster.patch(ref, body, { type: "strategic" });
        return [answer.metadata.generation, answer["status"] ?? "absent"];
      },
      sees: [2, {}],
    },
    {
      says: "a Deployment's selector does not change",
      act: async ({ cluster, namespace, seed }) => {
        await seed(deployment(namespace));
        const ref = refTo(kinds.deployments, deployment(namespace));
        const labels = { other: "x" };
        const spec = { selector: { matchLabels: labels }, template: { metadata: { labels } } };
        return refusalOf(cluster.patch(ref, { spec }, { type: "merge" }));
      },
      sees: invalid(
        'Deployment.apps "operator"',
        'spec.selector: Invalid value: {"matchLabels":{"name":"operator","other":"x"}}: field is immutable',
      ),
    },
    {
      says: "a ConfigMap has no generation",
      act: async ({ cluster, namespace }) =>
        (await cluster.create(configMap(namespace))).metadata.generation ?? "absent",
      sees: "absent",
    },
    {
      says: "an edit of a database is a new generation that its controller has not seen",
      act: async ({ cluster, namespace, seed }) => {
        const active = { status: "active", version: "7.2.0", observedGeneration: 1 };
        await seed({ ...database(namespace, { engineVersion: "7.2" }), status: active });
        const ref = refTo(kinds.databases, database(namespace));
        const body = { spec: { engineVersion: "7.4" } };
        const { metadata, status: found } = await cluster.patch(ref, body, { type: "merge" });
        return { generation: metadata.generation, status: found };
      },
      sees: {
        generation: 2,
        status: { observedGeneration: 1, status: "active", version: "7.2.0" },
      },
    },
    {
      says: "a Deployment's status stays as its controller wrote it when the spec changes",
      act: async ({ cluster, namespace, seed, setStatus }) => {
        await seed(deployment(namespace));
        const ready = { observedGeneration: 1, replicas: 1, readyReplicas: 1, updatedReplicas: 1 };
        await setStatus(deployment(namespace), ready);
        const ref = refTo(kinds.deployments, deployment(namespace));
        const answer = await cluster.patch(ref, { spec: { replicas: 2 } }, { type: "merge" });
        return [answer.metadata.generation, answer["status"]];
      },
      sees: [2, { observedGeneration: 1, replicas: 1, updatedReplicas: 1, readyReplicas: 1 }],
    },
  ],
};
