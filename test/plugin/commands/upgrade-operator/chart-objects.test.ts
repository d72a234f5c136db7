/** The plan of an upgrade by chart sees every object that helm would write, keep or delete. */
import { ApiError } from "../../../../plugin/domain/base/errors";
import { defaultNames as names } from "../../../../plugin/domain/names/names";
import { kinds } from "../../../../plugin/domain/kube/kinds";
import type { KubeObject } from "../../../../plugin/domain/kube/objects";
import type { KubeClient } from "../../../../plugin/ports/kubernetes";
import { bundleOf } from "../../../support/releases/tree";
import { codesOf } from "../world";
import { type ChartWish, helmInstall, runChart } from "./chart-scene";
import { ns } from "./scene";

const plan = { dryRun: "server" } as const;
const map = (name: string, data: object, more: object = {}): KubeObject => ({
  ...{ apiVersion: "v1", kind: "ConfigMap" },
  metadata: { name, ...more },
  data,
});
const secret = (name: string, data: object): KubeObject => ({
  ...{ apiVersion: "v1", kind: "Secret", type: "Opaque" },
  metadata: { name },
  data,
});
const before = bundleOf("7.22.0-7");
const now = bundleOf("8.0.2-2");
const operator = `Deployment/${ns}/${names.operator.deployment}`;
const edited = { type: "merge", fieldManager: "kubectl-edit" } as const;

const stepOf = (report: Awaited<ReturnType<typeof runChart>>["report"], object: string) =>
  report.steps?.find((step) => step.object === object);

