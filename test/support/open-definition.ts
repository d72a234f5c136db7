import type { KubeObject } from "../../plugin/domain/kube/objects";

/** A kind of somebody else's that a test has to be served. */
interface OpenKind {
  readonly group: string;
  readonly version?: string;
  readonly scope: "Cluster" | "Namespaced";
  readonly kind: string;
  readonly plural: string;
}

/** A definition of it whose objects may hold anything. */
export function makeOpenDefinition({ group, version = "v1", scope, kind, plural }: OpenKind) {
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `${plural}.${group}` },
    spec: {
      group,
      scope,
      names: { kind, plural },
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
  } as const satisfies KubeObject;
}
