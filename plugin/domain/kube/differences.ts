/**
 * Where a live object is not as a file wants it, as far as can be told without the API server, which
 * keeps a value, not the way in which it was spelled: `4000m` becomes `4` (resource.Quantity), and what
 * is empty is left out (omitempty). A dry run shows the stored form exactly.
 */
import { renderStoredQuantity } from "./quantities";
import type { KubeObject } from "./objects";
import {
  isObject,
  type Json,
  asArray,
  asString,
  getOwn,
  omit,
  parseJson,
  sameJson,
  withValue,
} from "../base/values";

/** Fields that are quantities in every kind that a release or a person applies. */
const quantityField = /\.(limits|requests)\.[^[\]]+$|\.(sizeLimit|divisor)$/;

/** Values that are not stored when they are false or 0; of other fields these are values. */
const omittedField =
  /\.(hostNetwork|hostPID|hostIPC|stdin|stdinOnce|tty|readOnly|paused|publishNotReadyAddresses|minReadySeconds|initialDelaySeconds|priority|nullable|uniqueItems|exclusiveMaximum|exclusiveMinimum|preserveUnknownFields|x-kubernetes-int-or-string|x-kubernetes-embedded-resource)$/;

/** Maps of texts keep a key whose text is empty. */
const textOfMap = /^\.(data|binaryData)\.|\.(labels|annotations|matchLabels)\./;

/** True when both are stored as the same value in that field, `.spec.template…` as it is written. */
export function sameStored(live: unknown, wanted: unknown, field: string): boolean {
  if (sameJson(live, wanted)) return true;
  if (live === undefined) return isOmitted(wanted, field);
  if (!quantityField.test(field)) return false;
  const quantity = renderStoredQuantity(wanted);
  return quantity !== undefined && quantity === renderStoredQuantity(live);
}

function isOmitted(wanted: unknown, field: string): boolean {
  if (wanted === false || wanted === 0) return omittedField.test(field);
  return wanted === null || (wanted === "" && !textOfMap.test(field));
}

/** What stands there, undefined where nothing does; a key may itself hold dots. */
export function valueAt(value: unknown, path: string): unknown {
  if (path === "") return value;
  if (path.startsWith("[")) return inList(value, path);
  for (const key of keysOn(value, path)) {
    const found = valueAt(getOwn(value, key), below(path, key));
    if (found !== undefined) return found;
  }
  return undefined;
}

/** The keys that a path may begin with, the longest first. */
function keysOn(value: unknown, path: string): readonly string[] {
  const rest = path.replace(/^\./, "");
  return Object.keys(isObject(value) ? value : {})
    .filter((key) => rest.startsWith(key) && /^($|[.[])/.test(rest.slice(key.length)))
    .sort((one, other) => other.length - one.length);
}

function below(path: string, key: string): string {
  return path.replace(/^\./, "").slice(key.length);
}

/** The value without the field of that path, as `valueAt` finds it. */
export function dropField(value: unknown, path: string): unknown {
  const [item] = bracket.exec(path) ?? [];
  if (item !== undefined) {
    const found = valueAt(value, item);
    const rest = path.slice(item.length);
    return asArray(value).flatMap((one) => {
      if (one !== found) return [one];
      return rest === "" ? [] : [dropField(one, rest)];
    });
  }
  const key = keysOn(value, path).find(
    (one) => valueAt(getOwn(value, one), below(path, one)) !== undefined,
  );
  if (key === undefined || !isObject(value)) return value;
  const rest = below(path, key);
  return withValue(value, [key], rest === "" ? undefined : dropField(value[key], rest));
}

const bracket = /^\[((?:"(?:[^"\\]|\\.)*"|[^\]"])*)\]/;

function inList(value: unknown, path: string): unknown {
  const match = bracket.exec(path);
  if (match === null) return undefined;
  const [whole] = match;
  const inner = whole.slice(1, -1);
  const items = asArray(value);
  const found = /^\d+$/.test(inner) ? items[Number(inner)] : items.find(isMeant(inner));
  return valueAt(found, path.slice(whole.length));
}

