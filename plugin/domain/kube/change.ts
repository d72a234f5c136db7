/** A write as a value, and what follows from it: its step, its line in a plan, its acts, what is kept. */
import {
  listFieldChanges,
  findDroppedEdits,
  type FieldEdit,
  listHolders,
  holds,
  buildPatch,
  buildReverse,
  renderEdits,
} from "./edits";
import {
  type WriteAction,
  type ChangedField,
  makePlannedWrite,
  type StepInfo,
  type Result,
} from "./planned-write";
import type { Finding } from "../base/findings";
import { kinds } from "./kinds";
import { type KubeObject, readName, objectLabel, type Ref, refTo, type Resource } from "./objects";
import { covers } from "./differences";
import type { Permission } from "./permissions";
import { judgeConflict } from "./owners";
import { type Json, getOwn } from "../base/values";

/** What every write tells of itself. */
interface Told {
  /** Of its step. */
  readonly id: string;
  /** In the version that is served. */
  readonly resource: Resource;
  readonly why: string;
  /** The numbers of the specification behind it: `S27, S28`. */
  readonly source?: string;
  readonly risk: string;
  /** Nobody is worse off for it, whatever becomes of it: a plan names no risk without -v. */
  readonly isHarmless?: true | undefined;
  readonly reverse: string;
  /** What is confirmed of it; absent: all that it does. */
  readonly does?: readonly string[];
  /** What a plan says that it changes; absent: its fields, or the object as a whole. */
  readonly changes?: readonly ChangedField[];
  /** The command that does the same, where it is not the usual one. */
  readonly kubectl?: readonly string[];
  /** What its permission is needed for; absent: the write by itself. */
  readonly needs?: string;
  /** How long its way back holds, for a sentence; absent: while nobody else has changed the object. */
  readonly backHolds?: string;
  /** Sent although its record cannot be kept: until it is done, something is missing. */
  readonly urgent?: true;
}

/** A merge patch of some fields of one object, bound to the object as it was read. */
export interface Patch extends Omit<Told, "why" | "reverse"> {
  readonly verb: "patch";
  readonly object: KubeObject;
  readonly edits: readonly FieldEdit[];
  /** Absent: what the edits change. */
  readonly why?: string;
  /** Absent: the kept values put it back. */
  readonly reverse?: string;
  /** Words for kubectl that name the namespace, where those of the run do not. */
  readonly where?: readonly string[];
  /** The whole object is kept before it; absent: the old values alone, for it may hold a license. */
  readonly keepsWhole?: true;
  /** Findings that keep it from being sent: another owner of the whole object; absent: nobody is judged. */
  readonly owned?: readonly Finding[];
  /** The finding for fields that the API server accepted and did not keep; absent: not looked for. */
  readonly dropped?: (edits: readonly FieldEdit[], object: string) => readonly Finding[];
}

/** The complete object, by server-side apply, or in the place of the one that was read. */
export interface Apply extends Told {
  readonly verb: "apply" | "update";
  readonly object: KubeObject;
  /** As it was read; absent: there is none. */
  readonly live?: KubeObject | undefined;
  /** Fields of others are taken; `judged`: where they are a person's own, or were said to be taken. */
  readonly force?: boolean | "judged";
  /** The run itself has made the object that is live: there is no older state to keep. */
  readonly isMade?: true | undefined;
  /** Whether what is stored shows that it was done; absent: it has all of the object. */
  readonly holds?: (stored: KubeObject) => boolean;
}

/** An object that is not there yet. */
export interface Create extends Told {
  readonly verb: "create";
  readonly object: KubeObject;
  readonly holds?: (stored: KubeObject) => boolean;
}

/** A JSON patch of what no merge patch reaches. */
export interface Rewrite extends Told {
  readonly verb: "rewrite";
  readonly object: KubeObject;
  readonly operations: readonly object[];
  readonly holds: (stored: KubeObject) => boolean;
}

/** A deletion of the object that was read, and of no other. */
export interface Delete extends Told {
  readonly verb: "delete";
  readonly object: KubeObject;
  /** How kubectl puts it back; absent: it gives nothing that is not given otherwise, and is not kept. */
  readonly putBack?: PutBack;
}

/** One write to the API server. */
export type Change = Patch | Apply | Create | Rewrite | Delete;

/** A write that is planned, and what the API server would store. */
export interface PlannedChange {
  readonly change: Change;
  /** Absent: it was not tried, or the object is gone. */
  readonly stored?: KubeObject | undefined;
  /** As a plan shows it; absent of one that is sent at once. */
  readonly step?: PlannedStepInfo;
}

/** A write as a plan shows it. */
export type PlannedStepInfo = StepInfo & Required<Pick<StepInfo, "write">>;

