import { getPath } from "../../../plugin/domain/base/values";
import type { KubeObject } from "../../../plugin/ports/kubernetes";
import { forbidden } from "../expected";
import { configMap, kinds, pod, refTo, resourceQuota } from "../objects";
import { refusalOf } from "../plain";
import type { ContractGroup, World } from "../world";

interface Counted {
  readonly hard: Readonly<Record<string, string>>;
  readonly used?: Readonly<Record<string, string>>;
}

/** A quota as its controller has counted it. */
const limited = async ({ seed, namespace }: World, { hard, used = {} }: Counted): Promise<void> => {
  const nothing = Object.fromEntries(Object.keys(hard).map((key) => [key, "0"]));
  const status = { hard, used: { ...nothing, ...used } };
  await seed({ ...resourceQuota(namespace, hard), status });
};

/** How a creation ends beside a quota. */
const refusedBy =
  (counted: Counted, object: (namespace: string) => KubeObject) => async (world: World) => {
    await limited(world, counted);
    return refusalOf(world.cluster.create(object(world.namespace)));
  };

const exceeded = (what: string, told: string): unknown =>
  forbidden(`${what} is forbidden: exceeded quota: budget, ${told}`);

/** Quotas refuse what does not fit, and count what they let in. */
export const quotas: ContractGroup = {
  about: "resource quotas",
  cases: [
    {
      says: "a pod beyond the number of pods is refused",
      act: refusedBy({ hard: { pods: "2" }, used: { pods: "2" } }, pod),
      sees: exceeded('pods "ec-0"', "requested: pods=1, used: pods=2, limited: pods=2"),
    },
    {
      says: "one that fits is counted",
      act: async (world) => {
        const { cluster, namespace } = world;
        await limited(world, { hard: { pods: "2" }, used: { pods: "1" } });
        await cluster.create(pod(namespace));
        const quota = await cluster.get(refTo(kinds.quotas, resourceQuota(namespace, {})));
        return getPath(quota, ["status", "used"]);
      },
      sees: { pods: "2" },
    },
    {
      says: "a dry run is refused, and one that fits is not counted",
      act: async (world) => {
        const { cluster, namespace } = world;
        await limited(world, { hard: { pods: "1" } });
        await cluster.create(pod(namespace), { dryRun: true });
        const quota = await cluster.get(refTo(kinds.quotas, resourceQuota(namespace, {})));
        await cluster.create(pod(namespace));
        const other = { ...pod(namespace), metadata: { name: "ec-1", namespace } };
        return [
          getPath(quota, ["status", "used"]),
          await refusalOf(cluster.create(other, { dryRun: true })),
        ];
      },
      sees: [
        { pods: "0" },
        exceeded('pods "ec-1"', "requested: pods=1, used: pods=1, limited: pods=1"),
      ],
    },
    {
      says: "a pod that does not say what is counted is refused",
      act: refusedBy({ hard: { "limits.memory": "8Gi" } }, pod),
      sees: forbidden(
        'pods "ec-0" is forbidden: failed quota: budget: must specify limits.memory for: node',
      ),
    },
    {
      says: "a pod that asks for more memory than is left is refused",
      act: refusedBy(
        { hard: { "requests.memory": "4Gi" }, used: { "requests.memory": "3Gi" } },
        (namespace) => pod(namespace, { requests: { memory: "2Gi" } }),
      ),
      sees: exceeded(
        'pods "ec-0"',
        "requested: requests.memory=2Gi, used: requests.memory=3Gi, limited: requests.memory=4Gi",
      ),
    },
    {
      says: "objects are counted by their kind",
      act: refusedBy(
        { hard: { "count/configmaps": "1" }, used: { "count/configmaps": "1" } },
        (namespace) => configMap(namespace),
      ),
      sees: exceeded(
        'configmaps "settings"',
        "requested: count/configmaps=1, used: count/configmaps=1, limited: count/configmaps=1",
      ),
    },
    {
      says: "an update is not counted",
      act: async (world) => {
        const { cluster, namespace } = world;
        await cluster.create(configMap(namespace));
        await limited(world, { hard: { configmaps: "1" }, used: { configmaps: "1" } });
        return refusalOf(cluster.update(configMap(namespace, { a: "2" })));
      },
      sees: "accepted",
    },
  ],
};
