/** Why nothing is behind the Service of the webhook: each cause with its own way out. */
import { firstRun } from "../../../../plugin/domain/base/remedy";
import type { Container, Deployment, Pod, Service } from "../../../../plugin/domain/kube/models";
import type { LeftMarks } from "../../../../plugin/domain/kube/owners";
import { type EndpointFacts, judgeEndpoints } from "../../../../plugin/domain/admission/endpoints";

const own = { name: "engine-enterprise-operator" };
const listening = [{ ports: [{ containerPort: 8443, name: "webhook" }] }];

const serviceWith = (
  selector?: Readonly<Record<string, string>>,
  metadata: object = {},
): Service => ({
  apiVersion: "v1",
  kind: "Service",
  metadata: { name: "admission", namespace: "ops", ...metadata },
  spec: { ports: [{ port: 443, targetPort: 8443 }], ...(selector && { selector }) },
});
const podWith = (
  name: string,
  labels: Readonly<Record<string, string>>,
  {
    containers = listening,
    status = {},
    metadata = {},
  }: {
    readonly containers?: readonly Container[];
    readonly status?: Pod["status"];
    readonly metadata?: object;
  } = {},
): Pod => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name, namespace: "ops", labels, ...metadata },
  spec: { containers },
  status: { conditions: [{ type: "Ready", status: "True" }], ...status },
});
const notReady = {
  conditions: [{ type: "PodScheduled", status: "False", message: "0/3 nodes are available" }],
};
const operator = podWith("operator-1", own);
const workload: Deployment = {
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: { name: "engine-enterprise-operator", namespace: "ops" },
};
const template = { template: { metadata: { labels: own } } };
const stale = serviceWith({ ...own, component: "edb-admission" });
const patch = (selector: object): string =>
  `kubectl patch service admission --namespace=ops --type=merge --patch=${JSON.stringify({ spec: { selector } })}`;

/** What a person reads tells which of the causes it is. */
function codeOf(says: string): string {
  if (/would match|no pod carries|does not carry/.test(says)) return "WEBHOOK-SELECTOR";
  if (/has none|is scaled to 0/.test(says)) return "WEBHOOK-NO-PODS";
  return says.includes("is not ready") ? "WEBHOOK-PODS-NOT-READY" : "WEBHOOK-NO-ENDPOINTS";
}

