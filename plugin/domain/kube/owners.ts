/** Who else looks after an object: Helm, OLM, a GitOps controller (domain facts 4.4). */
import { type KubeObject, objectLabel } from "./objects";
import type { StatusCause } from "../base/errors";
import { error, type Explained, type Finding } from "../base/findings";
import {
  findLeftAlone,
  isRenderedByHand,
  listMarks,
  renderLine,
  withoutMarks,
  withoutReferences,
} from "./owner-marks";
import type { Mark } from "./owner-marks";

/** Another owner and its own way of changing the object. */
export interface Owner {
  readonly name: string;
  readonly way: string;
  /** It is helm, or runs it, and writes only when a person upgrades the release. */
  readonly chart?: true;
  /** How the object is given over, where nobody can see from here whether the owner is still at work. */
  readonly over?: string;
  /** Why it is no owner any more: what made the mark is gone, or was told to leave the object. */
  readonly left?: string;
  /** What to do all the same after a write. */
  readonly then?: string;
  /** Why a write is lost; absent: the owner takes it back. */
  readonly loses?: string;
}

/**
 * What made a mark, by the label of the object that has it: why that is no owner any more; undefined where the right
 * to look for it is missing.
 */
export interface LeftMarks extends ReadonlyMap<string, string | undefined> {
  /**
   * By the label of an object, the owners that its owner references name and that do not exist, where it has no other:
   * the garbage collector of Kubernetes deletes it.
   */
  readonly collected?: ReadonlyMap<string, string>;
}

/**
 * The owner that an object's labels, annotations or owner references show, if any; the most exact mark
 * counts, and where its owner is gone the next one's. `left`: the objects whose owner was looked for and is gone.
 */
export function findOwner(object: KubeObject, left?: LeftMarks): Owner | undefined {
  const absent = left?.collected?.get(objectLabel(object));
  if (absent !== undefined) return describeCollector(object, absent);
  const [first, ...others] = listMarks(object);
  if (first === undefined) return undefined;
  const owner: Owner = { ...byMark(object, first, left), ...describeLeft(object, first, left) };
  if (owner.left === undefined) return owner;
  const next = others.find(
    (mark) => mark.name !== first.name && findLeftAlone(object, mark) === undefined,
  );
  return next === undefined ? owner : byMark(object, next, undefined);
}

/** A write to what the garbage collector deletes is lost, unless the references are taken off before. */
function describeCollector(object: KubeObject, absent: string): Owner {
  return {
    name: "the garbage collector",
    way: `where the object is to stay, take its owner references off: ${renderLine("patch", object, [withoutReferences])}`,
    loses: `${absent} does not exist, which its owner reference names: the garbage collector deletes the object, and the change with it`,
  };
}

function byMark(object: KubeObject, mark: Mark, left: LeftMarks | undefined): Owner {
  const { name, way, chart } = mark;
  const over = giveOver(object, mark, left);
  return {
    ...{ name, way: typeof way === "string" ? way : way(object) },
    ...(chart && { chart }),
    ...(over !== undefined && { over }),
  };
}

function describeLeft(
  object: KubeObject,
  mark: Mark,
  left: LeftMarks | undefined,
): Pick<Owner, "left" | "then"> {
  const told = findLeftAlone(object, mark);
  if (told !== undefined) {
    const then = `bring the same change into what ${mark.name} follows before ${told} goes: it would be undone then`;
    return { left: `${told} tells ${mark.name} to leave it`, then };
  }
  const isByHand = isRenderedByHand(object, mark, (manager) => isPersonsManager(manager, []));
  const why = isByHand
    ? `no annotation names a release of ${mark.name}, and kubectl alone has written it`
    : left?.get(objectLabel(object));
  return why === undefined ? {} : { left: why };
}

function giveOver(object: KubeObject, mark: Mark, left: LeftMarks | undefined): string | undefined {
  const label = objectLabel(object);
  const isUnseen = left?.has(label) === true && left.get(label) === undefined;
  const over = mark.over ?? (isUnseen ? withoutMarks : undefined);
  return typeof over === "string" ? renderLine("annotate", object, [over]) : over?.(object, mark);
}

/** The owner that is at work, or may be: only such a one stands against a write. */
export function findLivingOwner(
  object: KubeObject,
  left: LeftMarks | undefined,
): Owner | undefined {
  const owner = findOwner(object, left);
  return owner?.left === undefined ? owner : undefined;
}

