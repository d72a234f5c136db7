/** The part of a database that the rules look at: what has to travel when the object is large. */
import type { Names } from "../names";
import { at, isObject, type Json } from "../values";
import { fieldsOf } from "./fields";

/**
 * A database with nothing but what is judged in it (C8, C10–C12, C16); undefined for what is no
 * object. Every verdict over the part is the verdict over the whole.
 */
export function judgedPart(object: unknown, names: Names): Json | undefined {
  if (!isObject(object)) return undefined;
  const part: Record<string, unknown> = {};
  // what is no object although it has to be one is judged as it is
  for (const { path } of kindsOf(names).flatMap(({ shapes }) => shapes)) {
    const value = at(object, path);
    if (value !== undefined && !isObject(value)) put(part, path, value);
  }
  for (const path of pathsOf(names)) {
    const value = at(object, path);
    if (value !== undefined) put(part, path, value);
  }
  return part;
}

function kindsOf(names: Names) {
  return (["edb", "eaadb"] as const).map((kind) => fieldsOf(kind, names));
}

function pathsOf(names: Names): readonly (readonly string[])[] {
  const kinds = kindsOf(names);
  return [
    ["metadata", "deletionTimestamp"],
    ["metadata", "annotations", names.annotations.bypass],
    ["metadata", "annotations", names.annotations.bypassUntil],
    names.fields.statusVersion,
    ...kinds.flatMap(({ engineVersions, clusterReference, moduleParent }) => [
      ...engineVersions,
      clusterReference,
      ...names.fields.moduleLists.map((list) => [...moduleParent, list]),
    ]),
  ];
}

function put(into: Record<string, unknown>, path: readonly string[], value: unknown): void {
  const parent = path.slice(0, -1).reduce((object, key) => {
    const inner = isObject(object[key]) ? object[key] : {};
    object[key] = inner;
    return inner;
  }, into);
  parent[path.slice(-1).join("")] = value;
}
