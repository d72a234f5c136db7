/** The conflicts of a server-side apply, in the API server's words. */
import { ApiError } from "../../domain/errors";
import { type FieldSet, pathsOf, shownPath } from "./field-set";
import type { Owner } from "./managed-fields";

/** What of a manager's fields an apply would change. */
export interface Disputed {
  readonly owner: Owner;
  readonly fields: FieldSet;
}

/** 409 that names every field and its manager. */
export function conflictsOf(disputed: readonly Disputed[]): ApiError {
  const conflicts = disputed.flatMap(({ owner, fields }) =>
    pathsOf(fields).map((path) => ({ manager: shownManager(owner), path: shownPath(path) })),
  );
  const [first, ...more] = conflicts;
  const text =
    first !== undefined && more.length === 0
      ? `1 conflict: conflict with ${first.manager}: ${first.path}`
      : `${conflicts.length} conflicts: ${grouped(disputed)}`;
  return new ApiError(`Apply failed with ${text}`, {
    status: 409,
    reason: "Conflict",
    causes: conflicts.map(({ manager, path }) => ({
      reason: "FieldManagerConflict",
      field: path,
      message: `conflict with ${manager}`,
    })),
  });
}

function grouped(disputed: readonly Disputed[]): string {
  return [...disputed]
    .sort((one, other) => (sortKey(one) < sortKey(other) ? -1 : 1))
    .flatMap(({ owner, fields }) => [
      `conflicts with ${shownManager(owner)}:`,
      ...pathsOf(fields).map((path) => `- ${shownPath(path)}`),
    ])
    .join("\n");
}

function sortKey({ owner }: Disputed): string {
  return JSON.stringify([owner.manager, owner.operation, owner.apiVersion]);
}

function shownManager({ manager, operation, apiVersion, subresource }: Owner): string {
  const within = subresource === undefined ? "" : ` with subresource "${subresource}"`;
  return `"${manager}"${within}${operation === "Update" ? ` using ${apiVersion}` : ""}`;
}
