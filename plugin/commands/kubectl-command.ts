/** Printed commands, which reach the cluster of the run. */
import { quoteCommand } from "../output/quote";
import type { GlobalOptions } from "./context";

/**
 * A kubectl command to the cluster of the run. It names its namespace itself, or its file does: with
 * the one of the run beside it, kubectl would refuse the file or look in the wrong place.
 */
export function kubectlCommand({
  contextArgs,
}: Pick<GlobalOptions, "contextArgs">): (words: readonly string[]) => string {
  const args = contextArgs.filter((word) => !word.startsWith("--namespace="));
  return (words) => quoteCommand([...words, ...args]);
}

/** A command of this tool, to the same cluster and in the same names; kubectl's own know no names file. */
export function engineCommand({
  prefix,
  contextArgs,
  namesFile,
}: Pick<GlobalOptions, "prefix" | "contextArgs" | "namesFile">): (
  words: readonly string[],
) => string {
  const names = namesFile === undefined ? [] : [`--names=${namesFile}`];
  return (words) => quoteCommand([...prefix.split(" "), ...words, ...contextArgs, ...names]);
}
