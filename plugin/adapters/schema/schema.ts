/**
 * What the values of a kind are, read from an OpenAPI schema: of the built-in kinds as the API
 * server publishes it (builtin.json), of custom kinds as their definition gives it. A schema says
 * how values merge as well.
 */
import { isObject, type Json, asArray, asString } from "../../domain/base/values";
import builtin from "./builtin.json";

/**
 * How the values of a kind merge, for server-side apply and the strategic merge patch. Without an
 * entry, an object is merged field by field, and a list is one value.
 */
export interface Structure {
  /** Known fields of an object. */
  readonly fields?: Readonly<Record<string, Structure>>;
  /** The values of a map with free keys. */
  readonly values?: Structure;
  readonly items?: Structure;
  /** A list: one value (the default), a set of scalars, or objects known by `keys`. */
  readonly list?: "atomic" | "set" | "map";
  readonly keys?: readonly string[];
  /** What a key is when the item does not say (`protocol: TCP`). */
  readonly keyDefaults?: Readonly<Record<string, unknown>>;
  /** An object that is one value: a selector, for instance. */
  readonly atomic?: true;
  /** The type that server-side apply asks for; absent: any. */
  readonly type?: string;
  /** Fields beyond the known ones may be applied. */
  readonly open?: true;
}

/** The types of JSON, and `bytes`: a string in base64. */
export type ValueType =
  "string" | "bytes" | "boolean" | "integer" | "number" | "integer,string" | "object" | "array";

/** A value's type and merge behavior; without a type, it may be anything. */
export interface Schema extends Structure {
  readonly type?: ValueType;
  readonly format?: string;
  readonly fields?: Readonly<Record<string, Schema>>;
  readonly values?: Schema;
  readonly items?: Schema;
  /** How the API server's own code calls the type; decoding errors say it. */
  readonly go?: string;
  readonly default?: unknown;
  /** Fields beyond the known ones are kept. */
  readonly open?: true;
  readonly nullable?: true;
  /** An object with kind and metadata of its own. */
  readonly embedded?: true;
  /** Of a built-in kind: an empty value is as good as none, and is not stored. */
  readonly omitted?: true;
  /** Of a custom kind: the schema as written, for its limits. */
  readonly limits?: Json;
}

/** A kind that the API server brings along, as its OpenAPI documents tell. */
export interface BuiltInKind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly plural: string;
  readonly namespaced: boolean;
  readonly hasStatus: boolean;
  readonly schema: string;
}

const data = builtin as unknown as {
  readonly kinds: readonly BuiltInKind[];
  readonly definitions: Readonly<Record<string, Json>>;
};
const definitions = new Map<string, Schema>();

/** The built-in kinds. */
export const builtInKinds = data.kinds;

/** The metadata of every object. */
export const objectMeta = readDefinition("meta.ObjectMeta");

/** A type of the built-in kinds. */
export function readDefinition(name: string): Schema {
  const known = definitions.get(name);
  if (known !== undefined) return known;
  const schema: Schema = {};
  definitions.set(name, schema); // before it is read: schemas of schemas hold themselves
  const [folder = "", bare = ""] = name.split(".");
  const go = folder === "resource" || folder === "intstr" ? name : `v1.${bare}`;
  return Object.assign(schema, read(data.definitions[name] ?? {}, "built-in"), { go });
}

const schemaNames = new Map(
  builtInKinds.map(({ group, version, kind, schema }) => [
    `${group === "" ? version : `${group}/${version}`} ${kind}`,
    schema,
  ]),
);

/** The schema of a built-in kind; undefined for any other. */
export function builtInSchema(apiVersion: string, kind: string): Schema | undefined {
  const name = schemaNames.get(`${apiVersion} ${kind}`);
  return name === undefined ? undefined : readDefinition(name);
}

/** The schema of a custom kind's `openAPIV3Schema`, or of a part of it; without one, anything goes. */
export function readSchema(raw: unknown): Schema {
  return isObject(raw) ? { ...read(raw, "custom"), limits: raw } : { open: true };
}

type Origin = "built-in" | "custom";