describe.each(["server", "client"] as const)("by a dry run of the %s", (dryRun) => {
  test("each object is told: new, changed, as it is", async () => {
    const same = map("same", { a: "1" });
    const { report, steps, upgrades, scene } = await runChart({
      deployed: [...before, same, map("other", { a: "1", old: "1" })],
      rendered: [...now, same, map("other", { a: "2" }), map("fresh", { a: "1" })],
      options: { dryRun },
    });
    expect([report.exit.code, upgrades, scene.writes]).toEqual([0, [], []]);
    expect(steps[0]).toBe(`chart Release/${ns}/operator planned`);
    expect(steps).toEqual(
      expect.arrayContaining([
        `apply ${operator} planned`,
        `apply ConfigMap/${ns}/same unchanged`,
        `apply ConfigMap/${ns}/other planned`,
        `apply ConfigMap/${ns}/fresh planned`,
      ]),
    );
    expect(stepOf(report, `ConfigMap/${ns}/other`)?.write).toMatchObject({
      verb: "patch",
      changes: [
        { path: ".data.a", to: "2" },
        { path: ".data.old", to: null },
      ],
    });
    expect(stepOf(report, `ConfigMap/${ns}/fresh`)?.write?.verb).toBe("create");
    const why = (name: string) => stepOf(report, `ConfigMap/${ns}/${name}`)?.why;
    expect([why("same"), why("other")]).toEqual([
      "it is as the chart has it",
      "1 field differs from the chart, 1 field goes with the old one",
    ]);
  });

  test("what only the cluster has stays, and is no change", async () => {
    const { report, steps } = await runChart({
      deployed: [...before, map("mine", { a: "1" })],
      rendered: [...now, map("mine", { a: "1" })],
      options: { dryRun },
      change: async ({ cluster }) => {
        const ref = { resource: kinds.configMap, name: "mine", namespace: ns };
        await cluster.patch(ref, { data: { own: "2" } }, edited);
        const pod = { template: { spec: { nodeSelector: { pool: "infra" } } } };
        const deployment = { resource: kinds.deployment, name: names.operator.deployment };
        await cluster.patch({ ...deployment, namespace: ns }, { spec: pod }, edited);
      },
    });
    expect([report.exit.code, codesOf(report)]).toEqual([0, []]);
    expect(steps).toContain(`apply ConfigMap/${ns}/mine unchanged`);
    expect(JSON.stringify(stepOf(report, operator))).not.toContain("nodeSelector");
  });

  test("a local change of any object stops it, and --take-fields lets the chart win", async () => {
    const wish: ChartWish = {
      deployed: [...before, map("mine", { a: "1" })],
      rendered: [...now, map("mine", { a: "1" })],
      change: async ({ cluster }) => {
        const ref = { resource: kinds.configMap, name: "mine", namespace: ns };
        await cluster.patch(ref, { data: { a: "2" } }, edited);
      },
    };
    const { report, upgrades, scene } = await runChart({ ...wish, options: { dryRun } });
    expect([report.exit.code, upgrades, scene.writes]).toEqual([5, [], []]);
    expect(report.findings).toMatchObject([
      {
        ...{ code: "OPERATOR-LOCAL-CHANGE", field: ".data.a", object: `ConfigMap/${ns}/mine` },
        cause: `a local change: the cluster has "2", set by manager "kubectl-edit"; the chart says "1"`,
        fix: "set it in a file for --values, or let the chart win with --take-fields '.data.a'",
      },
    ]);
    const taken = await runChart({ ...wish, options: { dryRun, takeFields: [".data.a"] } });
    expect([taken.report.exit.code, codesOf(taken.report)]).toEqual([0, []]);
  });

  test("a list in another order is a change", async () => {
    const named = (...all: readonly string[]): KubeObject => ({
      ...{ apiVersion: "v1", kind: "ServiceAccount", metadata: { name: "lists" } },
      secrets: all.map((name) => ({ name })),
    });
    const { report } = await runChart({
      deployed: [...before, named("a", "b")],
      rendered: [...now, named("b", "a")],
      options: { dryRun },
    });
    expect(stepOf(report, `ServiceAccount/${ns}/lists`)?.write?.changes).toEqual([
      { path: ".secrets", to: [{ name: "b" }, { name: "a" }] },
    ]);
  });

  test("values of Secrets are never shown", async () => {
    const [old, fresh, mine] = ["b2xkLXZhbHVl", "ZnJlc2gtdmFsdWU=", "bWluZS12YWx1ZQ=="];
    const wish: ChartWish = {
      deployed: [...before, secret("s", { a: old })],
      rendered: [
        ...now,
        secret("s", { a: fresh }),
        { ...secret("t", {}), stringData: { b: "xyz-secret" } },
      ],
    };
    const shown = await runChart({ ...wish, options: { dryRun, shows: true } });
    expect(stepOf(shown.report, `Secret/${ns}/s`)?.write?.changes).toEqual([
      { path: ".data.a", to: "not shown" },
    ]);
    const held = await runChart({
      ...wish,
      options: { dryRun },
      change: async ({ cluster }) => {
        const ref = { resource: kinds.secret, name: "s", namespace: ns };
        await cluster.patch(ref, { data: { a: mine } }, edited);
      },
    });
    expect([held.report.exit.code, codesOf(held.report)]).toEqual([5, ["OPERATOR-LOCAL-CHANGE"]]);
    const text = JSON.stringify([shown.report, shown.scene.events, held.report, held.scene.events]);
    for (const value of [old, fresh, mine, "xyz-secret", btoa("xyz-secret")]) {
      expect(text).not.toContain(value);
    }
  });
});

test.each([
  ["helm itself merges", undefined, ["OPERATOR-CHART-UNSEEN"]],
  ["the API server merges", true, []],
] as const)("two ports of one number are told where %s", async (_, appliesOnServer, codes) => {
  const dns = (...protocols: readonly string[]): KubeObject => ({
    ...{ apiVersion: "v1", kind: "Service", metadata: { name: "dns" } },
    spec: {
      ports: protocols.map((protocol) => ({ name: protocol.toLowerCase(), port: 53, protocol })),
    },
  });
  const { report } = await runChart({
    ...(appliesOnServer && { appliesOnServer }),
    deployed: [...before, dns("UDP")],
    rendered: [...now, dns("UDP", "TCP")],
    options: plan,
  });
  expect([report.exit.code, codesOf(report)]).toEqual([0, codes]);
});

