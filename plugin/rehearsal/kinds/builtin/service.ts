/** Services: their addresses, ports and rules. */
import { createHash } from "node:crypto";
import type { KubeObject } from "../../../run/ports";
import { isObject, type Json, list, text } from "../../../domain/values";
import { oldLabelRule } from "../names";
import type { Schema } from "../schema";
import { anything, count, flag, intOrString, listOf, mapOf, openStruct } from "../shapes";
import { preset, string, struct, valuesOf, whole } from "../shapes";
import { conditions } from "./conditions";
import type { BuiltIn } from "./definition";
import { serviceErrors } from "./service-rules";

const servicePort = struct("ServicePort", {
  name: string,
  protocol: preset(string, "TCP"),
  appProtocol: string,
  port: count,
  targetPort: intOrString,
  nodePort: count,
});

const statusFields: Readonly<Record<string, Schema>> = {
  conditions,
  loadBalancer: openStruct("LoadBalancerStatus", {}),
};

/** How Pods are found on the network. */
export const service: BuiltIn = {
  group: "",
  version: "v1",
  kind: "Service",
  plural: "services",
  namespaced: true,
  hasStatus: true,
  name: oldLabelRule,
  fields: {
    spec: preset(
      struct("ServiceSpec", {
        ports: mapOf(["port", "protocol"], servicePort),
        selector: whole(valuesOf(string)),
        clusterIP: string,
        clusterIPs: listOf(string),
        type: preset(string, "ClusterIP"),
        externalIPs: listOf(string),
        sessionAffinity: preset(string, "None"),
        sessionAffinityConfig: anything,
        loadBalancerIP: string,
        loadBalancerSourceRanges: listOf(string),
        loadBalancerClass: string,
        externalName: string,
        externalTrafficPolicy: string,
        internalTrafficPolicy: preset(string, "Cluster"),
        healthCheckNodePort: count,
        publishNotReadyAddresses: flag,
        ipFamilies: listOf(string),
        ipFamilyPolicy: string,
        allocateLoadBalancerNodePorts: { type: "boolean", go: "bool" },
        trafficDistribution: string,
      }),
      {},
    ),
    status: preset(struct("ServiceStatus", statusFields), { loadBalancer: {} }),
  },
  complete,
  judge: serviceErrors,
};

function specOf(object: KubeObject | undefined): Json {
  const spec = object?.["spec"];
  return isObject(spec) ? spec : {};
}

function complete(object: KubeObject, before: KubeObject | undefined): KubeObject {
  const spec = specOf(object);
  const ports = list(spec["ports"]).map((port) =>
    isObject(port) ? { ...port, targetPort: port["targetPort"] ?? port["port"] } : port,
  );
  const address = spec["type"] === "ExternalName" ? {} : addressOf(object, specOf(before));
  return { ...object, spec: { ...spec, ...(ports.length > 0 && { ports }), ...address } };
}

/** The address that was given or is held, else one that follows from the name. */
function addressOf(object: KubeObject, before: Json): Json {
  const spec = specOf(object);
  const clusterIP = text(spec["clusterIP"]) ?? text(before["clusterIP"]) ?? addressFor(object);
  const isBare = clusterIP === "None" && spec["selector"] === undefined;
  const families = isBare
    ? { ipFamilies: ["IPv4", "IPv6"], ipFamilyPolicy: "RequireDualStack" }
    : { ipFamilies: ["IPv4"], ipFamilyPolicy: "SingleStack" };
  // A client that changes clusterIP may leave the list as it was.
  const lists = [list(spec["clusterIPs"]), list(before["clusterIPs"])];
  const clusterIPs = lists.find(([first]) => first === clusterIP) ?? [clusterIP];
  return { ...families, ...familiesOf(before), ...familiesOf(spec), clusterIP, clusterIPs };
}

function familiesOf({ ipFamilies, ipFamilyPolicy }: Json): Json {
  return {
    ...(ipFamilies !== undefined && { ipFamilies }),
    ...(ipFamilyPolicy !== undefined && { ipFamilyPolicy }),
  };
}

function addressFor({ metadata: { namespace = "", name = "" } }: KubeObject): string {
  const digest = createHash("sha256").update(`${namespace}/${name}`).digest();
  return `10.96.${digest.readUInt8(0)}.${digest.readUInt8(1)}`;
}
