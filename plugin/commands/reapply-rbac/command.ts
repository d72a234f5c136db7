/** `reapply-rbac`: flags to options, then the run over the managed namespaces (S34). */
import type { RoleWish } from "../../cmdutil/print-role";
import type { Needs } from "../../domain/facts/needs";
import { rbacNeeds } from "./needs";
import { InputError } from "../../domain/base/errors";
import { namesIn } from "../../domain/rbac/managed";
import type { RoleFiles } from "../../domain/rbac/lines";
import type { Release } from "../../domain/release/contents";
import type { RbacOptions } from "./read";
import { reapplyRbac } from "./reapply";
import type { Report } from "../../kernel/report";
import type { CommandContext } from "../../cmdutil/context";
import { kubectlCommand } from "../../cmdutil/kubectl-command";
import { shippedTemplates, withRelease } from "../../cmdutil/release-option";
import { openedTemplates, readTemplates, requireFit, type Templates } from "./templates";
import { prepared, type PreparedRun, runPorts, writeOptions } from "../../cmdutil/run-ports";
import type { ReapplyRbacFlags } from "./flags";
import { usualAtOnce } from "../../cmdutil/standard-flags";

/** Brings roles and bindings up to date; every expected end comes back as a report. */
export const runReapplyRbac = prepared((context: CommandContext, flags: ReapplyRbacFlags) =>
  prepareReapplyRbac(context, flags),
);

/** What a command that includes this one has already, or wants to know. */
interface RbacPreparation extends Pick<RbacOptions, "assumeExpanded"> {
  /** The release that was opened, instead of the flags that name one. */
  readonly opened?: Release | undefined;
  /** The operator's release whose roles are wanted where no files are there. */
  readonly release?: string | undefined;
}

/** Reads and judges what was given; the run itself follows when wanted. */
export async function prepareReapplyRbac(
  context: CommandContext,
  flags: ReapplyRbacFlags,
  { opened, release, ...more }: RbacPreparation = {},
): Promise<PreparedRun> {
  const { names } = context;
  const templates: Templates =
    opened !== undefined
      ? openedTemplates(opened, names)
      : release === undefined
        ? await readTemplates(context, flags)
        : shippedTemplates(names, release);
  const given = await readGiven(context, flags);
  requireFit(templates, names);
  return async (later) =>
    withRelease(await run(later, { ...flags, ...more, ...templates, given }), templates.opened);
}

type PreparedRbac = Omit<ReapplyRbacFlags, "release"> &
  RoleFiles &
  Pick<RbacOptions, "given" | "assumeExpanded">;

async function run(context: CommandContext, flags: PreparedRbac): Promise<Report> {
  const { options } = context;
  const ports = await runPorts(context, "ReapplyRbac");
  const { namespace } = ports.cluster;
  return await reapplyRbac(
    {
      ...ports,
      command: kubectlCommand(options),
      runId: context.run.id.toLowerCase(),
    },
    {
      ...flags,
      namespace,
      ...{ selector: flags.selector, account: flags.account, canary: flags.canary },
      maxFailures: flags.maxFailures,
      prove: flags.probe,
      ...writeOptions(context),
      concurrency: options.concurrency ?? usualAtOnce.namespaces,
      timeoutMs: options.timeoutMs,
    },
  );
}

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
    selects: selector !== undefined,
  });
}
