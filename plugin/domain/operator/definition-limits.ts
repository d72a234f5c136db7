/**
 * What a release's definition would no longer accept: of the stored definition itself, and of the
 * objects that are stored (Facts 8). Expressions (CEL) are left to the API server.
 */
import type { About } from "../base/findings";
import { kubectl } from "../base/remedy";
import {
  asArray,
  asString,
  few,
  getOwn,
  getPath,
  isObject,
  type Json,
  renderValue,
  sameJson,
} from "../base/values";
import type { CustomResourceDefinition } from "../kube/models";
import { type KubeObject, objectLabel, readName } from "../kube/objects";
import { findConversionService } from "./conversion";

/** True where a schema fills in a value at any depth; a property may itself be called "default". */
export function hasDefault(schema: unknown): boolean {
  if (Array.isArray(schema)) return schema.some(hasDefault);
  if (!isObject(schema)) return false;
  const { properties } = schema;
  const inner = Object.entries(schema).filter(([key]) => key !== "properties" && key !== "default");
  return (
    schema["default"] !== undefined ||
    Object.values(isObject(properties) ? properties : {}).some(hasDefault) ||
    inner.some(([, value]) => hasDefault(value))
  );
}

/**
 * A definition of old that keeps what its schema does not know. A release that says nothing of it
 * leaves it so, and is refused where it fills in values or converts: an error then, else a warning.
 */
export function findKeepsUnknown(
  live: CustomResourceDefinition,
  wanted: KubeObject | undefined,
): readonly (About & { readonly cause: string })[] {
  const isTakenOff = getPath(wanted, ["spec", "preserveUnknownFields"]) === false;
  if (live.spec?.preserveUnknownFields !== true || isTakenOff) return [];
  const fills = asArray(getPath(wanted, ["spec", "versions"])).some((version) =>
    hasDefault(getPath(version, ["schema", "openAPIV3Schema"])),
  );
  const converts = wanted !== undefined && findConversionService(wanted) !== undefined;
  const why = [...(fills ? ["fills in values"] : []), ...(converts ? ["converts objects"] : [])];
  const spec: CustomResourceDefinition["spec"] = { preserveUnknownFields: false };
  const patch = JSON.stringify({ spec });
  const cause = "spec.preserveUnknownFields is true, and what the schema does not know is kept";
  return [
    {
      severity: why.length > 0 ? "error" : "warning",
      object: objectLabel(live),
      field: "spec.preserveUnknownFields",
      cause:
        why.length > 0
          ? `${cause}; the release's definition ${why.join(" and ")}, which the API server refuses with it`
          : cause,
      remedies: [
        {
          ...kubectl(
            "save the objects of this kind, since unknown fields in them are dropped, and take the setting off",
            ...["patch", "customresourcedefinition", readName(live)],
            ...["--type=merge", `--patch=${patch}`],
          ),
          saves: {
            words: ["get", readName(live), "--all-namespaces", "-o", "yaml"],
            file: `${readName(live)}.yaml`,
          },
        },
      ],
    },
  ];
}

/** A keyword of a schema, and whether a value is within it. */
type Limit = readonly [keyword: string, fits: (value: unknown, limit: unknown) => boolean];

const measured =
  (
    measure: (value: unknown) => number | undefined,
    fits: (size: number, limit: number) => boolean,
  ) =>
  (value: unknown, limit: unknown): boolean => {
    const size = measure(value);
    return size === undefined || typeof limit !== "number" || fits(size, limit);
  };
const ofNumber = (value: unknown): number | undefined =>
  typeof value === "number" ? value : undefined;
const ofText = (value: unknown): number | undefined =>
  typeof value === "string" ? Array.from(value).length : undefined;
const ofList = (value: unknown): number | undefined =>
  Array.isArray(value) ? value.length : undefined;
const atMost = (size: number, limit: number): boolean => size <= limit;
const atLeast = (size: number, limit: number): boolean => size >= limit;

const limits: readonly Limit[] = [
  ["type", (value, type) => type === undefined || nameTypes(value).some((one) => one === type)],
  [
    "enum",
    (value, all) => asArray(all).length === 0 || asArray(all).some((one) => sameJson(one, value)),
  ],
  ["maximum", measured(ofNumber, atMost)],
  ["minimum", measured(ofNumber, atLeast)],
  ["maxLength", measured(ofText, atMost)],
  ["minLength", measured(ofText, atLeast)],
  ["maxItems", measured(ofList, atMost)],
  ["minItems", measured(ofList, atLeast)],
  ["pattern", (value, pattern) => typeof value !== "string" || matches(value, pattern)],
];

