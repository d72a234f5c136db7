/** What metadata holds. */
import {
  anything,
  boolean,
  int64,
  listOf,
  mapOf,
  setOf,
  string,
  struct,
  valuesOf,
  whole,
} from "./shapes";

/** A moment as Kubernetes writes it. */
export const time = { ...string, go: "v1.Time" };

/** The metadata of every object. */
export const objectMeta = struct("ObjectMeta", {
  name: string,
  generateName: string,
  namespace: string,
  selfLink: string,
  uid: string,
  resourceVersion: string,
  generation: int64,
  creationTimestamp: time,
  deletionTimestamp: time,
  deletionGracePeriodSeconds: int64,
  labels: valuesOf(string),
  annotations: valuesOf(string),
  ownerReferences: mapOf(
    ["uid"],
    whole(
      struct("OwnerReference", {
        apiVersion: string,
        kind: string,
        name: string,
        uid: string,
        controller: boolean,
        blockOwnerDeletion: boolean,
      }),
    ),
  ),
  finalizers: setOf(string),
  managedFields: listOf(
    struct("ManagedFieldsEntry", {
      manager: string,
      operation: string,
      apiVersion: string,
      time,
      fieldsType: string,
      fieldsV1: anything,
      subresource: string,
    }),
  ),
});
