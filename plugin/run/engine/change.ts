/** A write as a value, and what follows from it: its step, its line in a plan, its acts, its inverse. */
import {
  changesOf,
  droppedOf,
  type FieldEdit,
  holdersOf,
  patchOf,
  shownEdits,
} from "../../domain/cluster/edits";
import type { Act } from "../../domain/confirmed";
import type { Finding } from "../../domain/findings";
import { type KubeObject, objectLabel, type Ref, refTo, type Resource } from "../../domain/objects";
import { plannedWrite } from "../../domain/planned-write";
import { judgeConflict } from "../../domain/webhook/conflicts";
import type { StepInfo } from "../recorder";

/** A merge patch of some fields of one object, bound to the object as it was read. */
export interface Patch {
  /** Of its step. */
  readonly id: string;
  /** In the version that is served. */
  readonly resource: Resource;
  readonly object: KubeObject;
  readonly edits: readonly FieldEdit[];
  /** Absent: what the edits change. */
  readonly why?: string;
  /** What is confirmed, where a value may still grow by what others add; absent: each edit with its value. */
  readonly does?: readonly string[];
  readonly risk: string;
  readonly reverse: string;
  /** Words for kubectl that name the namespace, where those of the run do not. */
  readonly where?: readonly string[];
  /** Findings that keep it from being sent: another owner of the whole object. */
  readonly owned: readonly Finding[];
  /** The finding for fields that the API server accepted and did not keep. */
  readonly dropped: (edits: readonly FieldEdit[], object: string) => readonly Finding[];
}

/** Whose fields may be taken. */
export interface Taking {
  /** Managers that count as this tool's own. */
  readonly ours: readonly string[];
  /** Fields that a person has said to take. */
  readonly takeFields: readonly string[];
}

/** What keeps a patch from being sent (exit 5), and whether it takes fields of other managers. */
export interface Conflicts {
  readonly conflicts: readonly Finding[];
  readonly takes: boolean;
}

export function refOf({ resource, object }: Patch): Ref {
  return refTo(resource, object);
}

/** How the write is named in the report. */
export function stepOf({ id, object, edits, why = shownEdits(edits) }: Patch): StepInfo {
  return { id, action: "patch", object: objectLabel(object), why };
}

/** The step of a plan: with all that a person decides by. */
export function plannedStep(
  patch: Patch,
  command: (words: readonly string[]) => string,
): StepInfo & Required<Pick<StepInfo, "write">> {
  const { object, edits, risk, reverse } = patch;
  return {
    ...stepOf(patch),
    write: plannedWrite({
      verb: "patch",
      ref: refOf(patch),
      before: object,
      changes: changesOf(edits),
      risk,
      reverse,
      command: command([...kubectlPatch(patch), "-p", JSON.stringify(patchOf(edits))]),
    }),
  };
}

/** The command that patches the object, without its body. */
export function kubectlPatch({ resource, object, where = [] }: Patch): readonly string[] {
  const { name = "" } = object.metadata;
  return [
    "kubectl",
    "patch",
    `${resource.plural}.${resource.group}`,
    name,
    ...where,
    "--type=merge",
  ];
}

/** Judges owner and managers; a person's own kubectl holds nothing back (S18). */
export function conflictsOf(
  { object, edits, owned }: Pick<Patch, "object" | "edits" | "owned">,
  { ours, takeFields }: Taking,
): Conflicts {
  if (edits.length === 0) return { conflicts: [], takes: false };
  const causes = holdersOf(object, edits);
  const judge = (fields: readonly string[]): readonly Finding[] => {
    if (causes.length === 0) return [];
    const about = { causes, object: objectLabel(object), ours, takeFields: fields };
    const verdict = judgeConflict(about);
    return verdict.is === "force" ? [] : verdict.findings;
  };
  const held = judge(takeFields);
  return { conflicts: [...owned, ...held], takes: judge([]).length > held.length };
}

/** What it does, to be compared with a patch that is planned again: values written, fields taken. */
export function actsOf(patch: Patch, taking: Taking): readonly Act[] {
  const { object, edits, does } = patch;
  const { takes } = conflictsOf(patch, taking);
  const taken = takes ? holdersOf(object, edits) : [];
  const acts = [
    ...(does ?? edits.map((edit) => `write ${shownEdits([edit])}`)),
    ...taken.map(({ message = "" }) => `take a field: ${message}`),
  ];
  return acts.map((act) => ({ object: objectLabel(object), does: act }));
}

/** Findings for what the stored object does not have of the edits. */
export function droppedFrom(stored: KubeObject, { edits, dropped }: Patch): readonly Finding[] {
  const lost = droppedOf(stored, edits);
  return lost.length === 0 ? [] : dropped(lost, objectLabel(stored));
}
