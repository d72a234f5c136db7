/** The kinds of the core group that need little of their own. */
import type { KubeObject } from "../../../run/ports";
import { isObject } from "../../../domain/values";
import { labelRule } from "../names";
import { anything, boolean, int32, listOf, mapOf, openStruct, preset, quantity } from "../shapes";
import { setOf, string, struct, valuesOf, whole } from "../shapes";
import type { BuiltIn } from "./definition";
import { labelSelector } from "./selector";
import { conditions } from "./conditions";

const core = { group: "", version: "v1" } as const;
const objectReference = whole(openStruct("ObjectReference", { name: string }));
const status = openStruct("Status", { conditions });

/** Kinds of the core group with few rules. */
export const coreKinds: readonly BuiltIn[] = [
  {
    ...core,
    kind: "Namespace",
    plural: "namespaces",
    namespaced: false,
    hasStatus: true,
    name: labelRule,
    fields: {
      spec: preset(struct("NamespaceSpec", { finalizers: listOf(string) }), {}),
      status: preset(struct("NamespaceStatus", { phase: string, conditions }), { phase: "Active" }),
    },
    complete: completeNamespace,
  },
  {
    ...core,
    kind: "ServiceAccount",
    plural: "serviceaccounts",
    namespaced: true,
    fields: {
      secrets: mapOf(["name"], objectReference),
      imagePullSecrets: listOf(whole(struct("LocalObjectReference", { name: string }))),
      automountServiceAccountToken: boolean,
    },
  },
  {
    ...core,
    kind: "Endpoints",
    plural: "endpoints",
    namespaced: true,
    deprecated: "v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice",
    fields: {
      subsets: listOf(
        struct("EndpointSubset", {
          addresses: listOf(anything),
          notReadyAddresses: listOf(anything),
          ports: listOf(
            openStruct("EndpointPort", { port: int32, protocol: preset(string, "TCP") }),
          ),
        }),
      ),
    },
  },
  {
    ...core,
    kind: "Event",
    plural: "events",
    namespaced: true,
    fields: {
      involvedObject: objectReference,
      related: objectReference,
      ...Object.fromEntries(
        [
          "action",
          "count",
          "eventTime",
          "firstTimestamp",
          "lastTimestamp",
          "message",
          "reason",
          "reportingComponent",
          "reportingInstance",
          "series",
          "source",
          "type",
        ].map((name) => [name, anything]),
      ),
    },
  },
  {
    ...core,
    kind: "Node",
    plural: "nodes",
    namespaced: false,
    hasStatus: true,
    fields: {
      spec: preset(openStruct("NodeSpec", { podCIDRs: setOf(string) }), {}),
      status: preset(
        openStruct("NodeStatus", {
          conditions,
          addresses: mapOf(["type"], openStruct("NodeAddress", { type: string })),
        }),
        {},
      ),
    },
  },
  {
    ...core,
    kind: "PersistentVolumeClaim",
    plural: "persistentvolumeclaims",
    namespaced: true,
    hasStatus: true,
    fields: {
      spec: preset(
        openStruct("PersistentVolumeClaimSpec", {
          accessModes: listOf(string),
          selector: labelSelector,
          volumeMode: preset(string, "Filesystem"),
        }),
        {},
      ),
      status: preset(status, { phase: "Pending" }),
    },
  },
  {
    ...core,
    kind: "ResourceQuota",
    plural: "resourcequotas",
    namespaced: true,
    hasStatus: true,
    fields: {
      spec: preset(
        struct("ResourceQuotaSpec", {
          hard: valuesOf(quantity),
          scopes: listOf(string),
          scopeSelector: whole(openStruct("ScopeSelector", {})),
        }),
        {},
      ),
      status: preset(openStruct("ResourceQuotaStatus", {}), {}),
    },
  },
];

/** A namespace names itself in a label, and is kept until its objects are gone. */
function completeNamespace(object: KubeObject): KubeObject {
  const { metadata, spec } = object;
  const labels = { ...metadata.labels, "kubernetes.io/metadata.name": metadata.name ?? "" };
  return {
    ...object,
    metadata: { ...metadata, labels },
    spec: { finalizers: ["kubernetes"], ...(isObject(spec) && spec) },
  };
}
