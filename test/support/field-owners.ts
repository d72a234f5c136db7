/** Server-side apply as far as the tests need it: who owns which field, conflicts, removal. */
import type { StatusCause } from "../../plugin/domain/errors";
import type { KubeObject } from "../../plugin/domain/objects";
import { isObject, type Json, sameJson } from "../../plugin/domain/values";

/** Managers by the path of a field. */
export type Ownership = ReadonlyMap<string, ReadonlySet<string>>;

/** Maps that are one value to the API server. */
const atomic = ["namespaceSelector", "objectSelector"];

interface Applied {
  readonly before: KubeObject | undefined;
  readonly owners: Ownership;
  readonly object: KubeObject;
  readonly manager: string;
}

/** The fields of others that an apply would change. */
export function conflictsOf({ before, owners, object, manager }: Applied): readonly StatusCause[] {
  const live = fieldsOf(before);
  return [...fieldsOf(object)].flatMap(([path, value]) => {
    if (sameJson(live.get(path) ?? null, value)) return [];
    const others = [...(owners.get(path) ?? [])].filter((owner) => owner !== manager);
    return others.map((owner) => ({
      reason: "FieldManagerConflict",
      field: `.${path}`,
      message: `conflict with "${owner}" using admissionregistration.k8s.io/v1`,
    }));
  });
}

/** The object after a forced apply: what the manager alone owned and no longer names is gone. */
export function applyFields({ before, owners, object, manager }: Applied): {
  readonly object: KubeObject;
  readonly owners: Ownership;
} {
  const live = fieldsOf(before);
  const fields = new Map(live);
  const applied = fieldsOf(object);
  const next = new Map<string, ReadonlySet<string>>();
  for (const [path, names] of owners) {
    const rest = new Set([...names].filter((name) => name !== manager));
    if (applied.has(path)) continue;
    if (rest.size > 0) next.set(path, rest);
    else fields.delete(path);
  }
  for (const [path, value] of applied) {
    if (value === null) {
      fields.delete(path); // null takes a field away
      continue;
    }
    fields.set(path, value);
    const sharing = sameJson(live.get(path), value) ? [...(owners.get(path) ?? [])] : [];
    next.set(path, new Set([...sharing, manager]));
  }
  return { object: objectOf(object, fields), owners: next };
}

/** The owners after a whole write: its manager takes what it changed, and what is new. */
export function manage(
  owners: Ownership | undefined,
  { manager, object }: { readonly manager: string; readonly object: KubeObject },
): Ownership {
  const paths = [...fieldsOf(object).keys()];
  return new Map(paths.map((path) => [path, new Set([...(owners?.get(path) ?? []), manager])]));
}

/** The managers as an object's managedFields name them. */
export function managersOf(owners: Ownership): readonly { readonly manager: string }[] {
  const managers = new Set([...owners.values()].flatMap((names) => [...names]));
  return [...managers].sort().map((manager) => ({ manager }));
}

/** Leaves by path; the webhooks are keyed by name, every other list is one value. */
function fieldsOf(object: KubeObject | undefined): ReadonlyMap<string, unknown> {
  const fields = new Map<string, unknown>();
  const walk = (path: string, value: unknown, key: string): void => {
    if (!isObject(value) || atomic.includes(key) || Object.keys(value).length === 0) {
      fields.set(path, value);
      return;
    }
    for (const [inner, held] of Object.entries(value)) walk(`${path}.${inner}`, held, inner);
  };
  for (const map of ["labels", "annotations"] as const) {
    for (const [key, value] of Object.entries(object?.metadata[map] ?? {})) {
      fields.set(`metadata.${map}.${key}`, value);
    }
  }
  for (const entry of (object?.["webhooks"] ?? []) as readonly Json[]) {
    for (const [key, value] of Object.entries(entry)) {
      walk(`webhooks[name="${String(entry["name"])}"].${key}`, value, key);
    }
  }
  return fields;
}

function objectOf(applied: KubeObject, fields: ReadonlyMap<string, unknown>): KubeObject {
  const below = (prefix: string): Record<string, string> =>
    Object.fromEntries(
      [...fields]
        .filter(([path]) => path.startsWith(prefix))
        .map(([path, value]) => [path.slice(prefix.length), value as string]),
    );
  const labels = below("metadata.labels.");
  const annotations = below("metadata.annotations.");
  const entries = new Map<string, Record<string, unknown>>();
  for (const [path, value] of fields) {
    const [, name, rest] = /^webhooks\[name="([^"]*)"\]\.(.*)$/.exec(path) ?? [];
    if (name === undefined || rest === undefined) continue;
    const entry = entries.get(name) ?? {};
    entries.set(name, entry);
    put(entry, rest.split("."), value);
  }
  const { name } = applied.metadata;
  return {
    apiVersion: applied.apiVersion,
    kind: applied.kind,
    metadata: {
      ...(name !== undefined && { name }),
      ...(Object.keys(labels).length > 0 && { labels }),
      ...(Object.keys(annotations).length > 0 && { annotations }),
    },
    webhooks: [...entries.values()],
  };
}

function put(into: Record<string, unknown>, path: readonly string[], value: unknown): void {
  const [key = "", ...rest] = path;
  if (rest.length === 0) {
    into[key] = value;
    return;
  }
  const inner = (into[key] ?? {}) as Record<string, unknown>;
  into[key] = inner;
  put(inner, rest, value);
}
