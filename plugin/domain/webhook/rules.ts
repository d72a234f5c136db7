/** What the rules of an entry reach: what an apply would take out of them, and what is too wide. */
import type { Names } from "../names";
import { list, own } from "../values";
import { matchesResource } from "./configuration";

const operations = ["CREATE", "UPDATE", "DELETE"] as const;
/** What `*` stands for. */
const everyOperation = [...operations, "CONNECT"] as const;

/** One edit that the rules of an entry match. */
interface Reached {
  readonly group: string;
  readonly plural: string;
  readonly operation: string;
}

/**
 * What the live entry is called for and the wanted one would no longer be, a line for each
 * resource: `plural.group (CREATE, UPDATE)`. Versions do not count: the API server serves each
 * object in all of them.
 */
export function lostRules(live: unknown, wanted: unknown): readonly string[] {
  const lost = reachedBy(live).filter((one) => !matchesResource(wanted, one));
  const lines = new Map<string, Set<string>>();
  for (const { group, plural, operation } of lost) {
    const resource = group === "" ? plural : `${plural}.${group}`;
    lines.set(resource, (lines.get(resource) ?? new Set()).add(operation));
  }
  return [...lines].map(([resource, lacks]) => `${resource} (${[...lacks].join(", ")})`);
}

/** True when some edit that one entry matches is matched by the other, too. */
export function reachesSame(entry: unknown, other: unknown): boolean {
  return reachedBy(entry).some((one) => matchesResource(other, one));
}

/** The resources of a group that an entry is called for, by their plural names. */
export function guardedResources(entry: unknown, group: string): readonly string[] {
  const reached = reachedBy(entry).filter((one) => one.group === group);
  return [...new Set(reached.map(({ plural }) => plural))];
}

/**
 * What a template's rules say beyond the product's own group, as `field=value`: another API group,
 * a wildcard for group or resources, an operation other than CREATE, UPDATE and DELETE. Under
 * failurePolicy Fail such a rule stops edits of the whole cluster while the webhook is away.
 */
export function wideRules(entry: unknown, { group }: Names): readonly string[] {
  const beyond = (field: string, fits: (value: string) => boolean): readonly string[] =>
    list(own(entry, "rules")).flatMap((rule) =>
      textsOf(rule, field).flatMap((value) => (fits(value) ? [] : [`${field}=${value}`])),
    );
  return [
    ...new Set([
      ...beyond("apiGroups", (value) => value === group),
      ...beyond("resources", (value) => !value.includes("*")),
      ...beyond("operations", (value) => operations.some((one) => one === value)),
    ]),
  ];
}

function reachedBy(entry: unknown): readonly Reached[] {
  return list(own(entry, "rules")).flatMap((rule) =>
    textsOf(rule, "apiGroups").flatMap((group) =>
      textsOf(rule, "resources").flatMap((plural) =>
        operationsOf(rule).map((operation) => ({ group, plural, operation })),
      ),
    ),
  );
}

function operationsOf(rule: unknown): readonly string[] {
  const named = textsOf(rule, "operations");
  return named.includes("*") ? everyOperation : named;
}

function textsOf(rule: unknown, field: string): readonly string[] {
  // the empty text is the core group
  return list(own(rule, field)).filter((value) => typeof value === "string");
}
