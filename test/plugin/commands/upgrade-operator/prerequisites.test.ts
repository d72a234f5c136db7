/** What has to hold before the operator is upgraded, by bundle and by chart (S113, S121-S125). */
import { defaultNames as names } from "../../../../plugin/domain/names/names";
import type { KubeObject } from "../../../../plugin/domain/kube/objects";
import { exampleSource } from "../../../../plugin/simulator/example";
import { bundlePart } from "../../../../plugin/commands/upgrade-operator/part";
import { runPart } from "../../../../plugin/kernel/run-part";
import { chartPart } from "../../../../plugin/commands/upgrade-operator/chart";
import type {
  ChartOptions,
  Helm,
} from "../../../../plugin/commands/upgrade-operator/chart-options";
import type { OperatorOptions } from "../../../../plugin/commands/upgrade-operator/read";
import type { KubeClient } from "../../../../plugin/ports/kubernetes";
import type { AskingPorts } from "../../../../plugin/kernel/world";
import type { Report } from "../../../../plugin/kernel/report";
import { ApiError, EngineError, exitCodes } from "../../../../plugin/domain/base/errors";
import { testTime } from "../../../support/manual-clock";
import { admin, makeWorld } from "../../../support/world";
import { aWitness, portsOf } from "../world";
import { aScene, contentsOf, inPlace, ns } from "./scene";
import type { ChartRelease, ChartUpgrade } from "../../../../plugin/domain/operator/refusals";
import { deployment } from "../../../support/releases/operator";
import { kinds } from "../../../../plugin/domain/kube/kinds";
import { listImages } from "../../../../plugin/domain/operator/wanted";
import { type Json, omit } from "../../../../plugin/domain/base/values";

let example: readonly KubeObject[] = [];
beforeAll(async () => {
  example = (await exampleSource(names, testTime)).objects;
});

type Change = (object: KubeObject) => KubeObject | undefined;
type Way = "bundle" | "chart";
const ec = `${names.ec.kind}/engine/ec`;
const clock = { now: () => testTime, sleep: () => Promise.resolve() };

/** The object of this kind with something laid over its spec or status. */
const over =
  (kind: string, part: "spec" | "status", fields: object): Change =>
  (object) =>
    object.kind === kind
      ? { ...object, [part]: { ...(object[part] as object | undefined), ...fields } }
      : object;

const license = (licenseStatus: object | undefined): Change =>
  over(names.ec.kind, "status", { licenseStatus });
const image = (tag: string): Change => {
  const tagged = `${names.images.operator}:7.8.2-6`;
  return (object) =>
    object.kind === "Deployment"
      ? (JSON.parse(
          JSON.stringify(object).replaceAll(tagged, `${names.images.operator}${tag}`),
        ) as KubeObject)
      : object;
};

const oldRelease = image(":7.4.6-2");
const graphInstalled = over(names.ec.kind, "status", {
  modules: [{ name: "graph", displayName: "EngineGraph", versions: ["2.10.12"] }],
});

/** Without what is in the managed namespaces, or without these themselves. */
const without =
  (kind: string): Change =>
  (object) =>
    (object.kind === kind && managed.has(object.metadata.namespace ?? "")) ||
    (kind === "Namespace" && object.kind === kind && managed.has(object.metadata.name ?? ""))
      ? undefined
      : object;
const managed = new Set(["shop", "reports"]);

/** The same while they are being deleted. */
const leavingWithout =
  (kind: string): Change =>
  (object) => {
    const left = without(kind)(object);
    if (left?.kind !== "Namespace" || !managed.has(left.metadata.name ?? "")) return left;
    const deletionTimestamp = "2026-08-01T09:00:00Z";
    return { ...left, metadata: { ...left.metadata, deletionTimestamp } };
  };

interface Wish {
  readonly way?: Way;
  readonly options?: Partial<OperatorOptions>;
}

type Copying = (object: KubeObject) => KubeObject | readonly KubeObject[];

async function upgraded(change: Change | Copying, { way = "bundle", options }: Wish = {}) {
  const changed = example.flatMap((object) => change(object) ?? []);
  const objects = way === "chart" ? changed.map(ofChart) : changed;
  const plane = makeWorld({ objects }).controlPlane;
  const before = plane.state;
  const cluster = plane.connect({ user: admin, namespace: ns });
  const helm: boolean[] = [];
  const report = await runs[way]({ cluster, helm, options: options ?? {} });
  const writes = [plane.state === before ? [] : ["a write"], helm.filter((dryRun) => !dryRun)];
  return { report, writes: writes.flat() };
}