describe("where the API server merges", () => {
  const mine = map("mine", { a: "1" });
  const wish: ChartWish = {
    appliesOnServer: true,
    deployed: [...before, mine],
    rendered: [...now, mine],
    options: { takeFields: [".data.a"] },
  };
  const change: ChartWish["change"] = async ({ cluster }) => {
    const ref = { resource: kinds.configMap, name: "mine", namespace: ns };
    await cluster.patch(ref, { data: { a: "2" } }, edited);
  };

  test.each<[string, ChartWish, boolean]>([
    ["a field that the chart wins is taken", { ...wish, change }, true],
    ["nothing is where nobody holds any", wish, false],
    ["nothing is where helm itself merges", { ...wish, change, appliesOnServer: undefined }, false],
  ])("%s", async (_, made, takes) => {
    const run = await runChart(made);
    expect([run.report.exit.code, run.takes]).toEqual([0, [takes]]);
  });

  test("what helm has applied and the chart lacks goes, whichever revision it came with", async () => {
    const { report } = await runChart({
      ...{ ...wish, options: plan },
      change: async ({ cluster }) => {
        await helmInstall(cluster, [map("mine", { a: "1", later: "1" })], wish);
      },
    });
    expect(stepOf(report, `ConfigMap/${ns}/mine`)?.write?.changes).toEqual([
      { path: ".data.later", to: null },
    ]);
  });
});

const keep = { annotations: { "helm.sh/resource-policy": "keep" } };

describe("objects that leave the release", () => {
  test("are deleted, which is a warning, or kept by their policy", async () => {
    const { report, steps } = await runChart({
      deployed: [...before, map("gone", {}), map("kept", {}, keep)],
      options: plan,
    });
    expect([report.exit.code, codesOf(report)]).toEqual([0, ["OPERATOR-CHART-DELETES"]]);
    expect(report.findings?.[0]?.object).toBe(`ConfigMap/${ns}/gone`);
    expect(steps).toContain(`delete ConfigMap/${ns}/gone planned`);
    expect(steps).toContain(`delete ConfigMap/${ns}/kept skipped`);
  });

  test("are no concern where they are gone already", async () => {
    const { report, steps } = await runChart({
      deployed: [...before, map("gone", {})],
      options: plan,
      change: async ({ cluster }) => {
        const ref = { resource: kinds.configMap, name: "gone", namespace: ns };
        const { uid = "" } = (await cluster.get(ref))?.metadata ?? {};
        await cluster.delete(ref, { uid });
      },
    });
    expect([report.exit.code, codesOf(report)]).toEqual([0, []]);
    expect(steps.join()).not.toContain("gone");
  });

  test("stop it where they hold data, unless that is accepted", async () => {
    const wish: ChartWish = { deployed: [...before, secret("gone", { a: "YQ==" })] };
    const { report, upgrades, scene } = await runChart({ ...wish, options: plan });
    expect([report.exit.code, upgrades, scene.writes]).toEqual([3, [], []]);
    const object = `Secret/${ns}/gone`;
    expect(report.findings).toMatchObject([{ code: "OPERATOR-CHART-DELETES-DATA", object }]);
    expect(report.findings?.[0]?.fix).toContain(`--skip OPERATOR-CHART-DELETES-DATA=${object}`);
    const accepted = await runChart({ ...wish, options: { ...plan, allowObjects: [object] } });
    expect([accepted.report.exit.code, accepted.report.findings]).toMatchObject([
      0,
      [{ severity: "warning", accepted: true }],
    ]);
  });

  test("a definition that leaves stops it", async () => {
    const definition = before.find(({ kind }) => kind === kinds.definition.kind);
    const rendered = now.filter(({ kind }) => kind !== kinds.definition.kind);
    const { report, upgrades } = await runChart({ rendered, options: plan });
    expect([report.exit.code, upgrades]).toEqual([3, []]);
    expect(report.findings?.[0]).toMatchObject({
      code: "OPERATOR-CHART-DELETES-DATA",
      object: `${kinds.definition.kind}/${String(definition?.metadata.name)}`,
      cause: expect.stringContaining("every object of its kind") as string,
    });
  });

  test("an object to accept that is not there is refused", async () => {
    const options = { ...plan, allowObjects: ["Secret/x"] };
    const { report, upgrades, scene } = await runChart({ options });
    expect([report.exit.code, upgrades, scene.writes]).toEqual([2, [], []]);
  });

  test("are not known where the manifest cannot be read as a whole", async () => {
    const { report, steps } = await runChart({
      unread: ["document 2 cannot be read"],
      options: plan,
    });
    expect([report.exit.code, codesOf(report)]).toEqual([0, ["OPERATOR-CHART-UNSEEN"]]);
    expect(steps).toContain(`apply Release/${ns}/operator skipped`);
  });
});

