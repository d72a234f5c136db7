/** What is read of a chart's release, and how a plan and a run name what is done with it. */
import { getPath } from "../../domain/base/values";
import { kinds } from "../../domain/kube/kinds";
import type { StepInfo } from "../../domain/kube/planned-write";
import type { Names } from "../../domain/names/names";
import { type ChartWish, strayImages } from "../../domain/operator/chart-images";
import { readChartMarks } from "../../domain/operator/chart-marks";
import { changesMore, type ChartUpgrade, isDeployed } from "../../domain/operator/refusals";
import { listImages, readOperatorVersion } from "../../domain/operator/wanted";
import type { ChartDeps, ChartOptions } from "./chart-options";
import { type ChartFacts, seekRelease } from "./chart-found";
import { readOwned, readPlatform, searchRecords } from "./read";

/** The operator's Deployment, the release, and what is needed to judge whose it is. */
export async function readChart(deps: ChartDeps, options: ChartOptions): Promise<ChartFacts> {
  const { cluster, names, helm, signal } = deps;
  const { namespace, releaseName } = options;
  const ref = { resource: kinds.deployment, name: names.operator.deployment, namespace };
  const [deployment, release] = await Promise.all([
    cluster.get(ref, { signal }),
    helm.find(releaseName),
  ]);
  const marks = deployment && readChartMarks(deployment);
  const isOther = marks !== undefined && marks.name !== releaseName;
  const marked = isOther ? await helm.find(marks.name) : undefined;
  const objects = deployment === undefined ? [] : [deployment];
  const owned = await readOwned(deps, namespace, { deployment, objects });
  const facts = { ...owned, release, marked };
  const sought = seekRelease(options, facts);
  if (sought === undefined) return facts;
  return { ...facts, search: await searchRecords(deps, sought) };
}

/** The call of helm, with what the platform needs. */
export async function describeUpgrade(
  { names, cluster }: ChartDeps,
  { releaseName, chart, version, values, given }: ChartOptions,
): Promise<ChartUpgrade> {
  const openShift = (await readPlatform(cluster)) === "openshift";
  const sets = openShift ? [`${names.operator.chartOpenShift}=true`] : [];
  return { name: releaseName, chart, version, sets, values, given };
}

/** True where that version is deployed, its operator runs, and no value is to be changed. */
export async function isUpToDate(
  deps: ChartDeps,
  options: ChartOptions,
  { before, upgrade }: { readonly before: ChartFacts; readonly upgrade: ChartUpgrade },
): Promise<boolean> {
  const { name, version, sets, ...more } = upgrade;
  const { deployment, release } = before;
  if (!isDeployed(release, version) || changesMore(more)) return false;
  const operator = describeOperator(deps, before, options);
  if (strayImages(deployment, operator).length > 0) return false;
  if (sets.length === 0) return true;
  const path = deps.names.operator.chartOpenShift.split(".");
  return getPath(await deps.helm.values(name), path) === true;
}

/** The operator that is asked for; where this version is deployed, its image may be a person's own build. */
export function describeOperator(
  { names }: Pick<ChartDeps, "names">,
  { deployment, release }: ChartFacts,
  { version, namespace }: Pick<ChartOptions, "version" | "namespace">,
): ChartWish {
  const live = isDeployed(release, version) ? undefined : deployment;
  return { version, live, namespace, names };
}

/** The step that stands for the release. */
export function releaseStep({ namespace, releaseName }: ChartOptions) {
  const object = `Release/${namespace}/${releaseName}`;
  return { id: "operator.chart", action: "chart", object } as const;
}

/** The step of helm's upgrade. */
export function callStep(options: ChartOptions, { chart, version, sets }: ChartUpgrade): StepInfo {
  const settings = sets.length === 0 ? "" : ` with ${sets.join(", ")}`;
  const why = `chart ${chart} at ${version}${settings}`;
  return { ...releaseStep(options), why, source: "S20, S21" };
}

/** `details` of the document, once the chart was read. */
export type ChartDetails = ReturnType<typeof describeChart>;

/** What helm changed: charts, operators, images before and after. */
export function describeChart(
  names: Names,
  release: string,
  { before, after }: { readonly before: ChartFacts; readonly after?: ChartFacts | undefined },
) {
  const shown = ({ deployment, release }: ChartFacts) => ({
    chart: release?.chart ?? "none",
    operator: readOperatorVersion(deployment, names) ?? "none",
    images: [...listImages(deployment)].map(([name, image]) => `${name}: ${image}`),
  });
  return { release, before: shown(before), ...(after !== undefined && { after: shown(after) }) };
}
