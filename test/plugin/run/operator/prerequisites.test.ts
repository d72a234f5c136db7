/** What has to hold before the operator is upgraded, by bundle and by chart (S113, S121-S125). */
import { defaultNames as names } from "../../../../plugin/domain/names";
import type { KubeObject } from "../../../../plugin/domain/objects";
import { exampleSource } from "../../../../plugin/rehearsal/example";
import { upgradeByBundle } from "../../../../plugin/run/operator/bundle";
import { type ChartOptions, upgradeByChart } from "../../../../plugin/run/operator/chart";
import type { OperatorOptions } from "../../../../plugin/run/operator/read";
import type { Cluster } from "../../../../plugin/run/ports";
import type { Report } from "../../../../plugin/run/report";
import { ApiError, EngineError, exitCodes } from "../../../../plugin/domain/errors";
import { testTime } from "../../../support/manual-clock";
import { aControlPlane, admin } from "../../rehearsal/memory-cluster";
import { aWitness, portsOf } from "../world";
import { aScene, contentsOf, inPlace, ns } from "./scene";
import type { ChartRelease, ChartUpgrade } from "../../../../plugin/domain/operator/refusals";
import { deployment } from "../../../support/releases/operator";
import type { ReleaseVersion } from "../../../support/releases/versions";

let example: readonly KubeObject[] = [];
beforeAll(async () => {
  example = (await exampleSource(names, testTime)).objects;
});

type Change = (object: KubeObject) => KubeObject;
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

interface Wish {
  readonly way?: Way;
  readonly options?: Partial<OperatorOptions>;
}

async function upgraded(change: Change, { way = "bundle", options }: Wish = {}) {
  const objects = example.map(change).map(way === "chart" ? ofChart : same);
  const plane = aControlPlane(objects);
  const before = plane.state;
  const cluster = plane.connect({ user: admin, namespace: ns });
  const helm: boolean[] = [];
  const report = await runs[way]({ cluster, helm, options: options ?? {} });
  const writes = [plane.state === before ? [] : ["a write"], helm.filter((dryRun) => !dryRun)];
  return { report, writes: writes.flat() };
}

const same: Change = (object) => object;
const ofChart: Change = (object) =>
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
  readonly cluster: Cluster;
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
    const flags = { ...none, contents };
    return upgradeByBundle(deps, { ...options, ...flags });
  },
  chart: (run) => {
    const { deps, options } = common(run);
    return upgradeByChart(
      {
        ...deps,
        helmCommand: (words) => words.join(" "),
        helm: {
          find: () => Promise.resolve({ name: "operator", chart: "c-7.8.2-6", status: "deployed" }),
          values: () => Promise.resolve({}),
          upgrade: ({ dryRun }) => {
            run.helm.push(dryRun);
            return Promise.resolve();
          },
        },
      },
      { ...options, chart: "./c", releaseName: "operator", version: "8.0.2-2", values: undefined },
    );
  },
};

const ways: readonly Way[] = ["bundle", "chart"];

