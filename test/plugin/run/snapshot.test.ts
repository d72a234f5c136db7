import { ApiError, UnavailableError } from "../../../plugin/domain/errors";
import { type FactKey, factKeys } from "../../../plugin/domain/facts";
import { defaultNames as names } from "../../../plugin/domain/names";
import type { Cluster } from "../../../plugin/run/ports";
import { readSnapshot } from "../../../plugin/run/snapshot";
import { fitWorld } from "../domain/checks/world";
import { aControlPlane, admin } from "../rehearsal/memory-cluster";

type List = Cluster["list"];

const refused = (): never => {
  throw new ApiError("forbidden: you may not", { status: 403, reason: "Forbidden" });
};

/** The lists that were asked for, each as `plural namespace selector`. */
async function read(
  change: (cluster: Cluster) => Partial<Cluster> = () => ({}),
  keys: readonly FactKey[] = factKeys,
) {
  const { objects } = await fitWorld();
  const memory = aControlPlane(objects).connect({ user: admin, namespace: "engine" });
  const asked: string[] = [];
  const changed = change(memory);
  const list: List = (resource, options) => {
    const { namespace = "*", fieldSelector = "" } = options ?? {};
    asked.push([resource.plural, namespace, fieldSelector].join(" ").trim());
    return (changed.list ?? memory.list.bind(memory))(resource, options);
  };
  const no = () => Promise.reject(new Error("nothing but lists is read"));
  const cluster: Cluster = {
    server: memory.server,
    namespace: memory.namespace,
    version: changed.version ?? memory.version.bind(memory),
    serves: changed.serves ?? memory.serves.bind(memory),
    list,
    get: no,
    watch: () => {
      throw new Error("nothing is watched");
    },
    create: no,
    update: no,
    apply: no,
    patch: no,
    delete: no,
    can: no,
    whoAmI: no,
    close: () => undefined,
  };
  const clock = { now: () => 0, sleep: no };
  const signal = new AbortController().signal;
  return { asked, facts: await readSnapshot({ cluster, clock, names, signal }, "engine", keys) };
}

test("each kind is one list, Secrets are asked for by name alone", async () => {
  const { asked } = await read();
  expect(asked.filter((line) => line.startsWith("secrets"))).toEqual([
    "secrets engine metadata.name=admission-tls",
    "secrets engine metadata.name=ec",
  ]);
  const others = asked.filter((line) => !line.startsWith("secrets"));
  expect(new Set(others).size).toBe(others.length);
});

test("what was not asked for is unread", async () => {
  const { asked, facts } = await read(undefined, ["nodes"]);
  expect(asked).toEqual(["nodes *"]);
  expect(facts.unread.get("ecs")).toBe("it was not asked for");
  expect(facts.unread.has("nodes")).toBe(false);
});

test("kinds that are not there are unserved, also to whoever may not read them", async () => {
  const { facts } = await read((cluster) => ({
    list: (resource, options) =>
      resource.group === "security.openshift.io" ? refused() : cluster.list(resource, options),
  }));
  expect([...facts.unserved].sort()).toEqual(["clusterVersions", "constraints", "subscriptions"]);
  expect([...facts.unread]).toEqual([]);
});

test.each(["nodes", "engineenterpriseclusters", "engineenterprisedatabases"])(
  "a list of %s that is refused is unread, with the reason",
  async (plural) => {
    const { facts } = await read((cluster) => ({
      list: (resource, options) =>
        resource.plural === plural ? refused() : cluster.list(resource, options),
    }));
    expect([...facts.unread.values()]).toContain("forbidden: you may not");
  },
);

test("without the clusters it is not known which Secrets are named", async () => {
  const { asked, facts } = await read((cluster) => ({
    list: (resource, options) =>
      resource.plural === names.ec.plural ? refused() : cluster.list(resource, options),
  }));
  expect(facts.unread.get("namedSecrets")).toBe("forbidden: you may not");
  expect(asked.filter((line) => line.startsWith("secrets"))).toHaveLength(1);
});

test("a named Secret that may not be read leaves the list unread", async () => {
  const { facts } = await read((cluster) => ({
    list: (resource, options) =>
      options?.fieldSelector === "metadata.name=ec" ? refused() : cluster.list(resource, options),
  }));
  expect([...facts.unread.keys()]).toEqual(["namedSecrets"]);
});

test("where discovery is refused too, the kind may be there", async () => {
  const { facts } = await read((cluster) => ({
    list: (resource, options) =>
      resource.group === "security.openshift.io" ? refused() : cluster.list(resource, options),
    serves: () => Promise.resolve().then(refused),
    version: () => Promise.resolve().then(refused),
  }));
  expect([...facts.unread.keys()]).toEqual(["constraints"]);
  expect(facts.apiServer).toBeUndefined();
});

test.each([
  ["a list", { list: () => Promise.reject(new UnavailableError("gone")) }],
  ["the version", { version: () => Promise.reject(new UnavailableError("gone")) }],
  [
    "discovery",
    {
      list: () => Promise.resolve().then(refused),
      serves: () => Promise.reject(new UnavailableError("gone")),
    },
  ],
])("no answer to %s ends the run", async (_, parts) => {
  await expect(read(() => parts)).rejects.toThrow("gone");
});
