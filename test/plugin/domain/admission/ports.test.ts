/** Pods behind the Service that do not listen, and policies that close the port: what a person is told. */
import { judgeAlias } from "../../../../plugin/domain/admission/called-service";
import { judgeNetwork } from "../../../../plugin/domain/admission/network";
import { judgeStrangers } from "../../../../plugin/domain/admission/ports";
import type {
  Deployment,
  NetworkPolicy,
  Pod,
  Service,
} from "../../../../plugin/domain/kube/models";
import { defaultNames as names } from "../../../../plugin/domain/names/names";
import { webhookPod } from "./way-rows";

const own = { name: "engine-enterprise-operator" };
const serviceWith = (spec: Service["spec"]): Service => ({
  apiVersion: "v1",
  kind: "Service",
  metadata: { name: "admission", namespace: "engine" },
  spec: { ports: [{ port: 443, targetPort: 8443 }], ...spec },
});
const service = serviceWith({ selector: own });
const aPolicy = (spec: NetworkPolicy["spec"]): NetworkPolicy => ({
  apiVersion: "networking.k8s.io/v1",
  kind: "NetworkPolicy",
  metadata: { name: "admission", namespace: "engine" },
  spec,
});
const right = webhookPod("operator-1");
const made = [{ apiVersion: "apps/v1", kind: "ReplicaSet", name: "report-5f", uid: "r1" }];
const report = { containers: [{ name: "report", ports: [{ containerPort: 80 }] }] };
const stranger = webhookPod("report-1", { ...report, labels: { ...own, app: "report" } });
const bare = { name: "operator-1", namespace: "engine" };
const deploymentOf = (name: string, matchLabels: Readonly<Record<string, string>>): Deployment => ({
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: { name, namespace: "engine" },
  spec: { selector: { matchLabels } },
});
const owned = { ...stranger, metadata: { ...stranger.metadata, ownerReferences: made } };
const adviceOn = (
  pods: readonly Pod[],
  deployments?: readonly Deployment[],
  of: Service = service,
): readonly string[] =>
  judgeStrangers({
    service: of,
    port: { port: 443, targetPort: 8443 },
    pods,
    deployments,
    names,
  }).map(({ fix }) => fix);

test.each<[string, readonly string[], RegExp]>([
  ["a pod of nobody", adviceOn([right, stranger]), /kubectl label pod report-1 .* name-$/],
  [
    "a pod of a Deployment that is known",
    adviceOn(
      [right, owned],
      [deploymentOf("engine-enterprise-operator", own), deploymentOf("report", { app: "report" })],
    ),
    /^give the pods of Deployment\/engine\/report another value of the label name/,
  ],
  ["a pod of what is not known", adviceOn([right, owned]), /^give the pods of what makes it/],
  [
    "pods that can be told by a label",
    adviceOn([webhookPod("operator-1", { labels: { ...own, tier: "gate" } }), owned]),
    /: kubectl patch service admission .*\{"tier":"gate"\}/,
  ],
])("%s", (_, advice, expected) => {
  expect(advice).toEqual([expect.stringMatching(expected)]);
});

test("pods without labels, and a Service without a selector, are no trouble to read", () => {
  const [one, other] = [right, owned].map((pod) => ({ ...pod, metadata: { ...bare } }));
  const nameless = { ...owned, metadata: { ...bare, name: "report-1", ownerReferences: made } };
  expect(
    one && other && adviceOn([one, nameless], [deploymentOf("x", own)], serviceWith({})),
  ).toHaveLength(1);
  const policy = aPolicy({ podSelector: {} });
  expect(
    judgeNetwork({ policies: [policy], namespaces: [] }, [{ ...right, metadata: bare }], 8443),
  ).toMatchObject({
    code: "WEBHOOK-NETWORK-POLICY",
  });
});

test("pods in which the name of the port leads to different numbers: one rule opens them all", () => {
  const policy = aPolicy({ podSelector: {}, ingress: [] });
  const [one, other] = [8443, 9443].map((containerPort) =>
    webhookPod(`operator-${containerPort}`, {
      containers: [{ name: "admission", ports: [{ name: "gate", containerPort }] }],
    }),
  );
  const found =
    one && other && judgeNetwork({ policies: [policy], namespaces: [] }, [one, other], "gate");
  expect(found?.cause).toContain("reach port 8443 or 9443");
  expect(found?.fix).toMatch(/^open those ports in it: .*8443.*9443/);
});

test.each([
  ["no name", {}],
  ["a name outside", { externalName: "gate.example" }],
  ["a Service here, of which no list is known", { externalName: "gate.engine.svc" }],
  ["a namespace, of which no list is known", { externalName: "gate.retired.svc" }],
])("another name that is not known to be gone: %s", (_, spec) => {
  const beside = { names, namespace: "engine", lists: {} };
  expect(judgeAlias(serviceWith({ type: "ExternalName", ...spec }), beside)).toBeUndefined();
});