describe.each(ways)("by %s", (way) => {
  test("where all of it holds, the upgrade is planned", async () => {
    const { report } = await upgraded(same, { way });
    const errors = report.findings?.filter(({ severity }) => severity === "error");
    expect([report.exit.code, errors]).toEqual([0, []]);
  });

  test.each<[string, Change, string]>([
    ["a license that is not valid", license({ licenseState: "Invalid" }), "CLUSTER-LICENSE"],
    ["an operator before 7.4.2-2", image(":7.4.2-1"), "OPERATOR-TOO-OLD"],
    [
      "an operator that does not report its release",
      image("@sha256:00"),
      "OPERATOR-VERSION-UNKNOWN",
    ],
  ])("%s: 3 with its code, nothing is written", async (_, change, code) => {
    for (const dryRun of ["none", "server"] as const) {
      const { report, writes } = await upgraded(change, { way, options: { dryRun } });
      expect([report.exit.code, writes]).toEqual([3, []]);
      expect(report.findings?.map((finding) => finding.code)).toContain(code);
      expect(report.exit.next).toMatch(/./);
    }
  });

  test("a whole upgrade that has judged it already is not held up", async () => {
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
  const blind = (inner: Cluster): Cluster =>
    Object.create(inner, {
      list: {
        value: (...args: Parameters<Cluster["list"]>) =>
          args[0].plural === names.edb.plural ? Promise.reject(forbidden) : inner.list(...args),
      },
    }) as Cluster;
  const plane = aControlPlane(example);
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

const anOperator = (version: ReleaseVersion, marks: KubeObject["metadata"] = mine): KubeObject => {
  const image = `${names.images.operator}:${version}`;
  const object = inPlace(deployment({ version, openshift: "false", image }));
  return { ...object, metadata: { ...object.metadata, ...marks } };
};

interface ChartWish {
  readonly marks?: KubeObject["metadata"];
  readonly release?: ChartRelease | undefined;
  readonly openshift?: true;
  readonly helmSets?: true;
  readonly fails?: true;
  readonly absent?: true;
}

async function byChart(wish: ChartWish, options: Partial<ChartOptions> = {}) {
  const scene = await aScene();
  const { cluster, clock } = scene;
  if (wish.absent !== true) await cluster.create(anOperator("7.22.0-7", wish.marks));
  const calls: ChartUpgrade[] = [];
  const chart = `${names.operator.chart}-7.22.0-7`;
  let release = "release" in wish ? wish.release : { name: "operator", chart, status: "deployed" };
  const serves = (group: string) =>
    Promise.resolve(
      wish.openshift === true && group === "config.openshift.io"
        ? [{ group, version: "v1", plural: "x", kind: "X" }]
        : undefined,
    );
  const served = Object.assign(Object.create(cluster) as Cluster, { serves });
  const ports = portsOf(aWitness(), { kind: "UpgradeOperator", cluster: served, clock });
  const report: Report = await upgradeByChart(
    {
      ...ports,
      helmCommand: (words) => words.join(" "),
      helm: {
        find: () => Promise.resolve(release),
        values: () => Promise.resolve(wish.helmSets === true ? { openshift: { mode: true } } : {}),
        upgrade: async (call) => {
          calls.push(call);
          if (wish.fails === true) throw new Failed("helm upgrade failed: no such chart");
          if (call.dryRun) return;
          release = {
            name: "operator",
            chart: `${names.operator.chart}-${call.version}`,
            status: "deployed",
          };
          const object = anOperator("8.0.2-2");
          await cluster.apply(object, { fieldManager: "helm", force: true });
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
      values: undefined,
      ...options,
    },
  );
  return { report, calls };
}

test("helm upgrades, and the report says from what to what", async () => {
  const { report, calls } = await byChart({});
  expect([report.exit.code, calls.length]).toEqual([0, 1]);
  expect(calls[0]).toMatchObject({ sets: [], dryRun: false });
  expect(report.details).toMatchObject({
    before: { operator: "7.22.0-7" },
    after: { operator: "8.0.2-2", chart: `${names.operator.chart}-8.0.2-2` },
  });
});

test.each([
  ["that version is there", {}, { version: "7.22.0-7" }, 0],
  ["that version is there, and values are given", {}, { version: "7.22.0-7", values: "f" }, 1],
  ["OpenShift's mode is on", { openshift: true, helmSets: true }, { version: "7.22.0-7" }, 0],
  ["OpenShift's mode is off", { openshift: true }, { version: "7.22.0-7" }, 1],
] as const)("where %s, helm is called %#", async (...[, wish, options, count]) => {
  const { report, calls } = await byChart(wish, options);
  expect([report.exit.code, calls.length]).toEqual([0, count]);
});

test.each([
  ["client", 0],
  ["server", 1],
] as const)("a dry run (%s) plans one upgrade", async (dryRun, count) => {
  const { report, calls } = await byChart({ openshift: true }, { dryRun });
  expect([report.exit.code, calls.length]).toEqual([0, count]);
  expect(calls.every((call) => call.dryRun)).toBe(true);
  expect(report.steps).toMatchObject([
    { action: "chart", result: "planned", write: { reverse: "helm rollback operator" } },
  ]);
  const there = await byChart({}, { dryRun, version: "7.22.0-7" });
  expect(there.report.exit.reason).toContain("up to date already");
});

test.each([
  ["a bundle", { marks: {}, release: undefined }, "OPERATOR-NOT-CHART", "kubectl label deployment"],
  [
    "another release",
    { marks: { ...mine, annotations: { "meta.helm.sh/release-name": "other" } } },
    "OPERATOR-NOT-CHART",
    "--release-name other",
  ],
  ["nothing", { absent: true, release: undefined }, "OPERATOR-NOT-CHART", "--release"],
  ["OLM", { marks: { labels: { "olm.owner": "x" } } }, "OPERATOR-OWNED", "InstallPlan"],
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
