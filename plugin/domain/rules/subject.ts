/** What of an edit is judged: the changed engineVersion and the modules to look at (C10–C12). */
import type { Names } from "../names";
import { at, list, own } from "../values";
import { fieldsOf, fieldText } from "./fields";
import { sameJson } from "./same";
import type { Edit, Subject, SubjectModule } from "./types";
import { show } from "./wording";

interface Known {
  readonly names: Names;
  readonly subject: Subject;
}

/** Every step of a review asks for the same; edits are never changed, so each is read once. */
const known = new WeakMap<Edit, Known>();

/** What every rule needs of an edit; null counts as absent, as the API server prunes it. */
export function readSubject(edit: Edit, names: Names): Subject {
  const found = known.get(edit);
  if (found?.names === names) return found.subject;
  const subject = read(edit, names);
  known.set(edit, { names, subject });
  return subject;
}

function read(edit: Edit, names: Names): Subject {
  const path = fieldsOf(edit.kind, names).engineVersion;
  const before = at(edit.before, path) ?? undefined;
  const after = at(edit.after, path) ?? undefined;
  const changed = !sameJson(before, after);
  const modules = readModules(edit.after, edit.kind, names);
  const oldModules = readModules(edit.before, edit.kind, names);
  const judgedBefore = new Set(changed ? [] : oldModules.map(({ key }) => key));
  return {
    version: { field: fieldText(path), before, after, judged: changed && after !== undefined },
    modules: modules.filter(({ key }) => !judgedBefore.has(key)),
    moduleVersionsEdited: versionsEdited(oldModules, modules),
  };
}

/** The entries of a database's module list under either name; a list that is none counts as one entry. */
function readModules(object: unknown, kind: Edit["kind"], names: Names): readonly SubjectModule[] {
  const parent = fieldsOf(kind, names).moduleParent;
  return names.fields.moduleLists.flatMap((listName) => {
    const path = [...parent, listName];
    const value = at(object, path) ?? undefined;
    const field = fieldText(path);
    if (value !== undefined && !Array.isArray(value)) return [malformedList(field, value)];
    return list(value).map((item, index) => readModule(`${field}[${index}]`, item, names));
  });
}

function malformedList(field: string, value: unknown): SubjectModule {
  const key = `list ${show(value)}`;
  return { field, entry: "list", name: undefined, value, key, version: undefined };
}

function readModule(entry: string, item: unknown, names: Names): SubjectModule {
  const { moduleName, moduleVersion } = names.entryFields;
  const value = own(item, moduleName);
  const field = `${entry}.${moduleName}`;
  const name = typeof value === "string" ? value : undefined;
  const key = name === undefined ? `other ${show(value)}` : `name ${name}`;
  return {
    field,
    entry: "module",
    name,
    value,
    key,
    version: own(item, moduleVersion) ?? undefined,
  };
}

/** True when a module that stays has another version number than before (S62). */
function versionsEdited(
  before: readonly SubjectModule[],
  after: readonly SubjectModule[],
): boolean {
  const old = new Map(before.map((module) => [module.key, module]));
  return after.some(({ key, version }) => {
    const was = old.get(key);
    return was !== undefined && !sameJson(was.version, version);
  });
}
