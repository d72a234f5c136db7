/** The edits of a recovery: digests of the EC, and resources that follow what runs (S100; domain facts 7). */
import {
  changesOf,
  type FieldEdit,
  holds,
  holdersOf,
  patchOf,
  shownEdits,
} from "../../domain/cluster/edits";
import { databaseFinding } from "../../domain/databases/codes";
import { exitCodes } from "../../domain/errors";
import type { Finding } from "../../domain/findings";
import { type KubeObject, objectLabel, refTo, type Resource } from "../../domain/objects";
import { ownerOf } from "../../domain/owners";
import { judgeConflict } from "../../domain/webhook/conflicts";
import { type FieldPatch, isSameSpec, saveOldValues, sendPatch, writePatch } from "../field-patch";
import { ChangedError } from "../outcome";
import { plannedWrite } from "../planned";
import { BlockedError, type StepInfo } from "../recorder";
import type { RecoverDeps, RecoverOptions } from "./deps";

/** One object and what is to be written to it. */
export interface Edit {
  readonly id: string;
  readonly resource: Resource;
  readonly object: KubeObject;
  readonly edits: readonly FieldEdit[];
  readonly risk: string;
}

/** A status that is written meanwhile is no conflict. */
const attempts = 5;

/** Who else looks after the objects, or holds the fields: exit 5, before anything is written. */
export function conflictsWith(
  deps: RecoverDeps,
  { fieldManager }: RecoverOptions,
  all: readonly Pick<Edit, "object" | "edits">[],
): readonly Finding[] {
  return all.flatMap(({ object, edits }) => {
    const owner = ownerOf(object);
    const about = { object: objectLabel(object) };
    const owned =
      owner === undefined
        ? []
        : [
            databaseFinding("owned", {
              ...about,
              cause: `${owner.name} owns it and would undo the change`,
              fix: owner.way,
            }),
          ];
    return [...owned, ...heldBy(deps, fieldManager, { object, edits })];
  });
}

/** A person's own kubectl is no hindrance. */
function heldBy(
  { names }: RecoverDeps,
  fieldManager: string,
  { object, edits }: Pick<Edit, "object" | "edits">,
): readonly Finding[] {
  const causes = holdersOf(object, edits);
  if (causes.length === 0) return [];
  const ours = [fieldManager, names.fieldManager];
  const label = objectLabel(object);
  const verdict = judgeConflict({ causes, object: label, ours, takeFields: [] });
  return verdict.is === "force" ? [] : verdict.findings;
}

/** How the write is named in the report. */
export function stepOf({ id, object, edits }: Edit): StepInfo {
  return { id, action: "patch", object: objectLabel(object), why: shownEdits(edits) };
}

/** The same with all that a person decides by. */
export function plannedOf({ command }: RecoverDeps, edit: Edit): StepInfo {
  const { object, edits, risk } = edit;
  return {
    ...stepOf(edit),
    write: plannedWrite({
      verb: "patch",
      ref: refTo(edit.resource, object),
      before: object,
      changes: changesOf(edits),
      risk,
      reverse: "the run saves the old values, and prints the command that puts them back",
      command: command([...patchWords(edit), "-p", JSON.stringify(patchOf(edits))]),
    }),
  };
}

/** Keeps the old values, writes the new ones, and sees that they are stored. */
export async function write(
  deps: RecoverDeps,
  options: RecoverOptions,
  edit: Edit,
): Promise<KubeObject> {
  await saveOldValues(deps, patchTo(edit), patchWords(edit));
  deps.signal.throwIfAborted();
  return await deps.recorder.step(stepOf(edit), async () => ({
    result: "changed",
    value: await send(deps, options, { edit, left: attempts }),
  }));
}

function patchWords({ resource, object }: Edit): readonly string[] {
  const { name = "", namespace = "" } = object.metadata;
  const kind = `${resource.plural}.${resource.group}`;
  return ["kubectl", "patch", kind, name, "-n", namespace, "--type=merge"];
}

/** Sends it with dryRun=All. */
export async function tryWrite(
  deps: RecoverDeps,
  { fieldManager }: RecoverOptions,
  edit: Edit,
): Promise<void> {
  await sendPatch(deps, patchTo(edit), { dryRun: true, fieldManager });
}

async function send(
  deps: RecoverDeps,
  options: RecoverOptions,
  { edit, left }: { readonly edit: Edit; readonly left: number },
): Promise<KubeObject> {
  try {
    const { fieldManager } = options;
    const patch = { ...patchTo(edit), step: stepOf(edit) };
    const stored = await writePatch(deps, patch, { fieldManager });
    requireStored(edit, stored);
    return stored;
  } catch (error) {
    if (!(error instanceof ChangedError) || left <= 1) throw error;
    const now = await deps.cluster.get(patchTo(edit).ref, { signal: deps.signal });
    if (now === undefined || !isSameSpec(now, edit.object)) throw error;
    deps.recorder.note(`${objectLabel(now)}: its status was written meanwhile, once more`);
    return await send(deps, options, { edit: { ...edit, object: now }, left: left - 1 });
  }
}

function patchTo({ resource, object, edits }: Edit): FieldPatch {
  return { ref: refTo(resource, object), object, edits };
}

function requireStored(edit: Edit, stored: KubeObject): void {
  if (holds(stored, edit.edits)) return;
  throw new BlockedError(exitCodes.failed, [
    databaseFinding("writeFailed", {
      object: objectLabel(stored),
      cause: `the API server did not keep ${shownEdits(edit.edits)}`,
    }),
  ]);
}
