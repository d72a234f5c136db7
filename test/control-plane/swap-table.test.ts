/** The rows of the state table that end with the new configuration in force. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { connect } from "../../plugin/adapters/kubernetes/connect";
import { kinds } from "../../plugin/domain/kube/kinds";
import type { KubeClient } from "../../plugin/ports/kubernetes";
import { defaultNames as names } from "../../plugin/domain/names/names";
import { fingerprint } from "./certificate";
import { IndependentReader, ownersOf, type Seen } from "./independent-reader";
import { including, matching, warningsIn } from "./plugin-run";
import { openSuite, type Suite, verdictsOf } from "./suite";
import {
  applied,
  brokenConfigurations,
  clear,
  deleted,
  entryOf,
  everyKind,
  type FoundState,
  lay,
  putOldConfiguration,
  readBack,
  runSwap,
  settle,
  templateFile,
} from "./swap-states";
import { until } from "./until";
import {
  newConfiguration,
  newConfigurationName,
  newEntryName,
  oldConfigurationName,
} from "./webhook-configurations";

type Row = readonly [
  name: string,
  found: FoundState<Suite>,
  writes: readonly string[],
  /** Codes of the warnings. */
  warnings?: readonly string[],
];

type Broken = keyof typeof brokenConfigurations;
const broken = Object.keys(brokenConfigurations) as readonly Broken[];
const changesOf = (kind: Broken): ReturnType<(typeof brokenConfigurations)[Broken]> =>
  brokenConfigurations[kind]();

const both = [applied, deleted];
const rawTemplate = (suite: Suite) => suite.controlPlane.kubectl(["apply", "-f", templateFile]);
const rows: readonly Row[] = [
  ["only old, healthy", { old: {} }, both],
  ...broken.map((kind): Row => [`only old, broken: ${kind}`, { old: changesOf(kind) }, both]),
  [
    "only old, broken, and no kind that it does not match",
    { old: { caBundle: "", rule: { resources: everyKind } } },
    both,
  ],
  ["old and a right new one", { old: {}, current: {} }, [deleted]],
  ...(["no CA", "the placeholder left"] as const).map((kind): Row => [
    `old and an unfit new one: ${kind}`,
    { old: {}, current: changesOf(kind) },
    both,
  ]),
  [
    "only new, but of a release with other rules",
    { current: { rule: { resources: ["engineenterprisedatabases"] } } },
    [applied],
  ],
  [
    "only new, but with another failurePolicy",
    { current: { entry: { failurePolicy: "Ignore" } } },
    [applied],
    ["WEBHOOK-FAILURE-POLICY"],
  ],
  [
    "only new, but for other review versions and matchPolicy",
    { current: { entry: { admissionReviewVersions: ["v1"], matchPolicy: "Equivalent" } } },
    [applied],
  ],
  ["only new, up to date", { current: {} }, []],
  ["only new, up to date, of another manager", { current: {}, manager: "terraform" }, []],
  ...broken.map((kind): Row => [
    `only new, half done: ${kind}`,
    { current: changesOf(kind) },
    [applied],
  ]),
  [
    "the template applied as it is, the old one still there",
    async (suite) => {
      await putOldConfiguration(suite.api, suite.scene);
      await rawTemplate(suite);
    },
    both,
  ],
  ["the documented order up to the raw template", rawTemplate, [applied]],
  [
    "the documented order to its end, where create said AlreadyExists",
    async (suite) => {
      const { controlPlane, scene } = suite;
      await rawTemplate(suite);
      const create = await controlPlane.kubectl(["create", "-f", renderedTemplate(suite)]);
      expect(create.stderr).toContain("AlreadyExists");
      await controlPlane.kubectl(patchOfCa(scene.caBundle));
    },
    [applied],
  ],
  [
    "the documented order before the CA: the namespace is right",
    (suite) => suite.controlPlane.kubectl(["create", "-f", renderedTemplate(suite)]),
    [applied],
  ],
  ["none", {}, [applied], ["WEBHOOK-ABSENT"]],
];

