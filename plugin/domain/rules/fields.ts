/** Where each kind keeps what is judged (C8, C11, C16). */
import type { Names } from "../names/names";
import type { Edit, Subject, SubjectModule, SubjectShape, SubjectVersion } from "./types";
import { asArray, getOwn, getPath, isObject, oncePer, sameJson } from "../base/values";
import { show } from "./wording";

/** The paths of one kind. */
interface JudgedFields {
  readonly engineVersion: readonly string[];
  /** All places of the version, that of the specification first: an EAADB may have two (S61, C8). */
  readonly engineVersions: readonly (readonly string[])[];
  /** The object that holds the module list, under either name (C11). */
  readonly moduleParent: readonly string[];
  readonly clusterReference: readonly string[];
  /** The module list under each of its names (C11). */
  readonly moduleLists: readonly (readonly string[])[];
  /** What the values on the way have to be, the outermost first, and the name of the EC. */
  readonly shapes: readonly JudgedShape[];
  /** The paths as messages write them. */
  readonly texts: {
    readonly moduleLists: readonly string[];
    readonly clusterReference: string;
  };
}

/** What a value has to be where it is there. */
interface JudgedShape {
  readonly path: readonly string[];
  readonly wanted: "an object" | "a string";
  readonly rule: "R1" | "REF";
}

/** Made once for each set of names: every review asks for them several times. */
const fieldsOfKinds = oncePer((names: Names): Readonly<Record<Edit["kind"], JudgedFields>> => {
  return { edb: listPaths("edb", names), eaadb: listPaths("eaadb", names) };
});

/** The paths in an EDB, or in an EAADB, which has most below its global configurations (C8). */
export function findFields(kind: Edit["kind"], names: Names): JudgedFields {
  return fieldsOfKinds(names)[kind];
}

function listPaths(kind: Edit["kind"], { fields }: Names): JudgedFields {
  const { globalConfigurations, clusterReference } = fields;
  const isPlain = kind === "edb";
  const moduleParent = isPlain ? fields.engineVersion.slice(0, 1) : globalConfigurations;
  const engineVersion = isPlain
    ? fields.engineVersion
    : [...globalConfigurations, ...fields.engineVersion.slice(1)];
  const engineVersions = isPlain ? [engineVersion] : [fields.engineVersion, engineVersion];
  const moduleLists = fields.moduleLists.map((name) => [...moduleParent, name]);
  const texts = {
    moduleLists: moduleLists.map(fieldText),
    clusterReference: fieldText(clusterReference),
  };
  const shapes = listShapes(engineVersions, clusterReference);
  const paths = { engineVersion, engineVersions, moduleParent, clusterReference, moduleLists };
  return { ...paths, shapes, texts };
}

/** Each value on the way once; what leads to the name of the EC alone goes with that. */
function listShapes(
  engineVersions: JudgedFields["engineVersions"],
  reference: readonly string[],
): readonly JudgedShape[] {
  const shapes = new Map<string, JudgedShape>();
  for (const leaf of [...engineVersions, reference]) {
    const rule = leaf === reference ? "REF" : "R1";
    leaf.slice(0, -1).forEach((_key, index) => {
      const path = leaf.slice(0, index + 1);
      const known = shapes.get(fieldText(path));
      shapes.set(fieldText(path), known ?? { path, wanted: "an object", rule });
    });
  }
  return [...shapes.values(), { path: reference, wanted: "a string", rule: "REF" }];
}

/** What a field is called where its path needs no saying. */
export function fieldName(path: readonly string[]): string {
  return path.slice(-1).join("");
}

/** A path as messages write it: dots between the names. */
export function fieldText(path: readonly string[]): string {
  return path.join(".");
}

/**
 * The paths of all that is judged in a database of either kind (C8, C10–C12, C16): every verdict over
 * an object of these alone is the verdict over the whole one.
 */
export function listJudgedPaths(names: Names): readonly (readonly string[])[] {
  const kinds = (["edb", "eaadb"] as const).map((kind) => findFields(kind, names));
  return [
    ["metadata", "deletionTimestamp"],
    ["metadata", "annotations", names.annotations.bypass],
    ["metadata", "annotations", names.annotations.bypassUntil],
    names.fields.statusVersion,
    ...kinds.flatMap(({ engineVersions, clusterReference, moduleLists }) => [
      ...engineVersions,
      clusterReference,
      ...moduleLists,
    ]),
  ];
}

/** What every rule needs of an edit; null counts as absent, as the API server prunes it. */
export function readSubject(edit: Edit, names: Names): Subject {
  return edit.subject ?? read(edit, names);
}

/** The edit with its subject, for several judgments by the same names. */
export function withSubject(edit: Edit, names: Names): Edit {
  return { ...edit, subject: read(edit, names) };
}

function read(edit: Edit, names: Names): Subject {
  const { kind, before: old, after: object } = edit;
  const versions: SubjectVersion[] = [];
  let isChanged = false;
  for (const path of findFields(kind, names).engineVersions) {
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
  for (const { path, wanted, rule } of findFields(kind, names).shapes) {
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
  const { moduleLists, texts } = findFields(kind, names);
  const modules: SubjectModule[] = [];
  moduleLists.forEach((path, which) => {
    const value = getPath(object, path) ?? undefined;
    if (value === undefined) return;
    const field = String(texts.moduleLists[which]);
    if (!Array.isArray(value)) modules.push(reportMalformedList(field, value));
    else
      asArray(value).forEach((item, index) =>
        modules.push(readModule({ field, index }, item, names)),
      );
  });
  return modules;
}

function reportMalformedList(field: string, value: unknown): SubjectModule {
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
    key: moduleKey(name, value),
    version: getOwn(item, moduleVersion) ?? undefined,
  };
}

function moduleKey(name: string | undefined, value: unknown): string {
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
