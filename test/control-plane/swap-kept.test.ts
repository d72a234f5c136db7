/** Whose configuration it is, and what of it is kept. */
import { namespaceNamed } from "./managed-namespaces";
import { copyFileSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { errorsIn, including, type PluginRun, warningsIn } from "./plugin-run";
import { seedScene } from "./scene";
import { openSuite, type Suite } from "./suite";
import {
  applied,
  clear,
  deleted,
  entryOf,
  type Found,
  lay,
  putNewConfiguration,
  putOldConfiguration,
  readBack,
  runSwap,
  templateFile,
} from "./swap-states";
import { newConfiguration, newConfigurationName, owners } from "./webhook-configurations";

let suite: Suite;
beforeAll(async () => {
  suite = await openSuite();
});
afterAll(() => suite.close());
const swap = (args: readonly string[] = []): Promise<PluginRun> =>
  runSwap(suite.controlPlane, args);

/** Lays the state, which the API server need not act upon: what selects nothing is never called. */
async function found({ old, current }: Found): Promise<void> {
  const { api, scene } = suite;
  await clear(api, scene);
  if (old !== undefined) await putOldConfiguration(api, scene, { changes: old });
  if (current !== undefined) await putNewConfiguration(api, scene, { changes: current });
}

/** Runs the swap and holds it to a refusal for one cause that has left everything alone. */
async function refused(exit: number, code: string): Promise<PluginRun> {
  const before = await readBack(suite.controlPlane);
  const run = await swap();
  expect([run.report.exit.code, errorsIn(run.report), run.writes]).toEqual([exit, [code], []]);
  expect(await readBack(suite.controlPlane)).toEqual(before);
  return run;
}

const entryNow = async (): Promise<Readonly<Record<string, unknown>>> =>
  entryOf((await readBack(suite.controlPlane)).current);

const selector = { matchLabels: { "kubernetes.io/metadata.name": "engine" } };
const condition = { name: "not-me", expression: 'request.userInfo.username != "nobody"' };
const byHand = {
  namespaceSelector: selector,
  objectSelector: { matchExpressions: [{ key: "unmanaged", operator: "DoesNotExist" }] },
  matchConditions: [condition],
  timeoutSeconds: 7,
};

describe("kept of what is found", () => {
  test("the selectors, conditions and timeout of the old one, never its rules or labels", async () => {
    await lay(suite, { old: { entry: byHand, metadata: { labels: { team: "old" } } } });
    const run = await swap();
    expect(run.writes).toEqual([applied, deleted]);
    const { current } = await readBack(suite.controlPlane);
    expect(entryOf(current)).toMatchObject({
      ...byHand,
      admissionReviewVersions: ["v1beta1"],
      rules: [{ resources: including("engineenterpriseremoteclusters") }],
    });
    expect(current?.metadata.labels).toEqual({ app: "engine-enterprise" });
    expect(warningsIn(run.report)).toContain("WEBHOOK-KEPT");
  });

  test("all of that, and labels and annotations, of the new one", async () => {
    const metadata = { labels: { team: "db" }, annotations: { note: "by hand" } };
    await lay(suite, { current: { caBundle: "", entry: byHand, metadata } });
    expect((await swap()).writes).toEqual([applied]);
    const { current } = await readBack(suite.controlPlane);
    const { caBundle } = suite.scene;
    expect(entryOf(current)).toMatchObject({ ...byHand, clientConfig: { caBundle } });
    const labels = { app: "engine-enterprise", team: "db" };
    expect(current?.metadata).toMatchObject({ ...metadata, labels });
    expect((await swap()).writes).toEqual([]);
  });

  test.each<[string, Found, number]>([
    [
      "of both, what the new one has",
      { old: { entry: { timeoutSeconds: 5 } }, current: { entry: { timeoutSeconds: 7 } } },
      7,
    ],
    [
      "not the server's default timeout, which nobody chose",
      { current: { entry: { timeoutSeconds: 10 } } },
      30,
    ],
  ])("%s", async (_name, state, timeoutSeconds) => {
    await lay(suite, state);
    await swap();
    expect(await entryNow()).toMatchObject({ timeoutSeconds });
  });

  test("nothing of the selectors with --take-template-selectors", async () => {
    await lay(suite, { current: { entry: byHand } });
    // An apply cannot remove what a person's create has put there: the object is replaced.
    const run = await swap(["--take-template-selectors"]);
    expect(run.writes).toEqual([`update ${newConfigurationName}`]);
    const entry = await entryNow();
    expect(entry).toMatchObject({ namespaceSelector: {}, objectSelector: {} });
    expect(entry["matchConditions"]).toBeUndefined();
  });
});

describe("a selector that selects nothing", () => {
  const nowhere = { entry: { namespaceSelector: { matchLabels: { nowhere: "to-be-found" } } } };
  beforeEach(() => found({ current: { ...nowhere, caBundle: "" } }));

  test("stops with 3 before any write, since nothing could be proven", () =>
    refused(3, "PROBE-NO-MATCH"));

  test("is kept with --no-probe", async () => {
    const run = await swap(["--no-probe"]);
    expect([run.report.exit.code, run.writes]).toEqual([0, [applied]]);
    expect(await entryNow()).toMatchObject(nowhere.entry);
  });
});

describe("another namespace that exists", () => {
  const other = "engine-two";
  beforeAll(() => seedScene(suite.api, { namespace: other }));

  test.each<[string, Found]>([
    ["new", { current: { namespace: other } }],
    ["old", { old: { namespace: other } }],
  ])("is served by the %s one: 5", async (_name, state) => {
    await found(state);
    const { report } = await refused(5, "WEBHOOK-OTHER-NAMESPACE");
    expect(report.exit.reason).toContain(other);
  });

  const moved =
    "WEBHOOK-OTHER-NAMESPACE=ValidatingWebhookConfiguration/engine-enterprise-admission";
  test("is served, and moved where that is accepted", async () => {
    await found({ current: { namespace: other } });
    const run = await swap(["--skip", moved]);
    expect([run.report.exit.code, run.writes]).toEqual([0, [applied]]);
    expect(warningsIn(run.report)).toContain("WEBHOOK-OTHER-NAMESPACE");
    const { namespace } = suite.scene;
    expect(await entryNow()).toMatchObject({ clientConfig: { service: { namespace } } });
  });

  test("that is gone is no obstacle", async () => {
    await found({ current: { namespace: "gone" } });
    expect((await swap()).report.exit.code).toBe(0);
  });
});

const olmsOf = (namespace: string) => ({
  labels: { ...owners.OLM.labels, "olm.owner.namespace": namespace },
});

describe("an owner who would undo the change", () => {
  test.each<[string, Found]>([
    ...Object.entries(owners).map(([name, metadata]): [string, Found] => [
      name,
      { current: { caBundle: "", metadata } },
    ]),
    ["Helm", { old: { metadata: owners.Helm } }],
  ])("%s owns the new one, which is unfit, or the old one: 5", async (name, state) => {
    await found(state);
    const { report } = await refused(5, "WEBHOOK-OWNED");
    expect(report.exit.reason).toContain(name);
  });

  test("of a new one that is up to date is only mentioned", async () => {
    await lay(suite, { current: { metadata: owners.Flux } });
    const { report, writes } = await swap();
    expect([report.exit.code, writes]).toEqual([0, []]);
    expect(warningsIn(report)).toEqual(["WEBHOOK-OWNED"]);
  });

  test.each<[string, Found]>([
    ["OLM", { current: { caBundle: "", metadata: olmsOf("engine") } }],
    [
      "Helm",
      {
        current: {
          caBundle: "",
          metadata: { annotations: { "meta.helm.sh/release-namespace": "retired" } },
        },
      },
    ],
    // what a chart was rendered to, and a person's kubectl has created
    ["a release of Helm", { current: { caBundle: "", metadata: { labels: owners.Helm.labels } } }],
  ])("%s is gone: its mark forbids nothing", async (_name, state) => {
    await found(state);
    const { report, writes } = await swap();
    expect([report.exit.code, writes]).toEqual([0, [applied]]);
    expect(warningsIn(report)).toContain("WEBHOOK-OWNED");
  });

  test("of another operator's, for another namespace, is only mentioned", async () => {
    const { api } = suite;
    await found({});
    await api.create(namespaceNamed("elsewhere"));
    const service = { ports: [{ port: 443 }], selector: { name: "their-operator" } };
    const metadata = { name: "admission", namespace: "elsewhere" };
    await api.create({ apiVersion: "v1", kind: "Service", metadata, spec: service });
    const namespaceSelector = { matchLabels: { "kubernetes.io/metadata.name": "elsewhere" } };
    const chart = newConfiguration({
      namespace: "elsewhere",
      metadata: owners.Helm,
      entry: { namespaceSelector },
    });
    const name = `${newConfigurationName}-elsewhere`;
    const third = await api.create({ ...chart, metadata: { ...chart.metadata, name } });
    const { report } = await swap();
    await api.remove(third);
    expect(report.exit.code).toBe(0);
    expect(warningsIn(report)).toContain("WEBHOOK-OWNED");
  });

  test("is not shown by the label app.kubernetes.io/instance alone", async () => {
    const metadata = { labels: { "app.kubernetes.io/instance": "engine" } };
    await found({ current: { caBundle: "", metadata } });
    expect((await swap()).report.exit.code).toBe(0);
  });

  test("has an entry of their own in the old one: 5", async () => {
    const { api, scene } = suite;
    await found({});
    const old = await putOldConfiguration(api, scene);
    const [entry] = old["webhooks"] as readonly object[];
    await api.replace({
      apiVersion: old.apiVersion,
      kind: old.kind,
      metadata: { name: old.metadata.name },
      webhooks: [entry, { ...entry, name: "someone.else.example" }],
    });
    await refused(5, "WEBHOOK-OLD-HAS-OTHERS");
  });
});

test.each(["deploy/admission", "admission"])(
  "a release holds its template in %s",
  async (folder) => {
    const { controlPlane } = suite;
    await found({});
    const release = join(controlPlane.site.dataDir, `release-${folder.replace("/", "-")}`);
    mkdirSync(join(release, folder), { recursive: true });
    copyFileSync(templateFile, join(release, folder, "webhook.yaml"));
    const run = await swap(["--release", release]);
    expect([run.report.exit.code, run.writes]).toEqual([0, [applied]]);
  },
);

describe("fields of another manager", () => {
  const field = `.webhooks[name="redisenterprise.admission.engine"].clientConfig.caBundle`;

  test("are a conflict that names field and manager, and taken with --take-fields", async () => {
    const { api, scene } = suite;
    await found({});
    const { namespace, caBundle } = scene;
    await api.apply(newConfiguration({ namespace, caBundle: "" }), "terraform");
    const before = await readBack(suite.controlPlane);
    const run = await swap();
    expect([run.report.exit.code, run.writes]).toEqual([5, []]);
    expect(await readBack(suite.controlPlane)).toEqual(before);
    expect(errorsIn(run.report)).toContain("FIELD-CONFLICT");
    const named = run.report.findings?.find((finding) => finding.field === field);
    expect(named?.cause).toContain('"terraform"');

    expect((await swap(["--take-fields", field])).report.exit.code).toBe(0);
    expect(await entryNow()).toMatchObject({ clientConfig: { caBundle } });
  });

  test.each([
    "kubectl-create",
    "kubectl-client-side-apply",
    "kubectl-edit",
    "kubectl-patch",
    "kubectl",
    "oc",
  ])("held by %s are a person's own, and taken", async (manager) => {
    const { api, scene } = suite;
    await found({});
    await putNewConfiguration(api, scene, { changes: { caBundle: "" }, manager });
    const run = await swap(["--no-probe"]);
    expect([run.report.exit.code, run.writes]).toEqual([0, [applied]]);
  });
});
