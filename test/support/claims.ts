/** Claims of an EC's volumes. */
import type { KubeObject } from "../../plugin/domain/kube/objects";

interface ClaimFields {
  readonly request: string;
  readonly capacity?: string;
  /** Types of conditions that are True, each with a message where it has one. */
  readonly conditions?: Readonly<Record<string, string | undefined>>;
  /** Of its resize, as newer API servers tell it. */
  readonly allocated?: string;
  readonly metadata?: object;
}

/** One in the operator's namespace. */
export function aClaim(name: string, fields: ClaimFields): KubeObject {
  const { request, capacity, conditions = {}, allocated, metadata } = fields;
  return {
    apiVersion: "v1",
    kind: "PersistentVolumeClaim",
    metadata: { name, namespace: "engine", ...metadata },
    spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: request } } },
    status: {
      phase: capacity === undefined ? "Pending" : "Bound",
      ...(capacity !== undefined && { capacity: { storage: capacity } }),
      ...(allocated !== undefined && { allocatedResourceStatuses: { storage: allocated } }),
      conditions: Object.entries(conditions).map(([type, message]) => ({
        ...{ type, status: "True" },
        ...(message !== undefined && { message }),
      })),
    },
  };
}
