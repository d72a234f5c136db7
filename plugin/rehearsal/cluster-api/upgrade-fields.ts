/** The fields of an upgrade request as data: kind, default, deprecation (S80–S90, S120). */
import type { Names } from "../../domain/names";
import { type Json, shown } from "../../domain/values";
import { parseEngineVersion } from "../../domain/versions";

type Words = Names["upgradeRequest"];

/** What a value may be. */
export type FieldKind = "boolean" | "count" | "version" | "modules" | "anything" | "text" | "list";

/** One field. */
export interface RequestField {
  readonly key: keyof Words;
  readonly kind: FieldKind;
  /** The default, for people and the OpenAPI document. */
  readonly fallback?: string;
  /** Since when it is deprecated, and what to do instead. */
  readonly deprecated?: { readonly since: string; readonly instead: string };
  readonly source: string;
}

const since = "7.8.2";

/** The fields of the body. */
export const requestFields: readonly RequestField[] = [
  { key: "forceRestart", kind: "boolean", fallback: "false", source: "S80" },
  {
    key: "keepEngineVersion",
    kind: "boolean",
    fallback: "false",
    deprecated: { since, instead: "name the current version as the version to upgrade to" },
    source: "S81",
  },
  { key: "keepCrdtProtocolVersion", kind: "boolean", fallback: "false", source: "S82" },
  { key: "mayDiscardData", kind: "boolean", fallback: "false", source: "S83" },
  { key: "forceDiscard", kind: "boolean", fallback: "false", source: "S84" },
  { key: "preserveRoles", kind: "boolean", fallback: "false", source: "S85" },
  { key: "parallelShardsUpgrade", kind: "count", fallback: "all shards", source: "S86" },
  { key: "modules", kind: "modules", fallback: "none", source: "S87" },
  { key: "engineVersion", kind: "version", fallback: "the latest version", source: "S88" },
  {
    key: "latestWithModules",
    kind: "boolean",
    fallback: `true as of ${since}`,
    deprecated: { since, instead: "leave it out" },
    source: "S89",
  },
  { key: "swapRoles", kind: "anything", source: "S90" },
];

const byName = { since, instead: "leave it out: modules go with the engine version" };

/** The fields of an entry of the modules (S41–S44): none has a default. */
export const entryFields: readonly RequestField[] = [
  { key: "currentModule", kind: "text", deprecated: byName, source: "S41" },
  { key: "newModule", kind: "text", deprecated: byName, source: "S42" },
  { key: "newModuleArgs", kind: "list", source: "S43" },
];

/** An entry of the modules, read. */
export interface ModuleEntry {
  readonly current: string | undefined;
  readonly next: string | undefined;
  readonly args: readonly unknown[] | undefined;
}

/** A request, read, with its defaults. */
export interface UpgradeRequest {
  readonly forceRestart: boolean;
  readonly keepEngineVersion: boolean;
  readonly keepCrdtProtocolVersion: boolean;
  readonly mayDiscardData: boolean;
  readonly forceDiscard: boolean;
  readonly preserveRoles: boolean;
  readonly parallelShardsUpgrade: number | undefined;
  readonly modules: readonly ModuleEntry[];
  readonly engineVersion: string | undefined;
  readonly latestWithModules: boolean;
  /** It was asked for in so many words. */
  readonly asksForLatest: boolean;
}

const kinds: Readonly<
  Record<FieldKind, { readonly fits: (value: unknown) => boolean; readonly says: string }>
> = {
  boolean: { fits: (value) => typeof value === "boolean", says: "true or false" },
  count: {
    fits: (value) => Number.isSafeInteger(value) && (value as number) >= 1,
    says: "a whole number of at least 1",
  },
  version: {
    fits: (value) => parseEngineVersion(value) !== undefined,
    says: "a version as a string, two numbers with a dot between",
  },
  modules: { fits: Array.isArray, says: "a list of objects" },
  list: { fits: Array.isArray, says: "a list" },
  text: {
    fits: (value) => typeof value === "string" && value !== "",
    says: "the uid of a module, a string",
  },
  anything: { fits: () => true, says: "anything" },
};

/** Problems of an object's fields: unknown ones, and values of the wrong kind. */
export function problemsOf(
  value: Json,
  fields: readonly RequestField[],
  words: Words,
): readonly string[] {
  const known = new Map(fields.map((field) => [words[field.key], field]));
  return Object.entries(value).flatMap(([name, given]) => {
    const field = known.get(name);
    if (field === undefined) return [`${name} is not a field of this call`];
    const { fits, says } = kinds[field.kind];
    return fits(given) ? [] : [`${name} is ${shown(given).slice(0, 80)}, it has to be ${says}`];
  });
}
