/** `unbind-scc`: flags to options, then the unbinding (S31-S33). */
import { readName } from "../domain/names";
import type { Report } from "../run/report";
import type { UnbindOptions } from "../run/scc/read";
import { unbindConstraint } from "../run/scc/unbind";
import type { CommandContext } from "./context";
import { engineCommand, kubectlCommand } from "./kubectl-command";
import { runPorts } from "./run-ports";
import type { UnbindSccFlags } from "./specs/rbac";

/** Takes the constraint from the ECs' accounts; every expected end comes back as a report. */
export async function runUnbindScc(
  context: CommandContext,
  _args: readonly string[],
  flags: UnbindSccFlags,
): Promise<Report> {
  const go = await prepareUnbindScc(context, flags);
  return await go(context);
}

/** What a command that includes this one knows of the time when it will run. */
export type SccPreparation = Pick<UnbindOptions, "assumeUpgraded">;

/** Nothing is read before the cluster is; the run itself follows when wanted. */
export function prepareUnbindScc(
  _context: CommandContext,
  flags: UnbindSccFlags,
  ahead: SccPreparation = {},
): Promise<(context: CommandContext) => Promise<Report>> {
  return Promise.resolve((later) => run(later, { ...flags, ...ahead }));
}

async function run(
  context: CommandContext,
  { ec, ...flags }: UnbindSccFlags & SccPreparation,
): Promise<Report> {
  const { options, names } = context;
  const ports = await runPorts(context, "UnbindScc");
  const { namespace } = ports.cluster;
  return await unbindConstraint(
    {
      ...ports,
      command: kubectlCommand(options),
      engine: engineCommand(options),
    },
    {
      ...flags,
      ec: ec === undefined ? undefined : readName(ec, names).name,
      namespace,
      dryRun: options.dryRun,
      fieldManager: options.fieldManager ?? names.fieldManager,
    },
  );
}
