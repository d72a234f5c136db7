/**
 * What stands behind an operator and its ECs at rest: ReplicaSet, StatefulSets and pods. A scene that
 * lacks them (a dump, the built-in example) gets them, so that an upgrade has something to renew.
 */
import { ApiError } from "../../domain/base/errors";
import type { Names } from "../../domain/names/names";
import { asString, getPath } from "../../domain/base/values";
import type { Deployment, Pod } from "../../domain/kube/models";
import { isKind, ofKind } from "../../domain/kube/typed";
import type { KubeObject } from "../../ports/kubernetes";
import type { Registry } from "../model";
import { hashValue } from "./acts";
import { makeStatefulSet } from "./prerequisites";
import { deploymentStatus, makePod, makeReplicaSet, replicaSetStatus } from "./deployment";
import { isOrphan, podOfSet, podStatus, readRevision, setStatus } from "./pods";
import { listOwned } from "./snapshot";

/** Whose scene it is, and when. */
interface RestOptions {
  readonly names: Names;
  /** The operator's. */
  readonly namespace: string;
  readonly now: number;
  readonly registry: Registry;
}

/** The objects, completed by what they must have made; what is there stays as it is. */
export function settleWorkloads(
  objects: readonly KubeObject[],
  options: RestOptions,
): readonly KubeObject[] {
  const { names, namespace } = options;
  return objects.flatMap((object) => {
    const { apiVersion, kind, metadata } = object;
    // a definition without a status would never count as served
    if (kind === "CustomResourceDefinition") return [complete(object, options)];
    if (metadata.namespace !== namespace) return [object];
    if (isKind(object, "Deployment") && metadata.name === names.operator.deployment)
      return operatorAtRest(object, objects, options);
    return kind === names.ec.kind && apiVersion.startsWith(`${names.group}/`)
      ? clusterAtRest(object, objects, options)
      : [object];
  });
}

function operatorAtRest(
  given: Deployment,
  objects: readonly KubeObject[],
  options: RestOptions,
): readonly KubeObject[] {
  const deployment = makeObject(given, options);
  const replicas = deployment.status?.readyReplicas ?? 0;
  const sets = ofKind(objects, "ReplicaSet");
  if (replicas === 0 || listOwned(deployment, sets).length > 0) return [deployment];
  const current = makeObject(makeReplicaSet(deployment, replicas), options);
  const address = findServedAddress(objects, options);
  const pods: Pod[] = [];
  while (pods.length < replicas) pods.push(readyPod(makePod(current, pods), options, address));
  const status = deploymentStatus({ deployment, current, pods, now: options.now });
  const set = { ...current, status: replicaSetStatus(current, pods) };
  return [{ ...deployment, status }, set, ...pods];
}

/** Where the webhook's endpoints are already. */
function findServedAddress(
  objects: readonly KubeObject[],
  { names, namespace }: RestOptions,
): string | undefined {
  const slice = ofKind(objects, "EndpointSlice").find(
    ({ metadata }) =>
      metadata.namespace === namespace &&
      metadata.labels?.["kubernetes.io/service-name"] === names.webhook.service,
  );
  return slice?.endpoints?.[0]?.addresses?.[0];
}

function clusterAtRest(
  given: KubeObject,
  objects: readonly KubeObject[],
  options: RestOptions,
): readonly KubeObject[] {
  const { names } = options;
  const { name, namespace } = given.metadata;
  const tag = asString(getPath(given, names.ecFields.versionTag));
  const isThere = objects.some(
    ({ kind, metadata }) =>
      kind === "StatefulSet" && metadata.name === name && metadata.namespace === namespace,
  );
  // its operator makes it anew while volumes are expanded
  const isBetween = objects.some((object) => isOrphan(given, object));
  if (isThere || isBetween || tag === undefined) return [given];
  const ec = identifyObject(given);
  const set = makeObject(makeStatefulSet(ec, tag, names), options);
  const revision = readRevision(set);
  const pods = Array.from({ length: set.spec?.replicas ?? 1 }, (_, ordinal) =>
    readyPod(podOfSet(set, ordinal, revision), options),
  );
  return [ec, { ...set, status: setStatus(set, pods) }, ...pods];
}

function readyPod(pod: Pod, options: RestOptions, podIP?: string): Pod {
  const stored = makeObject(pod, options);
  const placed = podIP === undefined ? stored : { ...stored, status: { podIP } };
  return { ...stored, status: podStatus(placed, { is: "ready" }, options.now) };
}

function makeObject<T extends KubeObject>(object: T, options: RestOptions): T {
  return complete(identifyObject(object), options);
}

/** With a uid: objects refer to each other by it. */
function identifyObject<T extends KubeObject>(object: T): T {
  const { uid, ...metadata } = object.metadata;
  const hash = hashValue([object.kind, metadata.namespace, metadata.name]);
  const own = uid ?? `00000000-0000-4000-8000-00${hash}`;
  return { ...object, metadata: { generation: 1, ...metadata, uid: own } };
}

/** In the form in which a server stores it: templates are compared with each other. */
function complete<T extends KubeObject>(object: T, { registry }: RestOptions): T {
  const definition = registry.byKind(object.apiVersion, object.kind);
  try {
    const prepared = definition?.prepare(object, undefined).object ?? object;
    const status = object["status"];
    // The schema of its own kind leaves an object what it is.
    return { ...prepared, ...(status !== undefined && { status }) } as T;
  } catch (error) {
    if (error instanceof ApiError) return object;
    throw error;
  }
}
