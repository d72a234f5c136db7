import type { KubeClient, KubeObject, WatchOptions } from "../../../plugin/ports/kubernetes";
import { failed, refusal } from "../expected";
import { configMap, database, ec, kinds, refTo } from "../objects";
import { refusalOf } from "../plain";
import type { ContractGroup, World } from "../world";

type Asked = Omit<WatchOptions, "signal">;

/** The first so many changes of a watch, bookmarks left out; `act` happens when it has begun. */
async function changes(
  cluster: KubeClient,
  {
    resource,
    count,
    ...asked
  }: Asked & { readonly resource: keyof typeof kinds; readonly count: number },
  act: () => Promise<unknown> = async () => {},
): Promise<readonly [string, KubeObject][]> {
  const stop = new AbortController();
  const seen: [string, KubeObject][] = [];
  const acted = act();
  for await (const event of cluster.watch(kinds[resource], { ...asked, signal: stop.signal })) {
    if (event.type === "BOOKMARK") continue;
    seen.push([event.type, event.object]);
    if (seen.length >= count) stop.abort();
  }
  await acted;
  return seen;
}

const told = (seen: readonly [string, KubeObject][]): unknown =>
  seen.map(([type, { kind, metadata }]) => `${type} ${kind} ${metadata.name ?? ""}`);

/** The version of the latest change of a ConfigMap. */
async function versionOf({ cluster, namespace }: World): Promise<string> {
  const found = await cluster.get(refTo(kinds.configMaps, configMap(namespace)));
  return found?.metadata.resourceVersion ?? "";
}

