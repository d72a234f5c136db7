/**
 * What the values of a kind are: one form for the built-in kinds, which are written down in it, and
 * for custom kinds, whose definitions are read into it. A schema says how values merge as well.
 */
import type { Structure } from "../model";
import type { Json } from "../../domain/values";

/** The types of JSON, and `bytes`: a string in base64. */
export type ValueType =
  "string" | "bytes" | "boolean" | "integer" | "number" | "integer,string" | "object" | "array";

/** A value's type and merge behaviour; without a type, it may be anything. */
export interface Schema extends Structure {
  readonly type?: ValueType;
  readonly fields?: Readonly<Record<string, Schema>>;
  readonly values?: Schema;
  readonly items?: Schema;
  /** How the API server's own code calls the type; decoding errors say it. */
  readonly go?: string;
  readonly default?: unknown;
  /** Fields beyond the known ones are kept. */
  readonly open?: true;
  readonly nullable?: true;
  /** Stored in the form of resource.Quantity. */
  readonly quantity?: true;
  /** An object with kind and metadata of its own. */
  readonly embedded?: true;
  /** Of a built-in kind: an empty value is as good as none, and is not stored. */
  readonly omitted?: boolean;
  /** Of a custom kind: the schema as written, for its limits. */
  readonly limits?: Json;
}

/** The schema of a field: a known one, else that of a map's values. */
export function schemaOfField(schema: Schema | undefined, key: string): Schema | undefined {
  const { fields, values } = schema ?? {};
  return fields !== undefined && Object.hasOwn(fields, key) ? fields[key] : values;
}
