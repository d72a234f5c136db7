import type { KubeObject } from "../../../plugin/domain/kube/objects";
import { getPath, asArray, getOwn } from "../../../plugin/domain/base/values";
import type { PatchType } from "../../../plugin/ports/kubernetes";
import { badRequest, conflict, invalid, notFound, refusal } from "../expected";
import {
  configMap,
  configuration,
  database,
  deployment,
  entry,
  kinds,
  refTo,
  role,
} from "../objects";
import { refusalOf, sameVersion } from "../plain";
import type { ContractGroup, World } from "../world";

/** Patches a seeded ConfigMap with `a: 1, b: 2`. */
async function patched(world: World, type: PatchType, body: unknown): Promise<unknown> {
  const { cluster, namespace, seed } = world;
  const object = configMap(namespace, { a: "1", b: "2" });
  await seed(object);
  return (await cluster.patch(refTo(kinds.configMaps, object), body, { type }))["data"];
}

async function refused(world: World, type: PatchType, body: unknown): Promise<unknown> {
  return refusalOf(patched(world, type, body));
}

/** Patches a seeded database. */
async function databasePatch(world: World, type: PatchType, body: unknown): Promise<unknown> {
  const { cluster, namespace, seed } = world;
  const object = database(namespace, { modulesList: [{ name: "search" }, { name: "ReJSON" }] });
  await seed(object);
  const request = cluster.patch(refTo(kinds.databases, object), body, { type });
  const refusal = await refusalOf(request);
  return refusal === "accepted" ? (await request)["spec"] : refusal;
}

