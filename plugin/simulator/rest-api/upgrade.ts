/** The upgrade of one database: its request as data, read, judged and planned (S80–S90, S104–S112, S120, C22). */
import type { Names } from "../../domain/names/names";
import {
  isObject,
  type Json,
  asArray,
  getOwn,
  renderValue,
  asString,
} from "../../domain/base/values";
import {
  compareEngineVersions,
  parseLeadingEngineVersion,
  parseEngineVersion,
} from "../../domain/base/versions";
import { chooseModules, type Judging, type UpgradeRequest } from "./module-choice";
import type { ApiProfile } from "./profiles";
import { readEngine, refuseMalformed, findNewest, runsWith, type BdbUpgrade } from "./state";

type RequestWords = Names["upgradeRequest"];

/** What a value may be. */
const kinds = {
  boolean: {
    fits: (value: unknown) => typeof value === "boolean",
    says: "true or false",
  },
  count: {
    fits: (value: unknown) => Number.isSafeInteger(value) && (value as number) >= 1,
    says: "a whole number of at least 1",
  },
  version: {
    fits: (value: unknown) => parseEngineVersion(value) !== undefined,
    says: "a version as a string, two numbers with a dot between",
  },
  modules: {
    fits: Array.isArray,
    says: "a list of objects",
  },
  list: { fits: Array.isArray, says: "a list" },
  text: {
    fits: (value: unknown) => typeof value === "string" && value !== "",
    says: "the uid of a module, a string",
  },
  anything: { fits: () => true, says: "anything" },
};

/** One field; `deprecated` says what to do instead. */
interface RequestField {
  readonly key: keyof RequestWords;
  readonly kind: keyof typeof kinds;
  readonly deprecated?: string;
}

/** Since when fields are deprecated, and the newest version with its modules is the default. */
const since = "7.8.2";

const flag = (key: keyof RequestWords) => ({ key, kind: "boolean" }) as const;

/** The fields of the body (S80–S90). */
export const requestFields: readonly RequestField[] = [
  flag("forceRestart"),
  {
    ...flag("keepEngineVersion"),
    deprecated: "name the current version as the version to upgrade to",
  },
  flag("keepCrdtProtocolVersion"),
  flag("mayDiscardData"),
  flag("forceDiscard"),
  flag("preserveRoles"),
  { key: "parallelShardsUpgrade", kind: "count" },
  { key: "modules", kind: "modules" },
  { key: "engineVersion", kind: "version" },
  { ...flag("latestWithModules"), deprecated: "leave it out" },
  { key: "swapRoles", kind: "anything" },
];

const byName = "leave it out: modules go with the engine version";

/** The fields of an entry of the modules (S41–S44): none has a default. */
export const entryFields: readonly RequestField[] = [
  { key: "currentModule", kind: "text", deprecated: byName },
  { key: "newModule", kind: "text", deprecated: byName },
  { key: "newModuleArgs", kind: "list" },
];

/** The request; 400 that names every problem (S109, C22). */
export function readUpgradeRequest(
  body: unknown,
  names: Names,
  profile: ApiProfile,
): UpgradeRequest {
  const words = names.upgradeRequest;
  if (!isObject(body))
    throw refuseMalformed([`the body is ${renderValue(body).slice(0, 80)}, no JSON object`]);
  const problems = [
    ...findProblems(body, requestFields, words),
    ...asArray(body[words.modules]).flatMap((entry, index) => {
      const where = `${words.modules}[${index}]`;
      if (!isObject(entry))
        return [`${where} is ${renderValue(entry).slice(0, 80)}, it has to be an object`];
      if (Object.keys(entry).length === 0) return [`${where} is empty`];
      return findProblems(entry, entryFields, words).map((problem) => `${where}.${problem}`);
    }),
  ];
  if (problems.length > 0) throw refuseMalformed(problems);
  const request = readRequest(body, words, profile);
  // what contradicts itself whatever the database is; the rest is judged with it (C22)
  const { keepEngineVersion, asksForLatest, modules } = request;
  const named = modules.some(({ next }) => next !== undefined);
  const contradictions = [
    ...(keepEngineVersion && asksForLatest
      ? [contradiction(words.keepEngineVersion, words.latestWithModules)]
      : []),
    ...(asksForLatest && named ? [contradiction(words.latestWithModules, words.newModule)] : []),
  ];
  if (contradictions.length > 0) throw refuseMalformed(contradictions);
  return request;
}

/** Problems of an object's fields: unknown ones, and values of the wrong kind. */
function findProblems(
  value: Json,
  fields: readonly RequestField[],
  words: RequestWords,
): readonly string[] {
  return Object.entries(value).flatMap(([name, given]) => {
    const field = fields.find(({ key }) => words[key] === name);
    if (field === undefined) return [`${name} is not a field of this call`];
    const { fits, says } = kinds[field.kind];
    return fits(given)
      ? []
      : [`${name} is ${renderValue(given).slice(0, 80)}, it has to be ${says}`];
  });
}