const isOperator = (object: KubeObject | undefined): boolean =>
  object?.kind === "Deployment" && object.metadata.name === names.operator.deployment;
const same: Change = (object) => object;
const ofChart = (object: KubeObject): KubeObject =>
  object.kind === "Deployment"
    ? {
        ...object,
        metadata: {
          ...object.metadata,
          labels: { "app.kubernetes.io/managed-by": "Helm" },
          annotations: { "meta.helm.sh/release-name": "operator" },
        },
      }
    : object;

interface Run {
  readonly cluster: KubeClient;
  readonly helm: boolean[];
  readonly options: Partial<OperatorOptions>;
}

function common({ cluster, options }: Run) {
  return {
    deps: portsOf(aWitness(), { kind: "UpgradeOperator", cluster, clock }),
    options: {
      namespace: ns,
      dryRun: "server",
      fieldManager: names.fieldManager,
      timeoutMs: 1_000,
      wait: false,
      skip: [],
      ...options,
    } as const,
  };
}

const runs: Readonly<Record<Way, (run: Run) => Promise<Report>>> = {
  bundle: (run) => {
    const { deps, options } = common(run);
    const contents = contentsOf("8.0.2-2");
    const none = { registry: undefined, pullSecret: undefined, takeFields: [], allowObjects: [] };
    const part = bundlePart({ ...options, ...none, contents });
    return runPart(deps, part, { dryRun: options.dryRun, limitMs: options.timeoutMs });
  },
  chart: (run) => {
    const { deps, options } = common(run);
    return upgradeByChart(
      {
        ...deps,

        helm: {
          find: () => Promise.resolve({ name: "operator", chart: "c-7.8.2-6", status: "deployed" }),
          values: () => Promise.resolve({}),
          upgrade: () => {
            run.helm.push(false);
            return Promise.resolve();
          },
          render: () => {
            run.helm.push(true);
            return Promise.resolve({
              objects: example.map(image(":8.0.2-2")).filter(isOperator),
              values: {},
            });
          },
          manifest: () => Promise.resolve({ objects: [] }),
          folderDefinitions: () => Promise.resolve([]),
          rollback: () => Promise.resolve(),
        },
      },
      {
        ...options,
        ...{
          chart: "./c",
          releaseName: "operator",
          version: "8.0.2-2",
          values: [],
          given: [],
          applyCrds: false,
          home: "Secrets",
        },
        takeFields: [],
      },
    );
  },
};

interface ChartPorts extends AskingPorts {
  readonly helm: Helm;
}

async function upgradeByChart(
  { helm, ...ports }: ChartPorts,
  options: ChartOptions,
): Promise<Report> {
  const part = chartPart({ ...options, withHelm: (work) => work(helm) });
  const { dryRun, timeoutMs: limitMs } = options;
  return await runPart(ports, part, { dryRun, limitMs });
}

const ways: readonly Way[] = ["bundle", "chart"];

