/** The one write of a database's upgrade: a patch of its version alone, bound to what was read (S61, S62). */
import { type FieldEdit, holds, patchOf, reverseOf, shownEdits } from "../../domain/cluster/edits";
import { databaseFinding } from "../../domain/databases/codes";
import type { Target } from "../../domain/databases/target";
import { exitCodes } from "../../domain/errors";
import { type KubeObject, objectLabel, preconditionsOf, type Ref } from "../../domain/objects";
import { at } from "../../domain/values";
import { certain, noted } from "../outcome";
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
      risk: "the shards of the database restart; its version is not lowered again",
      reverse: "none once the upgrade has begun; the run saves the old value",
      command: deps.command([...kubectlPatch(deps, target), "-p", JSON.stringify(patchOf(edits))]),
    }),
  };
}

/** Writes the fields, and sees that all of them are stored. */
export async function writeEdits(
  deps: UpgradeDatabaseDeps,
  options: UpgradeDatabaseOptions,
  write: DatabaseWrite,
): Promise<KubeObject> {
  const { edits, target } = write;
  const { action, object, why } = stepOf(write);
  const stored = await noted(deps, { action, object, why }, () =>
    certain({ send: () => send(deps, options, { ...write, dryRun: false }), seen, label: object }),
  );
  requireStored(stored, edits);
  return stored;

  // an interrupt does not keep it from being seen
  async function seen(): Promise<KubeObject | undefined> {
    const signal = new AbortController().signal;
    const found = await deps.cluster.get(refOf(deps, target), { signal });
    const same = found?.metadata.uid === target.object.metadata.uid;
    return same && holds(found, edits) ? found : undefined;
  }
}

/** Sends the write with dryRun=All: what webhooks refuse and the API server would drop shows as well. */
export async function tryEdits(
  deps: UpgradeDatabaseDeps,
  options: UpgradeDatabaseOptions,
  write: DatabaseWrite,
): Promise<void> {
  requireStored(await send(deps, options, { ...write, dryRun: true }), write.edits);
}

/** Keeps the old value as a patch of its own. */
export async function saveOldValue(
  deps: UpgradeDatabaseDeps,
  { target, edits }: DatabaseWrite,
): Promise<void> {
  const { apiVersion, kind, metadata } = target.object;
  const { name = "", namespace } = metadata;
  const file = await deps.journal.save({
    apiVersion,
    kind,
    metadata: { name, ...(namespace !== undefined && { namespace }) },
    ...reverseOf(edits),
  });
  deps.recorder.backup({
    object: objectLabel(target.object),
    file,
    command: deps.command([...kubectlPatch(deps, target), "--patch-file", file]),
  });
}

/** The database as it is now; undefined where it is gone. */
export async function readAgain(
  deps: UpgradeDatabaseDeps,
  target: Target,
): Promise<KubeObject | undefined> {
  return await deps.cluster.get(refOf(deps, target), { signal: deps.signal });
}

async function send(
  deps: UpgradeDatabaseDeps,
  { fieldManager }: UpgradeDatabaseOptions,
  { target, edits, dryRun }: DatabaseWrite & { readonly dryRun: boolean },
): Promise<KubeObject> {
  const body = { ...patchOf(edits), metadata: preconditionsOf(target.object) };
  const options = { type: "merge", dryRun, fieldManager } as const;
  return await deps.cluster.patch(refOf(deps, target), body, options);
}

function refOf({ names }: UpgradeDatabaseDeps, { kind, object }: Target): Ref {
  const { name = "", namespace } = object.metadata;
  const resource = databaseResources(names)[kind];
  return { resource, name, ...(namespace !== undefined && { namespace }) };
}

function kubectlPatch(deps: UpgradeDatabaseDeps, target: Target): readonly string[] {
  const { resource, name, namespace = "" } = refOf(deps, target);
  const kind = `${resource.plural}.${resource.group}`;
  return ["kubectl", "patch", kind, name, "--namespace", namespace, "--type=merge"];
}

/** A definition without the field drops it silently (domain facts 7). */
function requireStored(stored: KubeObject, edits: readonly FieldEdit[]): void {
  const dropped = edits.filter(({ path, to }) => at(stored, path) !== to);
  if (dropped.length === 0) return;
  const object = objectLabel(stored);
  throw new BlockedError(
    exitCodes.failed,
    dropped.map(({ path }) => databaseFinding("fieldPruned", { object, field: path.join(".") })),
  );
}
