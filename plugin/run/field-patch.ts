/** A merge patch of some fields of one object, bound to what was read: planned from, sent, kept and seen. */
import { type FieldEdit, holds, patchOf, reverseOf } from "../domain/cluster/edits";
import { type KubeObject, objectLabel, preconditionsOf, type Ref } from "../domain/objects";
import { certain, type Notes, noted } from "./outcome";
import type { Cluster } from "./ports";
import type { Journal } from "./record";
import type { Recorder, StepInfo } from "./recorder";

/** An object as it was read, where it is, and what is to be written to it. */
export interface FieldPatch {
  readonly ref: Ref;
  readonly object: KubeObject;
  readonly edits: readonly FieldEdit[];
}

/** How a patch is sent. */
export interface Sending {
  readonly fieldManager: string;
  readonly dryRun?: boolean;
}

/** Sends it; what a dry run sends changes nothing, and is not refused for a status that moves. */
export async function sendPatch(
  { cluster }: { readonly cluster: Cluster },
  { ref, object, edits }: FieldPatch,
  sending: Sending,
): Promise<KubeObject> {
  const bound = preconditionsOf(object);
  const { uid } = bound;
  const metadata = sending.dryRun === true ? { ...(uid !== undefined && { uid }) } : bound;
  const body = { ...patchOf(edits), metadata };
  return await cluster.patch(ref, body, { type: "merge", ...sending });
}

/** Sends it as a write that is noted, and looked for where its answer does not come. */
export async function writePatch(
  deps: Notes & { readonly cluster: Cluster },
  patch: FieldPatch & { readonly step: StepInfo },
  sending: Sending,
): Promise<KubeObject> {
  const { ref, object, edits, step } = patch;
  const { action, object: label, why } = step;
  return await noted(deps, { action, object: label, why }, () =>
    certain({ send: () => sendPatch(deps, patch, sending), seen, label }),
  );

  // an interrupt does not keep it from being seen
  async function seen(): Promise<KubeObject | undefined> {
    const found = await deps.cluster.get(ref, { signal: new AbortController().signal });
    return found?.metadata.uid === object.metadata.uid && holds(found, edits) ? found : undefined;
  }
}

/** The same object with the same spec: only its status has moved. */
export function isSameSpec(one: KubeObject, other: KubeObject): boolean {
  return (
    one.metadata.uid === other.metadata.uid && one.metadata.generation === other.metadata.generation
  );
}

/** Where the old values are kept, and the command that puts them back is told. */
export interface Keeping {
  readonly journal: Pick<Journal, "save">;
  readonly recorder: Pick<Recorder, "backup">;
  readonly command: (words: readonly string[]) => string;
}

/** Keeps the old values as a patch of their own, for the spec may hold a license. */
export async function saveOldValues(
  { journal, recorder, command }: Keeping,
  { ref, object, edits }: FieldPatch,
  patchWords: readonly string[],
): Promise<void> {
  const { name, namespace } = ref;
  const file = await journal.save({
    apiVersion: object.apiVersion,
    kind: object.kind,
    metadata: { name, ...(namespace !== undefined && { namespace }) },
    ...reverseOf(edits),
  });
  const putBack = command([...patchWords, "--patch-file", file]);
  recorder.backup({ object: objectLabel(object), file, command: putBack });
}