describe.each(ways)("by %s", (way) => {
  test("where all of it holds, the upgrade is planned", async () => {
    const { report } = await upgraded(same, { way });
    const errors = report.findings?.filter(({ severity }) => severity === "error");
    expect([report.exit.code, errors]).toEqual([0, []]);
  });

  test("an operator of another namespace, which shares the definitions, is told: 0", async () => {
    const change: Copying = (object) =>
      object.kind === "Deployment"
        ? [object, { ...object, metadata: { ...object.metadata, namespace: "elsewhere" } }]
        : object;
    const { report } = await upgraded(change, { way });
    expect(report.exit.code).toBe(0);
    expect(report.findings).toContainEqual(
      expect.objectContaining({
        code: "DEFINITION-SHARED",
        severity: "warning",
        cause: "operators are also in elsewhere (7.8.2-6)",
      }),
    );
  });

  test.each<[string, Change, string]>([
    ["a license that is not valid", license({ licenseState: "Invalid" }), "CLUSTER-LICENSE"],
    [
      "a module at the end of its life, which no database uses",
      (object) => oldRelease(graphInstalled(object) ?? object),
      "MODULE-END-OF-LIFE",
    ],
    ["an operator before 7.4.2-2", image(":7.4.2-1"), "OPERATOR-TOO-OLD"],
    [
      "an operator that does not report its release",
      image("@sha256:00"),
      "OPERATOR-VERSION-UNKNOWN",
    ],
    // an operator that starts stops where one of these is missing
    ["no Role in a managed namespace", without("Role"), "RBAC-ROLE-ABSENT"],
    ["no RoleBinding in a managed namespace", without("RoleBinding"), "RBAC-BINDING-ABSENT"],
    ["a managed namespace that is gone", without("Namespace"), "RBAC-NAMESPACE-ABSENT"],
    [
      "a managed namespace that is being deleted and has lost its Role",
      leavingWithout("Role"),
      "RBAC-NAMESPACE-LOST",
    ],
    [
      "a managed namespace that is being deleted and has lost its RoleBinding",
      leavingWithout("RoleBinding"),
      "RBAC-NAMESPACE-LOST",
    ],
  ])("%s: 3 with its code, nothing is written", async (_, change, code) => {
    for (const dryRun of ["none", "server"] as const) {
      const { report, writes } = await upgraded(change, { way, options: { dryRun } });
      expect([report.exit.code, writes]).toEqual([3, []]);
      expect(report.findings?.map((finding) => finding.code)).toContain(code);
      expect(report.exit.next).toMatch(/./);
    }
  });

  test("a managed namespace that is being deleted and has all of it stands in nobody's way", async () => {
    const { report } = await upgraded(leavingWithout("nothing"), { way });
    expect(report.exit.code).toBe(0);
  });

  test("a database on a channel is named where its cluster follows the operator automatically", async () => {
    const auto = over(names.ec.kind, "spec", { autoUpgradeEngineEnterprise: true });
    const onChannel = (change: Change): Change => {
      const channel = over(names.edb.kind, "spec", { engineVersion: "latest" });
      return (object) => {
        const changed = change(object);
        const follows = changed?.metadata.name === "sessions";
        return changed !== undefined && follows ? channel(changed) : changed;
      };
    };
    const object = `${names.edb.kind}/shop/sessions`;
    const told = (await upgraded(onChannel(auto), { way })).report.findings;
    const found = told?.filter(({ code }) => code === "DATABASE-CHANNEL");
    expect(found).toMatchObject([{ severity: "warning", object }]);
    expect(found?.[0]?.cause).toContain("with 8.0.2-17 it may go from 7.2");
    const { report } = await upgraded(onChannel(same), { way });
    expect(report.findings?.map(({ code }) => code)).not.toContain("DATABASE-CHANNEL");
    const skip = [{ code: "DATABASE-CHANNEL", object }];
    const accepted = await upgraded(onChannel(auto), { way, options: { skip } });
    expect(accepted.report.findings).toContainEqual(
      expect.objectContaining({ code: "DATABASE-CHANNEL", accepted: true }),
    );
  });

  test("a whole upgrade that has checked it already is not held up", async () => {
    const options = { skip: undefined } as unknown as Partial<OperatorOptions>;
    const { report } = await upgraded(license(undefined), { way, options });
    expect(report.exit.code).toBe(0);
  });

  test("what is accepted by name is shown, and the upgrade is planned", async () => {
    const skip = [{ code: "CLUSTER-LICENSE-UNKNOWN", object: ec }];
    const { report } = await upgraded(license(undefined), { way, options: { skip } });
    expect(report.exit.code).toBe(0);
    const accepted = report.findings?.filter((finding) => finding.accepted);
    expect(accepted).toMatchObject([{ ...skip[0], accepted: true }]);
  });

  test("a skip that matches nothing is wrong usage", async () => {
    const skip = [{ code: "CLUSTER-LICENSE-UNKNOWN", object: "x" }, { code: "LICENSE-EXPIRED" }];
    const { report, writes } = await upgraded(license(undefined), {
      way,
      options: { skip, dryRun: "none" },
    });
    expect([report.exit.code, writes]).toEqual([2, []]);
    expect(report.exit.reason).toContain("LICENSE-EXPIRED matches no finding");
    expect(report.exit.reason).toContain("CLUSTER-LICENSE-UNKNOWN=x matches no finding");
  });
});

