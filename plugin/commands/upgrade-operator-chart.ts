/** `upgrade-operator --chart`: helm is found, given the connection, and run (S20–S22). */
import { findHelm, HelmProgram } from "../adapters/helm";
import { temporaryKubeconfig } from "../adapters/helm-kubeconfig";
import { UsageError } from "../domain/errors";
import { quoteCommand } from "../output/quote";
import { upgradeByChart } from "../run/operator/chart";
import type { OperatorDeps } from "../run/operator/deps";
import type { Report } from "../run/report";
import type { CommandContext } from "./context";
import { type ChartFlags, operatorOptions, type Skipping } from "./operator-options";

/** Finds helm before the cluster is asked for anything. */
export async function prepareChart(
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
