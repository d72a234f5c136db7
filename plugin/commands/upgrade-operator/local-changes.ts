/** Local changes to merge (S18): fields that the release sets and someone has set otherwise. */
import type { Finding } from "../../domain/base/findings";
import { isIn, parseImage } from "../../domain/release/images";
import {
  type KubeObject,
  lastApplied,
  type ManagedFields,
  objectLabel,
} from "../../domain/kube/objects";
import { kinds } from "../../domain/kube/kinds";
import { type HeldField, isPersonsManager, takes } from "../../domain/kube/owners";
import {
  cutWhere,
  isObject,
  type Json,
  asArray,
  getOwn,
  parseJson,
  sameJson,
  renderValue,
} from "../../domain/base/values";
import { onlyAdds } from "../../domain/operator/additions";
import { covers, type Difference, sameStored, valueAt } from "../../domain/kube/differences";
import { isHelmsManager } from "../../domain/operator/chart-marks";
import { operatorFinding } from "../../domain/operator/findings";
import { fileEntries, isFileManager, lastFile } from "../../domain/kube/field-managers";

/** What the verdict rests on. */
export interface HeldFacts {
  readonly live: KubeObject;
  readonly wanted: KubeObject;
  readonly held: readonly HeldField[];
  /** What the API server would store of the release's object; undefined where it was not asked. */
  readonly stored?: KubeObject | undefined;
  /** What it would store of the file that a person applied last, laid over the live object. */
  readonly storedFile?: KubeObject | undefined;
  /** The live object was loaded from a dump. */
  readonly isCopy?: boolean | undefined;
  /** This tool's manager. */
  readonly ours: string;
  /** Fields that the release wins by the person's word. */
  readonly takeFields: readonly string[];
  /** The registry that this run pulls from by the person's word. */
  readonly registry?: string | undefined;
  /** Helm writes: it keeps nothing that a person added to a list which it replaces as a whole. */
  readonly byHelm?: true;
}

/** The findings for local changes; `force` when fields of others are taken all the same. */
export interface HeldVerdict {
  readonly findings: readonly Finding[];
  readonly force: boolean;
}

/** Judges every field that someone holds: the old release's own is none of theirs. */
export function judgeHeld(facts: HeldFacts): HeldVerdict {
  const changes = facts.held.filter(
    (held) =>
      !isStored(facts.live, facts.stored, held.field) &&
      !isOldFile(facts, held) &&
      !isInRegistry(facts, held) &&
      !isAddition(facts, held) &&
      !takes(facts.takeFields, held.field),
  );
  const force = facts.held.some(({ manager }) => !isFileManager(facts.live, manager, facts.ours));
  return { findings: changes.map((held) => judgeChange(facts, held)), force };
}

/** What a person added to a role or binding, which is written beside the release's own. */
function isAddition({ live, wanted, byHelm }: HeldFacts, { field, manager }: HeldField): boolean {
  return byHelm !== true && isByPerson(manager) && onlyAdds(live, wanted, field);
}

/** Without the API server's answer: the differences in fields that others than helm hold. */
export function heldBesideHelm(
  { metadata }: KubeObject,
  found: readonly Difference[],
): readonly HeldField[] {
  const others = (metadata.managedFields ?? [])
    .filter(
      ({ manager = "", subresource }) => subresource === undefined && !isHelmsManager(manager),
    )
    .map(({ manager = "", fieldsV1 = {} }) => ({ manager, paths: listPaths(fieldsV1) }));
  return found.flatMap(({ field, live }) => {
    const holder = others.find(({ paths }) => paths.some((path) => isWithin(path, field)));
    return live === undefined || holder === undefined ? [] : [{ field, manager: holder.manager }];
  });
}

/** The fields of a set that hold nothing further. */
function listPaths(set: Json, above = ""): readonly string[] {
  return Object.entries(set).flatMap(([element, inner]) => {
    if (element === ".") return [];
    const path = `${above}${elementPath(element)}`;
    const below = isObject(inner) ? listPaths(inner, path) : [];
    return below.length === 0 ? [path] : below;
  });
}