function renderedTemplate({ controlPlane, scene }: Suite): string {
  const file = join(controlPlane.site.dataDir, "rendered-webhook.yaml");
  const text = readFileSync(templateFile, "utf8");
  writeFileSync(file, text.replaceAll("OPERATOR_NAMESPACE", scene.namespace));
  return file;
}

function patchOfCa(caBundle: string): readonly string[] {
  const patch = { webhooks: [{ name: newEntryName, clientConfig: { caBundle } }] };
  const target = ["patch", "validatingwebhookconfiguration", newConfigurationName];
  return [...target, "-p", JSON.stringify(patch)];
}

let suite: Suite;
beforeAll(async () => {
  suite = await openSuite();
});
afterAll(() => suite.close());

describe("upgrade-webhook ends with the new configuration in force, found", () => {
  test.each(rows.map(([name, ...row]) => [name, row] as const))("%s", async (_name, row) => {
    const [found, writes, warnings = []] = row;
    const { controlPlane, api, scene } = suite;
    await lay(suite, found);

    const first = await runSwap(controlPlane);

    expect(first.report.exit).toMatchObject({ code: 0, reason: matching(/./) });
    expect(first.writes).toEqual(writes);
    expect(warningsIn(first.report)).toEqual(warnings);
    const { old, current } = await readBack(controlPlane);
    expect(old).toBeUndefined();
    expect(entryOf(current)).toEqual(wantedEntry());
    const { webhooks } = await new IndependentReader(controlPlane).configuration(
      newConfigurationName,
    );
    expect(webhooks).toEqual([wantedEntry()]);
    expect(await verdictsOf(api, scene.namespace)).toEqual({
      right: "accepted",
      wrongRefusedBy: newEntryName,
    });

    const second = await runSwap(controlPlane);
    expect(second.report.exit.code).toBe(0);
    expect(second.writes).toEqual([]);
    expect((await readBack(controlPlane)).current).toEqual(current);
  });
});

/** The template's entry with the CA in it and the defaults of the API server. */
function wantedEntry(): object {
  const { namespace, caBundle } = suite.scene;
  const { rules, clientConfig, ...rest } = entryOf(newConfiguration({ namespace, caBundle }));
  const { service } = clientConfig as { readonly service: object };
  const [rule] = rules as readonly object[];
  return {
    ...rest,
    namespaceSelector: {},
    objectSelector: {},
    clientConfig: { caBundle, service: { ...service, port: 443 } },
    rules: [{ ...rule, scope: "*" }],
  };
}

describe("the report of a swap", () => {
  test("names certificate, steps, proofs and the seconds of any gap", async () => {
    const { controlPlane, scene } = suite;
    await lay(suite, { old: {} });

    const { report } = await runSwap(controlPlane);

    expect(report).toMatchObject({
      apiVersion: "cli.engine.com/v1",
      run: { dryRun: "none" },
      target: { server: controlPlane.url, namespace: scene.namespace },
      certificate: {
        secret: `${scene.namespace}/admission-tls`,
        sha256: fingerprint(scene.pair.cert),
        san: including(`admission.${scene.namespace}.svc`),
      },
      gap: { bypassSeconds: 0, outageSeconds: 0 },
      exit: { code: 0 },
    });
    const changes = report.steps?.filter(({ action }) => ["apply", "delete"].includes(action));
    expect(changes?.map(({ action, result }) => `${action}: ${result}`)).toEqual([
      "apply: created",
      "delete: deleted",
    ]);
    const after = report.probes?.find(({ phase }) => phase === "after");
    expect(after?.deny).toMatchObject({ ok: after?.deny.of, by: newEntryName });
    expect(after?.accept.ok).toBe(after?.accept.of);
  });

  test("names the command that puts the old configuration back, and it does", async () => {
    const { controlPlane, api, scene } = suite;
    await clear(api, scene);
    const before = await putOldConfiguration(api, scene);
    await settle(api, scene);

    const { report } = await runSwap(controlPlane);

    const [backup] = report.backups ?? [];
    const [, ...words] = (backup?.command ?? "").split(" ");
    const restored = await controlPlane.kubectl(words);
    expect(restored).toMatchObject({ code: 0 });
    const { old } = await readBack(controlPlane);
    expect({ labels: old?.metadata.labels, webhooks: old?.["webhooks"] }).toEqual({
      labels: before.metadata.labels,
      webhooks: before["webhooks"],
    });
  });
});

