/** Printed kubectl commands about objects of many namespaces. */
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
