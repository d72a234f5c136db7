/** What an object of a kind holds before anything is said. */
import type { KubeObject } from "../../domain/objects";
import { at, type Json } from "../../domain/values";
import type { KindDefinition } from "../model";
import { type FieldSet, noFields, onlyHere, setOf, union } from "./field-set";

const template: Json = { metadata: {}, spec: { containers: null } };

/** Parts of built-in kinds that are there even in an empty object, so that nobody owns them. */
const parts: Readonly<Record<string, Json>> = {
  Deployment: { spec: { strategy: {}, template }, status: {} },
  DaemonSet: { spec: { updateStrategy: {}, template }, status: {} },
  StatefulSet: { spec: { updateStrategy: {}, template }, status: {} },
  ReplicaSet: { spec: { template }, status: {} },
  Job: { spec: { template }, status: {} },
  CronJob: { spec: { jobTemplate: { metadata: {}, spec: { template } } }, status: {} },
};

/** The empty object of a kind: nothing at all for a custom one. */
export function emptyOf({ custom, resource }: KindDefinition): Json {
  const rest = custom ? {} : (parts[resource.kind] ?? { spec: {}, status: {} });
  return { metadata: {}, ...rest };
}

/** What the API server gives to new objects of a kind after it has noted who owns what. */
const given: Readonly<Record<string, readonly string[]>> = {
  Namespace: ["finalizers"],
  Service: ["clusterIP", "clusterIPs", "ipFamilies", "ipFamilyPolicy"],
};

/** The fields that nobody owns because the API server itself filled them in. */
export function givenTo(sent: KubeObject, { custom, resource }: KindDefinition): FieldSet {
  const names = custom ? [] : (given[resource.kind] ?? []);
  return names
    .filter((name) => at(sent, ["spec", name]) === undefined)
    .map((name) => setOf(false, [["f:spec", setOf(false, [[`f:${name}`, onlyHere]])]]))
    .reduce(union, noFields);
}
