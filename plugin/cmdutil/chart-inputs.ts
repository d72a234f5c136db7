/** What an upgrade by chart takes from the command line: all of it is read once, before anything starts (S20). */
import { statSync } from "node:fs";
import { findHelm } from "../adapters/helm";
import { renderHelmKubeconfig } from "../adapters/helm-files";
import { UsageError } from "../domain/base/errors";
import type { CommandContext } from "./context";
import type { Chart } from "./operator-flags";

/** What helm is given each time. */
export interface ChartInputs {
  /** The program. */
  readonly executable: string;
  /** Text of a kubeconfig. */
  readonly kubeconfig: string;
  /** Text of each file with values. */
  readonly values: readonly string[];
}

/** By what reads the inputs of a run. */
const known = new WeakMap<CommandContext["readInput"], Promise<ChartInputs>>();

/** The inputs of the run's chart; later calls give the same. UsageError with everything that cannot be used. */
export async function readChartInputs(context: CommandContext, chart: Chart): Promise<ChartInputs> {
  if (context.rehearsed === true) {
    throw new UsageError(
      "an upgrade by chart cannot be rehearsed: helm would reach the real cluster",
      { hint: "show what it would do with --dry-run=server" },
    );
  }
  const inputs = known.get(context.readInput) ?? readNow(context, chart);
  known.set(context.readInput, inputs);
  return await inputs;
}

async function readNow(context: CommandContext, { chart, values }: Chart): Promise<ChartInputs> {
  const { env, options } = context;
  const problems: UsageError[] = [];
  const attempt = async <T>(read: () => T | Promise<T>): Promise<T | undefined> => {
    try {
      return await read();
    } catch (error) {
      if (!(error instanceof UsageError)) throw error;
      problems.push(error);
      return undefined;
    }
  };
  const executable = await attempt(() => findHelm(env));
  await attempt(() => {
    requireReadAgain(chart);
  });
  const texts: string[] = [];
  for (const file of values) texts.push((await attempt(() => readValues(context, file))) ?? "");
  const kubeconfig = await attempt(() => renderHelmKubeconfig(options.connection, env));
  const [first, ...others] = problems;
  if (first !== undefined && others.length === 0) throw first;
  if (executable === undefined || kubeconfig === undefined || first !== undefined) {
    const hint = [...new Set(problems.flatMap((problem) => problem.hint ?? []))].join("; ");
    throw new UsageError(
      problems.flatMap((problem) => problem.problems),
      { hint },
    );
  }
  return { executable, kubeconfig, values: texts };
}

async function readValues({ readInput }: CommandContext, file: string): Promise<string> {
  if (!file.includes("://")) return await readInput(file);
  throw new UsageError("--values: an address is not read, since its content may change", {
    hint: "give its content: curl ADDRESS | kubectl engine … --values -",
  });
}

/** helm itself opens a chart, once for each of its runs. */
function requireReadAgain(chart: string): void {
  const found = statSync(chart, { throwIfNoEntry: false });
  if (found === undefined || found.isFile() || found.isDirectory()) return;
  throw new UsageError(`--chart: ${chart} is a pipe or a device, and helm reads a chart twice`, {
    hint: "write the archive to a file, and give that file",
  });
}
