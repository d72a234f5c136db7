/** `upgrade-operator`: flags to options, then the bundle or the chart (S15–S23). */
import type { Skip } from "../domain/checks/selection";
import { UsageError } from "../domain/errors";
import type { Release } from "../domain/release/contents";
import { upgradeByBundle } from "../run/operator/bundle";
import { platformOf } from "../run/operator/read";
import type { Report } from "../run/report";
import type { CommandContext, ReleaseFlags } from "./context";
import { type ChartFlags, operatorOptions, type Skipping } from "./operator-options";
import { readContents, releaseOf } from "./release-option";
import { runPorts } from "./run-ports";

/** Flags of `upgrade-operator`, judged: a release or a chart. */
export interface UpgradeOperatorFlags extends ReleaseFlags {
  readonly chart?: ChartFlags;
  readonly registry?: string;
  readonly pullSecret?: string;
  readonly takeFields: readonly string[];
  readonly allowObjects?: readonly string[];
  /** Findings that are accepted. */
  readonly skip: readonly Skip[];
}

/** Upgrades the operator; every expected end comes back as a report. */
export async function runUpgradeOperator(
  context: CommandContext,
  _args: readonly string[],
  flags: UpgradeOperatorFlags,
): Promise<Report> {
  const go = await prepareUpgradeOperator(context, flags);
  return await go(context);
}

/** What a command that includes this one has already. */
export interface OperatorPreparation {
  /** The release that was opened, instead of the flags that name one. */
  readonly opened?: Release;
  /** It has judged the prerequisites. */
  readonly judged?: true;
}

/** Opens the release, or finds helm; the run itself follows when wanted. */
export async function prepareUpgradeOperator(
  context: CommandContext,
  flags: UpgradeOperatorFlags,
  { opened, judged }: OperatorPreparation = {},
): Promise<(later: CommandContext) => Promise<Report>> {
  const { chart } = flags;
  const skip = judged === true ? undefined : flags.skip;
  if (chart !== undefined) {
    const { prepareChart } = await import("./upgrade-operator-chart.ts");
    const go = await prepareChart(context, { ...chart, skip });
    return async (later) => await go(later, await runPorts(later, "UpgradeOperator"));
  }
  const release = opened ?? (await releaseOf(context, flags));
  if (release === undefined) throw new UsageError("give a release with --release, or --chart");
  return async (later) => await runBundle(later, { ...flags, skip }, release);
}

async function runBundle(
  context: CommandContext,
  { skip, ...flags }: Omit<UpgradeOperatorFlags, "skip"> & Skipping,
  release: Release,
): Promise<Report> {
  const deps = await runPorts(context, "UpgradeOperator");
  const { target } = flags;
  const platform = await platformOf(deps.cluster);
  const contents = readContents(release, platform, {
    context,
    ...(target !== undefined && { target }),
  });
  return await upgradeByBundle(deps, {
    ...operatorOptions(context, deps, skip),
    contents,
    registry: flags.registry,
    pullSecret: flags.pullSecret,
    takeFields: flags.takeFields,
    allowObjects: flags.allowObjects ?? [],
    rehearsed: context.rehearsed === true,
  });
}
