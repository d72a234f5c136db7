/** Why an edit is judged as it is: each rule with what it says, the ECs, and the way that would pass. */
import { mostCauses } from "./modules";
import { changeRules, createRules, isExempt, judgeEdit, needsCluster } from "./order";
import { fieldsOf, fieldText, readSubject } from "./fields";
import type { Cause, ClusterLookup, Edit, Lookups, Rule, RuleOptions, Verdict } from "./types";
import type { Names } from "../names";
import { getPath, type Json, asArray, sameJson, withValue } from "../values";
import { compareEngineVersions, type EngineVersion, leadingEngineVersion } from "../versions";
import { releasesOf } from "./engine-version";

/** One rule and what it says of the edit, whatever its setting makes of that. */
interface RuleTried {
  readonly id: Rule["id"];
  readonly setting: "deny" | "warn" | "off";
  readonly source: string;
  readonly causes: readonly Cause[];
  /** Problems that are not among them. */
  readonly more?: number;
  readonly warnings: readonly string[];
}

/** An edit, explained. */
export interface Explanation {
  readonly allowed: boolean;
  /** Why no rule was tried: `being deleted` or `unchanged`. */
  readonly spared?: string;
  readonly rules: readonly RuleTried[];
  /** The EC of the object; of the old one too where the reference changed. */
  readonly clusters: { readonly after?: ClusterLookup; readonly before?: ClusterLookup };
  /** The changes with which it would pass; absent when it passes, for wrong shapes, and for longer lists than any database has. */
  readonly nearest?: readonly FieldChange[];
}

/** Explains an edit by the ECs that it concerns. */
export function explainEdit(edit: Edit, lookups: Lookups, options: RuleOptions): Explanation {
  if (isExempt(edit) || !needsCluster(edit, options.names)) {
    const spared = isExempt(edit) ? "being deleted" : "unchanged";
    return { allowed: true, spared, rules: [], clusters: {} };
  }
  const facts = { edit, subject: readSubject(edit, options.names), lookups, options };
  const rules = (edit.before === undefined ? createRules : changeRules).map((rule) => {
    const { causes, warnings, more } = rule.judge(facts);
    const setting = options.rules[rule.setting];
    const tried = { id: rule.id, setting, source: rule.source, causes, warnings };
    return more === undefined ? tried : { ...tried, more };
  });
  const allowed = judgeEdit(edit, lookups, options).causes.length === 0;
  const { shapes, modules } = facts.subject;
  if (allowed || shapes.length > 0 || modules.length > mostCauses) {
    return { allowed, rules, clusters: lookups };
  }
  return { allowed, rules, clusters: lookups, nearest: nearestEdit(edit, lookups, options) };
}

/** One field as it was asked for, and as it would pass; `to` is null where it has to go. */
export interface FieldChange {
  readonly field: string;
  readonly from: unknown;
  readonly to: unknown;
}

interface ExplainInput {
  readonly edit: Edit;
  readonly lookups: Lookups;
  readonly options: RuleOptions;
}

/**
 * The changes with which the edit would pass: another version, the nearest first, and the refused
 * modules left out. Empty when it passes as it is. The version that was there before always passes.
 */
export function nearestEdit(
  edit: Edit,
  lookups: Lookups,
  options: RuleOptions,
): readonly FieldChange[] {
  const asked = { edit, lookups, options };
  const verdict = judgeEdit(edit, lookups, options);
  const after = fieldsOf(edit.kind, options.names).engineVersions.reduce(
    (object, path) => withVersion(asked, object, path),
    withoutModules(asked, verdict),
  );
  return pathsOf(edit.kind, options.names)
    .map((path) => {
      const [from, to] = [edit.after, after].map((object) => getPath(object, path) ?? null);
      return { field: fieldText(path), from, to };
    })
    .filter(({ from, to }) => !sameJson(from, to));
}

/** With the first version at a place that nothing is said against; of what was there before nothing is. */
function withVersion(asked: ExplainInput, object: Json, path: readonly string[]): Json {
  const { edit, lookups, options } = asked;
  const field = fieldText(path);
  let after = object;
  for (const version of versionsToTry(asked, path)) {
    after = withValue(object, path, version);
    const { causes } = judgeEdit({ ...edit, after }, lookups, options);
    if (causes.every((cause) => cause.field !== field)) break;
  }
  return after;
}

/** The one asked for, then the valid ones by their distance to it, then what was there before. */
function versionsToTry(
  { edit, lookups, options }: ExplainInput,
  path: readonly string[],
): readonly unknown[] {
  const wanted = getPath(edit.after, path);
  // YAML turns an unquoted 8.0 into the number 8 (C2)
  const written = typeof wanted === "number" ? wanted.toFixed(1) : wanted;
  const meant = leadingEngineVersion(written);
  const valid = releasesOf(lookups.after, options.names).valid;
  const near = [...valid].sort((left, right) =>
    meant === undefined
      ? compareEngineVersions(right.version, left.version)
      : distance(left.version, meant) - distance(right.version, meant),
  );
  return [wanted, ...near.map(({ text }) => text), getPath(edit.before, path)];
}

/** A line is further than any release within one. */
function distance(left: EngineVersion, right: EngineVersion): number {
  return Math.abs(left.major - right.major) * 1_000 + Math.abs(left.minor - right.minor);
}

function withoutModules({ edit, options }: ExplainInput, { causes }: Verdict): Json {
  const { names } = options;
  const refused = new Set(causes.filter(({ rule }) => rule === "R3").map(({ field }) => field));
  return listPaths(edit.kind, names).reduce((object, path) => {
    const entries = getPath(object, path);
    const field = fieldText(path);
    if (refused.has(field)) return withValue(object, path, undefined);
    const isKept = (_entry: unknown, index: number): boolean =>
      !refused.has(`${field}[${index}].${names.entryFields.moduleName}`);
    const kept = asArray(entries).filter(isKept);
    return kept.length === asArray(entries).length ? object : withValue(object, path, kept);
  }, edit.after);
}

function listPaths(kind: Edit["kind"], names: Names): readonly (readonly string[])[] {
  const { moduleParent } = fieldsOf(kind, names);
  return names.fields.moduleLists.map((name) => [...moduleParent, name]);
}

function pathsOf(kind: Edit["kind"], names: Names): readonly (readonly string[])[] {
  return [...fieldsOf(kind, names).engineVersions, ...listPaths(kind, names)];
}
