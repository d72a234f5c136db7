/** Kubernetes' own kinds that the plugin reads, as they are addressed. */
import type { Resource } from "./objects";

const core = (plural: string, kind: string): Resource => ({
  group: "",
  version: "v1",
  plural,
  kind,
});

/** Kinds by their name. */
export const kinds = {
  namespace: core("namespaces", "Namespace"),
  configMap: core("configmaps", "ConfigMap"),
  secret: core("secrets", "Secret"),
  service: core("services", "Service"),
  endpointSlice: {
    group: "discovery.k8s.io",
    version: "v1",
    plural: "endpointslices",
    kind: "EndpointSlice",
  },
  clusterVersion: {
    group: "config.openshift.io",
    version: "v1",
    plural: "clusterversions",
    kind: "ClusterVersion",
  },
  deployment: { group: "apps", version: "v1", plural: "deployments", kind: "Deployment" },
} as const satisfies Record<string, Resource>;
