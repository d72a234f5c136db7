/** Patches of a stored object: merge (RFC 7386), JSON (RFC 6902) and strategic merge. */
import type { KubeObject } from "../../domain/objects";
import { isObject } from "../../domain/values";
import type { PatchType } from "../../run/ports";
import type { ApiError } from "../../domain/errors";
import type { KindDefinition } from "../model";
import { badRequest, type Fault, invalid, qualifiedKind, unknownFormat } from "./answers";
import { jsonPatch } from "./json-patch";
import { strategicMerge } from "./strategic";
import { structureOf } from "./structure";

/** The patched object; throws what the API server answers to a patch that does not fit. */
export function patched(
  object: KubeObject,
  body: unknown,
  { type, definition }: { readonly type: PatchType; readonly definition: KindDefinition },
): KubeObject {
  const result = merged(object, body, { type, definition });
  if (result.kind === object.kind && result.apiVersion === object.apiVersion) return result;
  throw otherKind(result, definition);
}

/** A custom kind takes no strategic merge patch: 415, before anything else is looked at. */
export function requireFormat(type: PatchType, { custom }: KindDefinition): void {
  if (custom && type === "strategic") throw unknownFormat();
}

function merged(
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
      return strategicMerge(object, body, structureOf(definition)) as KubeObject;
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
export function mergePatch(value: unknown, patch: unknown): unknown {
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
    const message =
      `Invalid value: ${JSON.stringify(JSON.stringify(result))}: ${why} ` +
      'in scheme "pkg/api/legacyscheme/scheme.go:30"';
    return invalid("", "", [{ is: "Invalid", field: "patch", message }]);
  }
  const [version = "", group = ""] = apiVersion.split("/").reverse();
  const wanted = `${resource.group}/${resource.version}`;
  const must = (field: string, [found, right]: readonly [string, string]): readonly Fault[] =>
    found === right
      ? []
      : [{ is: "Invalid", field, message: `Invalid value: "${found}": must be ${right}` }];
  return invalid(qualifiedKind({ ...resource, group, version, kind }), metadata.name ?? "", [
    ...must("kind", [kind, resource.kind]),
    ...must("apiVersion", [apiVersion, wanted]),
  ]);
}
