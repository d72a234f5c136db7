/** Whose configuration it is, and what of it is kept. */
import { copyFileSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { errorsIn, including, type PluginOptions, type PluginRun, warningsIn } from "./plugin-run";
import type { KubeObject } from "./api";
import { seedScene } from "./scene";
import { openSuite, type Suite } from "./suite";
import {
  applied,
  clear,
  deleted,
  entryOf,
  putNewConfiguration,
  putOldConfiguration,
  readBack,
  runSwap,
  settle,
  templateFile,
} from "./swap-states";
import { newConfiguration, newConfigurationName, owners } from "./webhook-configurations";

let suite: Suite;
beforeAll(async () => {
  suite = await openSuite();
});
afterAll(() => suite.close());
beforeEach(() => clear(suite.api, suite.scene));

const swap = (args: readonly string[] = [], options: PluginOptions = {}): Promise<PluginRun> =>
  runSwap(suite.controlPlane, args, options);

/** Runs the swap and holds it to a conflict that has left everything alone. */
async function conflict(
  args: readonly string[] = [],
  options: PluginOptions = {},
): Promise<PluginRun> {
  const before = await readBack(suite.controlPlane);
  const run = await swap(args, options);
  expect(run.report.exit.code).toBe(5);
  expect(run.writes).toEqual([]);
  expect(await readBack(suite.controlPlane)).toEqual(before);
  return run;
}

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
    const { api, scene, controlPlane } = suite;
    await putOldConfiguration(api, scene, {
      changes: { entry: byHand, metadata: { labels: { team: "old" } } },
    });
    await settle(api, scene);

    const run = await swap();

    expect(run.writes).toEqual([applied, deleted]);
    const { current } = await readBack(controlPlane);
    expect(entryOf(current)).toMatchObject({
      ...byHand,
      admissionReviewVersions: ["v1beta1"],
      rules: [{ resources: including("engineenterpriseremoteclusters") }],
    });
    expect(current?.metadata.labels).toEqual({ app: "engine-enterprise" });
    expect(warningsIn(run.report)).toContain("WEBHOOK-KEPT");
  });

  test("all of that, and labels and annotations, of the new one", async () => {
    const { api, scene, controlPlane } = suite;
    await putNewConfiguration(api, scene, {
      changes: {
        caBundle: "",
        entry: byHand,
        metadata: { labels: { team: "db" }, annotations: { note: "by hand" } },
      },
    });
    await settle(api, scene);

    expect((await swap()).writes).toEqual([applied]);

    const { current } = await readBack(controlPlane);
    expect(entryOf(current)).toMatchObject({
      ...byHand,
      clientConfig: { caBundle: scene.caBundle },
    });
    expect(current?.metadata).toMatchObject({
      labels: { app: "engine-enterprise", team: "db" },
      annotations: { note: "by hand" },
    });
    expect((await swap()).writes).toEqual([]);
  });

  test("of both, what the new one has", async () => {
    const { api, scene, controlPlane } = suite;
    await putOldConfiguration(api, scene, { changes: { entry: { timeoutSeconds: 5 } } });
    await putNewConfiguration(api, scene, { changes: { entry: { timeoutSeconds: 7 } } });
    await settle(api, scene);
    await swap();
    expect(entryOf((await readBack(controlPlane)).current)["timeoutSeconds"]).toBe(7);
  });

  test("not the server's default timeout, which nobody chose", async () => {
    const { api, scene, controlPlane } = suite;
    await putNewConfiguration(api, scene, { changes: { entry: { timeoutSeconds: 10 } } });
    await settle(api, scene);
    await swap();
    expect(entryOf((await readBack(controlPlane)).current)["timeoutSeconds"]).toBe(30);
  });

  test("nothing of the selectors with --take-template-selectors", async () => {
    const { api, scene, controlPlane } = suite;
    await putNewConfiguration(api, scene, { changes: { entry: byHand } });
    await settle(api, scene);
    // An apply cannot remove what a person's create has put there: the object is replaced.
    const run = await swap(["--take-template-selectors"]);
    expect(run.writes).toEqual([`update ${newConfigurationName}`]);
    const entry = entryOf((await readBack(controlPlane)).current);
    expect(entry).toMatchObject({ namespaceSelector: {}, objectSelector: {} });
    expect(entry["matchConditions"]).toBeUndefined();
  });
});

describe("a selector that selects nothing", () => {
  const nowhere = { entry: { namespaceSelector: { matchLabels: { nowhere: "to-be-found" } } } };

  test("stops with 3 before any write, since nothing could be proven", async () => {
    const { api, scene, controlPlane } = suite;
    await putNewConfiguration(api, scene, { changes: { ...nowhere, caBundle: "" } });
    const before = await readBack(controlPlane);
    const run = await swap();
    expect(run.report.exit.code).toBe(3);
    expect(errorsIn(run.report)).toEqual(["PROBE-NO-MATCH"]);
    expect(run.writes).toEqual([]);
    expect(await readBack(controlPlane)).toEqual(before);
  });

  test("is kept with --no-probe", async () => {
    const { api, scene, controlPlane } = suite;
    await putNewConfiguration(api, scene, { changes: { ...nowhere, caBundle: "" } });
    const run = await swap(["--no-probe"]);
    expect(run.report.exit.code).toBe(0);
    expect(run.writes).toEqual([applied]);
    expect(entryOf((await readBack(controlPlane)).current)).toMatchObject(nowhere.entry);
  });
});

