/** Drops the fields that a schema does not know, and says which they were. */
import { isObject, type Json } from "../../domain/values";
import { objectMeta } from "./metadata-schema";
import { type Schema, schemaOfField } from "./schema";

/** What is left, and the paths of what is not. */
export interface Pruned {
  readonly value: unknown;
  readonly unknown: readonly string[];
}

const own = ["apiVersion", "kind", "metadata"];

/** Prunes a value of any depth; a value of another type than the schema's is left to the checks. */
export function prune(value: unknown, schema: Schema | undefined): Pruned {
  const unknown: string[] = [];
  return { value: pruned(value, schema, { path: "", unknown }), unknown };
}

interface Walk {
  readonly path: string;
  readonly unknown: string[];
}

function pruned(value: unknown, schema: Schema | undefined, walk: Walk): unknown {
  if (Array.isArray(value)) return prunedItems(value, schema, walk);
  return isObject(value) ? prunedObject(value, schema, walk) : value;
}

function prunedItems(items: readonly unknown[], schema: Schema | undefined, walk: Walk): unknown {
  const inner = schema?.open === true ? openItems(schema) : schema?.items;
  return items.map((item, index) =>
    pruned(item, inner, { ...walk, path: `${walk.path}[${index}]` }),
  );
}

/** In an open list, nothing is unknown but what a deeper schema says. */
function openItems({ items = {} }: Schema): Schema {
  return { ...items, open: true };
}

function prunedObject(value: Json, schema: Schema | undefined, walk: Walk): Json {
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, inner]) => {
      const at = { ...walk, path: walk.path === "" ? key : `${walk.path}.${key}` };
      const field = fieldOf(schema, key);
      if (field !== undefined) return [[key, pruned(inner, field, at)] as const];
      if (schema?.open === true) return [[key, inner] as const];
      walk.unknown.push(at.path);
      return [];
    }),
  );
}

function fieldOf(schema: Schema | undefined, key: string): Schema | undefined {
  if (schema?.embedded !== true || !own.includes(key)) return schemaOfField(schema, key);
  return key === "metadata" ? objectMeta : { open: true };
}
