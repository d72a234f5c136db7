/** `unbind-scc`: flags to options, then the unbinding (S31-S33). */
import { readName } from "../domain/names";
import type { UnbindOptions } from "../run/scc/read";
import { unbindConstraint } from "../run/scc/unbind";
import type { CommandRun } from "./context";
import { engineCommand, kubectlCommand } from "./kubectl-command";
import { runPorts, writeOptions } from "./run-ports";
import type { UnbindSccFlags } from "./specs/rbac";

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
