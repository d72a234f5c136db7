/** Patches of a stored object: merge (RFC 7386), JSON (RFC 6902) and strategic merge. */
import { type KubeObject, splitApiVersion } from "../../domain/kube/objects";
import { isObject, type Json, getOwn, asString } from "../../domain/base/values";
import type { PatchType } from "../../ports/kubernetes";
import { ApiError } from "../../domain/base/errors";
import type { Structure } from "../../adapters/schema/schema";
import type { KindDefinition } from "../model";
import { type FieldError, invalid, invalidObject } from "../kinds/refusal";
import { badRequest, qualifyKind, unknownFormat } from "./answers";
import { identifyElement, fieldStructure, isAssociative, findStructure } from "./structure";
import { applyPatch, type Operation } from "rfc6902";

/** The patched object; throws what the API server answers to a patch that does not fit. */
export function patchObject(
  object: KubeObject,
  body: unknown,
  { type, definition }: { readonly type: PatchType; readonly definition: KindDefinition },
): KubeObject {
  const result = patchByType(object, body, { type, definition });
  if (result.kind === object.kind && result.apiVersion === object.apiVersion) return result;
  throw otherKind(result, definition);
}

/** A custom kind takes no strategic merge patch: 415, before anything else is looked at. */
export function requireFormat(type: PatchType, { custom }: KindDefinition): void {
  if (custom && type === "strategic") throw unknownFormat();
}

function patchByType(
  object: KubeObject,
  body: unknown,
  { type, definition }: { readonly type: PatchType; readonly definition: KindDefinition },
): KubeObject {
  switch (type) {
    case "json":
      return jsonPatch(object, body);
    case "merge":
      requireMap(body, "error decoding patch: ");
      return mergePatch(object, body) as KubeObject;
    case "strategic":
      requireMap(body, "");
      return strategicMerge(object, body, findStructure(definition)) as KubeObject;
  }
}

function requireMap(body: unknown, what: string): void {
  if (isObject(body)) return;
  if (body === null) throw badRequest("Invalid JSON Patch");
  const found = Array.isArray(body) ? "array" : typeof body;
  throw badRequest(
    `${what}json: cannot unmarshal ${found} into Go value of type map[string]interface {}`,
  );
}

/** RFC 7386: null removes, maps merge, everything else replaces. */
function mergePatch(value: unknown, patch: unknown): unknown {
  if (!isObject(patch)) return patch;
  const result = new Map(Object.entries(isObject(value) ? value : {}));
  for (const [key, wanted] of Object.entries(patch)) {
    if (wanted === null) result.delete(key);
    else result.set(key, mergePatch(result.get(key), wanted));
  }
  return Object.fromEntries(result);
}

function otherKind(result: KubeObject, { custom, resource }: KindDefinition): ApiError {
  const { kind, apiVersion, metadata } = result;
  if (!custom) {
    const why = `no kind "${kind}" is registered for version "${apiVersion}"`;
    const scheme = 'in scheme "pkg/api/legacyscheme/scheme.go:30"';
    return invalidObject("", "", [invalid("patch", JSON.stringify(result), `${why} ${scheme}`)]);
  }
  const { group, version } = splitApiVersion(apiVersion);
  const wanted = `${resource.group}/${resource.version}`;
  const must = (field: string, [found, right]: readonly [string, string]): readonly FieldError[] =>
    found === right ? [] : [invalid(field, found, `must be ${right}`)];
  return invalidObject(qualifyKind({ ...resource, group, version, kind }), metadata.name ?? "", [
    ...must("kind", [kind, resource.kind]),
    ...must("apiVersion", [apiVersion, wanted]),
  ]);
}

/** The object after all operations; 422 when one of them does not fit. */
function jsonPatch(object: KubeObject, body: unknown): KubeObject {
  if (!Array.isArray(body)) {
    const found = isObject(body) ? "object" : typeof body;
    throw badRequest(
      `error decoding patch: json: cannot unmarshal ${found} into Go value of type []handlers.jsonPatchOp`,
    );
  }
  const target = structuredClone(object);
  for (const operation of body as readonly unknown[]) applyOne(target, operation);
  return target;
}

