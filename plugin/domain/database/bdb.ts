/** A database as the REST API has it, beside the resource that asks for it (S36-S38, S75, S83, S84). */
import { fits } from "../engine-cluster/modules";
import { tables } from "../release/tables";
import { moduleLabel } from "../rest-api/modules";
import type { ApiDatabase, InstalledModule } from "../rest-api/records";
import type { Names } from "../names/names";
import { isObject, type Json } from "../base/values";
import {
  compareDotted,
  compareEngineVersions,
  type EngineVersion,
  parseLeadingEngineVersion,
} from "../base/versions";

/** The fields of the request; what is false or absent is not sent. */
export interface RequestWish {
  readonly engineVersion?: string;
  readonly forceRestart?: boolean;
  readonly keepEngineVersion?: boolean;
  readonly keepCrdtProtocolVersion?: boolean;
  readonly mayDiscardData?: boolean;
  readonly forceDiscard?: boolean;
  readonly preserveRoles?: boolean;
  readonly parallelShardsUpgrade?: number;
  readonly modules?: readonly Json[];
  readonly latestWithModules?: boolean;
}

type WishField = keyof RequestWish;

/** Every field of the request that has a meaning, with the flag that gives it: that of swap_roles is not published (S90). */
export const requestFields: readonly (readonly [field: WishField, flag: string])[] = [
  ["forceRestart", "force-restart"], // S80
  ["keepEngineVersion", "keep-engine-version"], // S81
  ["keepCrdtProtocolVersion", "keep-crdt-protocol-version"], // S82
  ["mayDiscardData", "may-discard-data"], // S83
  ["forceDiscard", "force-discard"], // S84
  ["preserveRoles", "preserve-roles"], // S85
  ["parallelShardsUpgrade", "parallel-shards"], // S86
  ["modules", "modules"], // S87
  ["engineVersion", "engine-version"], // S88
  ["latestWithModules", "latest-with-modules"], // S89
];

/** The fields of an entry of its modules (S41-S43). */
const moduleFields = ["currentModule", "newModule", "newModuleArgs"] as const;

/** The body: fields under the names that the server knows them by. */
export function requestBody(wish: RequestWish, { upgradeRequest }: Names): Json {
  const entries = requestFields
    .map(([field]) => [field, wish[field]] as const)
    .filter(([field, value]) =>
      field === "latestWithModules" ? value !== undefined : value !== undefined && value !== false,
    )
    .map(([field, value]) => [upgradeRequest[field], value]);
  return Object.fromEntries(entries) as Json;
}

/** One line for each deprecated field that is used, with its replacement (S120). */
export function findDeprecated(wish: RequestWish, { upgradeRequest }: Names): readonly string[] {
  const used = [
    ...requestFields
      .filter(([field]) => wish[field] !== undefined && wish[field] !== false)
      .map(([field, flag]) => ({ field, written: `--${flag}` })),
    ...moduleFields
      .filter((field) =>
        wish.modules?.some((module) => Object.hasOwn(module, upgradeRequest[field])),
      )
      .map((field) => ({ field, written: `${upgradeRequest[field]} in --modules` })),
  ];
  return used.flatMap(({ field, written }) =>
    tables.deprecatedFields
      .filter((row) => row.field === field)
      .map(({ since, instead }) => `${written} is deprecated as of ${since}: ${instead}`),
  );
}

/** The entries of --modules, or what is wrong with them (S41-S43). */
type ParsedModules =
  | { readonly is: "modules"; readonly modules: readonly Json[] }
  | { readonly is: "wrong"; readonly problems: readonly string[] };

/** Reads the entries: a list of objects with the fields that the server knows. */
export function parseModules(value: unknown, { upgradeRequest }: Names): ParsedModules {
  if (!Array.isArray(value) || value.length === 0) {
    return { is: "wrong", problems: ["it has to be a list of at least one entry"] };
  }
  const known = moduleFields.map((field): string => upgradeRequest[field]);
  const modules = value.filter(isObject);
  const problems = value.flatMap((entry: unknown, index) => {
    if (!isObject(entry)) return [`entry ${index + 1} is not an object`];
    const unknown = Object.keys(entry).filter((key) => !known.includes(key));
    return unknown.map(
      (key) => `entry ${index + 1}: ${JSON.stringify(key)} is not one of ${known.join(", ")}`,
    );
  });
  return problems.length > 0 ? { is: "wrong", problems } : { is: "modules", modules };
}

/** True when the request may do more than bring a database to a version. */
export function asksForMore({ forceRestart, modules, latestWithModules }: RequestWish): boolean {
  return forceRestart === true || modules !== undefined || latestWithModules === true;
}

/** The engine version that it runs. */
export function bdbVersion({ version, engineVersion }: ApiDatabase): EngineVersion | undefined {
  return parseLeadingEngineVersion(version) ?? parseLeadingEngineVersion(engineVersion);
}

/** True when it runs the version; a channel is content with more. */
export function runsVersion(
  bdb: ApiDatabase,
  { version, channel }: { readonly version: EngineVersion | undefined; readonly channel: boolean },
): boolean {
  const runs = bdbVersion(bdb);
  if (version === undefined || runs === undefined) return false;
  const order = compareEngineVersions(runs, version);
  return order === 0 || (channel && order > 0);
}

/**
 * Modules of which a newer build for the version that runs is installed, as `search 7.4.0`: an upgrade
 * to the present version brings it, whether the release or the user has it (S63, S81). A build that
 * does not report its engine version proves nothing.
 */
export function modulesBehind(
  bdb: ApiDatabase,
  installed: readonly InstalledModule[],
): readonly string[] {
  const engine = bdbVersion(bdb);
  if (engine === undefined) return [];
  const builds = installed.filter(
    (build) =>
      (build.compatibleEngineVersion ?? build.minEngineVersion) !== undefined &&
      fits(build, engine),
  );
  return bdb.modules
    .filter(({ name, version: used }) =>
      builds.some(
        ({ name: built, version }) =>
          built === name &&
          version !== undefined &&
          used !== undefined &&
          compareDotted(version, used) > 0,
      ),
    )
    .map(moduleLabel);
}
