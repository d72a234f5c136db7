/** Policy rules of RBAC: what one allows, what a list of them lacks, and how the API server prints them. */
import type { ClusterRole, PolicyRule, Role } from "../../domain/kube/models";
import { oncePer } from "../../domain/base/values";
import type { Attributes } from "../model";

/** One rule of a Role or ClusterRole. */
export interface AccessRule {
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly nonResourceURLs: readonly string[];
  readonly resourceNames: readonly string[];
  readonly verbs: readonly string[];
}

/** What a rule is asked about: an object, or a path of the API server such as `/version`. */
export type AccessRequest = Attributes | { readonly verb: string; readonly path: string };

/** The rules that a role holds itself; stored objects are never changed in place, so they stay right. */
export const rulesOf = oncePer(({ rules }: ClusterRole | Role): readonly AccessRule[] =>
  (rules ?? []).map(parseRule),
);

function parseRule(rule: PolicyRule): AccessRule {
  return {
    apiGroups: rule.apiGroups ?? [],
    resources: rule.resources ?? [],
    nonResourceURLs: rule.nonResourceURLs ?? [],
    resourceNames: rule.resourceNames ?? [],
    verbs: rule.verbs ?? [],
  };
}

/** True when this rule alone allows it. */
export function ruleAllows(rule: AccessRule, asked: AccessRequest): boolean {
  if (!holds(rule.verbs, asked.verb)) return false;
  if ("path" in asked) return rule.nonResourceURLs.some((url) => coversPath(url, asked.path));
  return (
    holds(rule.apiGroups, asked.group) &&
    rule.resources.some((resource) => fitsResource(resource, asked)) &&
    (rule.resourceNames.length === 0 || rule.resourceNames.includes(asked.name ?? ""))
  );
}

function holds(set: readonly string[], wanted: string): boolean {
  return set.includes("*") || set.includes(wanted);
}

function fitsResource(allowed: string, { resource, subresource = "" }: Attributes): boolean {
  if (allowed === "*") return true;
  if (subresource === "") return allowed === resource;
  return allowed === `${resource}/${subresource}` || allowed === `*/${subresource}`;
}

function coversPath(owned: string, path: string): boolean {
  return owned === path || (owned.endsWith("*") && path.startsWith(owned.replace(/\*+$/, "")));
}

/** Rules of one verb, one group, one resource and at most one name each: what `held` leaves open. */
export function findUncovered(
  held: readonly AccessRule[],
  wanted: readonly AccessRule[],
): readonly AccessRule[] {
  return wanted.flatMap(apart).filter((atom) => !held.some((rule) => covers(rule, atom)));
}

function apart(rule: AccessRule): readonly AccessRule[] {
  const { apiGroups, resources, verbs, resourceNames, nonResourceURLs } = rule;
  const names = resourceNames.length === 0 ? [[]] : resourceNames.map((name) => [name]);
  const onObjects = apiGroups.flatMap((group) =>
    resources.flatMap((resource) =>
      verbs.flatMap((verb) => names.map((name) => makeAtom({ group, resource, verb, name }))),
    ),
  );
  const onPaths = nonResourceURLs.flatMap((url) =>
    verbs.map((verb) => ({ ...nothing, nonResourceURLs: [url], verbs: [verb] })),
  );
  return [...onObjects, ...onPaths];
}

const nothing: AccessRule = {
  apiGroups: [],
  resources: [],
  nonResourceURLs: [],
  resourceNames: [],
  verbs: [],
};

function makeAtom(parts: {
  readonly group: string;
  readonly resource: string;
  readonly verb: string;
  readonly name: readonly string[];
}): AccessRule {
  const { group, resource, verb, name } = parts;
  return {
    ...nothing,
    apiGroups: [group],
    resources: [resource],
    verbs: [verb],
    resourceNames: name,
  };
}

function covers(owned: AccessRule, atom: AccessRule): boolean {
  return (
    atom.verbs.every((verb) => holds(owned.verbs, verb)) &&
    atom.apiGroups.every((group) => holds(owned.apiGroups, group)) &&
    atom.resources.every((resource) => coversResource(owned.resources, resource)) &&
    atom.nonResourceURLs.every((path) =>
      owned.nonResourceURLs.some((url) => coversPath(url, path)),
    ) &&
    coversNames(owned.resourceNames, atom.resourceNames)
  );
}

function coversResource(owned: readonly string[], resource: string): boolean {
  if (holds(owned, resource)) return true;
  const slash = resource.indexOf("/");
  return slash !== -1 && owned.includes(`*${resource.slice(slash)}`);
}

function coversNames(owned: readonly string[], wanted: readonly string[]): boolean {
  if (owned.length === 0) return true;
  return wanted.length > 0 && wanted.every((name) => owned.includes(name));
}

/** The rules in the API server's words: verbs of the same object in one line, lines in order. */
export function printRules(atoms: readonly AccessRule[]): string {
  const merged = new Map<string, AccessRule>();
  for (const atom of atoms) {
    const { verbs, ...rest } = atom;
    // Rules on paths are not put together there.
    const key = JSON.stringify(atom.nonResourceURLs.length > 0 ? atom : rest);
    const before = atom.nonResourceURLs.length > 0 ? [] : (merged.get(key)?.verbs ?? []);
    merged.set(key, { ...rest, verbs: [...before, ...verbs] });
  }
  return [...new Set([...merged.values()].map(printRule))].sort().join("\n");
}

function printRule(rule: AccessRule): string {
  const parts: readonly (readonly [string, readonly string[]])[] = [
    ["APIGroups", rule.apiGroups],
    ["Resources", rule.resources],
    ["NonResourceURLs", rule.nonResourceURLs],
    ["ResourceNames", rule.resourceNames],
    ["Verbs", rule.verbs],
  ];
  const filled = parts.filter(([, values]) => values.length > 0);
  return `{${filled.map(([name, values]) => `${name}:${quoteList(values)}`).join(", ")}}`;
}

/** A list of strings as Go prints one with %q. */
export function quoteList(values: readonly string[]): string {
  return `[${values.map((value) => JSON.stringify(value)).join(" ")}]`;
}
