/** The upgrade of the operator by a chart, with a helm that does as it is told. */
import { EngineError, exitCodes } from "../../../../plugin/domain/errors";
import { defaultNames as names } from "../../../../plugin/domain/names";
import type { KubeObject } from "../../../../plugin/domain/objects";
import type { ChartRelease, ChartUpgrade } from "../../../../plugin/domain/operator/refusals";
import { type ChartOptions, upgradeByChart } from "../../../../plugin/run/operator/chart";
import { Recorder } from "../../../../plugin/run/engine/recorder";
import type { Report } from "../../../../plugin/run/report";
import { deployment } from "../../../support/releases/operator";
import type { ReleaseVersion } from "../../../support/releases/versions";
import { aScene, inPlace, ns } from "./scene";

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

interface Wish {
  readonly marks?: KubeObject["metadata"];
  readonly release?: ChartRelease | undefined;
  readonly openshift?: true;
  readonly helmSets?: true;
  readonly fails?: true;
  readonly absent?: true;
}

async function upgraded(wish: Wish, options: Partial<ChartOptions> = {}) {
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
  const report: Report = await upgradeByChart(
    {
      cluster: Object.assign(Object.create(cluster) as typeof cluster, {
        get: cluster.get.bind(cluster),
        list: cluster.list.bind(cluster),
        can: cluster.can.bind(cluster),
        version: cluster.version.bind(cluster),
        serves,
      }),
      clock,
      names,
      signal: new AbortController().signal,
      recorder: new Recorder(
        { kind: "UpgradeOperator", target: { server: "", namespace: ns } },
        { clock, event: () => undefined },
      ),
      journal: {
        problem: () => Promise.resolve(undefined),
        intent: () => Promise.resolve(),
        outcome: () => Promise.resolve(),
        save: () => Promise.resolve(""),
      },
      yaml: (documents) => JSON.stringify(documents),
      command: (words) => words.join(" "),
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
  const { report, calls } = await upgraded({});
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
  const { report, calls } = await upgraded(wish, options);
  expect([report.exit.code, calls.length]).toEqual([0, count]);
});

test.each([
  ["client", 0],
  ["server", 1],
] as const)("a dry run (%s) plans one upgrade", async (dryRun, count) => {
  const { report, calls } = await upgraded({ openshift: true }, { dryRun });
  expect([report.exit.code, calls.length]).toEqual([0, count]);
  expect(calls.every((call) => call.dryRun)).toBe(true);
  expect(report.steps).toMatchObject([
    { action: "chart", result: "planned", write: { reverse: "helm rollback operator" } },
  ]);
  const there = await upgraded({}, { dryRun, version: "7.22.0-7" });
  expect(there.report.exit.reason).toContain("as wanted already");
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
  const { report, calls } = await upgraded(wish);
  expect([report.exit.code, calls]).toEqual([5, []]);
  expect(report.findings).toMatchObject([{ code, fix: expect.stringContaining(fix) as string }]);
});

test("a failure of helm is told with its words", async () => {
  const { report } = await upgraded({ fails: true });
  expect(report.exit).toMatchObject({ code: 1, reason: "helm upgrade failed: no such chart" });
});
