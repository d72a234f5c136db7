/** A CA injector's annotation on the new configuration: caBundle is the injector's. */
import { listEntries } from "../../../../plugin/domain/admission/configuration";
import { aNewConfiguration, type ConfigurationChanges, testCa } from "../../../support/builders";
import { applyNew, codesOf, expectWanted, healthy, newName, Scene } from "./scene";

const annotations = { "cert-manager.io/inject-ca-from": "engine/serving" };
const injector = "cert-manager-cainjector";

/** The injector writes this CA at once over whatever anybody else writes. */
function sceneOf(caBundle: string, changes: ConfigurationChanges = {}): Scene {
  const scene = new Scene();
  const put = () =>
    scene.world.put(aNewConfiguration({ metadata: { annotations }, caBundle, ...changes }));
  put();
  scene.world.put(
    { ...scene.live(), ...aNewConfiguration({ metadata: { annotations }, caBundle, ...changes }) },
    injector,
  );
  const { after } = scene.cluster;
  scene.cluster.after = (call) => {
    after(call);
    const live = scene.live();
    if (live === undefined || call.dryRun || !["apply", "update", "patch"].includes(call.verb))
      return;
    const webhooks = listEntries(live).map((entry) => ({
      ...entry,
      clientConfig: { ...(entry["clientConfig"] as object), caBundle },
    }));
    scene.world.put({ ...live, webhooks }, injector);
  };
  return scene;
}

test("it injects the CA of what is served: named, nothing to write, 0", async () => {
  const scene = sceneOf(testCa);
  const report = await scene.run();
  expect([report.exit.code, scene.cluster.written]).toEqual([0, []]);
  expect(report.findings ?? []).toEqual([]);
  expect(report.steps).toContainEqual(
    expect.objectContaining({
      id: "webhook.injector",
      object: `ValidatingWebhookConfiguration/${newName}`,
      why: expect.stringContaining("cert-manager.io/inject-ca-from: engine/serving") as string,
    }),
  );
});

test("other fields are written as usual, and the annotation stays", async () => {
  const scene = sceneOf(testCa, { entry: { failurePolicy: "Ignore" } });
  const takeFields = ['.webhooks[name="redisenterprise.admission.engine"].failurePolicy'];
  const report = await scene.run({ takeFields });
  expect([report.exit.code, scene.cluster.written]).toEqual([0, [applyNew]]);
  expectWanted(scene);
  expect(scene.live()?.metadata.annotations).toEqual(annotations);
});

test.each<[string, string, readonly string[]]>([
  ["another CA", "T1RIRVI=", []],
  ["another CA, with --take-fields", "T1RIRVI=", ["webhooks"]],
  ["nothing yet", "", []],
])("it injects %s: 5 with both ways out, nothing written", async (_title, caBundle, takeFields) => {
  const scene = sceneOf(caBundle);
  const report = await scene.run({ takeFields });
  expect([report.exit.code, scene.cluster.written]).toEqual([5, []]);
  expect(codesOf(report)).toContain("WEBHOOK-CA-INJECTED");
  expect(report.findings?.find(({ code }) => code === "WEBHOOK-CA-INJECTED")?.fix).toBe(
    `let the webhook serve a certificate of that CA (put it into the Secret); else take the annotation off: kubectl annotate validatingwebhookconfiguration ${newName} cert-manager.io/inject-ca-from-`,
  );
});

test("the CA fits the Secret, and another certificate is served: 3 before the write", async () => {
  const scene = sceneOf(testCa, { entry: { matchPolicy: "Exact" } });
  scene.world.servers.set("engine/admission", { ...healthy, ca: "T1RIRVI=" });
  const takeFields = ['.webhooks[name="redisenterprise.admission.engine"].matchPolicy'];
  const report = await scene.run({ takeFields });
  expect([report.exit.code, scene.cluster.written]).toEqual([3, []]);
  expect(codesOf(report)).toEqual(["WEBHOOK-SERVES-OTHER"]);
});

test("the same where nothing is to be written", async () => {
  const scene = new Scene({ new: true });
  scene.world.servers.set("engine/admission", { ...healthy, ca: "T1RIRVI=" });
  const report = await scene.run();
  expect([report.exit.code, codesOf(report)]).toEqual([3, ["WEBHOOK-SERVES-OTHER"]]);
});

test("what will have another CA is no reason to stop", async () => {
  const scene = new Scene({ new: { caBundle: "T1RIRVI=" } });
  const report = await scene.run();
  expect([report.exit.code, scene.cluster.written]).toEqual([0, [applyNew]]);
});
