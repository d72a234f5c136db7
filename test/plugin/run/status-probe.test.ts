/** `status --probe` against webhooks of every temper; nothing is ever written. */
import type { Facts } from "../../../plugin/domain/facts";
import { defaultNames as names } from "../../../plugin/domain/names";
import type { KubeObject } from "../../../plugin/domain/objects";
import { at, list } from "../../../plugin/domain/values";
import type { ProbeReport } from "../../../plugin/run/report";
import { Recorder } from "../../../plugin/run/engine/recorder";
import { probeWebhook } from "../../../plugin/run/status-probe";
import { aNamespace, aNewConfiguration, resourceOf, testCa } from "../../support/builders";
import { FakeCluster, type WebhookServer } from "../../support/fake-cluster";
import { ManualClock } from "../../support/manual-clock";
import { fine } from "../domain/status/scene";

type Judge = WebhookServer["judge"];

/** As a real one judges modules and versions: the bad twin differs from the good one. */
const refuses: Judge = (object) => {
  const good = JSON.stringify(object);
  return /unknown|no-such|never|9\d|0\.0|1\.0/i.test(good) ? "it is not valid" : undefined;
};

async function probe(
  judge: Judge,
  change: (facts: Facts) => Facts = (facts) => facts,
  prepare: (cluster: FakeCluster) => void = () => undefined,
) {
  const clock = new ManualClock();
  const cluster = new FakeCluster(clock);
  const facts = change(fine());
  cluster.served.push(resourceOf(names.edb), resourceOf(names.eaadb), resourceOf(names.erc));
  for (const object of [...facts.objects.namespaces, ...facts.objects.webhookConfigurations]) {
    cluster.put(object);
  }
  cluster.servers.set("engine/admission", { ca: testCa, judge });
  prepare(cluster);
  const probes: ProbeReport[] = [];
  const recorder = new Recorder(
    { kind: "Status" },
    { clock, event: (event) => event.type === "probe" && probes.push(event.probe) },
  );
  const { signal } = new AbortController();
  const outcome = await probeWebhook({ cluster, clock, names, signal, recorder }, facts, {
    name: "probe-1",
  });
  expect(cluster.writes).toEqual([]);
  return { outcome, probes, cluster };
}

test("a webhook that refuses the bad twin and lets the good one pass is proven", async () => {
  const { outcome, probes } = await probe(refuses);
  expect(outcome).toEqual({ is: "proven" });
  expect(probes).toMatchObject([{ phase: "status", deny: { by: names.webhook.entry } }]);
});

test("one that lets everything pass has failed", async () => {
  const { outcome } = await probe(() => undefined);
  expect(outcome).toMatchObject({
    is: "failed",
    because: expect.stringContaining("must be refused passes") as string,
  });
});

test("where somebody else refuses, nothing is known of the webhook", async () => {
  const { outcome } = await probe(refuses, undefined, (cluster) => {
    cluster.schema = () => "a policy says no";
  });
  expect(outcome).toMatchObject({ is: "open" });
});

const withConfigurations =
  (...webhookConfigurations: readonly KubeObject[]) =>
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
    withConfigurations(aNewConfiguration({ namespace: "other" })),
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
  const namespacesOf = ({ calls }: FakeCluster): readonly unknown[] => [
    ...new Set(calls.map(({ object }) => at(object, ["metadata", "namespace"]))),
  ];
  const first = await probe(refuses);
  expect(namespacesOf(first.cluster)).toEqual(["engine"]);
  const labelled = aNamespace("shop", { team: "db" });
  const leaving: KubeObject = {
    ...aNamespace("leaving", { team: "db" }),
    metadata: { name: "leaving", labels: { team: "db" }, deletionTimestamp: "now" },
  };
  const { cluster } = await probe(refuses, (facts) => {
    const configured = selecting({ namespaceSelector: { matchLabels: { team: "db" } } })(facts);
    const namespaces = [leaving, labelled, aNamespace("engine")];
    return { ...configured, objects: { ...configured.objects, namespaces } };
  });
  expect(namespacesOf(cluster)).toEqual(["shop"]);
  expect(list(cluster.calls).length).toBeGreaterThan(0);
});
