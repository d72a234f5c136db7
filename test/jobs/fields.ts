/** The fields that a write changes, and another manager who owns one of them. */
import { isDeepStrictEqual } from "node:util";
import type { KubeObject } from "../../plugin/domain/kube/objects";

/** A field with its value before the write; lists are one field. */
export interface Field {
  readonly path: readonly string[];
  readonly before: unknown;
  readonly after: unknown;
}

const ofServer = new Set([
  "managedFields",
  "resourceVersion",
  "generation",
  "uid",
  "creationTimestamp",
]);

/** What is otherwise after the write, without what the server keeps. */
export function fieldsWritten(before: unknown, after: unknown): readonly Field[] {
  return differing(before, after, []).filter(
    ({ path }) => path[0] !== "status" && !(path[0] === "metadata" && ofServer.has(path[1] ?? "")),
  );
}

function differing(before: unknown, after: unknown, path: readonly string[]): readonly Field[] {
  if (isSame(before, after) || after === undefined) return [];
  if (!isMap(after) || (before !== undefined && !isMap(before))) return [{ path, before, after }];
  return Object.entries(after).flatMap(([key, value]) =>
    differing(isMap(before) ? before[key] : undefined, value, [...path, key]),
  );
}

/** By value: what was stored may come from elsewhere, prototypes and all. */
function isSame(one: unknown, other: unknown): boolean {
  const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value ?? null));
  return isDeepStrictEqual(plain(one), plain(other));
}

function isMap(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The field as someone else wants it: as it is, or otherwise than the job where it is not there. */
export function owned({ path, before, after }: Field) {
  const value = before ?? otherThan(after);
  return {
    objectOf: ({ apiVersion, kind, metadata }: KubeObject) => {
      const { name = "", namespace } = metadata;
      const known = { name, ...(namespace !== undefined && { namespace }) };
      const whole: KubeObject = { apiVersion, kind, metadata: known };
      return { ...whole, ...placed(whole, path, value) };
    },
    isKept: (object: unknown): boolean => isSame(at(object, path), value),
  };
}

function otherThan(value: unknown): unknown {
  if (Array.isArray(value)) return [];
  return typeof value === "string" ? `${value}-theirs` : value === false;
}

function placed<O extends object>(
  object: O,
  [key = "", ...rest]: readonly string[],
  value: unknown,
): O {
  const inner = (object as Record<string, unknown>)[key] ?? {};
  return { ...object, [key]: rest.length === 0 ? value : placed(inner, rest, value) };
}

function at(object: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>((value, key) => (isMap(value) ? value[key] : undefined), object);
}
