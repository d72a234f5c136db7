/** The roles and bindings that the flags name. */
import { parseManifests } from "../../cmdutil/manifest-documents";
import { UsageError } from "../../domain/base/errors";
import { type Release, type ReleaseFile, releaseVersion } from "../../domain/release/contents";
import type { CommandContext } from "../../cmdutil/context";
import type { ReapplyRbacFlags } from "./flags";
import type { Names } from "../../domain/names/names";
import { renderRbac } from "../../domain/rbac/templates";
import type { RoleFiles } from "../../domain/rbac/lines";
import { findRelease, readShippedTemplates } from "../../cmdutil/release-option";

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
    return { documents: parseManifests(await context.readInput(template), source), source };
  }
  const release = await findRelease(context, flags);
  if (release !== undefined) return openedTemplates(release, names, flags.target);
  return readShippedTemplates(names);
}

/** The documents of a release that was opened before. */
export function openedTemplates(opened: Release, names: Names, target?: string): Templates {
  const { source, file } = opened;
  const release = releaseVersion(opened, { names, parse: parseManifests }) ?? target;
  return { ...pickTemplates(source, pickFiles(names).map(file), names), release, opened };
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

function pickFiles({ release }: Names): readonly (readonly string[])[] {
  const { consumerRole, consumerBinding, labelRole, labelBinding } = release;
  return [consumerRole, consumerBinding, labelRole, labelBinding];
}

/** The files of the managed namespaces have to be there; those of label mode may be absent. */
function pickTemplates(
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
    file === undefined ? [] : parseManifests(file.text, file.source),
  );
  return { documents, source };
}