/** Watching. */
export const watching: ContractGroup = {
  about: "watching",
  cases: [
    {
      says: "a watch without a version begins with every object that exists",
      act: async ({ cluster, namespace, seed }) => {
        await seed(configMap(namespace, {}, "a"), configMap(namespace, {}, "b"));
        const asked = { resource: "configMaps", count: 2, namespace } as const;
        return told(await changes(cluster, asked));
      },
      sees: ["ADDED ConfigMap a", "ADDED ConfigMap b"],
    },
    {
      says: "a watch from a version tells what was added, modified and deleted since",
      act: async (world) => {
        const { cluster, namespace, seed } = world;
        await seed(configMap(namespace));
        const resourceVersion = await versionOf(world);
        const other = configMap(namespace, {}, "other");
        const ref = refTo(kinds.configMaps, other);
        await cluster.create(other);
        await cluster.patch(ref, { data: { a: "2" } }, { type: "merge" });
        await cluster.delete(ref, {});
        const asked = { resource: "configMaps", count: 3, namespace, resourceVersion } as const;
        const seen = await changes(cluster, asked);
        return { told: told(seen), data: seen.map(([, { data }]) => data ?? "absent") };
      },
      sees: {
        told: ["ADDED ConfigMap other", "MODIFIED ConfigMap other", "DELETED ConfigMap other"],
        data: ["absent", { a: "2" }, { a: "2" }],
      },
    },
    {
      says: "a watch tells changes as they happen",
      act: async (world) => {
        const { cluster, namespace, seed } = world;
        await seed(database(namespace));
        const ref = refTo(kinds.databases, database(namespace));
        const asked = { resource: "databases", count: 2, namespace } as const;
        const stop = new AbortController();
        const seen: [string, KubeObject][] = [];
        const options = { namespace, signal: stop.signal };
        for await (const event of cluster.watch(kinds[asked.resource], options)) {
          if (event.type === "BOOKMARK") continue;
          seen.push([event.type, event.object]);
          if (seen.length === asked.count) stop.abort();
          else await cluster.patch(ref, { spec: { engineVersion: "7.4" } }, { type: "merge" });
        }
        return seen.map(([type, { spec }]) => [type, spec]);
      },
      sees: [
        ["ADDED", { engineEnterpriseCluster: { name: "ec" }, memorySize: "100MB" }],
        [
          "MODIFIED",
          { engineEnterpriseCluster: { name: "ec" }, engineVersion: "7.4", memorySize: "100MB" },
        ],
      ],
    },
    {
      says: "a change of the status is told",
      act: async ({ cluster, namespace, seed, setStatus }) => {
        await seed(ec(namespace));
        const found = await cluster.get(refTo(kinds.clusters, ec(namespace)));
        const { resourceVersion = "" } = found?.metadata ?? {};
        await setStatus(ec(namespace), { state: "Running" });
        const asked = { resource: "clusters", count: 1, namespace, resourceVersion } as const;
        const seen = await changes(cluster, asked);
        return seen.map(([type, object]) => [type, object["status"]]);
      },
      sees: [["MODIFIED", { state: "Running" }]],
    },
    {
      says: "a write that changes nothing is not told",
      act: async (world) => {
        const { cluster, namespace, seed } = world;
        await seed(configMap(namespace));
        const resourceVersion = await versionOf(world);
        const ref = refTo(kinds.configMaps, configMap(namespace));
        await cluster.patch(ref, { data: { a: "1" } }, { type: "merge" });
        await cluster.patch(ref, { data: { a: "2" } }, { type: "merge" });
        const asked = { resource: "configMaps", count: 1, namespace, resourceVersion } as const;
        return (await changes(cluster, asked)).map(([, { data }]) => data);
      },
      sees: [{ a: "2" }],
    },
    {
      says: "a dry run is not told",
      act: async (world) => {
        const { cluster, namespace, seed } = world;
        await seed(configMap(namespace));
        const resourceVersion = await versionOf(world);
        await cluster.create(configMap(namespace, {}, "dry"), { dryRun: true });
        await cluster.create(configMap(namespace, {}, "real"));
        const asked = { resource: "configMaps", count: 1, namespace, resourceVersion } as const;
        return told(await changes(cluster, asked));
      },
      sees: ["ADDED ConfigMap real"],
    },
    {
      says: "a watch of one name tells changes of that object alone",
      act: async (world) => {
        const { cluster, namespace, seed } = world;
        await seed(configMap(namespace));
        const resourceVersion = await versionOf(world);
        await cluster.create(configMap(namespace, {}, "a"));
        await cluster.create(configMap(namespace, {}, "b"));
        const fieldSelector = "metadata.name=b";
        const asked = { resource: "configMaps", count: 1, namespace, fieldSelector } as const;
        return told(await changes(cluster, { ...asked, resourceVersion }));
      },
      sees: ["ADDED ConfigMap b"],
    },
    {
      says: "an object that comes to be selected is added, and one that ceases to be is deleted",
      act: async (world) => {
        const { cluster, namespace, seed } = world;
        await seed(configMap(namespace));
        const resourceVersion = await versionOf(world);
        const ref = refTo(kinds.configMaps, configMap(namespace));
        await cluster.patch(ref, { metadata: { labels: { a: "b" } } }, { type: "merge" });
        await cluster.patch(ref, { data: { b: "2" } }, { type: "merge" });
        await cluster.patch(ref, { metadata: { labels: null } }, { type: "merge" });
        const asked = {
          resource: "configMaps",
          count: 3,
          namespace,
          labelSelector: "a=b",
        } as const;
        return told(await changes(cluster, { ...asked, resourceVersion }));
      },
      sees: [
        "ADDED ConfigMap settings",
        "MODIFIED ConfigMap settings",
        "DELETED ConfigMap settings",
      ],
    },
    {
      says: "changes in other namespaces are not told",
      act: async (world) => {
        const { cluster, namespace, seed } = world;
        await seed(configMap(namespace));
        const resourceVersion = await versionOf(world);
        await cluster.create(configMap("default", {}, `${namespace}-elsewhere`));
        await cluster.create(configMap(namespace, {}, "here"));
        const asked = { resource: "configMaps", count: 1, namespace, resourceVersion } as const;
        return told(await changes(cluster, asked));
      },
      sees: ["ADDED ConfigMap here"],
    },
    {
      says: "a version that is too old is refused as gone",
      act: async ({ cluster, namespace, seed }) => {
        await seed(database(namespace));
        const asked = { resource: "databases", count: 1, namespace, resourceVersion: "1" } as const;
        return refusalOf(changes(cluster, asked));
      },
      sees: refusal([410, "Expired"], "too old resource version: OLD (NEW)"),
    },
    {
      says: "a version that is none is refused",
      act: async ({ cluster, namespace }) => {
        const asked = { resource: "databases", count: 1, namespace, resourceVersion: "x" } as const;
        return refusalOf(changes(cluster, asked));
      },
      sees: failed(
        'resourceVersion: Invalid value: "x": strconv.ParseUint: parsing "x": invalid syntax',
      ),
    },
    {
      says: "a watch of a kind that is not served is refused",
      act: async ({ cluster }) => {
        const resource = { group: "no.example", version: "v1", plural: "odds", kind: "Odd" };
        const { signal } = new AbortController();
        try {
          for await (const event of cluster.watch(resource, { signal })) return event;
        } catch (error) {
          return (error as { readonly status?: number }).status;
        }
        return "ended";
      },
      sees: 404,
    },
    {
      says: "a watch that was aborted before it began is empty",
      act: async ({ cluster, namespace, seed }) => {
        await seed(configMap(namespace));
        const signal = AbortSignal.abort();
        for await (const event of cluster.watch(kinds.configMaps, { namespace, signal })) {
          return event;
        }
        return "ended";
      },
      sees: "ended",
    },
    {
      says: "an abort ends a watch in which nothing happens",
      act: async ({ cluster, namespace, seed }) => {
        await seed(configMap(namespace));
        const stop = new AbortController();
        const { signal } = stop;
        for await (const event of cluster.watch(kinds.configMaps, { namespace, signal })) {
          if (event.type !== "ADDED") continue;
          setImmediate(() => {
            stop.abort();
          });
        }
        return "ended";
      },
      sees: "ended",
    },
  ],
};
