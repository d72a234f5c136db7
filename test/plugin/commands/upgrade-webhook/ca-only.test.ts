/** `--ca-only`: the CA and nothing else, into a configuration that somebody else owns. */
import { listEntries, readCaBundle } from "../../../../plugin/domain/admission/configuration";
import {
  aNewConfiguration,
  anOldConfiguration,
  type ConfigurationChanges,
  ownerMarks,
  testCa,
} from "../../../support/builders";
import { typed } from "../../../support/program-world";
import { applyNew, codesOf, newName, oldName, permissive, Scene } from "./scene";

const gitops = "argocd-controller";
const metadata = ownerMarks["Argo CD"];
const field = '.webhooks[name="redisenterprise.admission.engine"].clientConfig.caBundle';

/** As the owner wrote it: what is in `changes`, and no CA unless one is given. */
function sceneOf(
  changes: ConfigurationChanges = {},
  owner: ConfigurationChanges["metadata"] = metadata,
): Scene {
  const scene = new Scene();
  const whole = aNewConfiguration({ metadata: owner, caBundle: "", ...changes });
  const webhooks = listEntries(whole).map(({ clientConfig, ...entry }) => {
    const { caBundle, ...client } = clientConfig ?? {};
    return { ...entry, clientConfig: { ...client, ...(caBundle !== "" && { caBundle }) } };
  });
  scene.world.put({ ...whole, webhooks }, gitops);
  return scene;
}

const caOf = (scene: Scene): string => readCaBundle(scene.entry());

test.each(Object.entries(ownerMarks))(
  "%s owns it and left the CA out: written, proven, nothing else",
  async (_name, owner) => {
    const scene = sceneOf({}, owner);
    const before = scene.entry();
    const plain = await scene.run();
    expect([plain.exit.code, codesOf(plain)]).toEqual([5, ["WEBHOOK-OWNED"]]);
    expect(plain.findings?.[0]?.fix).toContain("upgrade-webhook --ca-only");

    const report = await scene.run({ caOnly: true });

    expect([report.exit.code, scene.cluster.written]).toEqual([0, [applyNew]]);
    expect(scene.questions).toEqual([expect.stringContaining("its CA and nothing else?")]);
    expect(codesOf(report)).toEqual(["WEBHOOK-OWNED"]);
    const client = { ...before?.clientConfig, caBundle: testCa };
    expect(scene.entry()).toEqual({ ...before, clientConfig: client });
    expect(report.probes?.at(-1)).toMatchObject({ phase: "new", deny: { ok: 21, of: 21 } });
    const again = await scene.run({ caOnly: true });
    expect([again.exit.code, scene.cluster.written]).toEqual([0, [applyNew]]);
  },
);

test("this tool owns the CA and nothing else of it", async () => {
  const scene = sceneOf();
  await scene.run({ caOnly: true });
  const ours = scene
    .live()
    ?.metadata.managedFields?.find(({ manager }) => manager === "kubectl-engine");
  expect(JSON.stringify(ours)).toContain("f:caBundle");
  expect(JSON.stringify(ours)).not.toMatch(/f:(rules|failurePolicy|service|labels)/);
});

test("what this tool once applied as a whole stays, though the CA alone is applied", async () => {
  const scene = new Scene({ old: true });
  await scene.run();
  const webhooks = listEntries(scene.live()).map((entry) => ({
    ...entry,
    clientConfig: { ...entry.clientConfig, caBundle: "" },
  }));
  const { annotations } = metadata;
  const live = scene.live();
  if (live === undefined) throw new Error("nothing was applied");
  scene.world.put(
    { ...live, metadata: { ...live.metadata, annotations }, webhooks },
    "kubectl-edit",
  );
  const report = await scene.run({ caOnly: true });
  expect(report.exit.code).toBe(0);
  expect(caOf(scene)).toBe(testCa);
  expect(listEntries(scene.live())[0]).toMatchObject({
    failurePolicy: "Fail",
    rules: expect.anything() as unknown,
  });
});

test("a dry run plans the CA alone and writes nothing", async () => {
  for (const dryRun of ["client", "server"] as const) {
    const scene = sceneOf({ entry: { timeoutSeconds: 7 } });
    const report = await scene.run({ caOnly: true, dryRun });
    expect([report.exit.code, scene.cluster.written]).toEqual([0, []]);
    const [step] = report.steps?.filter(({ result }) => result === "planned") ?? [];
    expect(step?.write?.changes?.map(({ path }) => path)).toEqual([
      ".webhooks.clientConfig.caBundle",
    ]);
  }
});

