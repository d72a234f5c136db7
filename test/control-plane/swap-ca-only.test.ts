/** `upgrade-webhook --ca-only` on a real API server: one field of a configuration that somebody else owns. */
import type { KubeObject } from "./api";
import { caBundleOf, makePair } from "./certificate";
import { errorsIn, type PluginRun, runPlugin, warningsIn } from "./plugin-run";
import { openSuite, type Suite } from "./suite";
import {
  applied,
  clear,
  entryOf,
  putOldConfiguration,
  readBack,
  readConfiguration,
  runSwap,
} from "./swap-states";
import {
  type ConfigurationOptions,
  newConfiguration,
  newConfigurationName,
  oldConfigurationName,
  owners,
} from "./webhook-configurations";

let suite: Suite;
beforeAll(async () => {
  suite = await openSuite();
});
afterAll(() => suite.close());

const field = `.webhooks[name="redisenterprise.admission.engine"].clientConfig.caBundle`;
const swap = (args: readonly string[] = []): Promise<PluginRun> =>
  runSwap(suite.controlPlane, ["--ca-only", ...args]);
const current = async (): Promise<KubeObject | undefined> =>
  (await readBack(suite.controlPlane)).current;

type Owner = keyof typeof owners;
interface Manager {
  readonly manager: string;
}
type Client = Readonly<Record<string, unknown>>;

/** As its owner applies it, without a CA where none is given. */
async function tracked(
  owner: Owner,
  changes: Partial<ConfigurationOptions> = {},
  as: "apply" | "replace" = "apply",
): Promise<void> {
  const { api, scene } = suite;
  await clear(api, scene);
  const whole = newConfiguration({
    namespace: scene.namespace,
    metadata: owners[owner],
    ...changes,
  });
  const webhooks = (whole["webhooks"] as readonly { clientConfig: Client }[]).map((entry) => {
    const { caBundle, ...client } = entry.clientConfig;
    return { ...entry, clientConfig: { ...client, ...(caBundle !== "" && { caBundle }) } };
  });
  await api[as]({ ...whole, webhooks }, `${owner.toLowerCase().replace(" ", "")}-controller`);
}

/** Without what only the API server writes. */
function content(object: KubeObject | undefined): object {
  const { metadata, ...rest } = object ?? { metadata: {} };
  return { ...rest, labels: metadata.labels, annotations: metadata.annotations };
}

test.each<[Owner, "apply" | "replace"]>([
  ["Argo CD", "apply"],
  ["Argo CD", "replace"],
  ["Flux", "apply"],
  ["Helm", "replace"],
  ["OLM", "replace"],
])("%s (%s) left the CA out: one field is written, and proven", async (owner, as) => {
  const { scene, controlPlane } = suite;
  await tracked(owner, {}, as);
  const before = content(await current());

  const plain = await runSwap(controlPlane);
  expect([plain.report.exit.code, plain.writes]).toEqual([5, []]);
  const [owned] = plain.report.findings ?? [];
  expect(owned).toMatchObject({
    code: "WEBHOOK-OWNED",
    fix: expect.stringContaining("upgrade-webhook --ca-only") as string,
  });

  const dry = await swap(["--dry-run=server"]);
  expect([dry.report.exit.code, dry.writes]).toEqual([0, []]);
  const run = await swap();
  expect([run.report.exit.code, run.writes]).toEqual([0, [applied]]);
  expect(warningsIn(run.report)).toEqual(["WEBHOOK-OWNED"]);
  const after = await current();
  const client = { ...(entryOf(after)["clientConfig"] as Client) };
  expect(client["caBundle"]).toBe(scene.caBundle);
  delete client["caBundle"];
  expect(
    content({ ...after, webhooks: [{ ...entryOf(after), clientConfig: client }] } as KubeObject),
  ).toEqual(before);
  const stored = await readConfiguration(suite.api, newConfigurationName);
  const managers = (stored?.metadata as { readonly managedFields?: readonly Manager[] } | undefined)
    ?.managedFields;
  const ours = managers?.filter(({ manager }) => manager === "kubectl-engine");
  expect(JSON.stringify(ours)).toContain("f:caBundle");
  expect(JSON.stringify(ours)).not.toMatch(/f:(rules|service|failurePolicy|labels)/);

  // what its owner applies again takes nothing away
  if (as === "apply")
    await suite.api.apply(withoutCa(after), `${owner.toLowerCase().replace(" ", "")}-controller`);
  const again = await swap();
  expect([again.report.exit.code, again.writes]).toEqual([0, []]);
  const { report } = await runPlugin(controlPlane, ["check"]);
  expect(errorsIn(report).filter((code) => code.startsWith("WEBHOOK-"))).toEqual([]);
});