/** How kubectl puts an object back; `replace --force` deletes what stands in its place. */
export type PutBack = "replace" | "create" | "replace --force";

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

export function changeRef({ resource, object }: Pick<Change, "resource" | "object">): Ref {
  return refTo(resource, object);
}

/** The object as it was read; undefined where there was none. */
export function findLive(change: Change): KubeObject | undefined {
  if (change.verb === "create") return undefined;
  return change.verb === "apply" || change.verb === "update" ? change.live : change.object;
}

/** How the write is named in the report. */
export function describeStep(change: Change): StepInfo {
  const { id, verb, object } = change;
  const why = change.verb === "patch" ? (change.why ?? renderEdits(change.edits)) : change.why;
  const { source } = change;
  const base = { id, action: actions[verb], object: objectLabel(object), why };
  return source === undefined ? base : { ...base, source };
}

const actions = {
  patch: "patch",
  rewrite: "patch",
  apply: "apply",
  update: "apply",
  create: "apply",
  delete: "delete",
} as const;

/** What the write takes. */
export function listPermissions(change: Change): readonly Permission[] {
  const { resource, object, needs: why = "to write it" } = change;
  const { name, namespace } = refTo(resource, object);
  const { group, plural } = resource;
  const base = { group, resource: plural, ...(namespace !== undefined && { namespace }), why };
  const named = { ...base, name };
  switch (change.verb) {
    case "patch":
    case "rewrite":
      return [{ ...named, verb: "patch" }];
    case "apply":
      // what is created by an apply cannot be limited to a name
      return [{ ...named, verb: "patch" }, ...(change.live ? [] : [{ ...base, verb: "create" }])];
    case "create":
      return [{ ...base, verb: "create" }];
    case "update":
    case "delete":
      return [{ ...named, verb: change.verb }];
  }
}

/** What became of the object. */
export function describeResult(change: Change): Result {
  if (change.verb === "delete") return "deleted";
  return findLive(change) === undefined ? "created" : "changed";
}

/** The step of a plan: with all that a person decides by. */
export function planStep(
  change: Change,
  command: (words: readonly string[]) => string,
  fieldManager: string,
): PlannedStepInfo {
  const { risk, isHarmless, reverse = byKept } = change;
  const { kubectl = renderKubectl(change, fieldManager) } = change;
  const live = findLive(change);
  const { changes = change.verb === "patch" ? listFieldChanges(change.edits) : undefined } = change;
  const changing = live === undefined ? "create" : "patch";
  return {
    ...describeStep(change),
    write: makePlannedWrite({
      verb: change.verb === "delete" || change.verb === "update" ? change.verb : changing,
      ref: changeRef(change),
      before: live,
      ...(changes && { changes }),
      ...{ risk, isHarmless },
      reverse,
      ...(kubectl.length > 0 && { command: command(kubectl) }),
    }),
  };
}

const byKept = "by the printed command; the run saves the old values";

/** The usual command that does the same. */
function renderKubectl(change: Change, fieldManager: string): readonly string[] {
  const { name, namespace } = changeRef(change);
  switch (change.verb) {
    case "patch":
      return [...kubectlPatch(change), "-p", JSON.stringify(buildPatch(change.edits))];
    case "create":
      return ["kubectl", "create", "-f", "-"];
    case "update":
      return ["kubectl", "replace", "-f", "-"];
    case "delete":
      return [
        ...["kubectl", "delete", change.resource.kind.toLowerCase(), name],
        ...(namespace === undefined ? [] : ["-n", namespace]),
      ];
    case "apply":
    case "rewrite":
      return ["kubectl", "apply", "--server-side", `--field-manager=${fieldManager}`, "-f", "-"];
  }
}

/** The command that patches the object, without its body. */
function kubectlPatch({ resource, object, where = [] }: Patch): readonly string[] {
  const type = [resource.plural, resource.group].filter(Boolean).join(".");
  return ["kubectl", "patch", type, readName(object), ...where, "--type=merge"];
}

/** The way back of a write before which the whole object is kept. */
export function backBy(putBack: PutBack): string {
  return `the run saves the object as it was, and prints the kubectl ${putBack} that puts it back`;
}

/** What is kept before the write, and the words that put it back from its file. */
export interface Kept {
  readonly object: KubeObject;
  /** One file for several writes of the object, kept before the first; absent: a file of its own. */
  readonly verb?: PutBack;
  readonly words: (file: string) => readonly string[];
  /** How long they hold, for a sentence. */
  readonly holds: string;
}

/** Undefined where nothing would be lost, and for a Secret: what it holds goes into no file. */
export function findKept(change: Change): Kept | undefined {
  if (isSecret(change)) return undefined;
  if (keepsValues(change)) return pickKeptValues(change);
  const live = findLive(change);
  const verb = change.verb === "delete" ? change.putBack : "replace";
  const isMade = change.verb === "apply" && change.isMade === true;
  if (live === undefined || verb === undefined || isMade) return undefined;
  const words = (file: string) => ["kubectl", ...verb.split(" "), "-f", file];
  return { object: live, verb, words, holds: change.backHolds ?? usualHold[verb] };
}

