/** The definitions of a chart's crds/ folder, which helm makes with an install and never upgrades. */
import { EngineError, exitCodes } from "../../../../plugin/domain/base/errors";
import { defaultNames as names } from "../../../../plugin/domain/names/names";
import { kinds } from "../../../../plugin/domain/kube/kinds";
import type { KubeObject } from "../../../../plugin/domain/kube/objects";
import { lostBetween, markRelease } from "../../../../plugin/commands/upgrade-operator/definitions";
import { bundleOf } from "../../../support/releases/tree";
import { codesOf } from "../world";
import { type ChartWish, runChart } from "./chart-scene";
import { ns } from "./scene";

const isDefinition = ({ kind }: KubeObject): boolean => kind === kinds.definition.kind;
const definitionsOf = (version: "7.22.0-7" | "8.0.2-2") => bundleOf(version).filter(isDefinition);
const [older, newer] = [definitionsOf("7.22.0-7"), definitionsOf("8.0.2-2")];
const own = `${names.ec.plural}.${names.group}`;
const ref = { resource: kinds.definition, name: own };
const label = `${kinds.definition.kind}/${own}`;
const plan = { dryRun: "server" } as const;
const call = `chart Release/${ns}/operator`;

/** Helm's install makes them without its marks. */
const installed =
  (definitions: readonly KubeObject[]): NonNullable<ChartWish["change"]> =>
  async ({ cluster }) => {
    for (const one of definitions) await cluster.create(one, { fieldManager: "helm" });
  };

/** A chart whose definitions are in crds/; `held` is what the cluster has of them. */
function aChart({
  held = older,
  folder = newer,
  ...wish
}: ChartWish & { readonly held?: readonly KubeObject[] } = {}): ChartWish {
  const rest = (version: "7.22.0-7" | "8.0.2-2"): readonly KubeObject[] =>
    bundleOf(version).filter((object) => !isDefinition(object));
  return {
    ...{ deployed: rest("7.22.0-7"), rendered: rest("8.0.2-2"), folder },
    ...{ change: installed(held), ...wish },
  };
}

test("what helm leaves behind the chart is told, and is written by --apply-crds before helm runs", async () => {
  const { report, steps, scene } = await runChart(aChart({ options: plan }));
  expect([report.exit.code, scene.writes.slice(older.length)]).toEqual([0, []]);
  expect(new Set(codesOf(report))).toEqual(new Set(["OPERATOR-CHART-CRDS"]));
  expect(report.findings).toContainEqual(
    expect.objectContaining({
      ...{ object: label, severity: "warning" },
      cause: expect.stringContaining("the stored definition differs in .spec.versions") as string,
      fix: expect.stringContaining("--apply-crds") as string,
    }),
  );
  expect(steps.join()).not.toContain(label);

  const planned = await runChart(aChart({ options: { ...plan, applyCrds: true } }));
  expect([planned.report.exit.code, codesOf(planned.report)]).toEqual([0, []]);
  expect(planned.upgrades).toEqual([]);
  expect(planned.steps).toContain(`apply ${label} planned`);
  expect(planned.steps.indexOf(`apply ${label} planned`)).toBeLessThan(
    planned.steps.indexOf(`${call} planned`),
  );

  const real = await runChart(aChart({ options: { applyCrds: true } }));
  expect([real.report.exit.code, real.upgrades]).toEqual([0, ["8.0.2-2"]]);
  expect(real.steps.indexOf(`apply ${label} changed`)).toBeLessThan(
    real.steps.indexOf(`${call} changed`),
  );
  const stored = await real.scene.cluster.get(ref);
  expect(
    newer
      .filter(({ metadata }) => metadata.name === own)
      .flatMap((wanted) => lostBetween(wanted, stored ?? wanted)),
  ).toEqual([]);
});

test("the chart at its version already, --apply-crds writes the definitions alone", async () => {
  const options = { applyCrds: true, version: "7.22.0-7" };
  const { report, upgrades, steps } = await runChart(aChart({ options }));
  expect([report.exit.code, upgrades]).toEqual([0, []]);
  expect(report.exit.reason).toContain("the definitions of its crds/ folder were applied");
  expect(steps).toContain(`apply ${label} changed`);
  const dry = await runChart(aChart({ options: { ...options, ...plan } }));
  expect(dry.report.exit.reason).toMatch(/^dry run: \d+ writes? planned, nothing was changed$/);
  const again = await runChart(aChart({ held: newer, options }));
  expect(again.report.exit.reason).toContain("nothing was written");
});

test("fields that the stored definition lacks are named", async () => {
  const lacking = older.map(
    (definition) =>
      JSON.parse(JSON.stringify(definition).replaceAll('"nodes":', '"others":')) as KubeObject,
  );
  const { report } = await runChart(aChart({ held: lacking, options: plan }));
  expect(report.findings?.find(({ object }) => object === label)?.cause).toMatch(/lacks .*\.nodes/);
});

test.each<[string, ChartWish & { readonly held?: readonly KubeObject[] }, number, string[]]>([
  ["the stored ones are the chart's", { held: newer }, 0, []],
  ["the stored ones are newer", { held: markedAs("8.0.18-11"), folder: older }, 0, []],
  ["none is there", { held: [] }, 3, ["OPERATOR-CHART-CRDS-ABSENT"]],
  [
    "one of another product is not there",
    { held: newer, folder: [another()] },
    0,
    ["OPERATOR-CHART-CRDS"],
  ],
])("where %s", async (_, wish, code, codes) => {
  const { report, upgrades } = await runChart(aChart({ ...wish, options: plan }));
  expect([report.exit.code, upgrades]).toEqual([code, []]);
  expect([...new Set(codesOf(report))]).toEqual(codes);
  if (code === 0) return;
  const { report: real, upgrades: calls, scene } = await runChart(aChart(wish));
  expect([real.exit.code, calls, scene.writes]).toEqual([code, [], []]);
});

function markedAs(release: string): readonly KubeObject[] {
  return newer.map((definition) => markRelease(definition, release, names));
}

function another(): KubeObject {
  const [first = { apiVersion: "", kind: "", metadata: {} }] = newer;
  return { ...first, metadata: { name: "others.example.com" } };
}

test("a Job of the chart brings them itself", async () => {
  const job = { apiVersion: "batch/v1", kind: "Job", metadata: { name: "crds" } };
  const hooks = [{ object: job, weight: 0, events: ["pre-upgrade"], deletePolicies: [] }];
  const { report } = await runChart(aChart({ hooks, options: plan }));
  expect([report.exit.code, codesOf(report)]).toEqual([0, []]);
});

test("a folder that helm does not show is a note, and an error where it is to be applied", async () => {
  class HelmError extends EngineError {
    readonly code = "HELM-FAILED";
    readonly exitCode = exitCodes.failed;
  }
  const folder = new HelmError("helm show crds failed: no such chart");
  const { report, notes } = await runChart(aChart({ folder, options: plan }));
  expect([report.exit.code, codesOf(report)]).toEqual([0, []]);
  expect(notes.join()).toContain(
    "crds/ folder differ from the stored ones is not known: helm show",
  );
  const refused = await runChart(aChart({ folder, held: [], options: { applyCrds: true } }));
  expect([refused.report.exit.code, refused.upgrades, refused.scene.writes]).toEqual([1, [], []]);
});

test("definitions that are written and stay are told where helm then fails", async () => {
  const { report } = await runChart(aChart({ options: { applyCrds: true }, fails: true }));
  expect(report.exit.reason).toMatch(
    /writes? to the definitions of the chart's crds\/ folder stays?/,
  );
});