const forbidden = new ApiError("forbidden", { status: 403 });

test("a list that may not be read ends it with 4 and the Role to ask for", async () => {
  const blind = (inner: KubeClient): KubeClient =>
    Object.create(inner, {
      list: {
        value: (...args: Parameters<KubeClient["list"]>) =>
          args[0].plural === names.edb.plural ? Promise.reject(forbidden) : inner.list(...args),
      },
    }) as KubeClient;
  const plane = makeWorld({ objects: example }).controlPlane;
  const before = plane.state;
  const cluster = blind(plane.connect({ user: admin, namespace: ns }));
  const report = await runs.bundle({ cluster, helm: [], options: { dryRun: "none" } });
  expect([report.exit.code, plane.state === before]).toEqual([4, true]);
  expect(report.permissions?.missing).toEqual([
    expect.stringContaining(`list ${names.edb.plural}`) as string,
  ]);
});

class Failed extends EngineError {
  readonly code = "HELM-FAILED";
  readonly exitCode = exitCodes.failed;
}

const mine = {
  labels: { "app.kubernetes.io/managed-by": "Helm" },
  annotations: { "meta.helm.sh/release-name": "operator" },
};

const anOperator = (image: string, marks: KubeObject["metadata"] = mine): KubeObject => {
  const object = inPlace(deployment({ version: "8.0.2-2", openshift: "false", image }));
  return { ...object, metadata: { ...object.metadata, ...marks } };
};

interface ChartWish {
  readonly marks?: KubeObject["metadata"];
  readonly release?: ChartRelease | undefined;
  readonly openshift?: true;
  readonly helmSets?: true;
  readonly fails?: true;
  readonly absent?: true;
  /** The operator's image once helm is done; absent: what it renders. */
  readonly becomes?: string;
  /** What helm renders as the operator's image, and the values that were given. */
  readonly image?: string;
  readonly values?: Json;
  /** What the cluster has, where it is not release 7.22.0-7. */
  readonly runs?: string;
  readonly rollback?: "fails" | "does nothing";
}

const imageAt = (version: string): string => `${names.images.operator}:${version}`;

async function byChart(wish: ChartWish, options: Partial<ChartOptions> = {}) {
  const scene = await aScene();
  const { cluster, clock } = scene;
  const found = wish.runs ?? imageAt("7.22.0-7");
  if (wish.absent !== true) await cluster.create(anOperator(found, wish.marks));
  const calls: ChartUpgrade[] = [];
  const rendered: string[] = [];
  const rolledBack: string[] = [];
  const write = async (image: string): Promise<void> => {
    await cluster.apply(anOperator(image), { fieldManager: "helm", force: true });
  };
  const chart = `${names.operator.chart}-7.22.0-7`;
  let release = "release" in wish ? wish.release : { name: "operator", chart, status: "deployed" };
  const serves = (group: string) =>
    Promise.resolve(
      wish.openshift === true && group === "config.openshift.io"
        ? [{ group, version: "v1", plural: "x", kind: "X" }]
        : undefined,
    );
  const served = Object.assign(Object.create(cluster) as KubeClient, { serves });
  const ports = portsOf(aWitness(), { kind: "UpgradeOperator", cluster: served, clock });
  const report: Report = await upgradeByChart(
    {
      ...ports,

      helm: {
        find: () => Promise.resolve(release),
        values: () => Promise.resolve(wish.helmSets === true ? { openshift: { mode: true } } : {}),
        upgrade: async (call) => {
          calls.push(call);
          if (wish.fails === true) throw new Failed("helm upgrade failed: no such chart");
          release = {
            name: "operator",
            chart: `${names.operator.chart}-${call.version}`,
            status: "deployed",
          };
          await write(wish.becomes ?? wish.image ?? imageAt(call.version));
        },
        render: ({ version }, mode) => {
          rendered.push(mode);
          if (wish.fails === true) throw new Failed("helm upgrade failed: no such chart");
          const object = anOperator(wish.image ?? imageAt(version));
          const metadata = omit(object.metadata, "namespace");
          const objects = ["odd", { kind: "Deployment" }, { ...object, metadata }];
          return Promise.resolve({ objects, values: wish.values ?? {} });
        },
        manifest: () => Promise.resolve({ objects: [] }),
        folderDefinitions: () => Promise.resolve([]),
        rollback: async (name) => {
          rolledBack.push(name);
          if (wish.rollback === "fails") throw new Failed("helm rollback failed: no such revision");
          if (wish.rollback === undefined) await write(found);
        },
      },
    },
    {
      namespace: ns,
      dryRun: "none",
      fieldManager: names.fieldManager,
      timeoutMs: 60_000,
      wait: false,
      chart: "./chart",
      releaseName: "operator",
      version: "8.0.2-2",
      values: [],
      given: [],
      applyCrds: false,
      home: "Secrets",
      takeFields: [],
      ...options,
    },
  );
  return { report, calls, rendered, rolledBack, images: await imagesIn(cluster) };
}

