import { ApiError, UnavailableError } from "../../../plugin/domain/base/errors";
import {
  type FactKey,
  factKeys,
  type Facts,
  factSources,
} from "../../../plugin/domain/facts/facts";
import { defaultNames as names } from "../../../plugin/domain/names/names";
import type { KubeClient } from "../../../plugin/ports/kubernetes";
import { readSnapshot } from "../../../plugin/readers/snapshot";
import { fitWorld } from "../domain/checks/world";
import type { KubeObject } from "../../../plugin/domain/kube/objects";
import { ofKind } from "../../../plugin/domain/kube/typed";
import { getPath, asArray } from "../../../plugin/domain/base/values";
import type { ProbeReport } from "../../../plugin/kernel/report";
import { Recorder } from "../../../plugin/kernel/recorder";
import { probeWebhook } from "../../../plugin/readers/webhook-probe";
import { aNamespace, aNewConfiguration, resourceOf, testCa } from "../../support/builders";
import type { KeptCluster } from "../../support/kept-cluster";
import type { WebhookServer } from "../../support/served-webhooks";
import { makeWorld, type World } from "../../support/world";
import { ManualClock } from "../../support/manual-clock";
import { fine } from "../commands/status/scene";

type List = KubeClient["list"];

const refused = (): never => {
  throw new ApiError("forbidden: you may not", { status: 403, reason: "Forbidden" });
};