describe("what cannot be compared is named, and hinders nothing", () => {
  const forbidding =
    (plural: string) =>
    (cluster: KubeClient): KubeClient =>
      Object.create(cluster, {
        get: {
          value: (...args: Parameters<KubeClient["get"]>) =>
            args[0].resource.plural === plural
              ? Promise.reject(new ApiError("forbidden", { status: 403 }))
              : cluster.get(...args),
        },
      }) as KubeClient;
  const odd = { apiVersion: "example.com/v1", kind: "Odd", metadata: { name: "x" } };

  test.each<[string, ChartWish, string, string]>([
    [
      "an object that may not be read",
      { rendered: [...now, map("a", {})], connect: forbidding("configmaps") },
      `ConfigMap/${ns}/a`,
      `the permission to get configmaps in namespace ${ns} is missing`,
    ],
    [
      "one that leaves and may not be read",
      { deployed: [...before, map("a", {})], connect: forbidding("configmaps") },
      `ConfigMap/${ns}/a`,
      "it leaves the release",
    ],
    ["a kind that is not served", { rendered: [...now, odd] }, "Odd/x", "does not serve Odd"],
    [
      "what is no object",
      { rendered: [...now, "odd"] },
      `Release/${ns}/operator`,
      "1 document of what helm renders tells no object",
    ],
  ])("%s", async (_, wish, object, says) => {
    const { report, steps } = await runChart({ ...wish, options: plan });
    expect(report.exit.code).toBe(0);
    expect(report.findings).toMatchObject([
      { code: "OPERATOR-CHART-UNSEEN", object, cause: expect.stringContaining(says) as string },
    ]);
    expect(steps).toContain(`apply ${object} skipped`);
    const real = await runChart(wish);
    expect([real.report.exit.code, real.upgrades]).toEqual([0, ["8.0.2-2"]]);
  });

  test("a dry run that the API server does not let pass is no refusal", async () => {
    const connect = (cluster: KubeClient): KubeClient =>
      Object.create(cluster, {
        apply: { value: () => Promise.reject(new ApiError("forbidden", { status: 403 })) },
      }) as KubeClient;
    const { report, steps } = await runChart({ connect, options: plan });
    expect([report.exit.code, codesOf(report)]).toEqual([0, []]);
    expect(steps).toContain(`apply ${operator} planned`);
  });
});

const job: KubeObject = {
  ...{ apiVersion: "batch/v1", kind: "Job", metadata: { name: "crds" } },
  spec: { template: { spec: { containers: [{ name: "c", image: "hub/x:1", args: ["--all"] }] } } },
};
const hook = (object: KubeObject, weight: number, ...events: readonly string[]) => ({
  ...{ object, weight, events, deletePolicies: [] },
});

test("hooks come in their order, around the objects, with what they run", async () => {
  const { report, steps, notes } = await runChart({
    hooks: [
      hook(job, 5, "pre-upgrade", "post-upgrade"),
      hook(map("b", {}), -5, "pre-upgrade"),
      hook(map("never", {}), -5, "pre-install"),
    ],
    options: plan,
  });
  expect(report.exit.code).toBe(0);
  expect(steps.filter((step) => step.startsWith("call"))).toHaveLength(3);
  expect(steps.slice(1, 3)).toEqual([
    `call ConfigMap/${ns}/b planned`,
    `call Job/${ns}/crds planned`,
  ]);
  expect(steps.at(-1)).toBe(`call Job/${ns}/crds planned`);
  expect(stepOf(report, `Job/${ns}/crds`)?.why).toContain("runs hub/x:1 --all");
  expect(notes.join("\n")).toContain(`Job/${ns}/crds: hook before the upgrade, weight 5; runs hub`);
});

