/** `upgrade-operator`: flags to options, then the bundle or the chart (S15–S23). */
import type { RoleWish } from "../../cmdutil/print-role";
import type { Needs } from "../../domain/facts/needs";
import { bundleNeeds, chartNeeds } from "./needs";
import { UsageError } from "../../domain/base/errors";
import type { Release } from "../../domain/release/contents";
import { bundlePart, readBundleOptions } from "./part";
import { runPart } from "../../kernel/run-part";
import { readPlatform } from "./read";
import type { Report } from "../../kernel/report";
import type { CommandContext } from "../../cmdutil/context";
import type { UpgradeOperatorFlags } from "./flags";
import { readBundle, readContents, findRelease } from "../../cmdutil/release-option";
import { noteBeyond } from "../../cmdutil/advisories-age";
import { requireAdvisories } from "../../cmdutil/advisories-option";
import { runPrepared, type PreparedRun, runPorts } from "../../cmdutil/run-ports";
import { renderText, type TextStyle } from "../../output/text";
import { asArray, getOwn, isObject, type Json, omit } from "../../domain/base/values";
import { prepareChart } from "./by-chart";

/** Upgrades the operator; every expected end comes back as a report. */
export const runUpgradeOperator = requireAdvisories(runPrepared(prepareUpgradeOperator));

/** Opens the release, or finds helm; the run itself follows when wanted. */
export async function prepareUpgradeOperator(
  context: CommandContext,
  flags: UpgradeOperatorFlags,
): Promise<PreparedRun> {
  const { chart, skip, takeFields, allowObjects } = flags;
  if (chart !== undefined) {
    return await prepareChart(context, { ...chart, skip, takeFields, allowObjects });
  }
  const release = await findRelease(context, flags);
  if (release === undefined) throw new UsageError("give a release with --release, or --chart");
  return async (later) => await runBundle(later, flags, release);
}

async function runBundle(
  context: CommandContext,
  { skip, ...flags }: UpgradeOperatorFlags,
  release: Release,
): Promise<Report> {
  const ports = await runPorts(context, "UpgradeOperator");
  const { target } = flags;
  const platform = await readPlatform(ports.cluster);
  const contents = readContents(release, platform, { context, target });
  noteBeyond(context, {
    operator: contents.operatorVersion,
    cluster: contents.clusterVersion,
  });
  const { dryRun, timeoutMs: limitMs } = context.options;
  const { namespace } = ports.cluster;
  const part = bundlePart({
    ...readBundleOptions(context, flags),
    ...{ namespace, contents, skip },
  });
  return await runPart(ports, part, { dryRun, limitMs });
}

/** Images, and objects that no step names; all that was found comes with -v, of a plan as the hunks before it. */
export function operatorText(report: Report, style: TextStyle): string {
  const { details, steps = [] } = report;
  if (!isObject(details)) return renderText(report, style);
  const isFull = style.verbosity > 0;
  const inHunks = steps.some(({ write }) => write?.states !== undefined);
  const named = new Set(steps.map(({ object }) => object));
  const created = asArray(details["created"])
    .filter(isObject)
    .filter(({ object }) => isFull || !named.has(String(object)))
    .map((one) => (isFull && !inHunks ? one : omit(one, "content")));
  const unsaid = isFull ? [] : ["release", "definitions", "operator"];
  const images = asArray(getOwn(details["operator"], "images"));
  const told: Json = {
    ...(!isFull && images.length > 0 && { images }),
    ...omit(details, "changes", "created", ...unsaid),
    ...(created.length > 0 && { created }),
  };
  const rest = Object.keys(told).length === 0 ? undefined : told;
  return renderText({ ...report, details: rest }, style);
}

/** What it may need; a chart says itself what its objects take. */
export async function operatorRole({
  context,
  flags,
  namespace,
}: RoleWish<UpgradeOperatorFlags>): Promise<Needs> {
  const { names } = context;
  const { registry, pullSecret, allowObjects } = flags;
  const release = await findRelease(context, flags);
  if (release === undefined) return chartNeeds({ names, namespace });
  return bundleNeeds({
    ...{ names, namespace, registry, pullSecret },
    bundle: readBundle(release, context, { namespace, registry, pullSecret, allowObjects }),
  });
}
