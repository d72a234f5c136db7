/** `upgrade-operator`: flags to options, then the bundle or the chart (S15–S23). */
import type { RoleWish } from "../../cmdutil/print-role";
import type { Needs } from "../../domain/facts/needs";
import { bundleNeeds, chartNeeds } from "./needs";
import type { Skip } from "../../domain/base/skip";
import { UsageError } from "../../domain/base/errors";
import type { Release } from "../../domain/release/contents";
import { upgradeByBundle } from "./bundle";
import { platformOf, type OperatorDeps, type OperatorOptions } from "./read";
import type { Report } from "../../kernel/report";
import type { CommandContext } from "../../cmdutil/context";
import type { ChartFlags, UpgradeOperatorFlags } from "./flags";
import { readBundle, readContents, releaseOf } from "../../cmdutil/release-option";
import { prepared, type PreparedRun, runPorts, writeOptions } from "../../cmdutil/run-ports";
import { findHelm, HelmProgram, temporaryKubeconfig } from "../../adapters/helm";
import { quoteCommand } from "../../output/escape";
import { renderText, type TextStyle } from "../../output/text";
import { asArray, getOwn, isObject, type Json, omit } from "../../domain/base/values";
import { upgradeByChart } from "./chart";

/** Upgrades the operator; every expected end comes back as a report. */
export const runUpgradeOperator = prepared((context: CommandContext, flags: UpgradeOperatorFlags) =>
  prepareUpgradeOperator(context, flags),
);

/** What a command that includes this one has already. */
interface OperatorPreparation {
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
): Promise<PreparedRun> {
  const { chart } = flags;
  const skip = judged === true ? undefined : flags.skip;
  if (chart !== undefined) {
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
  const contents = readContents(release, platform, { context, target });
  return await upgradeByBundle(deps, {
    ...operatorOptions(context, deps, skip),
    contents,
    registry: flags.registry,
    pullSecret: flags.pullSecret,
    takeFields: flags.takeFields,
    allowObjects: flags.allowObjects,
    rehearsed: context.rehearsed === true,
  });
}

/** Findings that are accepted; undefined where the prerequisites are judged already. */
interface Skipping {
  readonly skip: readonly Skip[] | undefined;
}

/** What both ways are told by the flags of every command. */
function operatorOptions(
  context: CommandContext,
  { cluster }: OperatorDeps,
  skip: readonly Skip[] | undefined,
): OperatorOptions {
  return {
    namespace: cluster.namespace,
    ...writeOptions(context),
    timeoutMs: context.options.timeoutMs,
    skip,
  };
}

/** Finds helm before the cluster is asked for anything. */
async function prepareChart(
  context: CommandContext,
  flags: ChartFlags & Skipping,
): Promise<(later: CommandContext, deps: OperatorDeps) => Promise<Report>> {
  if (context.rehearsed === true) {
    throw new UsageError(
      "an upgrade by chart cannot be rehearsed: helm would reach the real cluster",
      {
        hint: "show what it would do with --dry-run=server",
      },
    );
  }
  const executable = await findHelm(context.env);
  return async (later, deps) => await runChart(later, deps, { flags, executable });
}

async function runChart(
  context: CommandContext,
  deps: OperatorDeps,
  {
    flags: { skip, ...flags },
    executable,
  }: { readonly flags: ChartFlags & Skipping; readonly executable: string },
): Promise<Report> {
  const { env, options } = context;
  const common = operatorOptions(context, deps, skip);
  const kubeconfig = await temporaryKubeconfig(options.connection, env);
  try {
    const helm = new HelmProgram({
      executable,
      env,
      kubeconfig: kubeconfig.path,
      namespace: common.namespace,
      timeoutMs: common.timeoutMs,
      requestTimeoutMs: options.connection.requestTimeoutMs,
      clock: context.clock,
      onSlow: context.onSlow,
      signal: context.signal,
    });
    await helm.requireVersion();
    const helmArgs = options.contextArgs.map((word) =>
      word.replace(/^--context/, "--kube-context"),
    );
    const helmCommand = (words: readonly string[]): string => quoteCommand([...words, ...helmArgs]);
    return await upgradeByChart(
      { ...deps, helm, helmCommand },
      { ...common, ...flags, values: flags.values },
    );
  } finally {
    kubeconfig.remove();
  }
}

/** A new object is one line; all that it says comes with -v, of a plan as the hunks before it. */
export function operatorText(report: Report, style: TextStyle): string {
  const { details, steps = [] } = report;
  const created = asArray(getOwn(details, "created")).filter(isObject);
  const inHunks = steps.some(({ write }) => write?.states !== undefined);
  if (created.length === 0 || (style.verbosity > 0 && !inHunks)) return renderText(report, style);
  const lines = created.map((one) => omit(one, "content"));
  return renderText({ ...report, details: { ...(details as Json), created: lines } }, style);
}

/** What it may need; a chart says itself what its objects take. */
export async function operatorRole({
  context,
  flags,
  namespace,
}: RoleWish<UpgradeOperatorFlags>): Promise<Needs> {
  const { names } = context;
  const { registry, pullSecret, allowObjects } = flags;
  const release = await releaseOf(context, flags);
  if (release === undefined) return chartNeeds({ names, namespace });
  return bundleNeeds({
    ...{ names, namespace, pullSecret },
    bundle: readBundle(release, context, { namespace, registry, pullSecret, allowObjects }),
    clusters: registry !== undefined || pullSecret !== undefined,
  });
}