/** True for an owner that takes a change back; others have left the object, or it is deleted. */
export function isAtWork({ left, loses }: Owner): boolean {
  return left === undefined && loses === undefined;
}

/** Why an owner stands against a write: the cause given, unless the write would be lost with the object. */
export function chooseCause({ loses }: Owner, cause: string): string {
  return loses ?? cause;
}

/** A finding's fix where an owner stands against a write. */
export function renderOwnersWay({ way, over }: Owner): string {
  const given = "; where it is to be given over, or is the owner's no more, with: ";
  return over === undefined ? way : `${way}${given}${over}`;
}

/** Who owns an object that a run is to write: an error while that owner may be at work. */
export function judgeOwnership(owner: Owner): Pick<Finding, "severity" | "cause" | "fix"> {
  const { name, left, then = `nothing, unless ${name} is to have it again` } = owner;
  if (left === undefined) {
    const cause = chooseCause(owner, `${name} owns the object and would undo or fight the change`);
    return { severity: "error", cause, fix: renderOwnersWay(owner) };
  }
  const cause = `it has marks of ${name} and may be written all the same: ${left}`;
  return { severity: "warning", cause, fix: then };
}

/** Nobody but people's own kubectl and this tool has written the object as it was read. */
export function isPersons({ metadata }: KubeObject, ours: readonly string[]): boolean {
  const managers = metadata.managedFields ?? [];
  return managers.every(({ manager = "" }) => isPersonsManager(manager, ours));
}

/** Managers that a person's kubectl or oc leaves behind; a take-over from these is no theft. */
export function isPersonsManager(manager: string, ours: readonly string[]): boolean {
  if (ours.includes(manager) || manager === "before-first-apply") return true;
  return /^(kubectl|oc)(-(create|client-side-apply|apply|edit|patch|replace|label|annotate|last-applied|set))?(\.exe)?$/.test(
    manager,
  );
}

/** The code of a field that somebody else holds. */
export const conflictFindings = {
  fieldConflict: error("FIELD-CONFLICT", "S18", {
    cause: "another field manager holds a field that has to be written, and may write it again",
    fix: "change the field through that manager, or take it with --take-fields",
  }),
} as const satisfies Readonly<Record<string, Explained>>;

/** Force when only a person's own kubectl or oc holds the fields; else the findings say who does. */
type ConflictVerdict =
  { readonly is: "force" } | { readonly is: "refuse"; readonly findings: readonly Finding[] };

/** What the verdict rests on. */
interface ConflictFacts {
  readonly causes: readonly StatusCause[];
  readonly object: string;
  /** Managers that count as this tool's own. */
  readonly ours: readonly string[];
  /** Fields that the person has said to take, as the conflict names them. */
  readonly takeFields: readonly string[];
}

/** Judges the causes of a 409 of a server-side apply. */
export function judgeConflict(facts: ConflictFacts): ConflictVerdict {
  const held = listHeld(facts.causes);
  const foreign = held.filter(
    ({ field, manager }) =>
      !isPersonsManager(manager, facts.ours) && !takes(facts.takeFields, field),
  );
  if (held.length > 0 && foreign.length === 0) return { is: "force" };
  const named = foreign.length > 0 ? foreign : [{ field: "", manager: "" }];
  return {
    is: "refuse",
    findings: named.map(({ field, manager }): Finding => ({
      ...conflictFindings.fieldConflict,
      object: facts.object,
      ...(field !== "" && { field }),
      cause: `the field is held by ${manager === "" ? "another manager" : `manager "${manager}"`}, which may write it again`,
      fix:
        field === ""
          ? "find out who writes the object: kubectl get -o yaml --show-managed-fields"
          : `change it through that manager, or take the field with --take-fields '${field}'`,
    })),
  };
}

/** A field that someone else holds, and that an apply would change. */
export interface HeldField {
  readonly field: string;
  readonly manager: string;
}

/** The fields and managers of a 409, which names the manager in the message alone: `conflict with "NAME" using …`. */
export function listHeld(causes: readonly StatusCause[]): readonly HeldField[] {
  return causes.map(({ field = "", message = "" }) => ({
    field,
    manager: /conflict with "([^"]+)"/.exec(message)?.[1] ?? "",
  }));
}

/** True for a field that --take-fields names: the API server writes a dot before it. */
export function takes(takeFields: readonly string[], field: string): boolean {
  return takeFields.some((wanted) => bareField(wanted) === bareField(field));
}

function bareField(field: string): string {
  return field.replace(/^\./, "");
}
