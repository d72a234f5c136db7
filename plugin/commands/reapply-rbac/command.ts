/** `reapply-rbac`: flags to options, then the run over the managed namespaces (S34). */
import type { RoleWish } from "../../cmdutil/print-role";
import type { Needs } from "../../domain/facts/needs";
import { rbacNeeds } from "./needs";
import { InputError } from "../../domain/base/errors";
import { namesIn } from "../../domain/rbac/managed";
import { runPart } from "../../kernel/run-part";
import type { CommandContext, CommandRun } from "../../cmdutil/context";
import { withRelease } from "../../cmdutil/release-option";
import { runPorts } from "../../cmdutil/run-ports";
import type { ReapplyRbacFlags } from "./flags";
import { readWish } from "./input";
import { rbacPart } from "./part";
import { readTemplates, requireFit } from "./templates";

/** Brings roles and bindings up to date; every expected end comes back as a report. */
export const runReapplyRbac: CommandRun<ReapplyRbacFlags> = async (context, _args, flags) => {
  // what is wrong with the input is said before a cluster is asked
  const templates = await readTemplates(context, flags);
  const given = await readGiven(context, flags);
  requireFit(templates, context.names);
  const ports = await runPorts(context, "ReapplyRbac");
  const { namespace } = ports.cluster;
  ports.recorder.keep({ namespaces: [] });
  const part = rbacPart(readWish(context, flags, { ...templates, given, namespace }));
  const { dryRun } = context.options;
  return withRelease(await runPart(ports, part, { dryRun, limitMs: 0 }), templates.opened);
};

async function readGiven(
  context: CommandContext,
  { namespaces, namespacesFile }: ReapplyRbacFlags,
): Promise<readonly string[] | undefined> {
  if (namespacesFile === undefined) return namespaces;
  const text = await context.readInput(namespacesFile);
  const given = namesIn(text.replaceAll(/#.*$/gm, ""));
  if (given.length === 0) throw new InputError(`${namespacesFile} names no namespace`);
  return given;
}

/** What it may need, as far as the command line tells. */
export async function rbacRole({
  context,
  flags,
  namespace,
}: RoleWish<ReapplyRbacFlags>): Promise<Needs> {
  const { selector, account, prune, probe } = flags;
  return rbacNeeds({
    ...{ names: context.names, namespace, prune, prove: probe },
    managed: await readGiven(context, flags),
    accounts: account === undefined,
    selector,
  });
}
