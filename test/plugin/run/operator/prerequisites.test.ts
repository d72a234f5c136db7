/** What has to hold before the operator is upgraded, by bundle and by chart (S113, S121-S125). */
import { defaultNames as names } from "../../../../plugin/domain/names";
import type { KubeObject } from "../../../../plugin/domain/objects";
import { exampleSource } from "../../../../plugin/rehearsal/example";
import { upgradeByBundle } from "../../../../plugin/run/operator/bundle";
import { upgradeByChart } from "../../../../plugin/run/operator/chart";
import type { OperatorOptions } from "../../../../plugin/run/operator/deps";
import type { Cluster } from "../../../../plugin/run/ports";
import { Recorder } from "../../../../plugin/run/engine/recorder";
import type { Report } from "../../../../plugin/run/report";
import { ApiError } from "../../../../plugin/domain/errors";
import { testTime } from "../../../support/manual-clock";
import { aControlPlane, admin } from "../../rehearsal/memory-cluster";
import { contentsOf, ns } from "./scene";

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
  const base = { kind: "UpgradeOperator", target: { server: "", namespace: ns } };
  return {
    deps: {
      cluster,
      clock,
      names,
      signal: new AbortController().signal,
      recorder: new Recorder(base, { clock, event: () => undefined }),
      journal: {
        problem: () => Promise.resolve(undefined),
        intent: () => Promise.resolve(),
        outcome: () => Promise.resolve(),
        save: () => Promise.resolve(""),
      },
      yaml: (documents: readonly unknown[]) => JSON.stringify(documents),
      command: (words: readonly string[]) => words.join(" "),
    },
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
    ["a license that is not told", license(undefined), "CLUSTER-LICENSE-UNKNOWN"],
    [
      "a database below 7.2",
      over(names.edb.kind, "spec", { engineVersion: "6.2" }),
      "CLUSTER-DATABASE-OLD",
    ],
    [
      "a database that does not tell its version",
      (object) =>
        over(names.edb.kind, "spec", { engineVersion: undefined })(
          over(names.edb.kind, "status", { version: undefined })(object),
        ),
      "CLUSTER-DATABASE-UNKNOWN",
    ],
    ["an operator before 7.4.2-2", image(":7.4.2-1"), "OPERATOR-TOO-OLD"],
    ["an operator that does not tell its release", image("@sha256:00"), "OPERATOR-VERSION-UNKNOWN"],
  ])("%s: 3 with its code, nothing is written", async (_, change, code) => {
    for (const dryRun of ["none", "server"] as const) {
      const { report, writes } = await upgraded(change, { way, options: { dryRun } });
      expect([report.exit.code, writes]).toEqual([3, []]);
      expect(report.findings?.map((finding) => finding.code)).toContain(code);
      expect(report.exit.next).toMatch(/./);
    }
  });

  test("a module that is installed needs no definition where the EC has no place for it", async () => {
    const uses = (object: KubeObject): KubeObject =>
      over(names.edb.kind, "spec", { modulesList: [{ name: "rg" }] })(
        over(names.ec.kind, "status", { modules: [{ name: "rg" }] })(object),
      );
    const older: Change = (object) =>
      JSON.parse(
        JSON.stringify(uses(object)).replaceAll('"userDefinedModules":', '"other":'),
      ) as KubeObject;
    const codesOf = async (change: Change) =>
      (await upgraded(change, { way })).report.findings?.map(({ code }) => code);
    expect(await codesOf(uses)).toContain("CLUSTER-MODULE-UNDEFINED");
    expect(await codesOf(older)).not.toContain("CLUSTER-MODULE-UNDEFINED");
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