function withoutCa(object: KubeObject | undefined): KubeObject {
  const { apiVersion = "", kind = "", metadata } = object ?? {};
  const { service } = entryOf(object)["clientConfig"] as Client;
  const { name, labels, annotations } = metadata ?? {};
  return {
    ...{ apiVersion, kind },
    metadata: {
      name: name ?? "",
      ...(labels && { labels }),
      ...(annotations && { annotations }),
    },
    webhooks: [{ ...entryOf(object), clientConfig: { service } }],
  };
}

test("a CA that its owner writes is a conflict, and taken with --take-fields", async () => {
  const { scene } = suite;
  await tracked("Argo CD", { caBundle: caBundleOf(makePair({ namespace: "elsewhere" }).cert) });
  const before = await current();
  const { report, writes } = await swap();
  expect([report.exit.code, writes, errorsIn(report)]).toEqual([5, [], ["FIELD-CONFLICT"]]);
  expect(report.findings?.find(({ code }) => code === "FIELD-CONFLICT")).toMatchObject({
    field,
    cause: expect.stringContaining("argocd-controller") as string,
  });
  expect(await current()).toEqual(before);
  const taken = await swap(["--take-fields", field]);
  expect([taken.report.exit.code, taken.writes]).toEqual([0, [applied]]);
  expect(entryOf(await current())).toMatchObject({ clientConfig: { caBundle: scene.caBundle } });
});

test.each<[string, Partial<ConfigurationOptions>]>([
  ["another Service", { service: { name: "admission-gone" } }],
  ["another port", { service: { port: 8443 } }],
  ["another path", { service: { path: "/validate" } }],
  ["a placeholder", { namespace: "OPERATOR_NAMESPACE" }],
  ["an entry of another name", { entry: { name: "mine.admission.engine" } }],
])("%s in it: no CA makes it answer, 3", async (_name, changes) => {
  await tracked("Argo CD", changes);
  const before = await current();
  const { report, writes } = await swap();
  expect([report.exit.code, writes, errorsIn(report)]).toEqual([3, [], ["WEBHOOK-BEYOND-CA"]]);
  expect(await current()).toEqual(before);
});

test("there is none: 3", async () => {
  await clear(suite.api, suite.scene);
  const { report, writes } = await swap();
  expect([report.exit.code, writes, errorsIn(report)]).toEqual([3, [], ["WEBHOOK-BEYOND-CA"]]);
});

test("what this tool applied as a whole before it was given over stays", async () => {
  const { api, scene, controlPlane } = suite;
  await clear(api, scene);
  expect((await runSwap(controlPlane)).report.exit.code).toBe(0);
  const whole = await current();
  await api.apply(
    withoutCa({ ...whole, metadata: { ...whole?.metadata, ...owners.Flux } } as KubeObject),
    "flux-controller",
  );
  const patch = [{ op: "replace", path: "/webhooks/0/clientConfig/caBundle", value: "" }];
  const path = `/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations/${newConfigurationName}?fieldManager=kubectl-edit`;
  await api.send("PATCH", path, { body: patch, contentType: "application/json-patch+json" });
  const run = await swap();
  expect([run.report.exit.code, run.writes.length]).toEqual([0, 1]);
  expect(content(await current())).toMatchObject({ webhooks: whole?.["webhooks"] });
});

test("the old configuration stays, and is told", async () => {
  await tracked("Argo CD");
  await putOldConfiguration(suite.api, suite.scene);
  const { report, writes } = await swap();
  expect([report.exit.code, writes]).toEqual([0, [applied]]);
  const told = report.findings?.find(({ code }) => code === "WEBHOOK-BEYOND-CA");
  expect(told).toMatchObject({
    severity: "warning",
    cause: expect.stringContaining(oldConfigurationName) as string,
  });
  expect((await readBack(suite.controlPlane)).old).toBeDefined();
});
