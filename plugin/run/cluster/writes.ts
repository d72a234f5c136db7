/** The one write of an upgrade: a patch of its fields alone, bound to the EC that was read. */
import { clusterFinding } from "../../domain/cluster/codes";
import {
  changesOf,
  droppedOf,
  type FieldEdit,
  patchOf,
  shownEdits,
} from "../../domain/cluster/edits";
import { exitCodes } from "../../domain/errors";
import { type KubeObject, objectLabel, refTo, type Resource } from "../../domain/objects";
import { type FieldPatch, saveOldValues, sendPatch, writePatch } from "../field-patch";
import { plannedWrite } from "../planned";
import { BlockedError, type StepInfo } from "../recorder";
import type { UpgradeClusterDeps, UpgradeClusterOptions } from "./deps";

/** The EC and what is to be written to it. */
export interface ClusterWrite {
  readonly resource: Resource;
  readonly ec: KubeObject;
  readonly edits: readonly FieldEdit[];
}

/** How the write is named in the report. */
export function stepOf({ ec, edits }: Pick<ClusterWrite, "ec" | "edits">): StepInfo {
  const object = objectLabel(ec);
  return { id: "cluster.patch", action: "patch", object, why: shownEdits(edits) };
}

/** The same with all that a person decides by. */
export function plannedOf({ command }: UpgradeClusterDeps, write: ClusterWrite): StepInfo {
  const { resource, ec, edits } = write;
  return {
    ...stepOf(write),
    write: plannedWrite({
      verb: "patch",
      ref: refTo(resource, ec),
      before: ec,
      changes: changesOf(edits),
      risk: "all pods of the cluster are renewed one after the other; a cluster is not lowered again",
      reverse:
        "until the first pod is renewed, by the printed command; the run saves the old values",
      command: command([...patchWords(write), "-p", JSON.stringify(patchOf(edits))]),
    }),
  };
}

/** Writes the fields, and sees that all of them are stored. */
export async function writeEdits(
  deps: UpgradeClusterDeps,
  { fieldManager }: UpgradeClusterOptions,
  write: ClusterWrite,
): Promise<KubeObject> {
  const patch = { ...patchTo(write), step: stepOf(write) };
  const stored = await writePatch(deps, patch, { fieldManager });
  requireStored(stored, write.edits);
  return stored;
}

/** Sends the write with dryRun=All: what the API server would drop shows as well. */
export async function tryEdits(
  deps: UpgradeClusterDeps,
  { fieldManager }: UpgradeClusterOptions,
  write: ClusterWrite,
): Promise<void> {
  requireStored(await sendPatch(deps, patchTo(write), { dryRun: true, fieldManager }), write.edits);
}

/** Keeps the old values as a patch of their own. */
export async function keepOldValues(deps: UpgradeClusterDeps, write: ClusterWrite): Promise<void> {
  await saveOldValues(deps, patchTo(write), patchWords(write));
}

function patchTo({ resource, ec, edits }: ClusterWrite): FieldPatch {
  return { ref: refTo(resource, ec), object: ec, edits };
}

function patchWords({ resource, ec }: ClusterWrite): readonly string[] {
  const kind = `${resource.plural}.${resource.group}`;
  return ["kubectl", "patch", kind, ec.metadata.name ?? "", "--type=merge"];
}

/** A definition without the field drops it silently (domain facts 7). */
function requireStored(stored: KubeObject, edits: readonly FieldEdit[]): void {
  const dropped = droppedOf(stored, edits);
  if (dropped.length === 0) return;
  throw new BlockedError(
    exitCodes.failed,
    dropped.map(({ path }) =>
      clusterFinding("fieldPruned", {
        object: objectLabel(stored),
        field: path.join("."),
        cause: `the API server did not keep ${path.join(".")}: its definition does not have it`,
      }),
    ),
  );
}