async function imagesIn(cluster: KubeClient): Promise<readonly string[]> {
  const resource = kinds.deployment;
  const ref = { resource, name: names.operator.deployment, namespace: ns };
  return [...new Set(listImages(await cluster.get(ref)).values())];
}

test("helm upgrades, and the report says from what to what", async () => {
  const { report, calls } = await byChart({});
  expect([report.exit.code, calls.length]).toEqual([0, 1]);
  expect(calls[0]).toMatchObject({ sets: [] });
  expect(report.details).toMatchObject({
    before: { operator: "7.22.0-7" },
    after: { operator: "8.0.2-2", chart: `${names.operator.chart}-8.0.2-2` },
  });
});

test.each([
  ["that version is there", {}, { version: "7.22.0-7" }, 0],
  ["that version is there, and values are given", {}, { version: "7.22.0-7", values: ["f"] }, 1],
  [
    "that version is there, and a value is set",
    {},
    { version: "7.22.0-7", given: [{ flag: "set", text: "a=1", of: "written" }] },
    1,
  ],
  [
    "that version is there, and the chart is got from elsewhere",
    {},
    { version: "7.22.0-7", given: [{ flag: "plain-http", of: "source" }] },
    0,
  ],
  ["OpenShift's mode is on", { openshift: true, helmSets: true }, { version: "7.22.0-7" }, 0],
  ["OpenShift's mode is off", { openshift: true }, { version: "7.22.0-7" }, 1],
] as const)("where %s, helm is called %#", async (...[, wish, options, count]) => {
  const { report, calls } = await byChart(wish, options);
  expect([report.exit.code, calls.length]).toEqual([0, count]);
});

const oldTag = imageAt("7.22.0-7");
const oldDigest = `hub.local/op@sha256:${"ab".repeat(32)}`;

test.each<[string, ChartWish, string]>([
  [
    "a tag",
    { image: oldTag, values: { operator: { image: { tag: "7.22.0-7" } } } },
    "operator.image.tag",
  ],
  ["a whole image", { image: oldTag, values: { image: oldTag, tag: 7 } }, "image"],
  [
    "an image below a registry",
    { image: `hub.local/${oldTag}`, values: { all: [{ image: oldTag }], registry: "hub.local" } },
    "all[0].image",
  ],
  [
    "a digest",
    { image: oldDigest, runs: oldDigest, values: { digest: `sha256:${"ab".repeat(32)}` } },
    "digest",
  ],
  ["a bare digest", { image: oldDigest, runs: oldDigest, values: { sha: "ab".repeat(32) } }, "sha"],
  ["a later release", { image: imageAt("8.0.6-8"), values: { tag: "8.0.6-8" } }, "tag"],
  [
    "a tag of a person's own",
    { image: imageAt("own"), runs: imageAt("own"), values: { tag: "own" } },
    "tag",
  ],
])("where a value pins %s the run ends before helm writes", async (_, wish, path) => {
  for (const dryRun of ["client", "server", "none"] as const) {
    const { report, calls, rendered } = await byChart(wish, { dryRun });
    expect([report.exit.code, calls, rendered]).toEqual([
      3,
      [],
      [dryRun === "client" ? "client" : "server"],
    ]);
    const pinned = report.findings?.filter(({ code }) => code === "OPERATOR-CHART-PINNED");
    expect(pinned).toMatchObject([
      {
        object: `Deployment/${ns}/${names.operator.deployment}`,
        cause: expect.stringContaining(`the value ${path} (`) as string,
        fix: expect.stringContaining(`in which ${path} is of 8.0.2-2`) as string,
      },
    ]);
  }
});

