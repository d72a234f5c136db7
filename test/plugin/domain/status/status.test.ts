import { defaultNames as names } from "../../../../plugin/domain/names";
import type { Finding } from "../../../../plugin/domain/findings";
import { summarize } from "../../../../plugin/domain/status/status";
import { aPod, anOperator, aSet, newTag, oldTag } from "../cluster/scene";
import { aCluster, anEdb, statusOf, unread } from "./scene";

test("an upgrade that is over: every component is fine, and nothing is left to run", () => {
  const status = statusOf();
  expect(status.verdict).toBe("fine");
  expect(status.next).toBeUndefined();
  expect(summarize(status, names)).toEqual([
    {
      title: "Operator",
      is: "fine",
      facts: "8.0.2-2, 1/1 ready, 1 up to date, 1 available",
      says: "",
    },
    {
      title: "EC ec",
      is: "fine",
      facts: `wants ${newTag}, runs ${newTag}, state Running, 3/3 pods new and ready, license 272 days left`,
      says: "",
    },
    { title: "EDB", is: "fine", facts: "", says: "2 EDB, all active" },
    { title: "EAADB", is: "fine", facts: "", says: "1 EAADB, all active, no replication is down" },
    {
      title: "Webhook",
      is: "fine",
      facts: "engine-enterprise-admission, CA fits, endpoints ready, certificate 1613 days left",
      says: "",
    },
    { title: "RBAC", is: "fine", facts: "", says: "1 namespace as in the shipped files" },
  ]);
});

test("the snapshot's own moment and server are told", () => {
  expect(statusOf()).toMatchObject({
    readAt: "2026-08-01T10:15:30.000Z",
    namespace: "engine",
    apiServer: "v1.34.1",
  });
  expect(statusOf({}, { apiServer: undefined })).not.toHaveProperty("apiServer");
});

test("the worst component is the whole's verdict: a standstill beats what is unread, that what moves", () => {
  const moving = [anEdb("a", "8.2", { status: "active-change-pending" })];
  const [none, rest] = unread("roles");
  expect(statusOf({ edbs: moving }).verdict).toBe("moving");
  expect(statusOf({ ...none, edbs: moving }, rest).verdict).toBe("unknown");
  expect(statusOf({ ...none, edbs: moving, deployments: [] }, rest).verdict).toBe("stalled");
});

test("findings are counted, and the first errors are there as they are", () => {
  const finding = (code: string, severity: Finding["severity"]): Finding => ({
    code,
    severity,
    cause: "c",
    fix: "f",
    source: "S1",
  });
  const findings = [
    finding("W", "warning"),
    ...["A", "B", "C", "D"].map((code) => finding(code, "error")),
  ];
  const { findings: shown } = statusOf({}, {}, { findings });
  expect(shown).toMatchObject({ errors: 4, warnings: 1 });
  expect(shown.first.map(({ code }) => code)).toEqual(["A", "B", "C"]);
});

test("a pod in the way is named with its reason, and the tags that run are all told", () => {
  const stuck = aPod(0, {
    ready: false,
    status: {
      conditions: [{ type: "Ready", status: "False" }],
      containerStatuses: [
        { name: "engine-enterprise-node", state: { waiting: { reason: "ImagePullBackOff" } } },
      ],
    },
  });
  const old = aPod(1, { tag: oldTag, revision: "old" });
  const status = statusOf({
    ecs: [aCluster(newTag, { state: "Upgrade" })],
    pods: [aPod(2), old, stuck],
  });
  const [ec] = status.clusters.items;
  expect(ec?.rollout).toEqual({ done: 1, of: 3, pod: "ec-1" });
  expect(ec?.running).toEqual([oldTag, newTag]);
  expect(ec?.verdict).toMatchObject({
    is: "stalled",
    code: "POD-IMAGE",
    object: "Pod/engine/ec-0",
  });
  const first = statusOf({ pods: [aPod(2), aPod(1), stuck] }).clusters.items[0];
  expect(first?.rollout?.pod).toBe("ec-0");
  expect(first?.rollout?.reason).toContain("ImagePullBackOff");
});

test.each<[string, Parameters<typeof statusOf>[0], Parameters<typeof statusOf>[1]]>([
  ["no StatefulSet yet", { statefulSets: [] }, {}],
  ["pods that may not be listed", ...unread("pods")],
])("without %s no rollout is told", (_title, lists, rest) => {
  expect(statusOf(lists, rest).clusters.items[0]).not.toHaveProperty("rollout");
});

test("an EC whose pods may not be listed is unknown, its columns are shown", () => {
  const [ec] = statusOf(...unread("pods")).clusters.items;
  expect(ec).toMatchObject({
    version: newTag,
    verdict: { is: "unknown", because: "may not list pods" },
  });
});

test("ECs that may not be listed are unknown; where there is none, that is said", () => {
  const [lists, rest] = unread("ecs");
  expect(statusOf(lists, rest).clusters).toEqual({
    items: [],
    verdict: { is: "unknown", because: "may not list engineenterpriseclusters" },
  });
  const none = statusOf({ ecs: [], statefulSets: [] });
  expect(summarize(none, names)[1]).toMatchObject({
    title: "EC",
    is: "absent",
    says: "no EC in this namespace",
  });
});

