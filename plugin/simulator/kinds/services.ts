/** Services: their addresses, and what is wrong with one. */
import { createHash } from "node:crypto";
import type { KubeObject } from "../../ports/kubernetes";
import {
  asArray,
  asString,
  getOwn,
  getPath,
  isObject,
  type Json,
  sameJson,
} from "../../domain/base/values";
import type { ServiceSpec } from "../../domain/kube/models";
import { dataKeyRule, labelRule } from "./names";
import {
  breaches,
  choice,
  duplicate,
  type FieldError,
  forbidden,
  invalid,
  required,
  tooLong,
} from "./refusal";

/** A Service with its target ports and its address. */
export function completeService(object: KubeObject, before: KubeObject | undefined): KubeObject {
  const spec = readSpec(object);
  const ports = asArray(spec["ports"]).map((port) =>
    isObject(port) ? { ...port, targetPort: port["targetPort"] ?? port["port"] } : port,
  );
  const address = spec["type"] === "ExternalName" ? {} : chooseAddress(object, readSpec(before));
  return { ...object, spec: { ...spec, ...(ports.length > 0 && { ports }), ...address } };
}

function readSpec(object: KubeObject | undefined): Json {
  const spec = object?.["spec"];
  return isObject(spec) ? spec : {};
}

/** The address that was given or is held, else one that follows from the name. */
function chooseAddress(object: KubeObject, before: Json): Json {
  const spec = readSpec(object);
  const clusterIP =
    asString(spec["clusterIP"]) ?? asString(before["clusterIP"]) ?? addressFor(object);
  const isBare = clusterIP === "None" && spec["selector"] === undefined;
  const families: ServiceSpec = isBare
    ? { ipFamilies: ["IPv4", "IPv6"], ipFamilyPolicy: "RequireDualStack" }
    : { ipFamilies: ["IPv4"], ipFamilyPolicy: "SingleStack" };
  // A client that changes clusterIP may leave the list as it was.
  const lists = [asArray(spec["clusterIPs"]), asArray(before["clusterIPs"])];
  const clusterIPs = lists.find(([first]) => first === clusterIP) ?? [clusterIP];
  return { ...families, ...chooseFamilies(before), ...chooseFamilies(spec), clusterIP, clusterIPs };
}

function chooseFamilies({ ipFamilies, ipFamilyPolicy }: Json): Json {
  return {
    ...(ipFamilies !== undefined && { ipFamilies }),
    ...(ipFamilyPolicy !== undefined && { ipFamilyPolicy }),
  };
}

function addressFor({ metadata: { namespace = "", name = "" } }: KubeObject): string {
  const digest = createHash("sha256").update(`${namespace}/${name}`).digest();
  return `10.96.${digest.readUInt8(0)}.${digest.readUInt8(1)}`;
}

/** Everything wrong with a Service, and with what an update changes. */
export function serviceErrors(
  object: KubeObject,
  before: KubeObject | undefined,
): readonly FieldError[] {
  const { type, ports, sessionAffinity, clusterIP } = readSpec(object);
  const needsPorts = type !== "ExternalName" && clusterIP !== "None";
  return [
    ...addressErrors(object, before),
    ...(asArray(ports).length === 0 && needsPorts ? [required("spec.ports")] : []),
    ...portErrors(asArray(ports)),
    ...choice("spec.sessionAffinity", sessionAffinity, ["ClientIP", "None"]),
    ...choice("spec.type", type, ["ClusterIP", "ExternalName", "LoadBalancer", "NodePort"]),
  ];
}

function addressErrors(object: KubeObject, before: KubeObject | undefined): readonly FieldError[] {
  const addresses = asArray(getPath(object, ["spec", "clusterIPs"]));
  const held = asArray(getPath(before, ["spec", "clusterIPs"]));
  if (held.length === 0 || addresses.length === 0 || addresses[0] === held[0]) return [];
  return [invalid("spec.clusterIPs[0]", addresses, "may not change once set")];
}

function portErrors(ports: readonly unknown[]): readonly FieldError[] {
  const names = ports.map((port) => asString(getOwn(port, "name")));
  const keys = ports.map((port) => [getOwn(port, "port"), getOwn(port, "protocol")]);
  return ports.flatMap((port, index) => {
    const field = `spec.ports[${index}]`;
    const name = names[index];
    const unnamed = ports.length > 1 ? [required(`${field}.name`)] : [];
    const isRepeated = name !== undefined && names.indexOf(name) < index;
    const isSecond = keys.findIndex((key) => sameJson(key, keys[index])) < index;
    return [
      ...(name === undefined ? unnamed : breaches(`${field}.name`, name, labelRule)),
      ...(isRepeated ? [duplicate(`${field}.name`, name)] : []),
      ...numberErrors(getOwn(port, "port"), `${field}.port`),
      ...choice(`${field}.protocol`, getOwn(port, "protocol"), ["SCTP", "TCP", "UDP"]),
      ...targetErrors(getOwn(port, "targetPort"), `${field}.targetPort`),
      ...(isSecond ? [duplicate(field, renderPort(port))] : []),
    ];
  });
}

function numberErrors(value: unknown, field: string): readonly FieldError[] {
  if (typeof value === "number" && value >= 1 && value <= 65535) return [];
  return [invalid(field, value, "must be between 1 and 65535, inclusive")];
}

function targetErrors(value: unknown, field: string): readonly FieldError[] {
  if (typeof value !== "string") return numberErrors(value, field);
  const form = "must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)";
  const rules: readonly (readonly [wrong: boolean, why: string])[] = [
    [value.length > 15, "must be no more than 15 characters"],
    [!/^[-a-z0-9]+$/.test(value), form],
    [!/[a-z]/.test(value), "must contain at least one letter (a-z)"],
    [value.includes("--"), "must not contain consecutive hyphens"],
    [/^-|-$/.test(value), "must not begin or end with a hyphen"],
  ];
  return rules.flatMap(([wrong, why]) => (wrong ? [invalid(field, value, why)] : []));
}

/** As the API server's own code names the fields. */
function renderPort(port: unknown): Json {
  return {
    Name: "",
    Protocol: getOwn(port, "protocol"),
    AppProtocol: null,
    Port: getOwn(port, "port"),
    TargetPort: 0,
    NodePort: 0,
  };
}

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
    ...(measureData(data, "base64") > mostBytes ? [tooLong("data", mostBytes)] : []),
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
  const size = measureData(data, "utf8") + measureData(binaryData, "base64");
  return [
    ...immutableErrors(object, before, ["data", "binaryData"]),
    ...keyErrors(data, "data"),
    ...listEntries(data)
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

function listEntries(data: unknown): readonly (readonly [string, unknown])[] {
  return Object.entries(isObject(data) ? data : {});
}

function keyErrors(data: unknown, field: string): readonly FieldError[] {
  return listEntries(data).flatMap(([key]) => breaches(`${field}[${key}]`, key, dataKeyRule));
}

function measureData(data: unknown, encoding: "utf8" | "base64"): number {
  const sizes = listEntries(data).map(([, value]) => Buffer.byteLength(String(value), encoding));
  return sizes.reduce((sum, size) => sum + size, 0);
}
