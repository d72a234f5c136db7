/** `--release`: which release is meant, and how a command opens it (S15, S26). */
import { openRelease } from "../adapters/release/open";
import { parseDocuments } from "../adapters/yaml";
import { UsageError } from "../domain/base/errors";
import {
  contentsOf,
  type Release,
  type ReleaseContents,
  type ReleaseFile,
  releaseVersion,
  targetProblems,
} from "../domain/release/contents";
import type { Platform } from "../domain/release/platforms";
import type { Report } from "../kernel/report";
import type { CommandContext } from "./context";
import type { ReleaseFlags } from "./common-flags";
import type { ReapplyRbacFlags } from "../commands/reapply-rbac/flags";
import { shippedRbac, shippedTemplate } from "../adapters/shipped";
import type { Names } from "../domain/names/names";
import { renderRbac } from "../domain/rbac/templates";
import type { RoleFiles } from "../domain/rbac/lines";
import { rebrand } from "../domain/names/rebrand";

/** Opens the release that the flags name; undefined without one. */
export async function releaseOf(
  context: CommandContext,
  { release: given, sha256, target }: ReleaseFlags,
): Promise<Release | undefined> {
  if (given === undefined) return undefined;
  const { names, signal, env, onSlow, ownRelease } = context;
  const release =
    given === ownRelease?.source
      ? ownRelease
      : await openRelease(given, { sha256, target, names, signal, env, onSlow });
  if (target !== undefined) requireTarget(release, target, context);
  context.event({ type: "note", text: `release ${release.source}, SHA-256 ${release.sha256}` });
  return release;
}

/** The report, with the release that the run read. */
export function withRelease(report: Report, release: Release | undefined): Report {
  if (release === undefined) return report;
  const { source, sha256 } = release;
  return { ...report, release: { source, sha256 } };
}

/** What the release holds for a platform; UsageError with every problem of its files. */
export function readContents(
  release: Release,
  platform: Platform,
  { context, target }: { readonly context: CommandContext; readonly target?: string },
): ReleaseContents {
  const { names } = context;
  const result = contentsOf(release, { platform, names, parse: parseDocuments, target });
  if (result.is === "read") return result.contents;
  throw new UsageError(result.problems, {
    hint: "give a release as it was published, or report this to its publisher",
  });
}

/** A file that a command cannot do without. */
export function requireFile(release: Release, paths: readonly string[], what: string): ReleaseFile {
  const found = release.file(paths);
  if (found !== undefined) return found;
  throw new UsageError(
    `release ${release.source} holds no ${what}, looked for ${paths.join(" and ")}`,
    { hint: "give a release's folder, .tar.gz or https URL, or the file itself with --template" },
  );
}

/** The tags inside tell which release it really is (domain facts 8). */
function requireTarget(release: Release, target: string, { names }: CommandContext): void {
  const problems = targetProblems(release, { names, target, parse: parseDocuments });
  if (problems.length === 0) return;
  throw new UsageError(problems, { hint: "correct --target, or give the release that it names" });
}

/** Documents, and where they are from. */
export interface Templates extends RoleFiles {
  /** The release that they are of. */
  readonly opened?: Release;
}

/** The documents that the flags name, else those that the tool ships. */
export async function readTemplates(
  context: CommandContext,
  { template, ...flags }: ReapplyRbacFlags,
): Promise<Templates> {
  const { names } = context;
  if (template !== undefined) {
    const source = template === "-" ? "standard input" : template;
    return { documents: parseDocuments(await context.readInput(template), source), source };
  }
  const release = await releaseOf(context, flags);
  if (release !== undefined) return openedTemplates(release, names, flags.target);
  return shippedTemplates(names);
}

/** The roles and bindings that the tool ships, for the release that runs unless one is named. */
export function shippedTemplates(names: Names, release?: string): RoleFiles {
  const source = "the roles and bindings that the tool ships";
  const documents = Object.entries(shippedRbac())
    .flatMap(([file, text]) => parseDocuments(text, file))
    .map((document) => rebrand(document, names));
  return { documents, source, shipped: true, release };
}

/** The webhook template that the tool ships. */
export function shippedWebhook(names: Names) {
  const source = "the template that the tool ships";
  const documents = parseDocuments(shippedTemplate(), source);
  return {
    documents: documents.map((document) => rebrand(document, names)),
    source,
    shipped: true,
  };
}

/** The documents of a release that was opened before. */
export function openedTemplates(opened: Release, names: Names, target?: string): Templates {
  const { source, file } = opened;
  const release = releaseVersion(opened, { names, parse: parseDocuments }) ?? target;
  return { ...templatesOf(source, filesOf(names).map(file), names), release, opened };
}

/** What is wrong with the files whatever the cluster holds is said before it is asked. */
export function requireFit({ documents, source }: Templates, names: Names): void {
  const { namespace, olmCluster } = names.operator;
  const filling = { namespace, accounts: [olmCluster], label: false, names };
  const result = renderRbac(documents, filling);
  if (result.is === "rendered") return;
  throw new UsageError(
    result.problems.map((problem) => `template ${source}: ${problem}`),
    { hint: "give a Role and its RoleBinding as an operator release has them" },
  );
}

function filesOf({ release }: Names): readonly (readonly string[])[] {
  const { consumerRole, consumerBinding, labelRole, labelBinding } = release;
  return [consumerRole, consumerBinding, labelRole, labelBinding];
}

/** The files of the managed namespaces have to be there; those of label mode may be absent. */
function templatesOf(
  source: string,
  found: readonly (ReleaseFile | undefined)[],
  { release: { consumerRole, consumerBinding } }: Names,
): Templates {
  const problems = [consumerRole, consumerBinding].flatMap((paths, index) =>
    found[index] === undefined ? [`release ${source} holds no ${paths.join(" and no ")}`] : [],
  );
  if (problems.length > 0) {
    throw new UsageError(problems, {
      hint: "give a release's folder, .tar.gz or https URL, or the files themselves with --template",
    });
  }
  const documents = found.flatMap((file) =>
    file === undefined ? [] : parseDocuments(file.text, file.source),
  );
  return { documents, source };
}
