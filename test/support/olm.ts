/** What OLM keeps of an operator that it has installed: definitions and objects as a cluster has them. */
import type { KubeObject } from "../../plugin/domain/kube/objects";
import { ownerMarks } from "./builders";

const group = "operators.coreos.com";

/** An object with a name, as an API server is sent it. */
interface Named extends KubeObject {
  readonly metadata: { readonly name: string; readonly namespace?: string };
}

/** Small definitions of the kinds that are read. */
export const olmDefinitions: readonly Named[] = [
  ["subscriptions", "Subscription"],
  ["installplans", "InstallPlan"],
  ["clusterserviceversions", "ClusterServiceVersion"],
].map(([plural = "", kind = ""]) => ({
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: `${plural}.${group}` },
  spec: {
    group,
    scope: "Namespaced",
    names: { plural, singular: kind.toLowerCase(), kind, listKind: `${kind}List` },
    versions: [
      {
        name: "v1alpha1",
        served: true,
        storage: true,
        schema: {
          openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
        },
      },
    ],
  },
}));

/** The ClusterServiceVersion that `ownerMarks.OLM` names. */
export const csvName: string = ownerMarks.OLM.labels["olm.owner"];

const object = (kind: string, name: string, rest: object): Named => ({
  apiVersion: `${group}/v1alpha1`,
  kind,
  metadata: { name, namespace: "engine" },
  ...rest,
});

/** A Subscription that waits for its InstallPlan unless told otherwise. */
export function aSubscription(status: object = {}): Named {
  return object("Subscription", "engine-operator", {
    spec: { installPlanApproval: "Manual" },
    status: { installedCSV: csvName, installPlanRef: { name: "install-abc12" }, ...status },
  });
}

/** Not approved unless told otherwise. */
export function anInstallPlan(spec: object = {}, status: object = {}): Named {
  return object("InstallPlan", "install-abc12", {
    spec: { approved: false, clusterServiceVersionNames: ["operator.v8.0.2-2"], ...spec },
    status,
  });
}

/** The release that is installed. */
export function aClusterServiceVersion(version: string, phase = "Succeeded"): Named {
  return object("ClusterServiceVersion", csvName, { spec: { version }, status: { phase } });
}
