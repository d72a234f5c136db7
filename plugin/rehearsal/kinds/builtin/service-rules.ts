/** What is wrong with a Service. */
import type { KubeObject } from "../../../run/ports";
import { at, type Json, list, own, sameJson, text } from "../../../domain/values";
import { labelRule } from "../names";
import { breaches, duplicate, type FieldError, invalid, required, unsupported } from "../refusal";

/** Everything wrong with a Service, and with what an update changes. */
export function serviceErrors(
  object: KubeObject,
  before: KubeObject | undefined,
): readonly FieldError[] {
  const spec = own(object, "spec");
  const [type, ports, sessionAffinity] = ["type", "ports", "sessionAffinity"].map((key) =>
    own(spec, key),
  );
  const needsPorts = type !== "ExternalName" && at(object, ["spec", "clusterIP"]) !== "None";
  return [
    ...addressErrors(object, before),
    ...(list(ports).length === 0 && needsPorts ? [required("spec.ports")] : []),
    ...portErrors(list(ports)),
    ...choice(sessionAffinity, "spec.sessionAffinity", ["ClientIP", "None"]),
    ...choice(type, "spec.type", ["ClusterIP", "ExternalName", "LoadBalancer", "NodePort"]),
  ];
}

function addressErrors(object: KubeObject, before: KubeObject | undefined): readonly FieldError[] {
  const addresses = list(at(object, ["spec", "clusterIPs"]));
  const held = list(at(before, ["spec", "clusterIPs"]));
  if (held.length === 0 || addresses.length === 0 || addresses[0] === held[0]) return [];
  return [invalid("spec.clusterIPs[0]", addresses, "may not change once set")];
}

function choice(value: unknown, field: string, known: readonly string[]): readonly FieldError[] {
  return known.some((one) => one === value) ? [] : [unsupported(field, value, known)];
}

function portErrors(ports: readonly unknown[]): readonly FieldError[] {
  const names = new Set<string>();
  return ports.flatMap((port, index) => {
    const field = `spec.ports[${index}]`;
    const name = text(own(port, "name"));
    const isRepeated = name !== undefined && names.has(name);
    if (name !== undefined) names.add(name);
    const unnamed = ports.length > 1 ? [required(`${field}.name`)] : [];
    return [
      ...(name === undefined ? unnamed : breaches(`${field}.name`, name, labelRule)),
      ...(isRepeated ? [duplicate(`${field}.name`, name)] : []),
      ...numberErrors(own(port, "port") ?? 0, `${field}.port`),
      ...choice(own(port, "protocol"), `${field}.protocol`, ["SCTP", "TCP", "UDP"]),
      ...targetErrors(own(port, "targetPort"), `${field}.targetPort`),
      ...(isSecond(ports, index) ? [duplicate(field, shownPort(port))] : []),
    ];
  });
}

function numberErrors(value: unknown, field: string): readonly FieldError[] {
  if (typeof value === "number" && value >= 1 && value <= 65535) return [];
  return [invalid(field, value, "must be between 1 and 65535, inclusive")];
}

function targetErrors(value: unknown, field: string): readonly FieldError[] {
  if (typeof value !== "string") return numberErrors(value ?? 0, field);
  const rules: readonly (readonly [boolean, string])[] = [
    [value.length > 15, "must be no more than 15 characters"],
    [!/^[-a-z0-9]+$/.test(value), portNameWords],
    [!/[a-z]/.test(value), "must contain at least one letter (a-z)"],
    [value.includes("--"), "must not contain consecutive hyphens"],
    [/^-|-$/.test(value), "must not begin or end with a hyphen"],
  ];
  return rules.flatMap(([bad, why]) => (bad ? [invalid(field, value, why)] : []));
}

const portNameWords = "must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)";

function isSecond(ports: readonly unknown[], index: number): boolean {
  const key = (port: unknown): unknown => [own(port, "port"), own(port, "protocol")];
  const mine = key(ports[index]);
  return ports.slice(0, index).some((port) => sameJson(key(port), mine));
}

/** As the API server's own code names the fields. */
function shownPort(port: unknown): Json {
  return {
    Name: "",
    Protocol: own(port, "protocol"),
    AppProtocol: null,
    Port: own(port, "port"),
    TargetPort: 0,
    NodePort: 0,
  };
}