test.each<[string, ConfigurationChanges | undefined, number, string, string]>([
  ["there is none", undefined, 3, "WEBHOOK-BEYOND-CA", "it does not exist"],
  [
    "it calls another namespace",
    { namespace: "other" },
    3,
    "WEBHOOK-BEYOND-CA",
    "clientConfig.service",
  ],
  [
    "its entry has another name",
    { entry: { name: "mine.admission.engine" } },
    3,
    "WEBHOOK-BEYOND-CA",
    "webhooks[name=",
  ],
  [
    "it reads no review that is answered",
    { entry: { admissionReviewVersions: ["v2"] } },
    3,
    "WEBHOOK-BEYOND-CA",
    "admissionReviewVersions",
  ],
  ["its owner writes the CA", { caBundle: "T1RIRVI=" }, 5, "FIELD-CONFLICT", gitops],
])("nothing is written where %s", async (_name, changes, ...[code, finding, says]) => {
  const scene = changes === undefined ? new Scene() : sceneOf(changes);
  const report = await scene.run({ caOnly: true });
  expect([report.exit.code, scene.cluster.written]).toEqual([code, []]);
  expect(report.findings?.find((one) => one.code === finding)).toMatchObject({
    severity: "error",
    cause: expect.stringContaining(says) as string,
  });
});

test("its owner's CA is taken where that is said", async () => {
  const scene = sceneOf({ caBundle: "T1RIRVI=" });
  const report = await scene.run({ caOnly: true, takeFields: [field] });
  expect([report.exit.code, caOf(scene)]).toEqual([0, testCa]);
});

test("what else differs is told and left, the old configuration too", async () => {
  const scene = sceneOf(
    { entry: { failurePolicy: "Ignore", admissionReviewVersions: ["v1", "v1beta1"] } },
    {},
  );
  scene.world.put(anOldConfiguration());
  const report = await scene.run({ caOnly: true });
  expect([report.exit.code, scene.cluster.written]).toEqual([0, [applyNew]]);
  const [left] = report.findings ?? [];
  expect(left).toMatchObject({ code: "WEBHOOK-BEYOND-CA", severity: "warning" });
  expect(left?.cause).toMatch(/failurePolicy.*edb-admission is there beside it/);
  expect([scene.old()?.metadata.name, listEntries(scene.live())[0]]).toMatchObject([
    oldName,
    { failurePolicy: "Ignore" },
  ]);
});

test("further entries for the same Service get it, those of others do not", async () => {
  const scene = sceneOf();
  const live = scene.live();
  if (live === undefined) throw new Error("no configuration");
  const [own] = listEntries(live);
  const client = own?.["clientConfig"] as { service: object };
  const elsewhere = { service: { ...client.service, namespace: "other" } };
  const webhooks = [
    own,
    { ...own, name: "further.admission.engine" },
    { ...own, name: "theirs.admission.engine", clientConfig: elsewhere, failurePolicy: "Ignore" },
  ];
  scene.world.put({ ...live, webhooks }, gitops);
  const report = await scene.run({ caOnly: true });
  expect(report.exit.code).toBe(0);
  expect(listEntries(scene.live()).map(readCaBundle)).toEqual([testCa, testCa, ""]);
});

test("a proof that does not come puts the CA back as it was, and nothing else", async () => {
  const scene = sceneOf({ caBundle: "T1RIRVI=" });
  scene.world.servers.set("engine/admission", permissive);
  const before = scene.live()?.["webhooks"];
  const report = await scene.run({ caOnly: true, takeFields: [field] });
  expect(report.exit.code).toBe(7);
  expect(scene.live()?.["webhooks"]).toEqual(before);
  expect(scene.cluster.written).toEqual([
    applyNew,
    `patch ValidatingWebhookConfiguration/${newName}`,
  ]);
});

test.each(["--take-template-rules", "--take-template-selectors"])(
  "not with %s: 2",
  async (flag) => {
    const { code, err } = await typed(["upgrade-webhook", "--ca-only", flag]);
    expect([code, err]).toEqual([2, expect.stringContaining("--ca-only writes none of what")]);
  },
);
