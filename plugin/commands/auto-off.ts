/** The part of `upgrade` that keeps clusters from following the operator by themselves (S51, S124). */
import { switchAutoOff } from "../run/cluster/auto-off";
import type { Report } from "../run/report";
import type { CommandContext } from "./context";
import { runPorts } from "./run-ports";

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
  const { options, names } = context;
  const ports = await runPorts(context, "AutoOff");
  const { namespace } = ports.cluster;
  return await switchAutoOff(ports, {
    ...flags,
    namespace,
    dryRun: options.dryRun,
    fieldManager: options.fieldManager ?? names.fieldManager,
  });
}
