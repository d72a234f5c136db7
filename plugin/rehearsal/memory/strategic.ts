/** Strategic merge patches of built-in kinds: lists merge by the keys that the kind gives them. */
import { isObject, type Json, own } from "../../domain/values";
import type { Structure } from "../model";
import { elementOf, fieldStructure, isAssociative } from "./structure";

/** The value with the patch laid over it; directives are taken out of what is kept. */
export function strategicMerge(value: unknown, patch: unknown, structure: Structure): unknown {
  if (Array.isArray(patch)) return mergedList(value, patch, structure);
  if (!isObject(patch)) return patch;
  if (own(patch, "$patch") === "replace") return withoutDirectives(patch);
  if (own(patch, "$patch") === "delete") return {};
  return mergedMap(isObject(value) ? value : {}, patch, structure);
}

function mergedMap(value: Json, patch: Json, structure: Structure): Json {
  const result = new Map(Object.entries(value));
  const entries = Object.entries(patch);
  for (const [key, wanted] of entries.filter(([key]) => !key.startsWith("$"))) {
    if (wanted === null) result.delete(key);
    else result.set(key, strategicMerge(result.get(key), wanted, fieldStructure(structure, key)));
  }
  for (const [key, items] of entries.filter(([key]) => key.startsWith("$"))) {
    const [directive = "", field = ""] = key.split("/");
    const held = result.get(field);
    if (!Array.isArray(held) || !Array.isArray(items)) continue;
    result.set(
      field,
      directed(held, items, { directive, structure: fieldStructure(structure, field) }),
    );
  }
  return Object.fromEntries(result);
}

/** A list after what a patch asks of it beside its items. */
function directed(
  held: readonly unknown[],
  items: readonly unknown[],
  { directive, structure }: { readonly directive: string; readonly structure: Structure },
): readonly unknown[] {
  if (directive === "$deleteFromPrimitiveList") return held.filter((item) => !items.includes(item));
  if (directive !== "$setElementOrder") return held;
  const places = new Map(items.map((item, place) => [keyOf(item, structure), place]));
  const placeOf = (item: unknown): number => places.get(keyOf(item, structure)) ?? items.length;
  return held.toSorted((one, other) => placeOf(one) - placeOf(other));
}

function mergedList(value: unknown, patch: readonly unknown[], structure: Structure): unknown {
  const directives = patch.filter((item) => own(item, "$patch") !== undefined);
  const items = patch.filter((item) => own(item, "$patch") === undefined);
  const replaces = directives.some((item) => own(item, "$patch") === "replace");
  if (!isAssociative(structure) || replaces) return items.map(withoutDirectives);
  const live = Array.isArray(value) ? (value as readonly unknown[]) : [];
  const key = (item: unknown): string => keyOf(item, structure);
  const gone = new Set(directives.map(key));
  const wanted = new Map(items.map((item) => [key(item), item]));
  const kept = live.filter((item) => !gone.has(key(item)));
  const known = new Map(kept.map((item) => [key(item), item]));
  const merged = new Map(
    [...wanted].map(([at, item]) => [
      at,
      strategicMerge(known.get(at), item, structure.items ?? {}),
    ]),
  );
  return inOrder(merged, kept, key);
}

/**
 * What the patch names comes in its order, behind the other items that stood before it; an item
 * that is new stands before the others.
 */
function inOrder(
  merged: ReadonlyMap<string, unknown>,
  kept: readonly unknown[],
  key: (item: unknown) => string,
): readonly unknown[] {
  const places = new Map(kept.map((item, place) => [key(item), place]));
  const others = kept.filter((item) => !merged.has(key(item)));
  const placed = [...merged].flatMap(([at, item]) => {
    const place = places.get(at) ?? -1;
    const behind = others.findIndex((other) => (places.get(key(other)) ?? 0) > place);
    return [...others.splice(0, behind < 0 ? others.length : behind), item];
  });
  return [...placed, ...others];
}

/** A strategic merge knows the items of a list by the first of their keys. */
function keyOf(item: unknown, structure: Structure): string {
  const { keys = [], ...rest } = structure;
  const found = elementOf({ ...rest, keys: keys.slice(0, 1) }, item);
  return "element" in found ? found.element : JSON.stringify(item);
}

function withoutDirectives(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutDirectives);
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key]) => !key.startsWith("$"))
      .map(([key, inner]) => [key, withoutDirectives(inner)]),
  );
}
