/** `reapply-rbac`: flags to options, then the run over the managed namespaces (S34). */
import { InputError } from "../domain/errors";
import { namesIn } from "../domain/rbac/managed";
import type { RoleFiles } from "../domain/rbac/lines";
import type { Release } from "../domain/release/contents";
import type { RbacOptions } from "../run/rbac/read";
import { reapplyRbac } from "../run/rbac/reapply";
import type { Report } from "../run/report";
import type { CommandContext } from "./context";
import { kubectlCommand } from "./kubectl-command";
import {
  openedTemplates,
  readTemplates,
  requireFit,
  shippedTemplates,
  type Templates,
  withRelease,
} from "./release-option";
import { runPorts } from "./run-ports";
import type { ReapplyRbacFlags } from "./specs/rbac";

/** Brings roles and bindings up to date; every expected end comes back as a report. */
export async function runReapplyRbac(
  context: CommandContext,
  _args: readonly string[],
  flags: ReapplyRbacFlags,
): Promise<Report> {
  const go = await prepareReapplyRbac(context, flags);
  return await go(context);
}

/** What a command that includes this one has already, or wants to know. */
export interface RbacPreparation extends Pick<RbacOptions, "assumeExpanded"> {
  /** The release that was opened, instead of the flags that name one. */
  readonly opened?: Release;
  /** The operator's release whose roles are wanted where no files are there. */
  readonly release?: string | undefined;
}

/** Reads and judges what was given; the run itself follows when wanted. */
export async function prepareReapplyRbac(
  context: CommandContext,
  flags: ReapplyRbacFlags,
  { opened, release, ...more }: RbacPreparation = {},
): Promise<(context: CommandContext) => Promise<Report>> {
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

type Prepared = Omit<ReapplyRbacFlags, "release"> &
  RoleFiles &
  Pick<RbacOptions, "given" | "assumeExpanded">;

async function run(context: CommandContext, prepared: Prepared): Promise<Report> {
  const { options, names } = context;
  const ports = await runPorts(context, "ReapplyRbac");
  const { namespace } = ports.cluster;
  const rbacOptions: RbacOptions = {
    ...prepared,
    namespace,
    selector: prepared.selector,
    account: prepared.account,
    canary: prepared.canary,
    maxFailures: prepared.maxFailures,
    prove: prepared.probe,
    dryRun: options.dryRun,
    fieldManager: options.fieldManager ?? names.fieldManager,
    concurrency: options.concurrency,
    timeoutMs: options.timeoutMs,
  };
  return await reapplyRbac(
    {
      ...ports,
      command: kubectlCommand(options),
      runId: context.run.id.toLowerCase(),
    },
    rbacOptions,
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