/** The three kinds of patches. */
export const patching: ContractGroup = {
  about: "patching",
  cases: [
    {
      says: "a merge patch sets, adds and removes",
      act: (world) => patched(world, "merge", { data: { a: null, b: "3", c: "4" } }),
      sees: { b: "3", c: "4" },
    },
    {
      says: "a merge patch replaces a list as a whole",
      act: (world) => databasePatch(world, "merge", { spec: { modulesList: [{ name: "x" }] } }),
      sees: {
        engineEnterpriseCluster: { name: "ec" },
        memorySize: "100MB",
        modulesList: [{ name: "x" }],
      },
    },
    {
      says: "a JSON patch tests and replaces",
      act: (world) =>
        patched(world, "json", [
          { op: "test", path: "/data/a", value: "1" },
          { op: "replace", path: "/data/a", value: "3" },
          { op: "remove", path: "/data/b" },
          { op: "add", path: "/data/c.d", value: "4" },
        ]),
      sees: { a: "3", "c.d": "4" },
    },
    {
      says: "a JSON patch whose test fails is refused",
      act: (world) => refused(world, "json", [{ op: "test", path: "/data/a", value: "9" }]),
      sees: refusal(
        [422, "Invalid"],
        "the server rejected our request due to an error in our request",
      ),
    },
    {
      says: "a JSON patch that removes what is not there is refused",
      act: (world) => refused(world, "json", [{ op: "remove", path: "/data/z" }]),
      sees: refusal(
        [422, "Invalid"],
        "the server rejected our request due to an error in our request",
      ),
    },
    {
      says: "a JSON patch removes an item of a custom resource's list",
      act: (world) => databasePatch(world, "json", [{ op: "remove", path: "/spec/modulesList/0" }]),
      sees: {
        engineEnterpriseCluster: { name: "ec" },
        memorySize: "100MB",
        modulesList: [{ name: "ReJSON" }],
      },
    },
    {
      says: "a JSON patch appends to a list",
      act: (world) =>
        databasePatch(world, "json", [
          { op: "add", path: "/spec/modulesList/-", value: { name: "x" } },
        ]),
      sees: {
        engineEnterpriseCluster: { name: "ec" },
        memorySize: "100MB",
        modulesList: [{ name: "search" }, { name: "ReJSON" }, { name: "x" }],
      },
    },
    {
      says: "a strategic patch changes one item of a Deployment's containers, by name",
      act: async ({ cluster, namespace, seed }) => {
        await seed(deployment(namespace));
        const containers = [{ name: "operator", image: "engine/operator:2" }];
        const body = { spec: { template: { spec: { containers } } } };
        const ref = refTo(kinds.deployments, deployment(namespace));
        const answer = await cluster.patch(ref, body, { type: "strategic" });
        return getPath(answer, ["spec", "template", "spec", "containers"]);
      },
      sees: [
        {
          name: "operator",
          image: "engine/operator:2",
          ports: [{ containerPort: 8080, protocol: "TCP" }],
          resources: {},
          terminationMessagePath: "/dev/termination-log",
          terminationMessagePolicy: "File",
          imagePullPolicy: "IfNotPresent",
        },
      ],
    },
    {
      says: "a strategic patch changes the caBundle of one entry, by name",
      act: async ({ cluster, namespace, seed }) => {
        const other = entry(namespace, { name: "other.admission.engine" });
        const object = configuration(namespace, [entry(namespace), other]);
        await seed(object);
        const webhooks = [{ name: "other.admission.engine", clientConfig: { caBundle: "" } }];
        const ref = refTo(kinds.configurations, object);
        const answer = await cluster.patch(
          ref,
          { webhooks: [{ ...webhooks[0], failurePolicy: "Ignore" }] },
          { type: "strategic" },
        );
        return (answer["webhooks"] as readonly Record<string, unknown>[]).map(
          ({ name, failurePolicy, clientConfig }) => ({ name, failurePolicy, clientConfig }),
        );
      },
      sees: [
        {
          name: "databases.admission.engine",
          failurePolicy: "Fail",
          clientConfig: {
            service: { namespace: "NS", name: "admission", path: "/admission", port: 443 },
          },
        },
        {
          name: "other.admission.engine",
          failurePolicy: "Ignore",
          clientConfig: {
            service: { namespace: "NS", name: "admission", path: "/admission", port: 443 },
          },
        },
      ],
    },
    {
      says: "a strategic patch takes an entry away, by name",
      act: async ({ cluster, namespace, seed }) => {
        const other = entry(namespace, { name: "other.admission.engine" });
        const object = configuration(namespace, [entry(namespace), other]);
        await seed(object);
        const webhooks = [{ name: "other.admission.engine", $patch: "delete" }];
        const ref = refTo(kinds.configurations, object);
        const answer = await cluster.patch(ref, { webhooks }, { type: "strategic" });
        return (answer["webhooks"] as readonly Record<string, unknown>[]).map(({ name }) => name);
      },
      sees: ["databases.admission.engine"],
    },
    {
      says: "a strategic patch replaces the rules of a Role as a whole",
      act: async ({ cluster, namespace, seed }) => {
        await seed(role(namespace, [{ apiGroups: [""], resources: ["pods"], verbs: ["get"] }]));
        const rules = [{ apiGroups: [""], resources: ["secrets"], verbs: ["list"] }];
        const ref = refTo(kinds.roles, role(namespace, []));
        return (await cluster.patch(ref, { rules }, { type: "strategic" }))["rules"];
      },
      sees: [{ verbs: ["list"], apiGroups: [""], resources: ["secrets"] }],
    },
    {
      says: "a strategic patch of a custom resource is refused",
      act: (world) => databasePatch(world, "strategic", { spec: { memorySize: "1GB" } }),
      sees: refusal(
        [415, "UnsupportedMediaType"],
        "the body of the request was in an unknown format - accepted media types include: application/json-patch+json, application/merge-patch+json, application/apply-patch+yaml",
      ),
    },
    {
      says: "a patch of what is not there is refused",
      act: ({ cluster, namespace }) => {
        const ref = refTo(kinds.databases, database(namespace));
        return refusalOf(cluster.patch(ref, { spec: {} }, { type: "merge" }));
      },
      sees: notFound('engineenterprisedatabases.app.engine.com "orders" not found'),
    },
    {
      says: "a patch with an old resourceVersion is a conflict",
      act: async ({ cluster, namespace, seed }) => {
        await seed(database(namespace));
        const ref = refTo(kinds.databases, database(namespace));
        const { resourceVersion } = (await cluster.get(ref))?.metadata ?? {};
        await cluster.patch(ref, { spec: { memorySize: "1GB" } }, { type: "merge" });
        const body = { metadata: { resourceVersion }, spec: { memorySize: "2GB" } };
        return refusalOf(cluster.patch(ref, body, { type: "merge" }));
      },
      sees: conflict(
        'Operation cannot be fulfilled on engineenterprisedatabases.app.engine.com "orders": the object has been modified; please apply your changes to the latest version and try again',
      ),
    },
    {
      says: "a patch that changes nothing gives no new version",
      act: async ({ cluster, namespace, seed }) => {
        await seed(database(namespace));
        const ref = refTo(kinds.databases, database(namespace));
        const before = await cluster.get(ref);
        const body = { spec: { memorySize: "100MB" } };
        return sameVersion(before, await cluster.patch(ref, body, { type: "merge" }));
      },
      sees: true,
    },
    {
      says: "a dry run of a patch stores nothing",
      act: async ({ cluster, namespace, seed }) => {
        await seed(database(namespace));
        const ref = refTo(kinds.databases, database(namespace));
        const before = await cluster.get(ref);
        const body = { spec: { memorySize: "1GB" } };
        const answer = await cluster.patch(ref, body, { type: "merge", dryRun: true });
        return {
          answered: getPath(answer, ["spec", "memorySize"]),
          unchanged: sameVersion(before, await cluster.get(ref)),
        };
      },
      sees: { answered: "1GB", unchanged: true },
    },
    {
      says: "a patch that makes a custom resource unfit is refused by its schema",
      act: (world) => databasePatch(world, "merge", { spec: { memorySize: 7 } }),
      sees: invalid(
        'EngineEnterpriseDatabase.app.engine.com "orders"',
        'spec.memorySize: Invalid value: "integer": spec.memorySize in body must be of type string: "integer"',
      ),
    },
    {
      says: "a patch of another name is refused",
      act: (world) => refused(world, "merge", { metadata: { name: "other" } }),
      sees: badRequest(
        "the name of the object (other) does not match the name on the URL (settings)",
      ),
    },
    {
      says: "a merge patch that is not an object is refused",
      act: (world) => refused(world, "merge", ["a"]),
      sees: badRequest(
        "error decoding patch: json: cannot unmarshal array into Go value of type map[string]interface {}",
      ),
    },
    {
      says: "a strategic patch with known and new items of a list puts them in its own order",
      act: async ({ cluster, namespace, seed }) => {
        const names = (object: KubeObject): unknown =>
          asArray(object["webhooks"]).map((item) => getOwn(item, "name"));
        const entries = ["a", "b", "c"].map((name) =>
          entry(namespace, { name: `${name}.x.engine` }),
        );
        await seed(configuration(namespace, entries));
        const ref = refTo(kinds.configurations, configuration(namespace));
        const patched = (...order: readonly string[]): Promise<KubeObject> => {
          const webhooks = order.map((name) => entry(namespace, { name: `${name}.x.engine` }));
          return cluster.patch(ref, { webhooks }, { type: "strategic", dryRun: true });
        };
        return [
          names(await patched("c", "new")),
          names(await patched("new", "b")),
          names(await patched("new")),
          names(await patched("c", "a")),
        ];
      },
      sees: [
        ["a.x.engine", "b.x.engine", "c.x.engine", "new.x.engine"],
        ["new.x.engine", "a.x.engine", "b.x.engine", "c.x.engine"],
        ["new.x.engine", "a.x.engine", "b.x.engine", "c.x.engine"],
        ["b.x.engine", "c.x.engine", "a.x.engine"],
      ],
    },
  ],
};
