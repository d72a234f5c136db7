/** The upgrade by chart: finds helm, and runs it with the connection of this run (S20–S22). */
import { findHelm, HelmProgram, temporaryKubeconfig } from "../../adapters/helm";
import type { CommandContext } from "../../cmdutil/context";
import { type PreparedRun, runPorts, writeOptions } from "../../cmdutil/run-ports";
import type { Skip } from "../../domain/base/skip";
import { UsageError } from "../../domain/base/errors";
import { runPart } from "../../kernel/run-part";
import { quoteCommand } from "../../output/escape";
import { chartPart, type ChartPartOptions, type Helm } from "./chart";
import type { ChartFlags } from "./flags";

/** Findings that are accepted; undefined where the prerequisites are judged already. */
export interface Skipping {
  readonly skip: readonly Skip[] | undefined;
}

/** Finds helm before the cluster is asked for anything. */
export async function prepareChart(
  context: CommandContext,
  flags: ChartFlags & Skipping,
): Promise<PreparedRun> {
  await findRealHelm(context);
  return async (later) => {
    const ports = await runPorts(later, "UpgradeOperator");
    const { dryRun, timeoutMs: limitMs } = later.options;
    const { namespace } = ports.cluster;
    const part = chartPart(readChartOptions(later, { ...flags, namespace }));
    return await runPart(ports, part, { dryRun, limitMs });
  };
}

async function findRealHelm({ rehearsed, env }: CommandContext): Promise<string> {
  if (rehearsed !== true) return await findHelm(env);
  throw new UsageError(
    "an upgrade by chart cannot be rehearsed: helm would reach the real cluster",
    {
      hint: "show what it would do with --dry-run=server",
    },
  );
}

/** What the part is told by the flags, and by those of every command. */
export function readChartOptions(
  context: CommandContext,
  { namespace, ...flags }: ChartFlags & Skipping & { readonly namespace: string },
): ChartPartOptions {
  const { options } = context;
  const helmArgs = options.contextArgs.map((word) => word.replace(/^--context/, "--kube-context"));
  return {
    ...writeOptions(context),
    ...{ ...flags, namespace, values: flags.values, timeoutMs: options.timeoutMs },
    helmCommand: (words) => quoteCommand([...words, ...helmArgs]),
    withHelm: (work) => runHelm(context, namespace, work),
  };
}

/** Opens helm with the connection of this run, as long as something is done with it. */
async function runHelm<T>(
  context: CommandContext,
  namespace: string,
  work: (helm: Helm) => Promise<T>,
): Promise<T> {
  const { env, options, clock, onSlow, signal } = context;
  const executable = await findRealHelm(context);
  const kubeconfig = await temporaryKubeconfig(options.connection, env);
  try {
    const { requestTimeoutMs } = options.connection;
    const { timeoutMs } = options;
    const helm = new HelmProgram({
      ...{ executable, env, namespace, timeoutMs, requestTimeoutMs, clock, onSlow, signal },
      kubeconfig: kubeconfig.path,
    });
    await helm.requireVersion();
    return await work(helm);
  } finally {
    kubeconfig.remove();
  }
}
