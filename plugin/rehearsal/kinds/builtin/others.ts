/** Kinds of other groups that need little of their own. */
import { anything, int32, kept, listOf, openStruct, preset, string } from "../shapes";
import { struct, whole } from "../shapes";
import { conditions } from "./conditions";
import type { BuiltIn } from "./definition";
import { labelSelector } from "./selector";

const status = openStruct("Status", { conditions });

/** Kinds with few rules. */
export const otherKinds: readonly BuiltIn[] = [
  {
    group: "policy",
    version: "v1",
    kind: "PodDisruptionBudget",
    plural: "poddisruptionbudgets",
    namespaced: true,
    hasStatus: true,
    counted: true,
    fields: {
      spec: preset(openStruct("PodDisruptionBudgetSpec", { selector: labelSelector }), {}),
      status: preset(status, {
        disruptionsAllowed: 0,
        currentHealthy: 0,
        desiredHealthy: 0,
        expectedPods: 0,
      }),
    },
  },
  {
    group: "discovery.k8s.io",
    version: "v1",
    kind: "EndpointSlice",
    plural: "endpointslices",
    namespaced: true,
    counted: true,
    fields: {
      addressType: string,
      endpoints: kept(
        listOf(
          openStruct("Endpoint", {
            conditions: preset(openStruct("EndpointConditions", {}), {}),
          }),
        ),
      ),
      ports: listOf(
        whole(
          struct("EndpointPort", {
            name: preset(kept(string), ""),
            protocol: preset(string, "TCP"),
            port: int32,
            appProtocol: string,
          }),
        ),
      ),
    },
    complete: (object) => ({ ...object, endpoints: object["endpoints"] ?? null }),
  },
  {
    group: "coordination.k8s.io",
    version: "v1",
    kind: "Lease",
    plural: "leases",
    namespaced: true,
    fields: { spec: preset(openStruct("LeaseSpec", {}), {}) },
  },
  {
    group: "networking.k8s.io",
    version: "v1",
    kind: "Ingress",
    plural: "ingresses",
    namespaced: true,
    hasStatus: true,
    counted: true,
    fields: {
      spec: preset(
        openStruct("IngressSpec", { rules: listOf(anything), tls: listOf(anything) }),
        {},
      ),
      status: preset(openStruct("IngressStatus", {}), { loadBalancer: {} }),
    },
  },
];
