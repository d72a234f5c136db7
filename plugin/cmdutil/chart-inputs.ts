/** What an upgrade by chart takes from the command line: all of it is read once, before anything starts (S20). */
import { statSync } from "node:fs";
import { findHelm } from "../adapters/helm";
import { renderHelmKubeconfig } from "../adapters/helm-files";
import { chooseHome } from "../domain/operator/chart-marks";
import { UsageError } from "../domain/base/errors";
import type { CommandContext } from "./context";
import { readKeyed, type TypedFlag } from "./chart-flags";
import type { Chart } from "./operator-flags";

/** What helm is given each time. */
export interface ChartInputs {
  /** The program. */
  readonly executable: string;
  /** Text of a kubeconfig. */
  readonly kubeconfig: string;
  /** Text of each file with values. */
  readonly values: readonly string[];
  /** What helm is told beside them. */
  readonly given: readonly ReadFlag[];
}

/** A flag of helm's, with the content of the file that it names. */
export interface ReadFlag extends TypedFlag {
  readonly content?: string;
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

async function readNow(
  context: CommandContext,
  { chart, values, given }: Chart,
): Promise<ChartInputs> {
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
    requireHome(env);
  });
  await attempt(() => {
    requireReadAgain(chart);
  });
  const texts: string[] = [];
  const read = async (flag: string, file: string): Promise<string> =>
    (await attempt(() => readFile(context, flag, file))) ?? "";
  for (const file of values) texts.push(await read("values", file));
  const flags: ReadFlag[] = [];
  for (const flag of given) {
    const file = nameFile(flag);
    flags.push(file === undefined ? flag : { ...flag, content: await read(flag.name, file) });
  }
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
  return { executable, kubeconfig, values: texts, given: flags };
}

async function readFile(
  { readInput }: CommandContext,
  flag: string,
  file: string,
): Promise<string> {
  if (!file.includes("://")) return await readInput(file);
  const content = flag === "set-file" ? "KEY=-" : "-";
  throw new UsageError(`--${flag}: an address is not read, since its content may change`, {
    hint: `give its content: curl ADDRESS | kubectl engine … --${flag} ${content}`,
  });
}

/** The file whose content counts; undefined where the text itself does. */
function nameFile({ reads, text = "" }: TypedFlag): string | undefined {
  return reads === "file" ? text : readKeyed({ reads, text })?.file;
}

/** Helm forgets what it keeps in memory, and ends where it does not know the word. */
function requireHome({ HELM_DRIVER: driver }: NodeJS.ProcessEnv): void {
  if (chooseHome(driver) !== undefined) return;
  const why =
    driver === "memory" ? "helm forgets its releases when it ends" : "helm has no such driver";
  throw new UsageError(`HELM_DRIVER is ${String(driver)}: ${why}`, {
    hint: "unset HELM_DRIVER, or name where the release's records are: secret, configmap or sql",
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