interface Expected {
  readonly says: string;
  readonly command?: string;
}
const rows: readonly (readonly [string, EndpointFacts, Expected])[] = [
  [
    "a key that no pod carries",
    { service: stale, pods: [operator] },
    {
      says: "its selector asks for component=edb-admission, which no pod carries; without it Pod/ops/operator-1 would match",
      command: patch({ component: null }),
    },
  ],
  [
    "another value of a key, and a key more",
    {
      service: serviceWith({ ...own, tier: "old", release: "v7" }),
      pods: [
        podWith("operator-1", { ...own, tier: "new" }),
        podWith("operator-2", { ...own, tier: "new" }),
      ],
    },
    {
      says: "its selector asks for tier=old, release=v7, which no pod carries; without it Pod/ops/operator-1, Pod/ops/operator-2 would match",
      command: patch({ tier: null, release: null }),
    },
  ],
  [
    "a key that only another pod carries",
    {
      service: stale,
      pods: [
        operator,
        podWith(
          "logs-1",
          { component: "edb-admission" },
          { containers: [{ ports: [{ containerPort: 80 }] }] },
        ),
      ],
    },
    {
      says: "component=edb-admission, which operator-1 does not carry; without it Pod/ops/operator-1 would match",
    },
  ],
  [
    "a Service of someone",
    {
      service: serviceWith(
        { ...own, a: "b" },
        { labels: { "app.kubernetes.io/managed-by": "Helm" } },
      ),
      pods: [operator],
    },
    { says: "asks for a=b, which no pod carries", command: patch({ a: null }) },
  ],
  [
    "pods that meet parts of their own: those like the first are named",
    {
      service: stale,
      pods: [
        operator,
        podWith("other-1", { component: "edb-admission" }),
        podWith("operator-2", own),
      ],
    },
    {
      says: "component=edb-admission, which operator-1 does not carry; without it Pod/ops/operator-1, Pod/ops/operator-2 would match",
      command: patch({ component: null }),
    },
  ],
  [
    "a pod that meets a part, and listens elsewhere",
    {
      service: stale,
      pods: [podWith("logs-1", own, { containers: [{ ports: [{ containerPort: 80 }] }] })],
    },
    {
      says: "its selector asks for component=edb-admission, which no pod carries: every",
      command: "kubectl get pods --show-labels --namespace=ops",
    },
  ],
  [
    "a pod that does not say where it listens",
    { service: stale, pods: [podWith("operator-1", own, { containers: [{}] })] },
    { says: "without it Pod/ops/operator-1 would match" },
  ],
  [
    "a Service without ports",
    { service: { ...stale, spec: { selector: { ...own, a: "b" } } }, pods: [operator] },
    { says: "without it Pod/ops/operator-1 would match" },
  ],
  [
    "a port by its name",
    {
      service: {
        ...stale,
        spec: {
          selector: { ...own, a: "b" },
          ports: [{ port: 8443, targetPort: "webhook" }, { port: 1 }],
        },
      },
      pods: [operator],
    },
    { says: "without it Pod/ops/operator-1 would match" },
  ],
  [
    "other values than those of the pod that listens",
    {
      service: serviceWith({ name: "engine-operator", tier: "gate" }),
      pods: [podWith("logs-1", { app: "logs" }), operator],
    },
    {
      says: "which no pod carries, and Pod/ops/operator-1 listens on its port",
      command: patch({ ...own, tier: null }),
    },
  ],
  [
    "pods that carry a key each",
    {
      service: serviceWith({ a: "1", b: "2" }),
      pods: [
        podWith("x", { a: "1" }, { containers: [{ ports: [{ containerPort: 1 }] }] }),
        podWith("y", { b: "2" }, { containers: [{ ports: [{ containerPort: 1 }] }] }),
      ],
    },
    { says: "its selector asks for a=1, b=2, which no pod carries" },
  ],
  [
    "no pods at all",
    { service: serviceWith(own), pods: [] },
    { says: "its selector asks for name=engine-enterprise-operator, which no pod carries" },
  ],
  [
    "pods that have ended or go",
    {
      service: serviceWith(own),
      pods: [
        podWith("operator-1", own, { status: { phase: "Failed" } }),
        podWith("operator-2", own, { metadata: { deletionTimestamp: "2026-11-25T10:00:00Z" } }),
      ],
    },
    { says: "which no pod carries" },
  ],
  [
    "a Deployment that has no pods",
    {
      service: serviceWith(own),
      pods: [],
      deployments: [{ ...workload, spec: { ...template, replicas: 0 } }],
    },
    {
      says: "Deployment/ops/engine-enterprise-operator, whose pods its selector finds, is scaled to 0",
      command: "kubectl scale deployment engine-enterprise-operator --namespace=ops --replicas=1",
    },
  ],
  [
    "a Deployment whose pods are not made",
    { service: serviceWith(own), pods: [], deployments: [{ ...workload, spec: template }] },
    {
      says: "Deployment/ops/engine-enterprise-operator, whose pods its selector finds, has none",
      command: "kubectl describe deployment engine-enterprise-operator --namespace=ops",
    },
  ],
  [
    "a pod that is not ready",
    {
      service: serviceWith(own),
      pods: [operator, podWith("operator-2", own, { status: notReady })],
    },
    {
      says: "Pod/ops/operator-2 behind it is not ready (no node takes it: 0/3 nodes are available)",
      command: "kubectl describe pod operator-2 --namespace=ops",
    },
  ],
  [
    "a pod that is ready",
    { service: serviceWith(own), pods: [operator] },
    {
      says: "although its selector finds Pod/ops/operator-1, which is ready",
      command: "kubectl delete pod operator-1 --namespace=ops",
    },
  ],
  [
    "pods that may not be read",
    { service: stale },
    {
      says: "the Service has no ready endpoint: every call would fail",
      command: "kubectl describe service admission --namespace=ops",
    },
  ],
  [
    "no selector, where a Deployment tells which it is",
    {
      service: serviceWith(),
      deployments: [{ ...workload, spec: { selector: { matchLabels: own } } }],
    },
    { says: "the Service has no selector", command: patch(own) },
  ],
  [
    "no selector",
    { service: serviceWith(), pods: [operator], deployments: [workload] },
    {
      says: "the Service has no selector",
      command: "kubectl describe service admission --namespace=ops",
    },
  ],
];

test.each(rows)("%s", (_title, facts, { says, command }) => {
  const finding = judgeEndpoints(facts);
  expect(finding).toMatchObject({
    code: codeOf(says),
    object: "Service/ops/admission",
    cause: expect.stringContaining(says) as string,
  });
  if (command === undefined) return;
  const found = firstRun(finding.remedies)?.run;
  expect(found && [found.of, ...found.words].join(" ")).toBe(command);
});

test("an owner of the Service is named beside the command", () => {
  const service = serviceWith({ ...own, a: "b" }, { labels: { "olm.owner": "engine.v8" } });
  expect(judgeEndpoints({ service, pods: [operator] }).fix).toMatch(
    /\(OLM owns the Service: .+\): kubectl patch service admission/,
  );
});

test.each<[string, LeftMarks, string]>([
  ["is gone is not asked", new Map([["Service/ops/admission", "X is gone"]]), "selector: "],
  [
    "has the garbage collector delete it is told with the line that keeps it",
    Object.assign(new Map<string, string>(), {
      collected: new Map([["Service/ops/admission", "Tenant/t"]]),
    }),
    "Tenant/t does not exist, which its owner reference names",
  ],
])("an owner of the Service that %s", (_, left, says) => {
  const service = serviceWith({ ...own, a: "b" }, { labels: { "olm.owner": "engine.v8" } });
  const { fix } = judgeEndpoints({ service, pods: [operator], left });
  expect(fix).toContain(says);
  expect(fix).not.toContain("OLM");
});

test("after the printed patch the selector finds the pods", () => {
  const { remedies } = judgeEndpoints({ service: stale, pods: [operator] });
  const found = firstRun(remedies)?.run;
  const written = JSON.parse(String(found?.words.at(-1)).replace("--patch=", "")) as {
    readonly spec: { readonly selector: Readonly<Record<string, string | null>> };
  };
  const merged = Object.entries<string | null>({ ...own, ...written.spec.selector }).flatMap(
    ([key, value]) => (value === null ? [] : [[key, value] as const]),
  );
  const service = serviceWith(Object.fromEntries(merged));
  expect(judgeEndpoints({ service, pods: [operator] }).cause).toContain("its selector finds");
});
