/** Where a live object is not as a file wants it, as far as can be told without the API server. */
import type { KubeObject } from "../objects";
import { sameStored } from "../stored";
import { isObject, type Json, own, sameJson } from "../values";
import { valueAt } from "./field-path";

/** A field whose value changes; `live` undefined: it is new. */
export interface Difference {
  readonly field: string;
  readonly live: unknown;
  readonly wanted: unknown;
}

/**
 * The same by what the API server would store, as a dry run of the file has shown it: a value that is
 * only spelled otherwise is no change. Without a dry run, `stored` is undefined.
 */
export function changesTo(
  live: KubeObject,
  wanted: KubeObject,
  stored: KubeObject | undefined,
): readonly Difference[] {
  const found = differences(live, wanted);
  if (stored === undefined) return found;
  return found
    .map((one) => ({ ...one, wanted: valueAt(stored, one.field) }))
    .filter((one) => !sameJson(one.live, one.wanted));
}

/** The fields of the file that the live object lacks or has otherwise; what others added is none. */
export function differences(live: KubeObject, wanted: KubeObject): readonly Difference[] {
  const { metadata, ...rest } = wanted;
  const { labels, annotations } = metadata;
  return between(live, {
    ...rest,
    metadata: { ...(labels && { labels }), ...(annotations && { annotations }) },
  });
}

function between(live: unknown, wanted: unknown, field = ""): readonly Difference[] {
  if (isObject(wanted) && isObject(live)) {
    return Object.entries(wanted).flatMap(([key, inner]) =>
      // an empty value and none are the same to the API server
      inner === null ? [] : between(own(live, key), inner, `${field}.${key}`),
    );
  }
  const items = namedItems(wanted);
  // subjects are one value to the API server: a name more is another list
  if (items !== undefined && Array.isArray(live) && !field.endsWith(".subjects"))
    return betweenItems(live, items, field);
  return covers(live, wanted, field) ? [] : [{ field, live, wanted }];
}

function betweenItems(
  live: readonly unknown[],
  wanted: readonly Json[],
  field: string,
): readonly Difference[] {
  return wanted.flatMap((item) => {
    const name = own(item, "name");
    const found = live.find((one) => own(one, "name") === name);
    return between(found, item, `${field}[name=${JSON.stringify(name)}]`);
  });
}

/** A list whose items are told apart by name. */
function namedItems(value: unknown): readonly Json[] | undefined {
  if (!Array.isArray(value) || value.length === 0) return undefined;
  const items: readonly unknown[] = value;
  const named = items.filter(isObject).filter((item) => typeof own(item, "name") === "string");
  return named.length === items.length ? named : undefined;
}

/** True when the live value has all that the wanted one has: the API server fills in the rest. */
export function covers(live: unknown, wanted: unknown, field = ""): boolean {
  if (isObject(wanted)) {
    return Object.entries(wanted).every(
      ([key, inner]) => inner === null || covers(own(live, key), inner, `${field}.${key}`),
    );
  }
  if (!Array.isArray(wanted)) return sameStored(live, wanted, field);
  if (!Array.isArray(live)) return wanted.length === 0 && live === undefined;
  const found: readonly unknown[] = live;
  return (
    found.length === wanted.length &&
    wanted.every((item, at) => covers(found[at], item, `${field}[${at}]`))
  );
}
