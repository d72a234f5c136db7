/** Whether an upgrade has roles to reapply. */
import type { Names } from "../../domain/names/names";
import { findLine } from "../../domain/rbac/lines";

/** Why roles are left alone when no release gives its own, and this tool knows none of that release. */
export function skipRoles({
  facts,
  operatorVersion,
  opened,
}: {
  readonly facts: { readonly names: Names };
  readonly operatorVersion: string | undefined;
  /** A release was given that has its own files; undefined for a chart. */
  readonly opened: unknown;
}): string | undefined {
  if (opened !== undefined || findLine(operatorVersion, facts.names) !== undefined)
    return undefined;
  const release = operatorVersion ?? "this release";
  return `the roles of ${release} do not come with this tool; with the release's own: reapply-rbac --release SOURCE`;
}
