/** Reads the schema of a custom kind as its definition gives it. */
import { isObject, type Json, list, own, text } from "../../domain/values";
import type { Schema, ValueType } from "./schema";

const types: readonly ValueType[] = ["string", "boolean", "integer", "number", "object", "array"];

/** The schema of `openAPIV3Schema`, or of a part of it; without one, anything goes. */
export function schemaOf(raw: unknown): Schema {
  if (!isObject(raw)) return { open: true };
  const type = typeOf(raw);
  const isOpen = raw["x-kubernetes-preserve-unknown-fields"] === true;
  return {
    ...(type !== undefined && { type }),
    ...childrenOf(raw),
    ...mergeOf(raw),
    ...(isOpen && { open: true }),
    ...(raw["default"] !== undefined && { default: raw["default"] }),
    ...(raw["nullable"] === true && { nullable: true }),
    ...(raw["x-kubernetes-embedded-resource"] === true && { embedded: true }),
    limits: raw,
  };
}

function typeOf(raw: Json): ValueType | undefined {
  if (raw["x-kubernetes-int-or-string"] === true) return "integer,string";
  return types.find((type) => type === raw["type"]);
}

function childrenOf(raw: Json): Schema {
  const { properties, additionalProperties, items } = raw;
  return {
    ...(isObject(properties) && {
      fields: Object.fromEntries(
        Object.entries(properties).map(([key, value]) => [key, schemaOf(value)]),
      ),
    }),
    ...(isObject(additionalProperties) && { values: schemaOf(additionalProperties) }),
    ...(additionalProperties === true && { values: { open: true } }),
    ...(items !== undefined && { items: schemaOf(items) }),
  };
}

function mergeOf(raw: Json): Schema {
  const kind = raw["x-kubernetes-list-type"];
  const keys = list(raw["x-kubernetes-list-map-keys"]).flatMap((key) => text(key) ?? []);
  const properties = own(raw["items"], "properties");
  const keyDefaults = Object.fromEntries(
    keys.flatMap((key) => {
      const value = own(own(properties, key), "default");
      return value === undefined ? [] : [[key, value] as const];
    }),
  );
  return {
    ...((kind === "set" || kind === "map" || kind === "atomic") && { list: kind }),
    ...(keys.length > 0 && { keys, keyDefaults }),
    ...(raw["x-kubernetes-map-type"] === "atomic" && { atomic: true }),
  };
}
