/** `unbind-scc`: flags to options, then the unbinding (S31-S33). */
import { readName } from "../../domain/names/names";
import type { UnbindOptions } from "./read";
import { unbindConstraint } from "./unbind";
import type { CommandRun } from "../../cmdutil/context";
import { engineCommand, kubectlCommand } from "../../cmdutil/kubectl-command";
import { runPorts, writeOptions } from "../../cmdutil/run-ports";
import type { UnbindSccFlags } from "./flags";

/** Takes the constraint from the ECs' accounts; every expected end comes back as a report. */
export const runUnbindScc: CommandRun<
  UnbindSccFlags & Pick<UnbindOptions, "assumeUpgraded">
> = async (context, _args, { ec, ...flags }) => {
  const { options, names } = context;
  const ports = await runPorts(context, "UnbindScc");
  return await unbindConstraint(
    { ...ports, command: kubectlCommand(options), engine: engineCommand(options) },
    {
      ...flags,
      ec: ec === undefined ? undefined : readName(ec, names).name,
      namespace: ports.cluster.namespace,
      ...writeOptions(context),
    },
  );
};
