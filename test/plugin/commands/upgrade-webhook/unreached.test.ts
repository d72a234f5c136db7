/** What keeps the API server from the webhook's pods ends a swap before its first write. */
import { ApiError } from "../../../../plugin/domain/base/errors";
import type { Deployment } from "../../../../plugin/domain/kube/models";
import type { KubeObject } from "../../../../plugin/domain/kube/objects";
import { aDeployment, anEndpointSlice, aService } from "../../../support/builders";
import { peersOf, unreadPeers } from "../../domain/admission/policy-rows";
import { own, unready, webhookPod } from "../../domain/admission/way-rows";
import { applyNew, codesOf, Scene, type Start } from "./scene";

const labelled = unreadPeers["a label"]?.from ?? [];

/** A stale CA, so that there is something to write, and the pod that the Service selects. */
function wiredScene(targetPort: number | string, ...around: readonly KubeObject[]): Scene {
  const scene = new Scene({ new: { caBundle: "eA==" } });
  const spec = { selector: { ...own }, ports: [{ name: "https", port: 443, targetPort }] };
  const slice = { ...anEndpointSlice("engine"), addressType: "IPv4" };
  const objects = [{ ...aService("engine"), spec }, slice, webhookPod("op-1"), ...around];
  for (const one of objects) scene.world.put(one);
  return scene;
}

test.each<[string, Partial<Deployment>, string]>([
  ["scaled to 0", { spec: { replicas: 0 } }, "OPERATOR-SCALED-DOWN"],
  ["paused", { spec: { replicas: 1, paused: true } }, "OPERATOR-PAUSED"],
])("the operator is %s: its cause is told before what it keeps from answering", async (...row) => {
  const [, parts, cause] = row;
  const deployment = { ...aDeployment("engine", 0), ...parts };
  const scene = wiredScene(8443, anEndpointSlice("engine", false), deployment);
  scene.world.drop("Pod", "op-1", "engine");
  const report = await scene.run();
  expect(report.exit).toMatchObject({ code: 3 });
  expect(codesOf(report)[0]).toBe(cause);
  expect(codesOf(report).slice(1)).toEqual([expect.stringMatching(/^WEBHOOK-/)]);
  expect(scene.cluster.written).toEqual([]);
});

test("a pod that is not ready, whose address the Service publishes: 3, and nothing is written", async () => {
  const scene = wiredScene(8443, { ...webhookPod("op-1"), status: unready });
  const service = aService("engine");
  const ports = [{ name: "https", port: 443, targetPort: 8443 }];
  const spec = { selector: { ...own }, ports, publishNotReadyAddresses: true };
  scene.world.put({ ...service, spec });
  const report = await scene.run();
  expect(report.exit).toMatchObject({ code: 3 });
  expect(report.findings).toMatchObject([
    {
      code: "WEBHOOK-PUBLISHES-UNREADY",
      severity: "error",
      object: "Service/engine/admission",
      cause: expect.stringContaining("the only pod behind it, Pod/engine/op-1") as string,
    },
  ]);
  expect(scene.cluster.written).toEqual([]);
});

const byName = (name: string): object => ({
  namespaceSelector: { matchLabels: { "kubernetes.io/metadata.name": name } },
});

test.each<[string, string, Scene, RegExp]>([
  [
    "a policy of a label that no namespace has",
    "WEBHOOK-NETWORK-POLICY",
    wiredScene(8443, peersOf(...labelled)),
    /kubectl patch networkpolicy guard .*"port":8443/,
  ],
  [
    "a policy of its own namespace",
    "WEBHOOK-NETWORK-POLICY",
    wiredScene(8443, peersOf(byName("engine"))),
    /kubectl patch networkpolicy guard .*"port":8443/,
  ],
  [
    "the port of the Service, which no container opens",
    "WEBHOOK-TARGET-PORT",
    wiredScene(443),
    /kubectl patch service admission .*"path":"\/spec\/ports\/0\/targetPort","value":8443/,
  ],
  [
    "a name that no container gives to a port",
    "WEBHOOK-TARGET-PORT",
    wiredScene("https"),
    /kubectl patch service admission .*"path":"\/spec\/ports\/0\/targetPort","value":8443/,
  ],
])("%s: 3 with the line that repairs it, and nothing is written", async (_, ...row) => {
  const [code, scene, fix] = row;
  const report = await scene.run();
  expect(report.exit).toMatchObject({ code: 3 });
  expect(codesOf(report)).toEqual([code]);
  expect(report.findings?.[0]).toMatchObject({
    severity: "error",
    fix: expect.stringMatching(fix) as string,
  });
  expect(scene.cluster.written).toEqual([]);
});

test.each<[string, readonly object[]]>([
  ["kube-system", [byName("kube-system")]],
  ["every namespace", [{ namespaceSelector: {} }]],
  ["addresses", [{ ipBlock: { cidr: "10.0.0.0/8" } }]],
])("a policy that lets in %s says nothing, and the swap is done", async (_, from) => {
  const scene = wiredScene(8443, peersOf(...from));
  const report = await scene.run();
  expect(report.exit).toMatchObject({ code: 0 });
  expect(codesOf(report)).toEqual([]);
  expect(scene.cluster.written).toEqual([applyNew]);
});

test("namespaces that may not be listed: a warning, and the probe decides", async () => {
  const scene = wiredScene(8443, peersOf(...labelled));
  const { before } = scene.cluster;
  scene.cluster.before = (call) => {
    before(call);
    if (call.verb === "list" && call.target.startsWith("Namespace")) {
      throw new ApiError("namespaces is forbidden", { status: 403 });
    }
  };
  const report = await scene.run();
  expect(report.exit).toMatchObject({ code: 0 });
  expect(report.findings).toMatchObject([
    { code: "WEBHOOK-NETWORK-POLICY", severity: "warning", object: "NetworkPolicy/engine/guard" },
  ]);
});

const open = { failurePolicy: "Ignore" };
const nothing = "nothing is validated (failurePolicy Ignore: calls that fail let edits pass)";

test.each<[string, Start, string]>([
  ["Fail in force", { new: {} }, "edits that it checks fail"],
  ["Ignore in force", { new: { entry: open } }, nothing],
  ["Ignore in force in the old configuration", { old: { entry: open } }, nothing],
  ["nothing in force", {}, "with the new configuration edits that it checks would fail"],
])("a Service that is missing, %s: the cause says what failed calls lead to", async (...row) => {
  const [, start, consequence] = row;
  const scene = new Scene(start);
  scene.world.drop("Service", "admission", "engine");
  const report = await scene.run();
  expect(report.exit).toMatchObject({ code: 3 });
  expect(report.findings?.[0]?.cause).toMatch(
    /^the Service that the webhook entry calls does not exist; /,
  );
  expect(report.findings?.[0]?.cause).toContain(`; ${consequence}`);
  expect(scene.cluster.written).toEqual([]);
});