/** One of the two is the other, or lies in it. */
function isWithin(one: string, other: string): boolean {
  const [outer, inner] = one.length < other.length ? [one, other] : [other, one];
  return inner.startsWith(outer) && /^($|[.[])/.test(inner.slice(outer.length));
}

/** Without the API server's answer: a difference that no file and not this tool made. */
export function heldAmong(
  { live, wanted, ours }: Pick<HeldFacts, "live" | "wanted" | "ours">,
  found: readonly Difference[],
): readonly HeldField[] {
  const file = lastFile(live);
  if (file === undefined) return [];
  const mine = (live.metadata.managedFields ?? []).some(({ manager }) => manager === ours);
  return found
    .filter(
      ({ field }) => valueAt(wanted, field) !== undefined && valueAt(live, field) !== undefined,
    )
    .filter(({ field }) => !mine && !covers(valueAt(live, field), valueAt(file, field), field))
    .map(({ field }) => ({ field, manager: "" }));
}

/** The API server would store the value that is there: it was spelled otherwise, if at all. */
function isStored(live: KubeObject, stored: KubeObject | undefined, field: string): boolean {
  return stored !== undefined && sameJson(valueAt(live, field), valueAt(stored, field));
}

/**
 * The value is what the old file said, in the form in which the API server stores it. A manager of
 * files holds nothing that was changed since, so what was filled in beside it does not count either.
 */
function isOldFile({ live, ours, storedFile, byHelm }: HeldFacts, held: HeldField): boolean {
  const { field, manager } = held;
  if (isWriters(manager, { ours, byHelm })) return true;
  const file = lastFile(live);
  const said = file === undefined ? undefined : valueAt(file, field);
  const now = valueAt(live, field);
  const isFile = isFileManager(live, manager, ours);
  if (said === undefined) return isFile;
  if (isFile && covers(now, said, field)) return true;
  if (!isFile && !isPersonsManager(manager, [])) return false;
  return storedFile === undefined
    ? sameStored(now, said, field)
    : isStored(live, storedFile, field);
}

function isWriters(manager: string, { ours, byHelm }: Pick<HeldFacts, "ours" | "byHelm">): boolean {
  return manager === ours || (byHelm === true && isHelmsManager(manager));
}

/** A person moved the image into the registry that is given now: what is written has that change. */
function isInRegistry(
  { live, wanted, registry }: HeldFacts,
  { field, manager }: HeldField,
): boolean {
  if (registry === undefined || !isByPerson(manager)) return false;
  const file = lastFile(live);
  const [now, other, before] = [live, wanted, file].map((object) =>
    field.endsWith(".image") ? parseImage(valueAt(object, field)) : undefined,
  );
  if (now === undefined || now.repository !== other?.repository) return false;
  // a tag that a person changed as well is a change of its own
  return isIn(now.repository, registry) && (file === undefined || now.tag === before?.tag);
}

/** Without managed fields nobody is named. */
function isByPerson(manager: string): boolean {
  return manager === "" || isPersonsManager(manager, []);
}

function judgeChange(facts: HeldFacts, { field, manager }: HeldField): Finding {
  const [live, wanted] = [facts.live, facts.wanted].map((object) => valueAt(object, field));
  const source = facts.byHelm === true ? "chart" : "release";
  const change = { object: objectLabel(facts.live), field, manager, live, wanted, source } as const;
  if (isUnknown(facts, field)) {
    const values = describeBoth(change);
    const cause = `the dump does not say who set the field, so it may be a local change: ${values}`;
    return operatorFinding("ownersUnknown", { object: change.object, field, cause });
  }
  return localChange(change);
}

/** What brings an object, as sentences name it. */
export type Source = "release" | "chart";

/** A field with a value that differs from what the release or the chart has. */
interface LocalChange {
  readonly object: string;
  readonly field: string;
  /** Who set it; empty where that is not known. */
  readonly manager: string;
  readonly live: unknown;
  readonly wanted: unknown;
  readonly source: Source;
}

/** The finding of a local change, with both values. */
export function localChange(change: LocalChange): Finding {
  const { object, field, source } = change;
  const cause = `a local change: ${describeBoth(change)}`;
  const fix = `${mergeInto[source]}, or let the ${source} win with --take-fields '${field}'`;
  return operatorFinding("localChange", { object, field, cause, fix });
}

const mergeInto = {
  release: "merge it into the release's files",
  chart: "set it in a file for --values",
} as const;

function describeBoth({ object, manager, live, wanted, source }: LocalChange): string {
  const who = manager === "" ? "" : `, set by manager "${manager}"`;
  if (object.startsWith(`${kinds.secret.kind}/`)) {
    return `the cluster has another value than the ${source}${who}; neither is shown`;
  }
  const [has, says] = [renderValue(live), renderValue(wanted)];
  return `the cluster has ${cutWhere(has, says, 200)}${who}; the ${source} says ${cutWhere(says, has, 200)}`;
}

/** A dump may lack what a cluster has: field owners, and then the file alone can tell. */
function isUnknown({ live, isCopy }: HeldFacts, field: string): boolean {
  if (isCopy !== true || (live.metadata.managedFields ?? []).length > 0) return false;
  const file = lastFile(live);
  return file === undefined || valueAt(file, field) === undefined;
}

/** Paths of the fields that the old file set and the release no longer has, as the API server writes them. */
export function leftovers(live: KubeObject, wanted: KubeObject, ours: string): readonly string[] {
  const file = lastFile(live);
  const found = fileEntries(live, ours).flatMap((entry) =>
    outside(entry.fieldsV1 ?? {}, wanted).filter(isOfFile(entry, file)),
  );
  return [...new Set(found.map(({ path }) => path))].sort();
}

interface Left {
  readonly path: string;
  /** Path elements, `f:spec` and so on. */
  readonly elements: readonly string[];
}

/** An update's set also holds what the API server filled in: the file tells it apart. */
function isOfFile({ operation }: ManagedFields, file: Json | undefined): (left: Left) => boolean {
  return ({ elements }) => {
    if (operation === "Apply") return true;
    if (file !== undefined) return elements.reduce<unknown>(child, file) !== undefined;
    return /^[kv]:/.test(String(elements.at(-1)));
  };
}

/** The outermost fields of the set that the object does not have. */
function outside(set: Json, object: unknown, above: readonly string[] = []): readonly Left[] {
  return Object.entries(set).flatMap(([element, inner]) => {
    if (element === "." || isCopy(element, inner)) return [];
    const elements = [...above, element];
    const value = child(object, element);
    if (value === undefined) return [{ elements, path: elements.map(elementPath).join("") }];
    return isObject(inner) ? outside(inner, value, elements) : [];
  });
}

/** The copy of the file, or annotations that are nothing else: it always goes. */
function isCopy(element: string, inner: unknown): boolean {
  const copy = `f:${lastApplied}`;
  if (element !== "f:annotations" || !isObject(inner)) return element === copy;
  const others = Object.keys(inner).filter((key) => key !== "." && key !== copy);
  return others.length === 0;
}

/** What a path element leads to. */
function child(value: unknown, element: string): unknown {
  const rest = element.slice(2);
  if (element.startsWith("f:")) return getOwn(value, rest);
  if (element.startsWith("i:")) return asArray(value)[Number(rest)];
  const wanted = parseJson(rest);
  if (element.startsWith("v:")) return asArray(value).find((item) => covers(item, wanted));
  return asArray(value).find((item) => hasKeys(item, wanted));
}

/** A key that the file leaves out is one that the API server fills in. */
function hasKeys(item: unknown, keys: unknown): boolean {
  const entries = Object.entries(isObject(keys) ? keys : {});
  const held = entries.filter(([key]) => getOwn(item, key) !== undefined);
  return held.length > 0 && held.every(([key, value]) => getOwn(item, key) === value);
}

function elementPath(element: string): string {
  const rest = element.slice(2);
  if (element.startsWith("f:")) return `.${rest}`;
  if (element.startsWith("v:")) return `[=${rest}]`;
  if (element.startsWith("i:")) return `[${rest}]`;
  const keys = Object.entries(Object(parseJson(rest)) as Json);
  return `[${keys.map(([key, value]) => `${key}=${JSON.stringify(value)}`).join(",")}]`;
}