describe("the rules of a bundle", () => {
  const role = now.find(({ kind }) => kind === "Role");
  const everything = { apiGroups: ["*"], resources: ["*"], verbs: ["*"] };
  const wide = (object: KubeObject): KubeObject => ({
    ...object,
    rules: [...(object["rules"] as readonly unknown[]), everything],
  });
  const widened = (all: readonly KubeObject[]) =>
    all.map((object) => (object.kind === "Role" ? wide(object) : object));
  const name = role?.metadata.name ?? "";

  test("a right that no operator needs is refused unless it is accepted", async () => {
    const wish = { rendered: widened(now) };
    const { report, upgrades, scene } = await runChart({ ...wish, options: plan });
    expect([report.exit.code, upgrades, scene.writes]).toEqual([3, [], []]);
    expect(new Set(codesOf(report))).toEqual(new Set(["OPERATOR-BUNDLE-UNUSUAL"]));
    const allowObjects = [`Role/${name}`];
    const accepted = await runChart({ ...wish, options: { ...plan, allowObjects } });
    expect(accepted.report.exit.code).toBe(0);
  });

  test("one that it has already is told", async () => {
    const wish = { deployed: widened(before), rendered: widened(now), options: plan };
    const { report } = await runChart(wish);
    expect(report.exit.code).toBe(0);
    expect(new Set(codesOf(report))).toEqual(new Set(["OPERATOR-RIGHT-HELD"]));
  });

  test.each(["server", "client"] as const)(
    "rights that a person added are lost, which stops it (%s)",
    async (dryRun) => {
      const rule = { apiGroups: ["example.com"], resources: ["things"], verbs: ["get"] };
      const wish: ChartWish = {
        change: async (scene) => {
          const stored = await scene.stored("Role");
          const rules = [...(stored?.["rules"] as readonly unknown[]), rule];
          const resource = {
            ...{ group: "rbac.authorization.k8s.io", version: "v1" },
            ...{ plural: "roles", kind: "Role" },
          };
          await scene.cluster.patch({ resource, name, namespace: ns }, { rules }, edited);
        },
      };
      const { report, upgrades } = await runChart({ ...wish, options: { dryRun } });
      expect([report.exit.code, upgrades]).toEqual([5, []]);
      expect(report.findings).toMatchObject([
        {
          ...{ code: "OPERATOR-LOCAL-CHANGE", object: `Role/${ns}/${name}`, field: ".rules" },
          cause: expect.stringContaining("things.example.com: get") as string,
        },
      ]);
      const taken = await runChart({ ...wish, options: { dryRun, takeFields: [".rules"] } });
      expect(taken.report.exit.code).toBe(0);
    },
  );

  test("an object that is being deleted stops it", async () => {
    const { report, upgrades } = await runChart({
      change: async (scene) => {
        const { cluster } = scene;
        const service = await scene.stored("Service");
        const { name: at = "", uid = "" } = service?.metadata ?? {};
        const ref = { resource: kinds.service, name: at, namespace: ns };
        await cluster.patch(ref, { metadata: { finalizers: ["example.com/x"] } }, edited);
        await cluster.delete(ref, { uid });
      },
      options: plan,
    });
    expect([report.exit.code, codesOf(report), upgrades]).toEqual([3, ["OBJECT-DELETING"], []]);
  });

  test("a field that the API server never changes stops it", async () => {
    const immutable = (a: string): KubeObject => ({ ...map("fixed", { a }), immutable: true });
    const { report, upgrades } = await runChart({
      deployed: [...before, immutable("1")],
      rendered: [...now, immutable("2")],
      options: plan,
    });
    expect([report.exit.code, codesOf(report), upgrades]).toEqual([
      3,
      ["OPERATOR-FIXED-FIELD"],
      [],
    ]);
  });

  test("what a post-renderer set before and sets no more is a local change", async () => {
    const patched = before.map((object) =>
      object.kind === "Deployment" ? withTolerations(object) : object,
    );
    const { report, upgrades } = await runChart({ deployed: patched, options: plan });
    expect([report.exit.code, upgrades]).toEqual([5, []]);
    expect(report.findings).toMatchObject([
      { code: "OPERATOR-LOCAL-CHANGE", field: ".spec.template.spec.tolerations" },
    ]);
  });
});

function withTolerations(object: KubeObject): KubeObject {
  const spec = object["spec"] as { readonly template: { readonly spec: object } };
  const tolerations = [{ key: "infra", operator: "Exists" }];
  const template = { ...spec.template, spec: { ...spec.template.spec, tolerations } };
  return { ...object, spec: { ...spec, template } };
}
