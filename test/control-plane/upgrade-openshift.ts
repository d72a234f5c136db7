/** What OpenShift has beside Kubernetes, as far as an upgrade asks for it. */
import { defaultNames as names } from "../../plugin/domain/names";
import { exampleDefinitions } from "../../plugin/rehearsal/example-definitions";
import type { Cluster, KubeObject } from "../../plugin/run/ports";
import { until } from "./until";

/** OpenShift serves its own kinds by itself; here they are custom resources. */
export async function serveOpenShift(cluster: Cluster): Promise<void> {
  const name = "securitycontextconstraints.security.openshift.io";
  const constraints = exampleDefinitions(names).find(({ metadata }) => metadata.name === name);
  if (constraints === undefined) throw new Error(`no definition ${name}`);
  await cluster.create(constraints);
  await cluster.create(clusterVersions);
  for (const group of ["security.openshift.io", "config.openshift.io"]) {
    await until(`${group} to be served`, async () =>
      (await cluster.serves(group, "v1")) === undefined ? undefined : true,
    );
  }
  await platformIs(cluster, "4.19.3");
}

/** The kind that says which OpenShift it is, with anything in it. */
export const clusterVersions = {
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: "clusterversions.config.openshift.io" },
  spec: {
    group: "config.openshift.io",
    scope: "Cluster",
    names: { kind: "ClusterVersion", plural: "clusterversions" },
    versions: [
      {
        name: "v1",
        served: true,
        storage: true,
        schema: {
          openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
        },
      },
    ],
  },
};

/** What OpenShift says of its own version. */
export async function platformIs(cluster: Cluster, version: string): Promise<void> {
  const object: KubeObject = {
    apiVersion: "config.openshift.io/v1",
    kind: "ClusterVersion",
    metadata: { name: "version" },
    status: { desired: { version } },
  };
  // a definition may be served a moment before its objects can be stored
  await until("the platform's version", () =>
    cluster.apply(object, { fieldManager: "cluster-version-operator", force: true }),
  );
}
