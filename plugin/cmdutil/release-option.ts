/** `--release`: which release is meant, how a command opens it, and what the tool ships in its place (S15, S26). */
import { openRelease } from "../adapters/release/open";
import { parseDocuments } from "../adapters/kubernetes/text/yaml";
import { UsageError } from "../domain/base/errors";
import {
  judgeContents,
  type Release,
  type ReleaseContents,
  type ReleaseFile,
  targetProblems,
} from "../domain/release/contents";
import {
  type DesiredObject,
  explainUnfit,
  placeBundle,
  type Placing,
} from "../domain/operator/wanted";
import { type Platform, platforms } from "../domain/release/platforms";
import type { Report } from "../kernel/report";
import type { CommandContext } from "./context";
import type { ReleaseFlags } from "./common-flags";
import { readShippedRbac, readShippedTemplate } from "../adapters/shipped";
import type { Names } from "../domain/names/names";
import type { RoleFiles } from "../domain/rbac/lines";
import { rebrand } from "../domain/names/rebrand";
import { parseManifests } from "./manifest-documents";

/** Opens the release that the flags name; undefined without one. */
export async function findRelease(
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
  const result = judgeContents(release, { platform, names, parse: parseManifests, target });
  if (result.is === "read") return result.contents;
  throw new UsageError(result.problems, {
    hint: "give a release as it was published, or report this to its publisher",
  });
}

/**
 * The objects of the bundle as they are placed in a cluster of which nothing is known: those of every
 * platform that the release is for.
 */
export function readBundle(
  release: Release,
  context: CommandContext,
  wish: Omit<Placing, "names" | "live">,
): readonly DesiredObject[] {
  const { names } = context;
  const read = platforms.map((platform) =>
    judgeContents(release, { platform, names, parse: parseManifests }),
  );
  if (read.every(({ is }) => is !== "read")) readContents(release, "kubernetes", { context });
  return read.flatMap((result) => {
    if (result.is !== "read") return [];
    const found = placeBundle(result.contents.bundle, { ...wish, names, live: undefined });
    if (found.is === "unfit") throw explainUnfit(found, release.source);
    return found.objects;
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
  const problems = targetProblems(release, { names, target, parse: parseManifests });
  if (problems.length === 0) return;
  throw new UsageError(problems, { hint: "correct --target, or give the release that it names" });
}

/** The roles and bindings of a release, else those that the tool ships. */
export function readRoles(names: Names, contents: ReleaseContents | undefined): RoleFiles {
  const { rbac: files = [], source = "", operatorVersion } = contents ?? {};
  if (files.length === 0) return readShippedTemplates(names, operatorVersion);
  const documents = files.flatMap(({ text, source: file }) => parseManifests(text, file));
  return { documents, source };
}

/** The roles and bindings that the tool ships, for the release that runs unless one is named. */
export function readShippedTemplates(names: Names, release?: string): RoleFiles {
  const source = "the roles and bindings that the tool ships";
  const documents = Object.entries(readShippedRbac())
    .flatMap(([file, text]) => parseDocuments(text, file))
    .map((document) => rebrand(document, names));
  return { documents, source, shipped: true, release };
}

/** The webhook template that the tool ships. */
export function readShippedWebhook(names: Names) {
  const source = "the template that the tool ships";
  const documents = parseDocuments(readShippedTemplate(), source);
  return {
    documents: documents.map((document) => rebrand(document, names)),
    source,
    shipped: true,
  };
}