function readRequest(body: Json, words: RequestWords, profile: ApiProfile): UpgradeRequest {
  const isTrue = (key: keyof RequestWords) => getOwn(body, words[key]) === true;
  const latest = getOwn(body, words.latestWithModules);
  const atOnce = getOwn(body, words.parallelShardsUpgrade);
  return {
    forceRestart: isTrue("forceRestart"),
    keepEngineVersion: isTrue("keepEngineVersion"),
    keepCrdtProtocolVersion: isTrue("keepCrdtProtocolVersion"),
    mayDiscardData: isTrue("mayDiscardData"),
    forceDiscard: isTrue("forceDiscard"),
    preserveRoles: isTrue("preserveRoles"),
    parallelShardsUpgrade: typeof atOnce === "number" ? atOnce : undefined,
    modules: asArray(getOwn(body, words.modules)).map((entry) => {
      const args = getOwn(entry, words.newModuleArgs);
      return {
        current: asString(getOwn(entry, words.currentModule)),
        next: asString(getOwn(entry, words.newModule)),
        args: args === undefined ? undefined : asArray(args),
      };
    }),
    engineVersion: asString(getOwn(body, words.engineVersion)),
    latestWithModules: latest === undefined ? profile.latestWithModules : latest === true,
    asksForLatest: latest === true,
  };
}

function contradiction(one: string, other: string): string {
  return `${one} and ${other} contradict each other`;
}

/** Deprecated fields that were given, as texts of Warning headers (S120). */
export function listDeprecations(
  body: unknown,
  { upgradeRequest: words }: Names,
): readonly string[] {
  const listGiven = (fields: readonly RequestField[], value: unknown) =>
    fields.flatMap(({ key, deprecated }) =>
      deprecated === undefined || getOwn(value, words[key]) === undefined
        ? []
        : [`${words[key]} is deprecated as of v${since}: ${deprecated}`],
    );
  const entries = asArray(getOwn(body, words.modules)).flatMap((entry) =>
    listGiven(entryFields, entry),
  );
  return [...new Set([...listGiven(requestFields, body), ...entries])];
}

/** The newest protocol that active-active databases can speak; S82 keeps the present one. */
const newestProtocol = 2;

/** What has to be done; 400 or 406 where it cannot be. */
export function planUpgrade(judging: Judging): BdbUpgrade {
  const { bdb, request } = judging;
  const present = readEngine(bdb);
  const engine = chooseTarget(judging, present);
  const engineChanges = engine !== present;
  const version = engineChanges ? `${engine}.0` : bdb.version;
  const modules = chooseModules({ ...judging, engine, engineChanges });
  const runs = runsWith(version, modules);
  const affected = bdb.shards.filter((shard) => request.forceRestart || shard.runs !== runs);
  const listUids = (role: "master" | "replica") =>
    affected.filter((shard) => shard.role === role).map(({ uid }) => uid);
  const discards = affected.length > 0 && losesData(judging);
  const keepsProtocol = bdb.crdtGuid === undefined || request.keepCrdtProtocolVersion;
  return {
    bdb: bdb.uid,
    ...{ version, modules, discards },
    ...(!keepsProtocol && { crdtProtocol: newestProtocol }),
    replicas: listUids("replica"),
    masters: listUids("master"),
    restarts: affected.length,
    atOnce: request.parallelShardsUpgrade ?? bdb.shards.length,
    preserveRoles: request.preserveRoles,
    guarded: bdb.replication && !discards,
  };
}

/** The version that the database will run; 400 where it cannot. */
function chooseTarget(judging: Judging, present: string): string {
  const { store, names, request } = judging;
  const { restErrors } = names;
  const { engineVersion } = request;
  const target = readWanted(judging, present);
  if (target === present) return present;
  if (!store.versions.includes(target)) {
    const has = store.versions.join(", ");
    const problem = `${target} is not a version of this cluster, which has ${has}`;
    throw refuseMalformed([problem], restErrors.incompatibleEngine);
  }
  if (!isLower(target, present)) return target;
  // the latest one may be older than what already runs
  if (engineVersion === undefined) return present;
  // what a lower version does is not known (domain facts 14): here it is refused
  const problem = `the database runs ${present}, ${target} is lower`;
  throw refuseMalformed([problem], restErrors.incompatibleEngine);
}

/** The version that is asked for, the present one where it is kept, else the latest (S81, S88, S89). */
function readWanted({ store, names, request }: Judging, present: string): string {
  const words = names.upgradeRequest;
  const { engineVersion, keepEngineVersion, asksForLatest } = request;
  const newest = findNewest(store.versions) ?? present;
  const target = keepEngineVersion ? present : (engineVersion ?? newest);
  const other = engineVersion ?? target;
  if (keepEngineVersion && other !== present)
    throw refuseMalformed([contradiction(words.keepEngineVersion, words.engineVersion)]);
  if (asksForLatest && other !== newest)
    throw refuseMalformed([contradiction(words.latestWithModules, words.engineVersion)]);
  return target;
}

function isLower(one: string, other: string): boolean {
  const [left, right] = [parseLeadingEngineVersion(one), parseLeadingEngineVersion(other)];
  return left !== undefined && right !== undefined && compareEngineVersions(left, right) < 0;
}

/** Data goes only where a field says that it may (S83, S84, C22). */
function losesData({ bdb, request, names }: Judging): boolean {
  if (request.forceDiscard) return true;
  if (bdb.replication || bdb.persistence !== "disabled") return false;
  if (request.mayDiscardData) return true;
  const { mayDiscardData } = names.upgradeRequest;
  throw refuseMalformed([
    `shards have to restart, and the database is neither replicated nor persistent: its data would be lost, ${mayDiscardData} allows that`,
  ]);
}