/** `="x"` means the item itself, `name="x",port=1` an item with these keys. */
function isMeant(inner: string): (item: unknown) => boolean {
  if (inner.startsWith("=")) return (item) => sameJson(item, parseJson(inner.slice(1)));
  const pairs = [...inner.matchAll(/([^=,]+)=("(?:[^"\\]|\\.)*"|[^,]*)/g)];
  return (item) =>
    pairs.every(([, key, value]) => {
      const held = getOwn(item, String(key));
      // what a file leaves out the API server fills in
      return held === undefined
        ? isObject(item) && pairs.length > 1
        : sameJson(held, parseJson(String(value)));
    });
}

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

/** Maps and lists that the API server replaces as a whole: what stands in them beyond the file changes what they mean. */
const wholeField =
  /\.subjects$|^\.(rules|roleRef)$|^\.spec\.selector$|\.(nodeSelector|tolerations)$/;

/** What is stored of such a value: a subject with the group that the API server fills in, and nothing empty. */
function expandWhole(value: unknown): unknown {
  if (Array.isArray(value)) return asArray(value).map(expandWhole);
  if (!isObject(value)) return value;
  const group = { User: rbacGroup, Group: rbacGroup }[asString(value["kind"]) ?? ""];
  const kept = Object.entries(value).filter(([, one]) => !isEmpty(one));
  return { ...(group !== undefined && { apiGroup: group }), ...Object.fromEntries(kept) };
}

/** Subjects without the namespace that a file leaves to where it is applied. */
function orderAs(live: unknown, wanted: unknown): unknown {
  if (!Array.isArray(live) || !Array.isArray(wanted)) return live;
  return asArray(live).map((one, at) => {
    const isUnplaced = isObject(one) && getOwn(asArray(wanted)[at], "namespace") === undefined;
    return isUnplaced ? omit(one, "namespace") : one;
  });
}

const rbacGroup = "rbac.authorization.k8s.io";

function isEmpty(value: unknown): boolean {
  return value === null || value === "" || (Array.isArray(value) && value.length === 0);
}

function between(live: unknown, wanted: unknown, field = ""): readonly Difference[] {
  if (wholeField.test(field) && live !== undefined) {
    return sameJson(expandWhole(orderAs(live, wanted)), expandWhole(wanted))
      ? []
      : [{ field, live, wanted }];
  }
  if (isObject(wanted) && isObject(live)) {
    return Object.entries(wanted).flatMap(([key, inner]) =>
      // an empty value and none are the same to the API server
      inner === null ? [] : between(getOwn(live, key), inner, `${field}.${key}`),
    );
  }
  const items = findNamedItems(wanted);
  if (items !== undefined && Array.isArray(live)) return betweenItems(live, items, field);
  return covers(live, wanted, field) ? [] : [{ field, live, wanted }];
}

function betweenItems(
  live: readonly unknown[],
  wanted: readonly Json[],
  field: string,
): readonly Difference[] {
  return wanted.flatMap((item) => {
    const name = getOwn(item, "name");
    const found = live.find((one) => getOwn(one, "name") === name);
    return between(found, item, `${field}[name=${JSON.stringify(name)}]`);
  });
}

/** Lists of named items that the second object has in another order, whatever else differs in them. */
export function listReordered(live: unknown, other: unknown, field = ""): readonly Difference[] {
  if (isObject(live) && isObject(other)) {
    return Object.entries(other).flatMap(([key, inner]) =>
      listReordered(getOwn(live, key), inner, `${field}.${key}`),
    );
  }
  const [items, others] = [findNamedItems(live), findNamedItems(other)];
  if (items === undefined || others === undefined) return [];
  const pairs = others.flatMap((one) => {
    const at = items.findIndex((item) => item["name"] === one["name"]);
    return at < 0 ? [] : [{ at, one, item: items[at] }];
  });
  if (pairs.some(({ at }, place) => at < (pairs[place - 1]?.at ?? 0))) {
    return [{ field, live, wanted: other }];
  }
  return pairs.flatMap(({ item, one }) =>
    listReordered(item, one, `${field}[name=${JSON.stringify(one["name"])}]`),
  );
}

/** A list whose items are told apart by name. */
function findNamedItems(value: unknown): readonly Json[] | undefined {
  if (!Array.isArray(value) || value.length === 0) return undefined;
  const items: readonly unknown[] = value;
  const named = items.filter(isObject).filter((item) => typeof getOwn(item, "name") === "string");
  return named.length === items.length ? named : undefined;
}

/** True when the live value has all that the wanted one has: the API server fills in the rest. */
export function covers(live: unknown, wanted: unknown, field = ""): boolean {
  if (isObject(wanted)) {
    return Object.entries(wanted).every(
      ([key, inner]) => inner === null || covers(getOwn(live, key), inner, `${field}.${key}`),
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