/** A pattern that this language cannot read says nothing. */
function matches(value: string, pattern: unknown): boolean {
  if (typeof pattern !== "string") return true;
  try {
    return new RegExp(pattern, "u").test(value);
  } catch {
    return true;
  }
}

/** The types that a value may be said to have; a value that is either a number or a text says none. */
function nameTypes(value: unknown): readonly string[] {
  if (Array.isArray(value)) return ["array"];
  if (typeof value === "number")
    return Number.isInteger(value) ? ["integer", "number"] : ["number"];
  return [typeof value];
}

/** A stored value that is accepted today, and not by the release's definition. */
interface Unfit {
  readonly path: string;
  readonly because: string;
}

/** What the second schema refuses of the value and the first does not. */
function findUnfit(
  value: unknown,
  schemas: readonly [unknown, unknown],
  path: string,
): readonly Unfit[] {
  const [before, after] = schemas;
  if (value === null || !isObject(after)) return [];
  const own = limits.flatMap(([keyword, fits]) => {
    const limit = getOwn(after, keyword);
    if (fits(value, limit) || !fits(value, getOwn(before, keyword))) return [];
    return [{ path, because: `${renderValue(value)}, against ${keyword} ${renderValue(limit)}` }];
  });
  if (Array.isArray(value)) {
    const items = [getOwn(before, "items"), getOwn(after, "items")] as const;
    return [...own, ...value.flatMap((item, at) => findUnfit(item, items, `${path}[${at}]`))];
  }
  return isObject(value) ? [...own, ...findUnfitFields(value, schemas, path)] : own;
}

function findUnfitFields(
  value: Json,
  [before, after]: readonly [unknown, unknown],
  path: string,
): readonly Unfit[] {
  const needs = (schema: unknown): readonly string[] =>
    asArray(getOwn(schema, "required"))
      .map(String)
      .filter((key) => getPath(schema, ["properties", key, "default"]) === undefined);
  const lacking = needs(after).filter(
    (key) => !Object.hasOwn(value, key) && !needs(before).includes(key),
  );
  return [
    ...lacking.map((key) => ({ path: `${path}.${key}`, because: "nothing, and it is required" })),
    ...Object.entries(value).flatMap(([key, inner]) =>
      findUnfit(inner, [schemaAt(before, key), schemaAt(after, key)], `${path}.${key}`),
    ),
  ];
}

function schemaAt(schema: unknown, key: string): unknown {
  return getPath(schema, ["properties", key]) ?? getOwn(schema, "additionalProperties");
}

/** True where the release's schema limits a value in a way that the stored one does not. */
export function isNarrower(live: KubeObject, wanted: KubeObject): boolean {
  const known = new Set(listLimits(live["spec"], ""));
  return listLimits(wanted["spec"], "").some((limit) => !known.has(limit));
}

/** Every limit of a definition with its place; versions are told apart by name. */
function listLimits(value: unknown, path: string): readonly string[] {
  if (Array.isArray(value)) {
    return value.flatMap((one, at) =>
      listLimits(one, `${path}/${asString(getOwn(one, "name")) ?? at}`),
    );
  }
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([key, inner]) =>
    isLimit(key) && !path.endsWith("/properties")
      ? [`${path} ${key} ${JSON.stringify(inner)}`]
      : listLimits(inner, `${path}/${key}`),
  );
}

function isLimit(key: string): boolean {
  return key === "required" || limits.some(([keyword]) => keyword === key);
}

/** Each object that holds in its spec what the release's definition does not accept, with the values. */
export function findUnfitObjects(
  definitions: { readonly live: KubeObject; readonly wanted: KubeObject },
  objects: readonly KubeObject[],
): readonly string[] {
  const { live, wanted } = definitions;
  return objects.flatMap((object) => {
    const version = object.apiVersion.slice(object.apiVersion.indexOf("/") + 1);
    const schemas = [specSchema(live, version), specSchema(wanted, version)] as const;
    const found = findUnfit(object["spec"], schemas, "spec");
    const told = found.map(({ path, because }) => `${path} ${because}`);
    return told.length === 0 ? [] : [`${objectLabel(object)} has ${few(told)}`];
  });
}

function specSchema(definition: KubeObject, version: string): unknown {
  const found = asArray(getPath(definition, ["spec", "versions"])).find(
    (one) => getOwn(one, "name") === version,
  );
  return getPath(found, ["schema", "openAPIV3Schema", "properties", "spec"]);
}
