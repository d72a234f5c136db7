/** What cases tell, in a form that two clusters can share. */
import { ApiError } from "../../plugin/domain/base/errors";
import type { KubeObject } from "../../plugin/domain/kube/objects";
import { isObject } from "../../plugin/domain/base/values";

const keyed: Readonly<Record<string, string>> = {
  uid: "UID",
  resourceVersion: "VERSION",
  creationTimestamp: "TIME",
  deletionTimestamp: "TIME",
  lastTransitionTime: "TIME",
};

const patterns: readonly (readonly [RegExp, string])[] = [
  [/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, "UID"],
  [/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z/g, "TIME"],
  [/dial tcp \S+:\d+/g, "dial tcp ADDRESS"],
  [/(resource version: )\d+ \(\d+\)/g, "$1OLD (NEW)"],
  [/(in the precondition \(|in record \()\d+/g, "$1VERSION"],
];

/** A copy in which nothing differs from run to run: ids, versions, times, addresses, the namespace. */
export function plain(value: unknown, namespace: string): unknown {
  if (typeof value === "string") {
    const named = value.replaceAll(namespace, "NS");
    return patterns.reduce((text, [pattern, word]) => text.replaceAll(pattern, word), named);
  }
  if (Array.isArray(value)) return value.map((item) => plain(item, namespace));
  if (!isObject(value)) return value;
  const entries = Object.entries(value).filter(([, inner]) => inner !== undefined);
  return Object.fromEntries(
    entries.map(([key, inner]) => {
      const word = typeof inner === "string" && inner !== "" ? keyed[key] : undefined;
      return [key.replaceAll(namespace, "NS"), word ?? plain(inner, namespace)];
    }),
  );
}

/** A refusal as cases tell it. */
export interface Refusal {
  readonly status: number;
  readonly reason: string;
  readonly message: string;
  readonly causes?: readonly object[];
}

/** How a request was refused, its causes in the order of their texts, or that it was accepted. */
export async function refusalOf(request: Promise<unknown>): Promise<unknown> {
  try {
    await request;
    return "accepted";
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    const { status, reason, message, causes } = error;
    return { status, reason, message, ...(causes.length > 0 && { causes: inOrder(causes) }) };
  }
}

/** Values in the order of their JSON: the server's own order is that of a map. */
export function inOrder<T>(values: readonly T[]): readonly T[] {
  const keyed = values.map((value) => [JSON.stringify(sorted(value)), value] as const);
  return keyed.sort(([one], [other]) => (one < other ? -1 : 1)).map(([, value]) => value);
}

function sorted(value: unknown): unknown {
  return isObject(value) ? Object.entries(value).sort() : value;
}

/** A refusal whose message names several things in an order that differs from time to time. */
export async function unorderedRefusalOf(request: Promise<unknown>): Promise<unknown> {
  const seen = await refusalOf(request);
  return isObject(seen) ? { ...seen, message: "in any order" } : seen;
}

/**
 * Who owns which fields: `us: spec{nodes} webhooks{[name=x]{. rules}}`, a dot for the item or field
 * itself. By manager: the server's own order is that of time, which has whole seconds only.
 */
export function ownersOf(object: KubeObject | undefined): unknown {
  const entries = (object?.metadata.managedFields ?? []).map((entry): [string, string] => {
    const { manager = "", operation, subresource, fieldsV1 } = entry;
    const how = [operation === "Update" && "by update", subresource].filter(Boolean).join(" of ");
    return [how === "" ? manager : `${manager} ${how}`, fieldsOf(fieldsV1)];
  });
  return entries.map(([who, fields]) => `${who}: ${fields}`).sort();
}

function fieldsOf(fields: unknown): string {
  if (!isObject(fields)) return "";
  const told = Object.entries(fields).map(([key, inner]) => {
    const within = fieldsOf(inner);
    return `${keyOf(key)}${within === "" ? "" : `{${within}}`}`;
  });
  return told.sort().join(" ");
}

function keyOf(key: string): string {
  if (key.startsWith("v:")) return `[=${key.slice(2)}]`;
  if (!key.startsWith("k:")) return key.replace(/^f:/, "");
  const keys = JSON.parse(key.slice(2)) as Readonly<Record<string, unknown>>;
  const pairs = Object.entries(keys).map(([name, value]) => `${name}=${String(value)}`);
  return `[${pairs.join(",")}]`;
}

/** Whether something is there. */
export function presence(value: unknown): "present" | "absent" {
  return value === undefined ? "absent" : "present";
}

/** The names of objects, in order. */
export function namesOf(objects: readonly KubeObject[] | undefined): unknown {
  return objects?.map(({ metadata }) => metadata.name) ?? "not served";
}

/** Whether two readings of an object are of the same version. */
export function sameVersion(one: KubeObject | undefined, other: KubeObject | undefined): boolean {
  return one?.metadata.resourceVersion === other?.metadata.resourceVersion;
}