test("ECs are in the order of their names; those of other namespaces are not this operator's", () => {
  const named = (name: string, namespace = "engine") => ({
    ...aCluster(),
    metadata: { name, namespace },
  });
  const { items } = statusOf({ ecs: [named("b"), named("a"), named("c", "other")] }).clusters;
  expect(items.map(({ name }) => name)).toEqual(["a", "b"]);
});

test("the columns of the listing, from the object itself", () => {
  const [ec] = statusOf().clusters.items;
  expect(ec).toMatchObject({
    name: "ec",
    nodes: "3",
    version: newTag,
    state: "Running",
    specStatus: "Valid",
    licenseState: "Valid",
    shardsLimit: "8",
    licenseExpirationDate: "2027-05-01T00:00:00Z",
    age: "90d",
    licenseDays: 272,
  });
});

test.each<[string, unknown, string]>([
  ["a number", 4, "4"],
  ["the text of later releases", "0/4", "4"],
  ["another text", "many", "many"],
  ["nothing", undefined, "<none>"],
])("the shards limit as %s", (_title, shardsLimit, shown) => {
  const [ec] = statusOf({ ecs: [aCluster(newTag, { licenseStatus: { shardsLimit } })] }).clusters
    .items;
  expect(ec?.shardsLimit).toBe(shown);
  expect(ec).not.toHaveProperty("licenseDays");
});

test("an EC that says nothing has no days of license, no age and no version", () => {
  const bare = {
    ...aCluster(),
    metadata: { name: "ec", namespace: "engine" },
    spec: {},
    status: {},
  };
  const [ec] = statusOf({ ecs: [bare], pods: [] }).clusters.items;
  expect(ec).toMatchObject({ version: "<none>", age: "<none>", running: [], state: "<none>" });
  const [, summary] = summarize(statusOf({ ecs: [bare], statefulSets: [] }), names);
  expect(summary?.facts).toBe("wants <none>, no pod runs, state <none>");
});

test("an operator that is not there, or not read", () => {
  const gone = statusOf({ deployments: [] });
  expect(gone.operator).toEqual({
    deployment: "engine-enterprise-operator",
    verdict: {
      is: "stalled",
      because: "there is no Deployment engine-enterprise-operator in namespace engine",
      fix: "give the operator's namespace with -n, or install the operator",
    },
  });
  const { operator } = statusOf(...unread("deployments"));
  expect(operator.verdict).toEqual({ is: "unknown", because: "may not list deployments" });
});

test.each<[string, object, object]>([
  ["its image's tag", {}, { version: "8.0.2-2" }],
  [
    "the chart's annotation, where the image has a digest alone",
    { image: "engine/operator@sha256:ab", chart: { "engine.io/operator-ver": "8.0.2-2" } },
    { version: "8.0.2-2", chart: { operator: "8.0.2-2" } },
  ],
  [
    "both",
    { chart: { "engine.io/helm-chart-ver": "8.0.2-2+1" } },
    { version: "8.0.2-2", chart: { version: "8.0.2-2+1" } },
  ],
])("the operator's version by %s", (_title, wish, expected) => {
  const { image, chart } = wish as { image?: string; chart?: Record<string, string> };
  const plain = anOperator();
  const container = {
    name: names.operator.container,
    image: image ?? "engine/operator:8.0.2-2",
  };
  const deployment = {
    ...plain,
    metadata: { ...plain.metadata, ...(chart && { annotations: chart }) },
    spec: { replicas: 1, template: { spec: { containers: [container] } } },
  };
  const { operator } = statusOf({ deployments: [deployment] });
  expect(operator).toMatchObject(expected);
  const [summary] = summarize(statusOf({ deployments: [deployment] }), names);
  expect(summary?.facts.includes("chart")).toBe(chart?.["engine.io/helm-chart-ver"] !== undefined);
});

test("an operator of unknown version, without counts: neither is made up", () => {
  const bare = { ...anOperator(), spec: {}, status: {} };
  const status = statusOf({ deployments: [bare] });
  expect(status.operator).not.toHaveProperty("version");
  expect(status.operator.pods).toEqual({ wanted: 1, ready: 0, upToDate: 0, available: 0 });
  expect(summarize(status, names)[0]?.facts).toMatch(/^version not told by its image, 0\/1 ready/);
});

test("an operator on its way moves; where its pods may not be listed, no cause is claimed", () => {
  const deployments = [anOperator("8.0.2-2", 0)];
  expect(statusOf({ deployments }).operator.verdict.is).toBe("moving");
  const [none, rest] = unread("pods", "events");
  const { verdict } = statusOf({ ...none, deployments }, rest).operator;
  expect(verdict).toMatchObject({ is: "unknown" });
  expect(verdict.is === "unknown" && verdict.because).toMatch(/may not list pods, events/);
});

test("a StatefulSet that rolls is moving", () => {
  const status = statusOf({ statefulSets: [aSet(newTag, {}, { observedGeneration: 1 })] });
  expect(status.clusters.verdict.is).toBe("moving");
});