function read(raw: Json, origin: Origin): Schema {
  const { $ref: target, ...rest } = raw;
  if (origin === "built-in" && typeof target === "string") {
    const definition = readDefinition(target);
    return Object.keys(rest).length === 0 ? definition : { ...definition, ...readMarkers(rest) };
  }
  const type = readType(raw, origin);
  const children = readChildren(raw, origin);
  return {
    ...(type !== undefined && { type }),
    ...(typeof raw["format"] === "string" && { format: raw["format"] }),
    ...children,
    ...readMerge(raw, children.items),
    ...readMarkers(raw),
  };
}

function readChildren(raw: Json, origin: Origin): Schema {
  const { properties, additionalProperties, items } = raw;
  const inner = (part: unknown): Schema =>
    origin === "custom" ? readSchema(part) : read(part as Json, origin);
  return {
    ...(isObject(properties) && {
      fields: Object.fromEntries(
        Object.entries(properties).map(([key, value]) => [key, inner(value)]),
      ),
    }),
    ...(isObject(additionalProperties) && { values: inner(additionalProperties) }),
    ...(additionalProperties === true && { values: { open: true } }),
    ...(items !== undefined && { items: inner(items) }),
  };
}

function readType(raw: Json, origin: Origin): ValueType | undefined {
  const { type, format } = raw;
  if (raw["x-kubernetes-int-or-string"] === true) return "integer,string";
  if (origin === "built-in" && format === "int-or-string") return "integer,string";
  if (origin === "built-in" && format === "byte") return "bytes";
  const types: readonly ValueType[] = ["string", "boolean", "integer", "number", "object", "array"];
  return types.find((one) => one === type);
}

function readMarkers(raw: Json): Schema {
  return {
    ...(raw["default"] !== undefined && { default: raw["default"] }),
    ...(raw["nullable"] === true && { nullable: true }),
    ...(raw["omitempty"] === true && { omitted: true }),
    ...(raw["x-kubernetes-preserve-unknown-fields"] === true && { open: true }),
    ...(raw["x-kubernetes-embedded-resource"] === true && { embedded: true }),
  };
}

function readMerge(raw: Json, items: Schema | undefined): Schema {
  const kind = raw["x-kubernetes-list-type"];
  const keys = asArray(raw["x-kubernetes-list-map-keys"]).flatMap((key) => asString(key) ?? []);
  const keyDefaults = Object.fromEntries(
    keys.flatMap((key) => {
      const value = items?.fields?.[key]?.default;
      return value === undefined ? [] : [[key, value] as const];
    }),
  );
  return {
    ...((kind === "set" || kind === "map" || kind === "atomic") && { list: kind }),
    ...(keys.length > 0 && { keys, keyDefaults }),
    ...(raw["x-kubernetes-map-type"] === "atomic" && { atomic: true }),
  };
}

/** The schema of a field: a known one, else that of a map's values. */
export function schemaOfField(schema: Schema | undefined, key: string): Schema | undefined {
  const { fields, values } = schema ?? {};
  return fields !== undefined && Object.hasOwn(fields, key) ? fields[key] : values;
}

/** The name of a schema's type in decoding errors. */
export function goType({ go, type, format, items = {}, values = {} }: Schema): string {
  if (go !== undefined) return go;
  if (type === "array") return `[]${goType(items)}`;
  if (type === "object") return `map[string]${goType(values)}`;
  if (type === "integer") return format ?? "int64";
  const names: Partial<Record<string, string>> = {
    bytes: "[]uint8",
    boolean: "bool",
    number: "float64",
  };
  return names[type ?? ""] ?? "string";
}

const checks: Readonly<Record<ValueType, (value: unknown) => boolean>> = {
  string: (value) => typeof value === "string",
  bytes: (value) => typeof value === "string",
  boolean: (value) => typeof value === "boolean",
  integer: (value) => Number.isInteger(value),
  number: (value) => typeof value === "number",
  "integer,string": (value) => typeof value === "string" || Number.isInteger(value),
  object: isObject,
  array: (value) => Array.isArray(value),
};

/** Whether a value is of the type of its schema; what it holds is not looked at. */
export function isOfType(value: unknown, { type, format }: Schema): boolean {
  if (type === undefined) return true;
  const small = format !== "int32" || Math.abs(Number(value)) < 2 ** 31;
  return checks[type](value) && small;
}
