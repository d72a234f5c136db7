/** The upgrade by chart: runs helm with the connection and the inputs of this run (S20–S22). */
import { HelmProgram } from "../../adapters/helm";
import { writePrivateFiles } from "../../adapters/helm-files";
import { noteBeyond } from "../../cmdutil/advisories-age";
import { joinKeyed, readKeyed } from "../../cmdutil/chart-flags";
import { type ReadFlag, readChartInputs } from "../../cmdutil/chart-inputs";
import type { CommandContext } from "../../cmdutil/context";
import { type PreparedRun, runPorts, writeOptions } from "../../cmdutil/run-ports";
import { secretsIn, secretsInSetting } from "../../domain/base/redact";
import { chooseHome } from "../../domain/operator/chart-marks";
import type { HelmFlag } from "../../domain/operator/refusals";
import type { Skip } from "../../domain/base/skip";
import { runPart } from "../../kernel/run-part";
import { chartPart } from "./chart";
import type { ChartPartOptions, Helm } from "./chart-options";
import type { ChartFlags } from "./flags";

/** Findings that are accepted, undefined where the prerequisites are judged already; fields that the chart wins. */
export interface Skipping {
  readonly skip: readonly Skip[] | undefined;
  readonly takeFields: readonly string[];
  /** Objects that are applied although they are unusual, or deleted although they hold data. */
  readonly allowObjects: readonly string[];
}

/** Reads what helm is given before the cluster is asked for anything. */
export async function prepareChart(
  context: CommandContext,
  flags: ChartFlags & Skipping,
): Promise<PreparedRun> {
  await readChartInputs(context, flags);
  return async (later) => {
    const ports = await runPorts(later, "UpgradeOperator");
    noteBeyond(later, { operator: flags.version });
    const { dryRun, timeoutMs: limitMs } = later.options;
    const { namespace } = ports.cluster;
    const part = chartPart(readChartOptions(later, { ...flags, namespace }));
    return await runPart(ports, part, { dryRun, limitMs });
  };
}

/** What the part is told by the flags, and by those of every command. */
export function readChartOptions(
  context: CommandContext,
  { namespace, ...flags }: ChartFlags & Skipping & { readonly namespace: string },
): ChartPartOptions {
  const { options } = context;
  return {
    ...writeOptions(context),
    home: chooseHome(context.env["HELM_DRIVER"]) ?? "Secrets",
    ...{ ...flags, namespace, values: flags.values, timeoutMs: options.timeoutMs },
    withHelm: (work) => runHelm(context, { ...flags, namespace }, work),
  };
}

/** Opens helm with the connection of this run, as long as something is done with it. */
async function runHelm<T>(
  context: CommandContext,
  { namespace, ...chart }: ChartFlags & { readonly namespace: string },
  work: (helm: Helm) => Promise<T>,
): Promise<T> {
  const { env, options, clock, onSlow, signal } = context;
  const { executable, kubeconfig, values, given } = await readChartInputs(context, chart);
  const copies = values.map((text, index) => [`values-${index}.yaml`, text] as const);
  const told = given.map((flag, index) => ({ ...flag, copy: `${flag.flag}-${index}` }));
  const files = await writePrivateFiles({
    config: kubeconfig,
    ...Object.fromEntries(copies),
    ...Object.fromEntries(
      told.flatMap(({ copy, content }) => (content === undefined ? [] : [[copy, content]])),
    ),
  });
  try {
    const { requestTimeoutMs } = options.connection;
    const { timeoutMs } = options;
    const helm = new HelmProgram({
      ...{ executable, env, namespace, timeoutMs, requestTimeoutMs, clock, onSlow, signal },
      kubeconfig: files.path("config"),
      copied: {
        values: copies.map(([name]) => files.path(name)),
        given: told.map((flag) => pointTo(flag, files.path(flag.copy))),
      },
      secrets: given.flatMap(secretsOf),
    });
    await helm.requireVersion();
    return await work(helm);
  } finally {
    files.remove();
  }
}

/** The flag with the copy that was read in the place of its file. */
function pointTo(flag: ReadFlag, copy: string): HelmFlag {
  if (flag.content === undefined) return flag;
  const keyed = readKeyed(flag);
  return { ...flag, text: keyed === undefined ? copy : joinKeyed(keyed.key, copy) };
}

/** What helm may quote of it and nobody may read. */
function secretsOf(flag: ReadFlag): readonly string[] {
  const keyed = readKeyed(flag);
  if (keyed !== undefined) return secretsIn({ [keyed.key]: flag.content });
  return flag.text === undefined ? [] : secretsInSetting(flag.text);
}
