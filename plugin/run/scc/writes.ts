/** The writes of an unbinding: each is noted before it is sent and after its outcome was seen. */
import { type KubeObject, preconditionsOf, objectLabel } from "../../domain/objects";
import { refOf } from "../../domain/scc/constraint";
import type { Change } from "../../domain/scc/plan";
import { own, sameJson } from "../../domain/values";
import { certain, noted } from "../outcome";
import type { UnbindDeps, UnbindOptions } from "./deps";

/** A write that was done, and what the object was before. */
export interface Written {
  readonly before: KubeObject;
  readonly field: Change["field"];
  /** Undefined when it was deleted. */
  readonly after: KubeObject | undefined;
}

interface Write<T> {
  readonly action: "patch" | "delete" | "apply";
  readonly object: KubeObject;
  readonly why: string;
  readonly send: () => Promise<T>;
  /** The outcome when the object as stored shows that the write was done. */
  readonly seen: (stored: KubeObject | undefined) => T | undefined;
}

/** Makes the change, bound to the uid and resourceVersion that were read. */
export async function writeChange(
  deps: UnbindDeps,
  options: UnbindOptions,
  { object, field, left, deletes }: Change,
): Promise<Written> {
  if (deletes) {
    await deleteAsRead(deps, object, "it was bound to nobody else");
    return { before: object, field, after: undefined };
  }
  const after = await setList(deps, options, { object, field, entries: left });
  return { before: object, field, after };
}

/** Sends the change with dryRun=All. */
export async function tryChange(
  deps: UnbindDeps,
  { fieldManager }: UnbindOptions,
  { object, field, left, deletes }: Change,
): Promise<void> {
  if (deletes) {
    await tryDelete(deps, object);
    return;
  }
  const body = { metadata: preconditionsOf(object), [field]: left };
  await deps.cluster.patch(refOf(object), body, { type: "merge", dryRun: true, fieldManager });
}

/** Sends a deletion with dryRun=All. */
export async function tryDelete({ cluster }: UnbindDeps, object: KubeObject): Promise<void> {
  await cluster.delete(refOf(object), preconditionsOf(object), { dryRun: true });
}

/** Deletes an object only if it is still the one that was read. */
export async function deleteAsRead(
  deps: UnbindDeps,
  object: KubeObject,
  why: string,
): Promise<void> {
  await write(deps, {
    action: "delete",
    object,
    why,
    send: async () => {
      await deps.cluster.delete(refOf(object), preconditionsOf(object));
      return true;
    },
    seen: (stored) => (stored?.metadata.uid === object.metadata.uid ? undefined : true),
  });
}

/** Puts back what a write took away. */
export async function putBack(
  deps: UnbindDeps,
  options: UnbindOptions,
  { before, field, after }: Written,
): Promise<void> {
  if (after !== undefined) {
    const entries = own(before, field);
    await setList(deps, options, { object: after, field, entries });
    return;
  }
  const { name, namespace, labels, annotations } = before.metadata;
  const metadata = {
    ...(name !== undefined && { name }),
    ...(namespace !== undefined && { namespace }),
    ...(labels !== undefined && { labels }),
    ...(annotations !== undefined && { annotations }),
  };
  const { fieldManager } = options;
  await write(deps, {
    action: "apply",
    object: before,
    why: "to put back what was there",
    send: () => deps.cluster.create({ ...before, metadata }, { fieldManager }),
    seen: (stored) => (sameJson(own(stored, field), own(before, field)) ? stored : undefined),
  });
}

async function setList(
  deps: UnbindDeps,
  { fieldManager }: UnbindOptions,
  wanted: { readonly object: KubeObject; readonly field: string; readonly entries: unknown },
): Promise<KubeObject> {
  const { object, field, entries } = wanted;
  const body = { metadata: preconditionsOf(object), [field]: entries };
  return await write(deps, {
    action: "patch",
    object,
    why: `to write its ${field}`,
    send: () => deps.cluster.patch(refOf(object), body, { type: "merge", fieldManager }),
    seen: (stored) =>
      stored?.metadata.uid === object.metadata.uid && sameJson(own(stored, field), entries)
        ? stored
        : undefined,
  });
}

/** Noted before it is sent; without a definite answer the object is read to see the outcome. */
async function write<T>(
  deps: UnbindDeps,
  { action, object, why, send, seen }: Write<T>,
): Promise<T> {
  const label = objectLabel(object);
  // an interrupt does not keep it from being seen
  const read = () => deps.cluster.get(refOf(object), { signal: new AbortController().signal });
  return await noted(deps, { action, object: label, why }, () =>
    certain({ send, seen: async () => seen(await read()), label }),
  );
}
