import { badRequest } from "../expected";
import { configMap, database, kinds, refTo } from "../objects";
import { namesOf, presence, refusalOf } from "../plain";
import type { ContractGroup, World } from "../world";

const unserved = { group: "security.openshift.io", version: "v1", plural: "sccs", kind: "SCC" };

async function labeled({ seed, namespace }: World): Promise<void> {
  const rows = [
    ["a", { tier: "gold", app: "x" }],
    ["b", { tier: "silver" }],
    ["c", {}],
  ] as const;
  for (const [name, labels] of rows) {
    const object = configMap(namespace, {}, name);
    await seed({ ...object, metadata: { ...object.metadata, labels } });
  }
}

const select = async (world: World, labelSelector: string): Promise<unknown> => {
  await labeled(world);
  const { cluster, namespace } = world;
  return namesOf(await cluster.list(kinds.configMaps, { namespace, labelSelector }));
};

/** Getting and listing. */
export const reading: ContractGroup = {
  about: "reading",
  cases: [
    {
      says: "an object that is not there is undefined",
      act: async ({ cluster, namespace }) =>
        presence(await cluster.get({ resource: kinds.configMaps, name: "none", namespace })),
      sees: "absent",
    },
    {
      says: "an object in a namespace that is not there is undefined",
      act: async ({ cluster }) =>
        presence(
          await cluster.get({ resource: kinds.configMaps, name: "none", namespace: "no-ns" }),
        ),
      sees: "absent",
    },
    {
      says: "an object of a kind that is not served is undefined",
      act: async ({ cluster }) => presence(await cluster.get({ resource: unserved, name: "none" })),
      sees: "absent",
    },
    {
      says: "a list of a kind that is not served is undefined",
      act: async ({ cluster }) => presence(await cluster.list(unserved)),
      sees: "absent",
    },
    {
      says: "a list of a version that is not served is undefined",
      act: async ({ cluster }) =>
        presence(await cluster.list({ ...kinds.databases, version: "v9" })),
      sees: "absent",
    },
    {
      says: "a read object says its kind and carries what the server adds",
      act: async ({ cluster, namespace, seed }) => {
        await seed(configMap(namespace));
        const found = await cluster.get({
          resource: kinds.configMaps,
          name: "settings",
          namespace,
        });
        const { managedFields, ...metadata } = found?.metadata ?? {};
        return { ...found, metadata, managed: managedFields?.length };
      },
      sees: {
        kind: "ConfigMap",
        apiVersion: "v1",
        metadata: {
          name: "settings",
          namespace: "NS",
          uid: "UID",
          resourceVersion: "VERSION",
          creationTimestamp: "TIME",
        },
        data: { a: "1" },
        managed: 1,
      },
    },
    {
      says: "a list is in the order of names and its items say their kind",
      act: async ({ cluster, namespace, seed }) => {
        await seed(configMap(namespace, {}, "b"), configMap(namespace, {}, "a"));
        const found = await cluster.list(kinds.configMaps, { namespace });
        return found?.map(({ apiVersion, kind, metadata }) => [apiVersion, kind, metadata.name]);
      },
      sees: [
        ["v1", "ConfigMap", "a"],
        ["v1", "ConfigMap", "b"],
      ],
    },
    {
      says: "a list over all namespaces is in the order of namespaces and names",
      act: async ({ cluster, namespace, seed }) => {
        const other = `${namespace}-b`;
        await seed({ apiVersion: "v1", kind: "Namespace", metadata: { name: other } });
        await seed(database(other, {}, "a"), database(namespace, {}, "z"));
        const found = await cluster.list(kinds.databases);
        return found
          ?.filter(({ metadata }) => metadata.namespace?.startsWith(namespace))
          .map(({ metadata }) => `${metadata.namespace ?? ""}/${metadata.name ?? ""}`);
      },
      sees: ["NS-b/a", "NS/z"],
    },
    {
      says: "a list of a namespace that is not there is empty",
      act: ({ cluster }) => cluster.list(kinds.configMaps, { namespace: "no-ns" }),
      sees: [],
    },
    {
      says: "a list of more than one page holds every object once",
      act: async ({ cluster, namespace }) => {
        const names = Array.from({ length: 520 }, (_, n) => `c-${String(n).padStart(3, "0")}`);
        for (let from = 0; from < names.length; from += 40) {
          await Promise.all(
            names
              .slice(from, from + 40)
              .map((name) => cluster.create(configMap(namespace, {}, name))),
          );
        }
        const found = (await cluster.list(kinds.configMaps, { namespace })) ?? [];
        const seen = found.map(({ metadata }) => metadata.name);
        return { count: seen.length, complete: names.every((name) => seen.includes(name)) };
      },
      sees: { count: 520, complete: true },
    },
    {
      says: "a limit ends a list early",
      act: async (world) => {
        await labeled(world);
        const { cluster, namespace } = world;
        return namesOf(await cluster.list(kinds.configMaps, { namespace, limit: 2 }));
      },
      sees: ["a", "b"],
    },
    { says: "a label is selected by its value", act: (w) => select(w, "tier=gold"), sees: ["a"] },
    {
      says: "a label is selected by not being a value",
      act: (w) => select(w, "tier!=gold"),
      sees: ["b", "c"],
    },
    {
      says: "a label is selected by a set of values",
      act: (w) => select(w, "tier in (gold,silver),app"),
      sees: ["a"],
    },
    {
      says: "a label is selected by not being in a set",
      act: (w) => select(w, "tier notin (silver)"),
      sees: ["a", "c"],
    },
    { says: "a label is selected by its absence", act: (w) => select(w, "!tier"), sees: ["c"] },
    {
      says: "a label selector that cannot be read is refused",
      act: (w) => refusalOf(w.cluster.list(kinds.configMaps, { labelSelector: "a in" })),
      sees: badRequest("unable to parse requirement: found '' expected: '('"),
    },
    {
      says: "a field selector chooses by name",
      act: async (world) => {
        await labeled(world);
        const { cluster, namespace } = world;
        const fieldSelector = "metadata.name=b";
        return namesOf(await cluster.list(kinds.configMaps, { namespace, fieldSelector }));
      },
      sees: ["b"],
    },
    {
      says: "a field selector of a custom resource chooses by name",
      act: async ({ cluster, namespace, seed }) => {
        await seed(database(namespace, {}, "a"), database(namespace, {}, "b"));
        const fieldSelector = "metadata.name!=a";
        return namesOf(await cluster.list(kinds.databases, { namespace, fieldSelector }));
      },
      sees: ["b"],
    },
    {
      says: "a field selector over another field of a custom resource is refused",
      act: ({ cluster, namespace }) =>
        refusalOf(cluster.list(kinds.databases, { namespace, fieldSelector: "spec.type=engine" })),
      sees: badRequest("field label not supported: spec.type"),
    },
    {
      says: "the kinds of a group and version are told, and of an unknown one none",
      act: async ({ cluster }) => ({
        engine: (await cluster.serves("app.engine.com", "v1"))?.map(({ kind }) => kind).sort(),
        unknown: presence(await cluster.serves("no.example", "v1")),
        core: (await cluster.serves("", "v1"))?.some(({ kind }) => kind === "ConfigMap"),
      }),
      sees: { engine: ["EngineEnterpriseCluster"], unknown: "absent", core: true },
    },
    {
      says: "the user's name is told",
      act: async (world) => (await world.as("jane")).whoAmI(),
      sees: "jane",
    },
    {
      says: "a request whose signal was aborted ends with the signal's reason",
      act: async ({ cluster, namespace }) => {
        const signal = AbortSignal.abort(new Error("stop"));
        const ref = refTo(kinds.configMaps, configMap(namespace));
        const requests = [
          cluster.get(ref, { signal }),
          cluster.list(kinds.configMaps, { namespace, signal }),
          cluster.create(configMap(namespace), { signal }),
        ];
        const ends = await Promise.allSettled(requests);
        const stored = presence(await cluster.get(ref));
        return { stored, ends: ends.map((end) => end.status === "rejected" && String(end.reason)) };
      },
      sees: { stored: "absent", ends: ["Error: stop", "Error: stop", "Error: stop"] },
    },
  ],
};