test("where the chart itself names another release, no value is blamed", async () => {
  const { report, calls } = await byChart({ image: oldTag, values: { replicas: 1 } });
  expect([report.exit.code, calls]).toEqual([3, []]);
  expect(report.exit.reason).toContain("the chart itself names it");
});

test("a chart that is there while an old operator runs is not up to date", async () => {
  const chart = `${names.operator.chart}-8.0.2-2`;
  const release = { name: "operator", chart, status: "deployed" };
  const values = { operator: { image: { tag: "7.22.0-7" } } };
  const pinned = await byChart({ release, image: oldTag, values });
  expect([pinned.report.exit.code, pinned.calls]).toEqual([3, []]);
  const drifted = await byChart({ release });
  expect([drifted.report.exit.code, drifted.calls.length]).toEqual([0, 1]);
  expect(drifted.images).toEqual([imageAt("8.0.2-2")]);
});

test.each<[string, ChartWish, Partial<ChartOptions>]>([
  ["an image of a person's own that was another before", { image: imageAt("own") }, {}],
  [
    "a digest that was another before",
    { image: oldDigest, runs: oldDigest.replaceAll("ab", "cd") },
    {},
  ],
  ["a chart's version that is no release", { image: oldTag }, { version: "1.2.3" }],
])("%s is not held against the chart", async (_, wish, options) => {
  const { report, calls } = await byChart(wish, options);
  expect([report.exit.code, calls.length]).toEqual([0, 1]);
});

test.each<[ChartWish["rollback"], number, string, readonly string[]]>([
  [undefined, 7, "helm's rollback brought the release before back", [oldTag]],
  ["fails", 8, "the rollback is incomplete: helm rollback failed", [imageAt("8.0.6-8")]],
  ["does nothing", 8, "the rollback is incomplete", [imageAt("8.0.6-8")]],
])("an image that is another than was rendered is rolled back (%s): %d", async (...row) => {
  const [rollback, code, says, images] = row;
  const wish = { becomes: imageAt("8.0.6-8"), ...(rollback !== undefined && { rollback }) };
  const result = await byChart(wish);
  expect([result.report.exit.code, result.rolledBack, result.images]).toEqual([
    code,
    ["operator"],
    images,
  ]);
  expect(result.report.exit.reason).toContain(says);
  expect(result.report.exit.next).toMatch(/./);
});

test.each(["client", "server"] as const)("a dry run (%s) plans one upgrade", async (dryRun) => {
  const { report, calls, rendered } = await byChart({ openshift: true }, { dryRun });
  expect([report.exit.code, calls, rendered]).toEqual([0, [], [dryRun, dryRun]]);
  expect(report.steps?.slice(0, 2)).toMatchObject([
    { action: "chart", result: "planned", write: { reverse: "helm rollback operator" } },
    { action: "apply", result: "planned", write: { reverse: "helm rollback operator" } },
  ]);
  const there = await byChart({}, { dryRun, version: "7.22.0-7" });
  expect(there.report.exit.reason).toContain("up to date already");
});

test.each([
  ["a bundle", { marks: {}, release: undefined }, "OPERATOR-NOT-CHART", "kubectl label deployment"],
  [
    "another release",
    { marks: { ...mine, annotations: { "meta.helm.sh/release-name": "other" } } },
    "OPERATOR-CHART-TWICE",
    "--release-name other",
  ],
  ["nothing", { absent: true, release: undefined }, "OPERATOR-NOT-CHART", "--release"],
  ["OLM", { marks: { labels: { "olm.managed": "true" } } }, "OPERATOR-OWNED", "InstallPlan"],
  [
    "a helm that was cut off",
    { release: { name: "operator", chart: "c", status: "pending-upgrade" } },
    "OPERATOR-CHART-PENDING",
    "helm rollback operator",
  ],
] as const)("over %s nothing is done", async (...[, wish, code, fix]) => {
  const { report, calls } = await byChart(wish);
  expect([report.exit.code, calls]).toEqual([5, []]);
  expect(report.findings).toMatchObject([{ code, fix: expect.stringContaining(fix) as string }]);
});

test("a failure of helm is told with its words", async () => {
  const { report } = await byChart({ fails: true });
  expect(report.exit).toMatchObject({ code: 1, reason: "helm upgrade failed: no such chart" });
});
