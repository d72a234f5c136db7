/** Turns the row of a built-in kind into its definition. */
import type { KubeObject, Resource } from "../../../run/ports";
import { isObject } from "../../../domain/values";
import type { KindDefinition, Prepared } from "../../model";
import { decodingProblem } from "../decode";
import { filled } from "../defaults";
import { metadataErrors } from "../metadata";
import { objectMeta } from "../metadata-schema";
import { subdomainRule } from "../names";
import { plain } from "../plain";
import { prune } from "../prune";
import { type FieldError, refuseInvalid, type Rule, undecodable } from "../refusal";
import type { Schema } from "../schema";
import { string, struct } from "../shapes";

/** A built-in kind. */
export interface BuiltIn extends Resource {
  readonly namespaced: boolean;
  readonly hasStatus?: true;
  readonly counted?: true;
  /** The fields beside apiVersion, kind and metadata. */
  readonly fields: Readonly<Record<string, Schema>>;
  /** What a name must be; most are subdomains. */
  readonly name?: Rule;
  /** Answered at once and never stored: needs no name. */
  readonly unnamed?: true;
  /** Warned of at every write. */
  readonly deprecated?: string;
  /** What the schema's defaults cannot say. */
  complete?(object: KubeObject, before: KubeObject | undefined): KubeObject;
  /** What is wrong beside the metadata. */
  judge?(object: KubeObject, before: KubeObject | undefined): readonly FieldError[];
}

/** The definition of a built-in kind. */
export function defineBuiltIn(row: BuiltIn): KindDefinition {
  const { group, version, plural, kind, namespaced, hasStatus, counted } = row;
  const schema = struct(kind, {
    apiVersion: string,
    kind: string,
    metadata: objectMeta,
    ...row.fields,
  });
  return {
    resource: { group, version, plural, kind },
    namespaced,
    custom: false,
    hasStatus: hasStatus ?? false,
    counted: counted ?? false,
    structure: schema,
    prepare: (object, before) => prepared({ row, schema, before }, object),
  };
}

interface Preparation {
  readonly row: BuiltIn;
  readonly schema: Schema;
  readonly before: KubeObject | undefined;
}

function prepared({ row, schema, before }: Preparation, given: KubeObject): Prepared {
  const why = decodingProblem(given, schema);
  if (why !== undefined) throw undecodable(row, why);
  const { value, unknown } = prune(given, schema);
  const read = normal(value, schema, given);
  // What was loaded from elsewhere may be in another form.
  const held = before && normal(before, schema, before);
  const object = row.complete?.(read, held) ?? read;
  const rules = { namespaced: row.namespaced, name: row.name ?? subdomainRule };
  refuseInvalid(row, object, [
    ...(row.unnamed === true ? [] : metadataErrors(object, rules)),
    ...(row.judge?.(object, held) ?? []),
  ]);
  const deprecated = row.deprecated === undefined ? [] : [row.deprecated];
  return { object, warnings: [...deprecated, ...unknown.map((path) => `unknown field "${path}"`)] };
}

/** The form in which objects are stored; metadata is there even when all of it was left out. */
function normal(value: unknown, schema: Schema, { apiVersion, kind }: KubeObject): KubeObject {
  const complete = filled(plain(value, schema), schema);
  const fields = isObject(complete) ? complete : {};
  const { metadata } = fields;
  return { ...fields, apiVersion, kind, metadata: isObject(metadata) ? metadata : {} };
}
