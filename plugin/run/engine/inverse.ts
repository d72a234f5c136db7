/** The writes that take writes back. */
import type { KubeObject } from "../../domain/objects";
import type { Change, Create, Delete } from "./change";

/** The write that takes back a patch, whose result is `stored`, or a deletion; undefined for others. */
export function inverseOf(change: Change, stored: KubeObject | undefined): Change | undefined {
  const told = { id: "rollback.restore", why: "to put back what was there" };
  if (change.verb === "delete") return { ...recreated(change), ...told };
  if (change.verb !== "patch" || stored === undefined) return undefined;
  const edits = change.edits.map(({ path, from, to }) => ({ path, from: to, to: from ?? null }));
  return { ...change, ...told, object: stored, edits };
}

/** The deleted object once more, as it was. */
export function recreated(deletion: Delete): Create {
  const { object } = deletion;
  const { name, namespace, labels, annotations, ownerReferences } = object.metadata;
  const metadata = {
    ...(name !== undefined && { name }),
    ...(namespace !== undefined && { namespace }),
    ...(labels !== undefined && { labels }),
    ...(annotations !== undefined && { annotations }),
    ...(ownerReferences !== undefined && { ownerReferences }),
  };
  return { ...deletion, verb: "create", object: { ...object, metadata } };
}
