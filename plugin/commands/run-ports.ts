/** The world around the run of a command that writes. */
import { renderDocuments } from "../adapters/yaml";
import { quoteCommand } from "../output/quote";
import { journalOf } from "../run/record";
import { Recorder } from "../run/recorder";
import type { AskingPorts } from "../run/run-ports";
import type { CommandContext, GlobalOptions } from "./context";
import { usualTimeoutMs } from "./standard-flags";

/** Connects, and begins the report of this kind. */
export async function runPorts(context: CommandContext, kind: string): Promise<AskingPorts> {
  const { options, names, clock, signal, ask, run } = context;
  const cluster = await context.connect();
  const { server, namespace } = cluster;
  return {
    ...{ cluster, clock, signal, names, ask },
    recorder: new Recorder(
      { kind, run, target: { server, namespace } },
      { clock, event: context.event },
    ),
    journal: journalOf(await context.home(), run.id),
    yaml: renderDocuments,
    command: (words) => quoteCommand([...words, ...options.contextArgs]),
  };
}

/** A name for the objects of a probe that nothing else has. */
export function probeNameOf({ run }: Pick<CommandContext, "run">): string {
  return `kubectl-engine-probe-${run.id}`.toLowerCase();
}

/** The limit of a whole wait: a time that was given, typed or in the environment; else what goes on may. */
export function limitOf(
  { timeoutMs }: Pick<GlobalOptions, "timeoutMs">,
  isTyped: boolean,
): { readonly limitMs?: number } {
  return isTyped || timeoutMs !== usualTimeoutMs ? { limitMs: timeoutMs } : {};
}
