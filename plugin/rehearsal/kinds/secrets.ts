/** Secrets and ConfigMaps: what is filled in, and what is wrong with one. */
import type { KubeObject } from "../../run/ports";
import { isObject, getOwn, sameJson } from "../../domain/values";
import { dataKeyRule } from "./names";
import { breaches, type FieldError, forbidden, invalid, required, tooLong } from "./refusal";

const mostBytes = 1024 * 1024;

/** The keys that a type of Secret needs. */
const typeKeys: Readonly<Record<string, readonly string[]>> = {
  "kubernetes.io/tls": ["tls.crt", "tls.key"],
  "kubernetes.io/dockerconfigjson": [".dockerconfigjson"],
  "kubernetes.io/dockercfg": [".dockercfg"],
  "kubernetes.io/ssh-auth": ["ssh-privatekey"],
};

/** What was given as text is stored as data, and wins over it. */
export function completeSecret({ stringData, ...object }: KubeObject): KubeObject {
  if (!isObject(stringData)) return object;
  const encoded = Object.entries(stringData).map(([key, value]) => [
    key,
    Buffer.from(String(value)).toString("base64"),
  ]);
  const { data } = object;
  return { ...object, data: { ...(isObject(data) && data), ...Object.fromEntries(encoded) } };
}

/** Everything wrong with a Secret, and with what an update changes. */
export function secretErrors(
  object: KubeObject,
  before: KubeObject | undefined,
): readonly FieldError[] {
  const { data, type } = object;
  const needed = typeKeys[String(type)] ?? [];
  return [
    ...(before === undefined || before["type"] === type
      ? []
      : [invalid("type", type, "field is immutable")]),
    ...immutableErrors(object, before, ["data"]),
    ...keyErrors(data, "data"),
    ...(sizeOf(data, "base64") > mostBytes ? [tooLong("data", mostBytes)] : []),
    ...needed
      .filter((key) => getOwn(data, key) === undefined)
      .map((key) => required(`data[${key}]`)),
  ];
}

/** Everything wrong with a ConfigMap, and with what an update changes. */
export function configMapErrors(
  object: KubeObject,
  before: KubeObject | undefined,
): readonly FieldError[] {
  const { data, binaryData } = object;
  const size = sizeOf(data, "utf8") + sizeOf(binaryData, "base64");
  return [
    ...immutableErrors(object, before, ["data", "binaryData"]),
    ...keyErrors(data, "data"),
    ...entriesOf(data)
      .filter(([key]) => getOwn(binaryData, key) !== undefined)
      .map(([key]) => invalid(`data[${key}]`, key, "duplicate of key present in binaryData")),
    ...keyErrors(binaryData, "binaryData"),
    ...(size > mostBytes ? [tooLong("[]", mostBytes)] : []),
  ];
}

function immutableErrors(
  object: KubeObject,
  before: KubeObject | undefined,
  fields: readonly string[],
): readonly FieldError[] {
  if (before?.["immutable"] !== true) return [];
  const changed = fields.filter((field) => !sameJson(object[field], before[field]));
  const unlocked = object["immutable"] === true ? [] : ["immutable"];
  return [...unlocked, ...changed].map((field) =>
    forbidden(field, "field is immutable when `immutable` is set"),
  );
}

function entriesOf(data: unknown): readonly (readonly [string, unknown])[] {
  return Object.entries(isObject(data) ? data : {});
}

function keyErrors(data: unknown, field: string): readonly FieldError[] {
  return entriesOf(data).flatMap(([key]) => breaches(`${field}[${key}]`, key, dataKeyRule));
}

function sizeOf(data: unknown, encoding: "utf8" | "base64"): number {
  const sizes = entriesOf(data).map(([, value]) => Buffer.byteLength(String(value), encoding));
  return sizes.reduce((sum, size) => sum + size, 0);
}