describe("client-node reads what the swap wrote:", () => {
  test("the entry, the CA, and who holds the fields", async () => {
    const { controlPlane, scene } = suite;
    await lay(suite, { old: {} });
    expect((await runSwap(controlPlane)).code).toBe(0);

    const reader = new IndependentReader(controlPlane);
    const { metadata, webhooks = [] } = await reader.configuration(newConfigurationName);

    expect(webhooks.map(({ name, failurePolicy }) => [name, failurePolicy])).toEqual([
      [newEntryName, "Fail"],
    ]);
    const ca = webhooks.map(({ clientConfig }) => clientConfig.caBundle ?? "");
    expect(ca.map((bundle) => fingerprint(Buffer.from(bundle, "base64").toString()))).toEqual([
      fingerprint(scene.pair.cert),
    ]);
    expect(ownersOf(metadata?.managedFields, "caBundle")).toEqual([`${names.fieldManager} Apply`]);
  });

  test("its watch and ours see the same changes in the same order", async () => {
    const { controlPlane } = suite;
    await lay(suite, { old: {} });
    const { kubeconfig } = controlPlane;
    const theirs = await new IndependentReader(controlPlane).watchConfigurations();
    const cluster = await connect({ kubeconfig }, {});
    const ending = new AbortController();
    const ours: Seen[] = [];
    const followed = follow(cluster, ending.signal, ours);
    try {
      await until("our watch to begin", () =>
        Promise.resolve(ours.some(({ type }) => type === "ADDED") || undefined),
      );
      const before = ours.length;
      expect((await runSwap(controlPlane)).code).toBe(0);
      const isOver = (list: readonly Seen[]): boolean =>
        list.some(({ type, name }) => type === "DELETED" && name === oldConfigurationName);
      await until("both watches to see the end of the swap", () =>
        Promise.resolve((isOver(ours) && isOver(theirs.seen)) || undefined),
      );
      expect(theirs.seen.map(({ type, name }) => `${type} ${name}`)).toEqual([
        `ADDED ${newConfigurationName}`,
        `DELETED ${oldConfigurationName}`,
      ]);
      expect(ours.slice(before)).toEqual(theirs.seen);
    } finally {
      theirs.close();
      ending.abort();
      await followed;
      cluster.close();
    }
  });
});

/** Every change of the configurations, as the product's own watch tells it; those that are there come first. */
async function follow(cluster: KubeClient, signal: AbortSignal, seen: Seen[]): Promise<void> {
  for await (const event of cluster.watch(kinds.webhookConfiguration, { signal })) {
    if (event.type === "BOOKMARK") continue;
    const { name = "", resourceVersion = "" } = event.object.metadata;
    seen.push({ type: event.type, name, resourceVersion });
  }
}

describe("a dry run writes nothing", () => {
  test.each(["client", "server"])("--dry-run=%s", async (mode) => {
    const { controlPlane } = suite;
    await lay(suite, { old: {} });
    const before = await readBack(controlPlane);

    const run = await runSwap(controlPlane, [`--dry-run=${mode}`]);

    expect(run.report.exit.code).toBe(0);
    expect(run.writes).toEqual([]);
    const changes = run.report.steps?.filter(({ action }) => ["apply", "delete"].includes(action));
    expect(changes?.map(({ result }) => result)).toEqual(["planned", "planned"]);
    expect(run.report.probes?.map(({ phase }) => phase)).toEqual(["found"]);
    expect(await readBack(controlPlane)).toEqual(before);
  });
});
