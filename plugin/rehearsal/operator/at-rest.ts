/**
 * What stands behind an operator and its ECs at rest: ReplicaSet, StatefulSets and pods. A scene that
 * lacks them (a dump, the built-in example) gets them, so that an upgrade has something to renew.
 */
import { ApiError } from "../../domain/errors";
import type { Names } from "../../domain/names";
import { at, list, own, text } from "../../domain/values";
import type { KubeObject } from "../../run/ports";
import type { Registry } from "../model";
import { statefulSetOf } from "./cluster-set";
import { deploymentStatus } from "./deployment-status";
import { podOf, replicaSetOf } from "./deployment";
import { podStatus } from "./pod-status";
import { numberAt, ownedBy } from "./scene";
import { podOfSet, revisionOf } from "./stateful-set";
import { hashOf } from "./writes";

/** Whose scene it is, and when. */
export interface RestOptions {
  readonly names: Names;
  /** The operator's. */
  readonly namespace: string;
  readonly now: number;
  readonly registry: Registry;
}

/** The objects, completed by what they must have made; what is there stays as it is. */
export function atRest(
  objects: readonly KubeObject[],
  options: RestOptions,
): readonly KubeObject[] {
  const { names, namespace } = options;
  const isHere = (object: KubeObject): boolean => object.metadata.namespace === namespace;
  const isOperator = ({ kind, metadata }: KubeObject): boolean =>
    kind === "Deployment" && metadata.name === names.operator.deployment;
  const isCluster = ({ apiVersion, kind }: KubeObject): boolean =>
    kind === names.ec.kind && apiVersion.startsWith(`${names.group}/`);
  return objects.flatMap((object) => {
    // a definition without a status would never count as served
    if (object.kind === "CustomResourceDefinition") return [complete(object, options)];
    if (isHere(object) && isOperator(object)) return operatorAtRest(object, objects, options);
    if (isHere(object) && isCluster(object)) return clusterAtRest(object, objects, options);
    return [object];
  });
}

function operatorAtRest(
  given: KubeObject,
  objects: readonly KubeObject[],
  options: RestOptions,
): readonly KubeObject[] {
  const deployment = complete(identified(given), options);
  const replicas = numberAt(deployment, ["status", "readyReplicas"], 0);
  const sets = objects.filter(({ kind }) => kind === "ReplicaSet");
  if (replicas === 0 || ownedBy(deployment, sets).length > 0) return [deployment];
  const set = complete(identified(replicaSetOf(deployment, replicas)), options);
  const address = servedAddress(objects, options);
  const pods = Array.from({ length: replicas }).reduce<readonly KubeObject[]>(
    (made) => [...made, readyPod(podOf(set, made), options, address)],
    [],
  );
  const counts = { replicas, readyReplicas: replicas, availableReplicas: replicas };
  const status = { ...counts, fullyLabeledReplicas: replicas, observedGeneration: 1 };
  const reckoned = { deployment, current: set, pods, refusal: undefined, now: options.now };
  const reported = { ...deployment, status: deploymentStatus(reckoned) };
  return [reported, { ...set, status }, ...pods];
}

/** Where the webhook's endpoints are already. */
function servedAddress(
  objects: readonly KubeObject[],
  { names, namespace }: RestOptions,
): string | undefined {
  const slice = objects.find(
    ({ kind, metadata }) =>
      kind === "EndpointSlice" &&
      metadata.namespace === namespace &&
      metadata.labels?.["kubernetes.io/service-name"] === names.webhook.service,
  );
  return text(list(own(list(own(slice, "endpoints"))[0], "addresses"))[0]);
}

function clusterAtRest(
  given: KubeObject,
  objects: readonly KubeObject[],
  options: RestOptions,
): readonly KubeObject[] {
  const { names } = options;
  const { name, namespace } = given.metadata;
  const tag = text(at(given, names.ecFields.versionTag));
  const isThere = objects.some(
    ({ kind, metadata }) =>
      kind === "StatefulSet" && metadata.name === name && metadata.namespace === namespace,
  );
  if (isThere || tag === undefined) return [given];
  const ec = identified(given);
  const set = complete(identified(statefulSetOf(ec, tag, names)), options);
  const revision = revisionOf(set);
  const replicas = numberAt(set, ["spec", "replicas"], 1);
  const pods = Array.from({ length: replicas }, (_, ordinal) =>
    readyPod(podOfSet(set, ordinal, revision), options),
  );
  const status = {
    observedGeneration: 1,
    replicas,
    readyReplicas: replicas,
    availableReplicas: replicas,
    currentReplicas: replicas,
    updatedReplicas: replicas,
    currentRevision: revision,
    updateRevision: revision,
    collisionCount: 0,
  };
  return [ec, { ...set, status }, ...pods];
}

function readyPod(pod: KubeObject, options: RestOptions, podIP?: string): KubeObject {
  const made = complete(identified(pod), options);
  const placed = podIP === undefined ? made : { ...made, status: { podIP } };
  return { ...made, status: podStatus(placed, { is: "ready" }, options.now) };
}

/** With a uid: objects refer to each other by it. */
function identified(object: KubeObject): KubeObject {
  const { uid, ...metadata } = object.metadata;
  const { namespace, name } = metadata;
  const made = hashOf([object.kind, namespace, name]);
  const own = uid ?? `00000000-0000-4000-8000-00${made}`;
  return { ...object, metadata: { generation: 1, ...metadata, uid: own } };
}

/** In the form in which a server stores it: templates are compared with each other. */
function complete(object: KubeObject, { registry }: RestOptions): KubeObject {
  const definition = registry.byKind(object.apiVersion, object.kind);
  try {
    const prepared = definition?.prepare(object, undefined).object ?? object;
    return { ...prepared, ...(object["status"] !== undefined && { status: object["status"] }) };
  } catch (error) {
    if (error instanceof ApiError) return object;
    throw error;
  }
}