/** The lists that were asked for, each as `plural namespace selector`. */
async function read(
  change: (cluster: KubeClient) => Partial<KubeClient> = () => ({}),
  keys: readonly FactKey[] = factKeys,
) {
  const { objects } = await fitWorld();
  const memory = makeWorld({ objects }).connect();
  const asked: string[] = [];
  const changed = change(memory);
  const list: List = (resource, options) => {
    const { namespace = "*", fieldSelector = "" } = options ?? {};
    asked.push([resource.plural, namespace, fieldSelector].join(" ").trim());
    return (changed.list ?? memory.list.bind(memory))(resource, options);
  };
  const no = () => Promise.reject(new Error("nothing but lists is read"));
  const cluster: KubeClient = {
    server: memory.server,
    namespace: memory.namespace,
    version: changed.version ?? memory.version.bind(memory),
    serves: changed.serves ?? memory.serves.bind(memory),
    ...(changed.misfits && { misfits: changed.misfits }),
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
  expect([...facts.unserved].sort()).toEqual([
    ...["clusterServiceVersions", "clusterVersions", "constraints", "installPlans"],
    ...["operatorGroups", "subscriptions"],
  ]);
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

test.each([
  ["nodes", ["nodes"]],
  ["engineenterpriseclusters", ["ecs", "namedSecrets", "referredSecrets"]],
  ["secrets", ["webhookSecrets", "namedSecrets"]],
])(
  "a copy that holds %s otherwise than an API server: unread, and no permission helps",
  async (plural, keys) => {
    const { facts } = await read(() => ({
      misfits: ({ kind }) => {
        const is = Object.values(factSources(names)).find((one) => one.resource.kind === kind);
        return is?.resource.plural === plural ? "a value of another type" : undefined;
      },
    }));
    expect([...(facts.misfits ?? [])].sort()).toEqual([...keys].sort());
    expect([...facts.unread]).toEqual(
      expect.arrayContaining(keys.map((key) => [key, "a value of another type"])),
    );
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

test.each<[string, FactKey, "read there" | "unread"]>([
  ["databases are read in the operator's namespace", "edbs", "read there"],
  ["nodes, which have no namespace, are not", "nodes", "unread"],
  ["roles, of which those of other namespaces count, are not", "roles", "unread"],
])("refused everywhere: %s", async (_title, key, how) => {
  const { plural } = factSources(names)[key].resource;
  const { facts, asked } = await read((cluster) => ({
    list: (resource, options) =>
      resource.plural === plural && options?.namespace === undefined
        ? refused()
        : cluster.list(resource, options),
  }));
  const own = facts.objects[key].map(({ metadata }) => metadata.namespace);
  expect(facts.unread.get(key)).toBe("forbidden: you may not");
  expect(facts.partly?.has(key) ?? false).toBe(how === "read there");
  expect(asked.includes(`${plural} engine`)).toBe(how === "read there");
  expect([...new Set(own)]).toEqual(how === "read there" ? ["engine"] : []);
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

type Judge = WebhookServer["judge"];

/** As a real one judges modules and versions, in the spec alone: a uid is drawn, and may hold any digits. */
const refuses: Judge = ({ spec }) => {
  const judged = JSON.stringify(spec);
  return /unknown|no-such|never|9\d|0\.0|1\.0/i.test(judged) ? "it is not valid" : undefined;
};

async function probe(
  judge: Judge,
  change: (facts: Facts) => Facts = (facts) => facts,
  prepare: (world: World) => void = () => undefined,
) {
  const clock = new ManualClock();
  const world = makeWorld({
    clock,
    served: [names.edb, names.eaadb, names.erc].map(resourceOf),
    servers: { "engine/admission": { ca: testCa, judge } },
  });
  const { cluster } = world;
  const facts = change(fine({ edbs: [], eaadbs: [] }));
  for (const object of [...facts.objects.namespaces, ...facts.objects.webhookConfigurations]) {
    world.put(object);
  }
  prepare(world);
  const probes: ProbeReport[] = [];
  const recorder = new Recorder(
    { kind: "Status" },
    { clock, event: (event) => event.type === "probe" && probes.push(event.probe) },
  );
  const { signal } = new AbortController();
  const outcome = await probeWebhook({ cluster, clock, names, signal, recorder }, facts, {
    name: "probe-1",
    phase: "found",
  });
  expect(cluster.writes).toEqual([]);
  return { outcome, probes, cluster };
}

test("a webhook that refuses the bad twin and lets the good one pass is proven", async () => {
  const { outcome, probes } = await probe(refuses);
  const pairs = ["EDB", "EAADB"].map((kind) => ({
    ...{ kind, version: names.version, namespace: "engine" },
  }));
  expect(outcome).toEqual({
    ...{ is: "proven", isPlayed: false, pairs, beside: ["not provable: ERC"] },
    at: expect.any(Number) as number,
  });
  expect(probes).toMatchObject([{ phase: "found", deny: { by: names.webhook.entry } }]);
});

test("one that lets everything pass has failed", async () => {
  const { outcome } = await probe(() => undefined);
  expect(outcome).toMatchObject({
    is: "failed",
    because: expect.stringContaining("must be refused passes") as string,
  });
});

test("where someone else refuses, nothing is known of the webhook", async () => {
  const { outcome } = await probe(refuses, undefined, (world) => {
    world.schema = () => "a policy says no";
  });
  expect(outcome).toMatchObject({ is: "open" });
});

const withConfigurations =
  (...webhookConfigurations: Facts["objects"]["webhookConfigurations"]) =>
  (facts: Facts): Facts => ({ ...facts, objects: { ...facts.objects, webhookConfigurations } });

const selecting = (selectors: Readonly<Record<string, unknown>>) =>
  withConfigurations(aNewConfiguration({ entry: selectors }));
const contradiction = {
  matchExpressions: [
    { key: "x", operator: "In", values: ["a"] },
    { key: "x", operator: "NotIn", values: ["a"] },
  ],
};

test.each<[string, (facts: Facts) => Facts, string]>([
  ["no configuration", withConfigurations(), "no configuration of this namespace can be probed"],
  [
    "one of another namespace",
    (facts) => {
      const one = withConfigurations(aNewConfiguration({ namespace: "other" }))(facts);
      const namespaces = [...one.objects.namespaces, ...ofKind([aNamespace("other")], "Namespace")];
      return { ...one, objects: { ...one.objects, namespaces } };
    },
    "no configuration of this namespace can be probed",
  ],
  [
    "no namespace selected",
    selecting({ namespaceSelector: { matchLabels: { no: "one" } } }),
    "nothing is selected by its selectors",
  ],
  [
    "no object can be selected",
    selecting({ objectSelector: contradiction }),
    "nothing is selected by its selectors",
  ],
  [
    "no kind served",
    (facts) => ({ ...facts, unserved: new Set(["edbs", "eaadbs", "ercs"] as const) }),
    "none of the kinds that it matches is served",
  ],
])("nothing is sent: %s", async (_title, change, because) => {
  const { outcome, cluster, probes } = await probe(refuses, change);
  expect(outcome).toEqual({ is: "open", because });
  expect([cluster.calls, probes]).toEqual([[], []]);
});

test("the operator's namespace is probed where it is selected, else another one that is", async () => {
  const namespacesOf = ({ calls }: KeptCluster): readonly unknown[] => [
    ...new Set(calls.flatMap(({ object }) => getPath(object, ["metadata", "namespace"]) ?? [])),
  ];
  const first = await probe(refuses);
  expect(namespacesOf(first.cluster)).toEqual(["engine"]);
  const labeled = aNamespace("shop", { team: "db" });
  const leaving: KubeObject = {
    ...aNamespace("leaving", { team: "db" }),
    metadata: { name: "leaving", labels: { team: "db" }, deletionTimestamp: "now" },
  };
  const { cluster } = await probe(refuses, (facts) => {
    const configured = selecting({ namespaceSelector: { matchLabels: { team: "db" } } })(facts);
    const namespaces = ofKind([leaving, labeled, aNamespace("engine")], "Namespace");
    return { ...configured, objects: { ...configured.objects, namespaces } };
  });
  expect(namespacesOf(cluster)).toEqual(["shop"]);
  expect(asArray(cluster.calls).length).toBeGreaterThan(0);
});
