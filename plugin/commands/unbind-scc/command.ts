/** `unbind-scc`: flags to options, then the part (S31-S33). */
import type { RoleWish } from "../../cmdutil/print-role";
import type { Needs } from "../../domain/facts/needs";
import { unbindNeeds } from "./needs";
import { readName } from "../../domain/names/names";
import { runPart } from "../../kernel/run-part";
import type { AskingPorts } from "../../kernel/world";
import type { Report } from "../../kernel/report";
import { servesConstraints, type UnbindOptions } from "./read";
import { unbindPart } from "./part";
import type { CommandRun } from "../../cmdutil/context";
import { kubectlCommand } from "../../cmdutil/kubectl-command";
import { runPorts, writeOptions } from "../../cmdutil/run-ports";
import type { UnbindSccFlags } from "./flags";

/** Takes the constraint from the ECs' accounts; every expected end comes back as a report. */
export const runUnbindScc: CommandRun<UnbindSccFlags> = async (context, _args, flags) => {
  const { options, names } = context;
  const ports = await runPorts(context, "UnbindScc");
  const ec = flags.ec === undefined ? undefined : readName(flags.ec, names).name;
  const { namespace } = ports.cluster;
  // its kubectl commands name their namespace themselves
  return await unbindConstraint(
    { ...ports, command: kubectlCommand(options) },
    { ...flags, ec, namespace, ...writeOptions(context) },
  );
};

/** Runs the part by itself, where the API server has constraints at all. */
export async function unbindConstraint(
  ports: AskingPorts,
  options: UnbindOptions,
): Promise<Report> {
  const { dryRun } = options;
  const nothing = await nothingToUnbind(ports);
  if (nothing !== undefined) return nothing;
  const part = unbindPart({ ...options, command: ports.command });
  return await runPart(ports, part, { dryRun, limitMs: 0 });
}

/** The end where there are no constraints, or nobody can tell; undefined where there are. */
async function nothingToUnbind(ports: AskingPorts): Promise<Report | undefined> {
  const { recorder } = ports;
  try {
    if (await servesConstraints(ports)) return undefined;
    return recorder.success(
      "this is not OpenShift, there are no security context constraints: nothing to do",
    );
  } catch (error) {
    return recorder.failure(error);
  }
}

/** What it may need. */
export function unbindRole({
  context: { names },
  flags: { scc },
  namespace,
}: RoleWish<UnbindSccFlags>): Needs {
  return unbindNeeds({ names, namespace, scc });
}
