/** What OLM keeps of an operator that it has installed: definitions and objects as a cluster has them. */
import type { KubeObject, ObjectMeta } from "../../plugin/domain/kube/objects";
import { ownerMarks } from "./builders";

const group = "operators.coreos.com";

/** An object with a name, as an API server is sent it. */
interface Named extends KubeObject {
  readonly metadata: { readonly name: string; readonly namespace?: string };
}

/** Small definitions of the kinds that are read. */
export const olmDefinitions: readonly Named[] = [
  ["subscriptions", "Subscription", "v1alpha1"],
  ["installplans", "InstallPlan", "v1alpha1"],
  ["clusterserviceversions", "ClusterServiceVersion", "v1alpha1"],
  ["operatorgroups", "OperatorGroup", "v1"],
].map(([plural = "", kind = "", version = ""]) => ({
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: `${plural}.${group}` },
  spec: {
    group,
    scope: "Namespaced",
    names: { plural, singular: kind.toLowerCase(), kind, listKind: `${kind}List` },
    versions: [
      {
        name: version,
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
    spec: {
      approved: false,
      clusterServiceVersionNames: ["engine-enterprise-operator.v8.0.2-2"],
      ...spec,
    },
    status,
  });
}

/** The release that is installed, or another one of the operator. */
export function aClusterServiceVersion(
  version: string,
  status: object | string = "Succeeded",
  name: string = csvName,
): Named {
  const told = typeof status === "string" ? { phase: status } : status;
  return object("ClusterServiceVersion", name, { spec: { version }, status: told });
}

/** A group of the operator's namespace. */
export function anOperatorGroup(targets: readonly string[], rest: ObjectMeta = {}): Named {
  const metadata = { name: "group", namespace: "engine", ...rest };
  const made = object("OperatorGroup", "group", { spec: { targetNamespaces: targets } });
  return { ...made, apiVersion: `${group}/v1`, metadata };
}