/** What kubectl puts back takes the place of whatever is there. */
const usualHold: Readonly<Record<PutBack, string>> = {
  replace: "while nobody else has changed it",
  create: "while no other of its name was made",
  "replace --force": "while nobody else has changed what stands in its place",
};

/** Old values alone are kept of it, in a file of their own. */
export function keepsValues(change: Change): change is Patch {
  return change.verb === "patch" && change.keepsWhole !== true;
}

function pickKeptValues(change: Patch): Kept {
  const { apiVersion, kind } = change.object;
  const { name, namespace } = changeRef(change);
  const metadata = { name, ...(namespace !== undefined && { namespace }) };
  return {
    object: { apiVersion, kind, ...withMetadata(buildReverse(change.edits), metadata) },
    words: (file) => [...kubectlPatch(change), "--patch-file", file],
    holds: change.backHolds ?? usualHold.replace,
  };
}

/** Fields of a patch, which may be some of the metadata, with what identifies the object. */
export function withMetadata<M extends object>(fields: Json, metadata: M) {
  return { ...fields, metadata: { ...(getOwn(fields, "metadata") as object), ...metadata } };
}

/** Its refusal may quote what it holds. */
export function isSecret({ resource }: Pick<Change, "resource">): boolean {
  return resource.kind === kinds.secret.kind;
}

/** Whether the object as stored shows that the write was done. */
export function isDone(change: Change, stored: KubeObject | undefined): boolean {
  const { object } = change;
  const isSame = stored?.metadata.uid === object.metadata.uid;
  if (change.verb === "delete") return !isSame;
  if (stored === undefined) return false;
  if (change.verb === "patch") return isSame && holds(stored, change.edits);
  return change.holds?.(stored) ?? covers(stored, object);
}

const free: Conflicts = { conflicts: [], takes: false };

/** Judges a patch's owner and managers, a person's own kubectl apart (S18); others the server judges. */
export function findConflicts(change: Change, { ours, takeFields }: Taking): Conflicts {
  if (change.verb !== "patch" || change.owned === undefined) return free;
  const { object, edits, owned } = change;
  if (edits.length === 0) return free;
  const causes = listHolders(object, edits);
  const judge = (fields: readonly string[]): readonly Finding[] => {
    if (causes.length === 0) return [];
    const about = { causes, object: objectLabel(object), ours, takeFields: fields };
    const verdict = judgeConflict(about);
    return verdict.is === "force" ? [] : verdict.findings;
  };
  const held = judge(takeFields);
  return { conflicts: [...owned, ...held], takes: judge([]).length > held.length };
}

/** What it does, to be compared with a change that is planned again: values written, fields taken. */
export function listActs(change: Change, taking: Taking): readonly WriteAction[] {
  const acts = [...(change.does ?? doneBy(change)), ...listTaken(change, taking)];
  return acts.map((act) => ({ object: objectLabel(change.object), does: act }));
}

function doneBy(change: Change): readonly string[] {
  if (change.verb === "patch") return change.edits.map((edit) => `write ${renderEdits([edit])}`);
  if (change.verb === "delete") return ["delete it"];
  if (findLive(change) === undefined) return ["create it"];
  const { changes = [] } = change;
  return changes.map(({ path, to }) => `${to === null ? "remove" : "change"} ${path}`);
}

function listTaken(change: Change, taking: Taking): readonly string[] {
  if (change.verb !== "patch" || !findConflicts(change, taking).takes) return [];
  return listHolders(change.object, change.edits).map(({ message }) => `take a field: ${message}`);
}

/** Findings for what the stored object does not have of the edits. */
export function findDropped(stored: KubeObject, { edits, dropped }: Patch): readonly Finding[] {
  if (dropped === undefined) return [];
  const lost = findDroppedEdits(stored, edits);
  return lost.length === 0 ? [] : dropped(lost, objectLabel(stored));
}

/** The write that takes back a patch, whose result is `stored`, or a deletion; undefined for others. */
export function invertChange(change: Change, stored: KubeObject | undefined): Change | undefined {
  const told = { id: "rollback.restore", why: "to put back what was there" };
  if (change.verb === "delete") return { ...recreateObject(change), ...told };
  if (change.verb !== "patch" || stored === undefined) return undefined;
  const edits = change.edits.map(({ path, from, to }) => ({ path, from: to, to: from ?? null }));
  return { ...change, ...told, object: stored, edits };
}

/** The deleted object once more, as it was. */
export function recreateObject(deletion: Delete): Create {
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
