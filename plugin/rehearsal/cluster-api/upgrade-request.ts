/** Reads the body of an upgrade request: every problem at once, or the request with its defaults. */
import type { Names } from "../../domain/names";
import { isObject, type Json, list, own, shown, text } from "../../domain/values";
import type { ApiProfile } from "./profiles";
import { malformed } from "./refusal";
import {
  entryFields,
  type ModuleEntry,
  problemsOf,
  type RequestField,
  requestFields,
  type UpgradeRequest,
} from "./upgrade-fields";

type Words = Names["upgradeRequest"];

/** The request; 400 that names every problem (S109, C22). */
export function readUpgradeRequest(
  body: unknown,
  names: Names,
  profile: ApiProfile,
): UpgradeRequest {
  const words = names.upgradeRequest;
  if (!isObject(body)) throw malformed([`the body is ${shown(body).slice(0, 80)}, no JSON object`]);
  const entries = list(body[words.modules]);
  const problems = [
    ...problemsOf(body, requestFields, words),
    ...entries.flatMap((entry, index) => entryProblems(entry, index, words)),
  ];
  if (problems.length > 0) throw malformed(problems);
  const request = requestOf(body, words, profile);
  const contradictions = contradictionsOf(request, words);
  if (contradictions.length > 0) throw malformed(contradictions);
  return request;
}

function entryProblems(entry: unknown, index: number, words: Words): readonly string[] {
  const where = `${words.modules}[${index}]`;
  if (!isObject(entry)) return [`${where} is ${shown(entry).slice(0, 80)}, it has to be an object`];
  if (Object.keys(entry).length === 0) return [`${where} is empty`];
  return problemsOf(entry, entryFields, words).map((problem) => `${where}.${problem}`);
}

function requestOf(body: Json, words: Words, profile: ApiProfile): UpgradeRequest {
  const isTrue = (key: keyof Words) => own(body, words[key]) === true;
  const latest = own(body, words.latestWithModules);
  const atOnce = own(body, words.parallelShardsUpgrade);
  return {
    forceRestart: isTrue("forceRestart"),
    keepEngineVersion: isTrue("keepEngineVersion"),
    keepCrdtProtocolVersion: isTrue("keepCrdtProtocolVersion"),
    mayDiscardData: isTrue("mayDiscardData"),
    forceDiscard: isTrue("forceDiscard"),
    preserveRoles: isTrue("preserveRoles"),
    parallelShardsUpgrade: typeof atOnce === "number" ? atOnce : undefined,
    modules: list(own(body, words.modules)).map((entry) => entryOf(entry, words)),
    engineVersion: text(own(body, words.engineVersion)),
    latestWithModules: latest === undefined ? profile.latestWithModules : latest === true,
    asksForLatest: latest === true,
  };
}

function entryOf(entry: unknown, words: Words): ModuleEntry {
  const args = own(entry, words.newModuleArgs);
  return {
    current: text(own(entry, words.currentModule)),
    next: text(own(entry, words.newModule)),
    args: args === undefined ? undefined : list(args),
  };
}

/** What contradicts itself whatever the database is; the rest is judged with it (C22). */
function contradictionsOf(request: UpgradeRequest, words: Words): readonly string[] {
  const { keepEngineVersion, asksForLatest, modules } = request;
  const named = modules.some(({ next }) => next !== undefined);
  return [
    ...(keepEngineVersion && asksForLatest
      ? [contradiction(words.keepEngineVersion, words.latestWithModules)]
      : []),
    ...(asksForLatest && named ? [contradiction(words.latestWithModules, words.newModule)] : []),
  ];
}

/** Names both fields. */
export function contradiction(one: string, other: string): string {
  return `${one} and ${other} contradict each other`;
}

/** Deprecated fields that were given, as texts of Warning headers (S120). */
export function deprecationsOf(body: unknown, names: Names): readonly string[] {
  const words = names.upgradeRequest;
  const given = (fields: readonly RequestField[], value: unknown) =>
    fields.flatMap(({ key, deprecated }) =>
      deprecated === undefined || own(value, words[key]) === undefined
        ? []
        : [`${words[key]} is deprecated as of v${deprecated.since}: ${deprecated.instead}`],
    );
  const entries = list(own(body, words.modules)).flatMap((entry) => given(entryFields, entry));
  return [...new Set([...given(requestFields, body), ...entries])];
}
