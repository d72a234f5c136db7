/** `unbind-scc`: flags to options, then the unbinding (S31-S33). */
import { renderDocuments } from "../adapters/yaml";
import { quoteCommand } from "../output/quote";
import { Recorder } from "../run/recorder";
import { journalOf } from "../run/record";
import type { Report } from "../run/report";
import { unbindConstraint } from "../run/scc/unbind";
import type { CommandContext } from "./context";

/** Flags of `unbind-scc`, judged. */
export interface UnbindSccFlags {
  readonly scc?: string;
  /** Name of an EC. */
  readonly ec?: string;
}

/** Takes the constraint from the ECs' accounts; every expected end comes back as a report. */
export async function runUnbindScc(
  context: CommandContext,
  _args: readonly string[],
  flags: UnbindSccFlags,
): Promise<Report> {
  const { options, names, clock, run } = context;
  const cluster = await context.connect();
  const { namespace } = cluster;
  const recorder = new Recorder(
    { kind: "UnbindScc", run, target: { server: cluster.server, namespace } },
    { clock, event: context.event },
  );
  const command = (words: readonly string[]): string =>
    quoteCommand([...words, ...options.contextArgs]);
  return await unbindConstraint(
    {
      cluster,
      clock,
      names,
      recorder,
      signal: context.signal,
      ask: context.ask,
      journal: journalOf(await context.home(), run.id),
      yaml: renderDocuments,
      command,
      engine: (words) => command([...options.prefix.split(" "), ...words]),
    },
    {
      ...flags,
      namespace,
      dryRun: options.dryRun,
      fieldManager: options.fieldManager ?? names.fieldManager,
    },
  );
}