function applyOne(target: KubeObject, operation: unknown): void {
  let failure: unknown;
  try {
    [failure] = applyPatch(target, [lenient(operation, target)]);
  } catch (error) {
    failure = error; // a path that is none
  }
  if (failure === null || failure === undefined) return;
  throw new ApiError(
    "the server rejected our request due to an error in our request",
    { status: 422, reason: "Invalid" },
    { cause: failure },
  );
}

/** A field of a map that is not there counts as null: it may be replaced, copied and tested. */
function lenient(operation: unknown, target: unknown): Operation {
  const given = operation as Operation;
  const op = getOwn(operation, "op");
  const subject = asString(getOwn(operation, op === "copy" ? "from" : "path"));
  if (subject === undefined || !isOpen(subject, target)) return given;
  const path = getOwn(operation, "path") as string;
  if (op === "replace") return { ...(operation as Operation), op: "add" } as Operation;
  if (op === "copy") return { op: "add", path, value: null };
  // what is not there passes a test for null
  if (op === "test" && getOwn(operation, "value") === null)
    return { op: "test", path: "", value: target };
  return given;
}

/** True for a field that its map does not have. */
function isOpen(path: string, target: unknown): boolean {
  const steps = path.split("/").slice(1).map(unescapeStep);
  const parent = steps.slice(0, -1).reduce<unknown>((value, step) => stepInto(value, step), target);
  return isObject(parent) && !Object.hasOwn(parent, steps.at(-1) ?? "");
}

function stepInto(value: unknown, step: string): unknown {
  return Array.isArray(value) ? (value as readonly unknown[])[Number(step)] : getOwn(value, step);
}

function unescapeStep(step: string): string {
  return step.replaceAll("~1", "/").replaceAll("~0", "~");
}

/** The value with the patch laid over it; directives are taken out of what is kept. */
function strategicMerge(value: unknown, patch: unknown, structure: Structure): unknown {
  if (Array.isArray(patch)) return mergeList(value, patch, structure);
  if (!isObject(patch)) return patch;
  if (getOwn(patch, "$patch") === "replace") return dropDirectives(patch);
  if (getOwn(patch, "$patch") === "delete") return {};
  return mergeMap(isObject(value) ? value : {}, patch, structure);
}

function mergeMap(value: Json, patch: Json, structure: Structure): Json {
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
      followDirectives(held, items, { directive, structure: fieldStructure(structure, field) }),
    );
  }
  return Object.fromEntries(result);
}

/** A list after what a patch asks of it beside its items. */
function followDirectives(
  held: readonly unknown[],
  items: readonly unknown[],
  { directive, structure }: { readonly directive: string; readonly structure: Structure },
): readonly unknown[] {
  if (directive === "$deleteFromPrimitiveList") return held.filter((item) => !items.includes(item));
  if (directive !== "$setElementOrder") return held;
  const places = new Map(items.map((item, place) => [readKey(item, structure), place]));
  const findPlace = (item: unknown): number => places.get(readKey(item, structure)) ?? items.length;
  return held.toSorted((one, other) => findPlace(one) - findPlace(other));
}

function mergeList(value: unknown, patch: readonly unknown[], structure: Structure): unknown {
  const directives = patch.filter((item) => getOwn(item, "$patch") !== undefined);
  const items = patch.filter((item) => getOwn(item, "$patch") === undefined);
  const replaces = directives.some((item) => getOwn(item, "$patch") === "replace");
  if (!isAssociative(structure) || replaces) return items.map(dropDirectives);
  const live = Array.isArray(value) ? (value as readonly unknown[]) : [];
  const key = (item: unknown): string => readKey(item, structure);
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
function readKey(item: unknown, structure: Structure): string {
  const { keys = [], ...rest } = structure;
  const found = identifyElement({ ...rest, keys: keys.slice(0, 1) }, item);
  return "element" in found ? found.element : JSON.stringify(item);
}

function dropDirectives(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(dropDirectives);
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key]) => !key.startsWith("$"))
      .map(([key, inner]) => [key, dropDirectives(inner)]),
  );
}
