/** The part of `upgrade` that keeps clusters from following the operator by themselves (S51, S124). */
import { renderDocuments } from "../adapters/yaml";
import { quoteCommand } from "../output/quote";
import { switchAutoOff } from "../run/cluster/auto-off";
import { Recorder } from "../run/recorder";
import { journalOf } from "../run/record";
import type { Report } from "../run/report";
import type { CommandContext } from "./context";

/** Which clusters, and fields that may be taken from their managers. */
export interface AutoOffFlags {
  readonly clusters: readonly string[];
  readonly takeFields: readonly string[];
}

/** The run over these clusters, when wanted. */
export function prepareAutoOff(
  flags: AutoOffFlags,
): Promise<(later: CommandContext) => Promise<Report>> {
  return Promise.resolve((later) => run(later, flags));
}

async function run(context: CommandContext, flags: AutoOffFlags): Promise<Report> {
  const { options, names, clock, run: identity } = context;
  const cluster = await context.connect();
  const { server, namespace } = cluster;
  const recorder = new Recorder(
    { kind: "AutoOff", run: identity, target: { server, namespace } },
    { clock, event: context.event },
  );
  return await switchAutoOff(
    {
      cluster,
      clock,
      names,
      recorder,
      signal: context.signal,
      ask: context.ask,
      journal: journalOf(await context.home(), identity.id),
      yaml: renderDocuments,
      command: (words) => quoteCommand([...words, ...options.contextArgs]),
    },
    {
      ...flags,
      namespace,
      dryRun: options.dryRun,
      fieldManager: options.fieldManager ?? names.fieldManager,
    },
  );
}