describe("another namespace that exists", () => {
  const other = "engine-two";
  beforeAll(() => seedScene(suite.api, { namespace: other }));

  test.each([
    ["new", putNewConfiguration],
    ["old", putOldConfiguration],
  ])("is served by the %s one: 5", async (_name, put) => {
    const { api, scene } = suite;
    await put(api, scene, { changes: { namespace: other } });
    const { report } = await conflict();
    expect(errorsIn(report)).toEqual(["WEBHOOK-OTHER-NAMESPACE"]);
    expect(report.exit.reason).toContain(other);
  });

  test("is served, and --take-over moves it", async () => {
    const { api, scene, controlPlane } = suite;
    await putNewConfiguration(api, scene, { changes: { namespace: other } });
    const run = await swap(["--take-over"]);
    expect(run.report.exit.code).toBe(0);
    expect(run.writes).toEqual([applied]);
    expect(warningsIn(run.report)).toContain("WEBHOOK-OTHER-NAMESPACE");
    expect(entryOf((await readBack(controlPlane)).current)).toMatchObject({
      clientConfig: { service: { namespace: scene.namespace } },
    });
  });

  test("that is gone is no obstacle", async () => {
    const { api, scene } = suite;
    await putNewConfiguration(api, scene, { changes: { namespace: "gone" } });
    expect((await swap()).report.exit.code).toBe(0);
  });
});

describe("an owner who would undo the change", () => {
  test.each(Object.entries(owners))(
    "%s owns the new one, which is unfit: 5",
    async (name, metadata) => {
      const { api, scene } = suite;
      await putNewConfiguration(api, scene, { changes: { caBundle: "", metadata } });
      const { report } = await conflict();
      expect(errorsIn(report)).toEqual(["WEBHOOK-OWNED"]);
      expect(report.exit.reason).toContain(name);
    },
  );

  test("of the old one: 5", async () => {
    const { api, scene } = suite;
    await putOldConfiguration(api, scene, { changes: { metadata: owners.Helm } });
    const { report } = await conflict();
    expect(errorsIn(report)).toEqual(["WEBHOOK-OWNED"]);
  });

  test("of a new one that is up to date is only mentioned", async () => {
    const { api, scene } = suite;
    await putNewConfiguration(api, scene, { changes: { metadata: owners.Flux } });
    await settle(api, scene);
    const { report, writes } = await swap();
    expect(report.exit.code).toBe(0);
    expect(writes).toEqual([]);
    expect(warningsIn(report)).toEqual(["WEBHOOK-OWNED"]);
  });

  test("of another operator's, for another namespace, is only mentioned", async () => {
    const { api } = suite;
    const elsewhere = { matchLabels: { "kubernetes.io/metadata.name": "elsewhere" } };
    const chart = newConfiguration({
      namespace: "elsewhere",
      metadata: owners.Helm,
      entry: { namespaceSelector: elsewhere },
    });
    const third: KubeObject = {
      ...chart,
      metadata: { ...chart.metadata, name: `${newConfigurationName}-elsewhere` },
    };
    await api.create(third);
    const { report } = await swap();
    await api.remove(third);
    expect(report.exit.code).toBe(0);
    expect(warningsIn(report)).toContain("WEBHOOK-OWNED");
  });

  test("is not shown by the label app.kubernetes.io/instance alone", async () => {
    const { api, scene } = suite;
    const metadata = { labels: { "app.kubernetes.io/instance": "engine" } };
    await putNewConfiguration(api, scene, { changes: { caBundle: "", metadata } });
    expect((await swap()).report.exit.code).toBe(0);
  });

  test("has an entry of their own in the old one: 5", async () => {
    const { api, scene } = suite;
    const old = await putOldConfiguration(api, scene);
    const [entry] = old["webhooks"] as readonly object[];
    await api.replace({
      apiVersion: old.apiVersion,
      kind: old.kind,
      metadata: { name: old.metadata.name },
      webhooks: [entry, { ...entry, name: "someone.else.example" }],
    });
    const { report } = await conflict();
    expect(errorsIn(report)).toEqual(["WEBHOOK-OLD-HAS-OTHERS"]);
  });
});

describe("a release", () => {
  test.each(["deploy/admission", "admission"])("holds its template in %s", async (folder) => {
    const { controlPlane } = suite;
    const release = join(controlPlane.site.dataDir, `release-${folder.replace("/", "-")}`);
    mkdirSync(join(release, folder), { recursive: true });
    copyFileSync(templateFile, join(release, folder, "webhook.yaml"));
    const run = await swap(["--release", release]);
    expect(run.report.exit.code).toBe(0);
    expect(run.writes).toEqual([applied]);
  });
});

describe("fields of another manager", () => {
  const field = `.webhooks[name="redisenterprise.admission.engine"].clientConfig.caBundle`;

  test("are a conflict that names field and manager", async () => {
    const { api, scene } = suite;
    const { namespace } = scene;
    await api.apply(newConfiguration({ namespace, caBundle: "" }), "terraform");
    const { report } = await conflict();
    expect(errorsIn(report)).toContain("FIELD-CONFLICT");
    const named = report.findings?.find((finding) => finding.field === field);
    expect(named?.cause).toContain('"terraform"');
  });

  test("are taken with --take-fields", async () => {
    const { api, scene, controlPlane } = suite;
    const { namespace } = scene;
    await api.apply(newConfiguration({ namespace, caBundle: "" }), "terraform");
    const run = await swap(["--take-fields", field]);
    expect(run.report.exit.code).toBe(0);
    expect(entryOf((await readBack(controlPlane)).current)).toMatchObject({
      clientConfig: { caBundle: scene.caBundle },
    });
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
    await putNewConfiguration(api, scene, { changes: { caBundle: "" }, manager });
    const run = await swap(["--no-probe"]);
    expect(run.report.exit.code).toBe(0);
    expect(run.writes).toEqual([applied]);
  });
});
