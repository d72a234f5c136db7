/** What of an edit is judged: the changed engineVersion and the modules to look at (C10–C12). */
import type { Names } from "../names";
import { getPath, isObject, asArray, getOwn, sameJson } from "../values";
import { fieldsOf, fieldText, type JudgedShape } from "./fields";
import type { Edit, Subject, SubjectModule, SubjectShape, SubjectVersion } from "./types";
import { show } from "./wording";

interface RuleContext {
  readonly edit: Edit;
  readonly names: Names;
  readonly subject: Subject;
}

/** Every step of a review asks for the same; edits are never changed, so the last one is read once. */
let last: RuleContext | undefined;

/** What every rule needs of an edit; null counts as absent, as the API server prunes it. */
export function readSubject(edit: Edit, names: Names): Subject {
  if (last?.edit !== edit || last.names !== names) {
    last = { edit, names, subject: read(edit, names) };
  }
  return last.subject;
}

function read(edit: Edit, names: Names): Subject {
  const { kind, before: old, after: object } = edit;
  const versions: SubjectVersion[] = [];
  let isChanged = false;
  for (const path of fieldsOf(kind, names).engineVersions) {
    const before = getPath(old, path) ?? undefined;
    const after = getPath(object, path) ?? undefined;
    if (sameJson(before, after)) continue;
    isChanged = true;
    if (after !== undefined) versions.push({ field: fieldText(path), before, after });
  }
  const modules = readModules(object, kind, names);
  const oldModules = readModules(old, kind, names);
  return {
    shapes: readShapes(edit, names),
    versions,
    modules: isChanged ? modules : notAmong(modules, oldModules),
    moduleVersionsEdited: versions.length > 0 && versionsEdited(oldModules, modules),
  };
}

function readShapes({ kind, before, after }: Edit, names: Names): readonly SubjectShape[] {
  const shapes: SubjectShape[] = [];
  for (const { path, wanted, rule } of fieldsOf(kind, names).shapes) {
    const value = getPath(after, path) ?? undefined;
    if (value === undefined || isFit(value, wanted) || sameJson(getPath(before, path), value))
      continue;
    shapes.push({ field: fieldText(path), value, wanted, rule });
  }
  return shapes;
}

function isFit(value: unknown, wanted: JudgedShape["wanted"]): boolean {
  return wanted === "an object" ? isObject(value) : typeof value === "string";
}

/** The modules whose key is not among the others: in most edits all are, in the same order. */
function notAmong(
  modules: readonly SubjectModule[],
  others: readonly SubjectModule[],
): readonly SubjectModule[] {
  if (modules.every(({ key }, index) => key === others[index]?.key)) return [];
  const known = new Set<string>();
  for (const { key } of others) known.add(key);
  return modules.filter(({ key }) => !known.has(key));
}

/** The entries of a database's module list under either name; a list that is none counts as one entry. */
function readModules(object: unknown, kind: Edit["kind"], names: Names): readonly SubjectModule[] {
  const { moduleLists, texts } = fieldsOf(kind, names);
  const modules: SubjectModule[] = [];
  moduleLists.forEach((path, which) => {
    const value = getPath(object, path) ?? undefined;
    if (value === undefined) return;
    const field = String(texts.moduleLists[which]);
    if (!Array.isArray(value)) modules.push(malformedList(field, value));
    else
      asArray(value).forEach((item, index) =>
        modules.push(readModule({ field, index }, item, names)),
      );
  });
  return modules;
}

function malformedList(field: string, value: unknown): SubjectModule {
  const key = `${apart}list ${show(value)}`;
  return { list: field, index: undefined, name: undefined, value, key, version: undefined };
}

interface VersionPlace {
  readonly field: string;
  readonly index: number;
}

/** A name is its own key, since a list may be long; it stands before every key that is none. */
const apart = "\u0000";

function readModule({ field, index }: VersionPlace, item: unknown, names: Names): SubjectModule {
  const { moduleName, moduleVersion } = names.entryFields;
  const value = getOwn(item, moduleName);
  const name = typeof value === "string" ? value : undefined;
  return {
    list: field,
    index,
    name,
    value,
    key: keyOf(name, value),
    version: getOwn(item, moduleVersion) ?? undefined,
  };
}

function keyOf(name: string | undefined, value: unknown): string {
  if (name === undefined) return `${apart}other ${show(value)}`;
  return name.startsWith(apart) ? `${apart}name ${name}` : name;
}

/** The path of what is wrong with it: of its name, or of the list when that is none. */
export function fieldOfModule({ list: field, index }: SubjectModule, names: Names): string {
  return index === undefined ? field : `${field}[${index}].${names.entryFields.moduleName}`;
}

/** True when a module that stays has another version number than before (S62). */
function versionsEdited(
  before: readonly SubjectModule[],
  after: readonly SubjectModule[],
): boolean {
  if (before.length === 0) return false;
  const old = new Map<string, SubjectModule>();
  for (const module of before) old.set(module.key, module);
  return after.some(({ key, version }) => {
    const was = old.get(key);
    return was !== undefined && !sameJson(was.version, version);
  });
}
