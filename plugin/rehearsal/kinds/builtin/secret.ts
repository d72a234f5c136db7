/** Secrets and ConfigMaps. */
import type { KubeObject } from "../../../run/ports";
import { isObject, list, own, sameJson } from "../../../domain/values";
import { dataKeyRule } from "../names";
import { breaches, type FieldError, forbidden, invalid, required, tooLong } from "../refusal";
import { boolean, bytes, preset, string, valuesOf } from "../shapes";
import type { BuiltIn } from "./definition";

const mostBytes = 1024 * 1024;

/** The keys that a type of Secret needs. */
const typeKeys: Readonly<Record<string, readonly string[]>> = {
  "kubernetes.io/tls": ["tls.crt", "tls.key"],
  "kubernetes.io/dockerconfigjson": [".dockerconfigjson"],
  "kubernetes.io/dockercfg": [".dockercfg"],
  "kubernetes.io/ssh-auth": ["ssh-privatekey"],
};

const common = { group: "", version: "v1", namespaced: true } as const;

/** The kinds that hold data by key. */
export const dataKinds: readonly BuiltIn[] = [
  {
    ...common,
    kind: "Secret",
    plural: "secrets",
    fields: {
      data: valuesOf(bytes),
      stringData: valuesOf(string),
      immutable: boolean,
      type: preset(string, "Opaque"),
    },
    complete: encoded,
    judge: secretErrors,
  },
  {
    ...common,
    kind: "ConfigMap",
    plural: "configmaps",
    fields: { data: valuesOf(string), binaryData: valuesOf(bytes), immutable: boolean },
    judge: configMapErrors,
  },
];

/** What was given as text is stored as data, and wins over it. */
function encoded({ stringData, ...object }: KubeObject): KubeObject {
  if (!isObject(stringData)) return object;
  const data = Object.fromEntries(
    Object.entries(stringData).map(([key, value]) => [
      key,
      Buffer.from(String(value)).toString("base64"),
    ]),
  );
  const { data: given } = object;
  return { ...object, data: { ...(isObject(given) && given), ...data } };
}

function secretErrors(object: KubeObject, before: KubeObject | undefined): readonly FieldError[] {
  const { data, type } = object;
  const needed = typeKeys[String(type)] ?? [];
  return [
    ...(before === undefined || before["type"] === type
      ? []
      : [invalid("type", type, "field is immutable")]),
    ...immutableErrors(object, before, ["data"]),
    ...keyErrors(data, "data"),
    ...(sizeOf(data, "base64") > mostBytes ? [tooLong("data", mostBytes)] : []),
    ...needed.filter((key) => own(data, key) === undefined).map((key) => required(`data[${key}]`)),
  ];
}

function configMapErrors(
  object: KubeObject,
  before: KubeObject | undefined,
): readonly FieldError[] {
  const { data, binaryData } = object;
  const size = sizeOf(data, "utf8") + sizeOf(binaryData, "base64");
  return [
    ...immutableErrors(object, before, ["data", "binaryData"]),
    ...keyErrors(data, "data"),
    ...keysOf(data)
      .filter((key) => own(binaryData, key) !== undefined)
      .map((key) => invalid(`data[${key}]`, key, "duplicate of key present in binaryData")),
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

function keysOf(data: unknown): readonly string[] {
  return isObject(data) ? Object.keys(data) : [];
}

function keyErrors(data: unknown, field: string): readonly FieldError[] {
  return keysOf(data).flatMap((key) => breaches(`${field}[${key}]`, key, dataKeyRule));
}

function sizeOf(data: unknown, encoding: "utf8" | "base64"): number {
  return list(isObject(data) ? Object.values(data) : []).reduce<number>(
    (sum, value) => sum + Buffer.byteLength(String(value), encoding),
    0,
  );
}
