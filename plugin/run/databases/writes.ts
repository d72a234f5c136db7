/** The one write of a database's upgrade: a patch of its version alone, bound to what was read (S61, S62). */
import {
  changesOf,
  droppedOf,
  type FieldEdit,
  patchOf,
  shownEdits,
} from "../../domain/cluster/edits";
import { databaseFinding } from "../../domain/databases/codes";
import type { Target } from "../../domain/databases/target";
import { exitCodes } from "../../domain/errors";
import { type KubeObject, objectLabel, type Ref, refTo } from "../../domain/objects";
import { type FieldPatch, saveOldValues, sendPatch, writePatch } from "../field-patch";
import { plannedWrite } from "../planned";
import { BlockedError, type StepInfo } from "../recorder";
import type { UpgradeDatabaseDeps, UpgradeDatabaseOptions } from "./deps";
import { databaseResources } from "./read";

/** A database and what is to be written to it. */
export interface DatabaseWrite {
  readonly target: Target;
  readonly edits: readonly FieldEdit[];
}

/** How the write is named in the report. */
export function stepOf({ target, edits }: DatabaseWrite): StepInfo {
  const object = objectLabel(target.object);
  return { id: "database.patch", action: "patch", object, why: shownEdits(edits) };
}

/** The same with all that a person decides by. */
export function plannedOf(deps: UpgradeDatabaseDeps, write: DatabaseWrite): StepInfo {
  const { target, edits } = write;
  return {
    ...stepOf(write),
    write: plannedWrite({
      verb: "patch",
      ref: refOf(deps, target),
      before: target.object,
      changes: changesOf(edits),
      risk: "the shards of the database restart; its version is not lowered again",
      reverse: "none once the upgrade has begun; the run saves the old value",
      command: deps.command([...kubectlPatch(deps, target), "-p", JSON.stringify(patchOf(edits))]),
    }),
  };
}

/** Writes the fields, and sees that all of them are stored. */
export async function writeEdits(
  deps: UpgradeDatabaseDeps,
  { fieldManager }: UpgradeDatabaseOptions,
  write: DatabaseWrite,
): Promise<KubeObject> {
  const patch = { ...patchTo(deps, write), step: stepOf(write) };
  const stored = await writePatch(deps, patch, { fieldManager });
  requireStored(stored, write.edits);
  return stored;
}

/** Sends the write with dryRun=All: what webhooks refuse and the API server would drop shows as well. */
export async function tryEdits(
  deps: UpgradeDatabaseDeps,
  { fieldManager }: UpgradeDatabaseOptions,
  write: DatabaseWrite,
): Promise<void> {
  const stored = await sendPatch(deps, patchTo(deps, write), { dryRun: true, fieldManager });
  requireStored(stored, write.edits);
}

/** Keeps the old value as a patch of its own. */
export async function keepOldValue(deps: UpgradeDatabaseDeps, write: DatabaseWrite): Promise<void> {
  await saveOldValues(deps, patchTo(deps, write), kubectlPatch(deps, write.target));
}

/** The database as it is now; undefined where it is gone. */
export async function readAgain(
  deps: UpgradeDatabaseDeps,
  target: Target,
): Promise<KubeObject | undefined> {
  return await deps.cluster.get(refOf(deps, target), { signal: deps.signal });
}

function patchTo(deps: UpgradeDatabaseDeps, { target, edits }: DatabaseWrite): FieldPatch {
  return { ref: refOf(deps, target), object: target.object, edits };
}

function refOf({ names }: UpgradeDatabaseDeps, { kind, object }: Target): Ref {
  return refTo(databaseResources(names)[kind], object);
}

function kubectlPatch(deps: UpgradeDatabaseDeps, target: Target): readonly string[] {
  const { resource, name, namespace = "" } = refOf(deps, target);
  const kind = `${resource.plural}.${resource.group}`;
  return ["kubectl", "patch", kind, name, "--namespace", namespace, "--type=merge"];
}

/** A definition without the field drops it silently (domain facts 7). */
function requireStored(stored: KubeObject, edits: readonly FieldEdit[]): void {
  const dropped = droppedOf(stored, edits);
  if (dropped.length === 0) return;
  const object = objectLabel(stored);
  throw new BlockedError(
    exitCodes.failed,
    dropped.map(({ path }) => databaseFinding("fieldPruned", { object, field: path.join(".") })),
  );
}
