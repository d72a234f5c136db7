/** `reapply-rbac`: flags to options, then the run over the managed namespaces (S34). */
import { readReleaseFile } from "../adapters/release";
import { shippedRbac } from "../adapters/shipped-rbac";
import { parseDocuments, renderDocuments } from "../adapters/yaml";
import { UsageError } from "../domain/errors";
import { namesIn } from "../domain/rbac/managed";
import { renderRbac } from "../domain/rbac/templates";
import { rebrand } from "../domain/rebrand";
import { quoteCommand } from "../output/quote";
import type { RbacOptions } from "../run/rbac/deps";
import { reapplyRbac } from "../run/rbac/reapply";
import { Recorder } from "../run/recorder";
import { journalOf } from "../run/record";
import type { Report } from "../run/report";
import type { CommandContext, ReapplyRbacFlags } from "./context";

/** Brings roles and bindings up to date; every expected end comes back as a report. */
export async function runReapplyRbac(
  context: CommandContext,
  _args: readonly string[],
  flags: ReapplyRbacFlags,
): Promise<Report> {
  const go = await prepareReapplyRbac(context, flags);
  return await go(context);
}

/** Reads and judges what was given; the run itself follows when wanted. */
export async function prepareReapplyRbac(
  context: CommandContext,
  flags: ReapplyRbacFlags,
): Promise<(context: CommandContext) => Promise<Report>> {
  const { documents, source } = await readTemplates(context, flags);
  const given = await readGiven(context, flags);
  requireFit(documents, source, context);
  return async (later) => await run(later, { ...flags, documents, source, given });
}

type Prepared = ReapplyRbacFlags & Pick<RbacOptions, "documents" | "source" | "given">;

async function run(context: CommandContext, prepared: Prepared): Promise<Report> {
  const { options, names, clock, run: identity } = context;
  const cluster = await context.connect();
  const { namespace } = cluster;
  const recorder = new Recorder(
    { kind: "ReapplyRbac", run: identity, target: { server: cluster.server, namespace } },
    { clock, event: context.event },
  );
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
      cluster,
      clock,
      names,
      recorder,
      signal: context.signal,
      ask: context.ask,
      journal: journalOf(await context.home(), identity.id),
      yaml: renderDocuments,
      command: (words) => quoteCommand([...words, ...options.contextArgs]),
      runId: identity.id.toLowerCase(),
    },
    rbacOptions,
  );
}

interface Templates {
  readonly documents: readonly unknown[];
  readonly source: string;
}

async function readTemplates(
  context: CommandContext,
  { template, release }: ReapplyRbacFlags,
): Promise<Templates> {
  if (template !== undefined) {
    const source = template === "-" ? "standard input" : template;
    return { documents: parseDocuments(await context.readInput(template), source), source };
  }
  if (release !== undefined) return await readRelease(release, context);
  const source = "the roles and bindings that the tool ships";
  const documents = Object.entries(shippedRbac()).flatMap(([file, text]) =>
    parseDocuments(text, file),
  );
  return { documents: documents.map((document) => rebrand(document, context.names)), source };
}

/** The files of the managed namespaces have to be there; those of label mode may be absent. */
async function readRelease(folder: string, { names }: CommandContext): Promise<Templates> {
  const { consumerRole, consumerBinding, labelRole, labelBinding } = names.release;
  const found = await Promise.all(
    [consumerRole, consumerBinding, labelRole, labelBinding].map((paths) =>
      readReleaseFile(folder, paths),
    ),
  );
  const problems = [consumerRole, consumerBinding].flatMap((paths, index) =>
    found[index] === undefined ? [`release ${folder} holds no ${paths.join(" and no ")}`] : [],
  );
  if (problems.length > 0) {
    throw new UsageError(problems, {
      hint: "give the folder of an unpacked release, or the files themselves with --template",
    });
  }
  const documents = found.flatMap((file) =>
    file === undefined ? [] : parseDocuments(file.text, file.source),
  );
  return { documents, source: folder };
}

/** What is wrong with the files whatever the cluster holds is said before it is asked. */
function requireFit(
  documents: readonly unknown[],
  source: string,
  { names }: CommandContext,
): void {
  const filling = { namespace: names.operator.namespace, accounts: ["ec"], label: false, names };
  const result = renderRbac(documents, filling);
  if (result.is === "rendered") return;
  throw new UsageError(
    result.problems.map((problem) => `template ${source}: ${problem}`),
    { hint: "give a Role and its RoleBinding as an operator release has them" },
  );
}

async function readGiven(
  context: CommandContext,
  { namespaces, namespacesFile }: ReapplyRbacFlags,
): Promise<readonly string[] | undefined> {
  if (namespacesFile === undefined) return namespaces;
  const text = await context.readInput(namespacesFile);
  const given = namesIn(text.replaceAll(/#.*$/gm, ""));
  if (given.length === 0) throw new UsageError(`${namespacesFile} names no namespace`);
  return given;
}
