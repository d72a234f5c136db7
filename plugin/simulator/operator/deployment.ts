/** The operator's Deployment at play (strategy Recreate, S19), its pod, and the webhook's endpoints. */
import { kinds } from "../../domain/kube/kinds";
import { readClusterRole } from "../../domain/rbac/site";
import { asString, omit, sameJson } from "../../domain/base/values";
import type {
  Deployment,
  DeploymentCondition,
  DeploymentStatus,
  Endpoint,
  EndpointSlice,
  Pod,
  PodSpec,
  PodTemplate,
  ReplicaSet,
  ReplicaSetStatus,
  Service,
  ServicePort,
} from "../../domain/kube/models";
import type { KubeObject } from "../../ports/kubernetes";
import {
  type PlannedAction,
  controllerManager,
  convergeStatus,
  createObject,
  fieldsWritten,
  hashValue,
  identity,
  makeOwner,
  podMade,
  timeText,
  warn,
} from "./acts";
import { deletion, isReadyPod, podActs, podFrom, type PodState, dropZeros } from "./pods";
import { listOwned, type OperatorSnapshot } from "./snapshot";

const hashLabel = "pod-template-hash";

/** The Deployment, and what belongs to it. */
interface DeploymentState {
  readonly deployment: Deployment;
  readonly sets: readonly ReplicaSet[];
  /** The ReplicaSet of the present template. */
  readonly current: ReplicaSet | undefined;
  readonly pods: readonly Pod[];
}

/** What the controllers of the operator's Deployment have to do now. */
export function deploymentActs(scene: OperatorSnapshot): readonly PlannedAction[] {
  const { deployment } = scene;
  if (deployment === undefined) return [];
  const sets = listOwned(deployment, scene.replicaSets);
  const current = sets.find((set) => sameJson(readTemplate(set), readTemplate(deployment)));
  const held = { deployment, sets, current, pods: operatorPods(scene) };
  const status = deploymentStatus({ ...held, refusal: findRefusal(scene), now: scene.now });
  return [
    ...sets.flatMap((set) =>
      convergeStatus(
        { resource: kinds.replicaSet, object: set },
        replicaSetStatus(set, scene.pods),
      ),
    ),
    ...convergeStatus({ resource: kinds.deployment, object: deployment }, status),
    ...setActs(scene, held),
    ...sets.flatMap((set) => countActs(scene, set)),
    ...held.pods.flatMap((pod) =>
      podActs(scene, pod, isRevision(current, pod) ? operatorPodEnd(scene, pod) : undefined),
    ),
  ];
}

/** Without the label that tells one revision from another. */
function readTemplate({ spec }: Deployment | ReplicaSet): PodTemplate {
  const metadata = spec?.template?.metadata;
  const labels = omit(metadata?.labels ?? {}, hashLabel);
  return { ...spec?.template, metadata: { ...metadata, labels } };
}

function isRevision(set: ReplicaSet | undefined, pod: Pod): boolean {
  return listOwned(set, [pod]).length > 0;
}

/** The status of a ReplicaSet, as its controller reckons it from its pods. */
export function replicaSetStatus(set: ReplicaSet, all: readonly Pod[]): ReplicaSetStatus {
  const pods = listOwned(set, all);
  const ready = pods.filter(isReadyPod).length;
  return {
    replicas: pods.length,
    ...dropZeros({
      fullyLabeledReplicas: pods.length,
      readyReplicas: ready,
      availableReplicas: ready,
    } satisfies ReplicaSetStatus),
    observedGeneration: set.metadata.generation,
  };
}

/** What the status of a Deployment is made of. */
interface Reckoned extends Pick<DeploymentState, "deployment" | "current" | "pods"> {
  /** Why no pod may be made. */
  readonly refusal?: string | undefined;
  readonly now: number;
}

/** The status of a Deployment, as its controller reckons it from its pods. */
export function deploymentStatus(reckoned: Reckoned): DeploymentStatus {
  const { deployment, current, pods } = reckoned;
  const wanted = deployment.spec?.replicas ?? 1;
  const updated = listOwned(current, pods).length;
  const ready = pods.filter(isReadyPod).length;
  const complete = [updated, pods.length, ready].every((count) => count === wanted);
  return {
    observedGeneration: deployment.metadata.generation,
    ...dropZeros({
      replicas: pods.length,
      updatedReplicas: updated,
      readyReplicas: ready,
      availableReplicas: ready,
      unavailableReplicas: Math.max(0, wanted - ready),
    } satisfies DeploymentStatus),
    conditions: conditions(reckoned, { available: ready >= wanted, complete, updated }),
  };
}

function conditions(
  { deployment, current, refusal, now }: Reckoned,
  reached: { readonly available: boolean; readonly complete: boolean; readonly updated: number },
): readonly DeploymentCondition[] {
  const { available, complete, updated } = reached;
  const told = [
    available
      ? condition("Available", "MinimumReplicasAvailable", "Deployment has minimum availability.")
      : condition(
          "Available",
          "MinimumReplicasUnavailable",
          "Deployment does not have minimum availability.",
        ),
    buildProgress(
      `ReplicaSet "${current?.metadata.name ?? ""}"`,
      complete,
      isLate(deployment, now),
    ),
    ...(refusal !== undefined && updated === 0 && current !== undefined
      ? [condition("ReplicaFailure", "FailedCreate", refusal)]
      : []),
  ];
  const before = deployment.status?.conditions ?? [];
  const time = timeText(now);
  return told.map((one) => {
    // a condition that says what it said before keeps its time
    const known = before.find(({ type, status }) => type === one.type && status === one.status);
    const updatedAt = known?.reason === one.reason ? known?.lastUpdateTime : undefined;
    return {
      ...one,
      lastTransitionTime: known?.lastTransitionTime ?? time,
      lastUpdateTime: updatedAt ?? time,
    };
  });
}

/** A condition holds but for the reasons that say that something is not so. */
function condition(type: string, reason: string, message: string): DeploymentCondition {
  const isFalse = ["MinimumReplicasUnavailable", "ProgressDeadlineExceeded"].includes(reason);
  return { type, status: isFalse ? "False" : "True", reason, message };
}

function buildProgress(set: string, complete: boolean, late: boolean): DeploymentCondition {
  if (complete)
    return condition(
      "Progressing",
      "NewReplicaSetAvailable",
      `${set} has successfully progressed.`,
    );
  return late
    ? condition("Progressing", "ProgressDeadlineExceeded", `${set} has timed out progressing.`)
    : condition("Progressing", "ReplicaSetUpdated", `${set} is progressing.`);
}

/** Nothing has moved for as long as the Deployment allows. */
function isLate({ metadata, spec, status }: Deployment, now: number): boolean {
  const condition = status?.conditions?.find(({ type }) => type === "Progressing");
  if (condition?.status === "False") return status?.observedGeneration === metadata.generation;
  if (condition?.reason !== "ReplicaSetUpdated") return false;
  const since = Date.parse(condition.lastUpdateTime ?? "");
  return now - since >= (spec?.progressDeadlineSeconds ?? 600) * 1000;
}

/** Old sets are emptied, and only then is there a new one. */
function setActs(
  scene: OperatorSnapshot,
  { deployment, sets, current, pods }: DeploymentState,
): readonly PlannedAction[] {
  const wanted = deployment.spec?.replicas ?? 1;
  const scaled = sets.flatMap((set) => {
    const replicas = set === current ? wanted : 0;
    if ((set.spec?.replicas ?? 1) === replicas) return [];
    if (set === current && !pods.every((pod) => isRevision(current, pod))) return [];
    const run = fieldsWritten({ resource: kinds.replicaSet, object: set }, { spec: { replicas } });
    return [{ key: `${identity(set)} scale ${replicas}`, afterMs: 0, run }];
  });
  if (current !== undefined || pods.length > 0 || scaled.length > 0) return scaled;
  const made = makeReplicaSet(deployment, wanted);
  const key = `${identity(deployment)} set ${made.metadata.name ?? ""}`;
  return [{ key, afterMs: scene.times.reactMs, run: createObject(made) }];
}

/** The ReplicaSet of a Deployment's template. */
export function makeReplicaSet(deployment: Deployment, replicas: number): ReplicaSet {
  const { name = "", namespace = "" } = deployment.metadata;
  const template = readTemplate(deployment);
  const hash = hashValue(template);
  const labels = { ...template.metadata?.labels, [hashLabel]: hash };
  const selector = deployment.spec?.selector?.matchLabels;
  return {
    apiVersion: "apps/v1",
    kind: "ReplicaSet",
    metadata: {
      ...{ name: `${name}-${hash}`, namespace, labels },
      ownerReferences: [makeOwner(deployment)],
    },
    spec: {
      replicas,
      selector: { matchLabels: { ...selector, [hashLabel]: hash } },
      template: { ...template, metadata: { ...template.metadata, labels } },
    },
  };
}

function countActs(scene: OperatorSnapshot, set: ReplicaSet): readonly PlannedAction[] {
  const wanted = set.spec?.replicas ?? 1;
  const pods = listOwned(set, scene.pods);
  const living = pods.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
  if (living.length >= wanted) return living.slice(wanted).map((pod) => deletion(scene, pod));
  const refusal = findRefusal(scene);
  if (refusal !== undefined)
    return [warn(scene, set, { reason: "FailedCreate", message: refusal })];
  const pod = makePod(set, scene.pods);
  return [podMade(scene, set, { key: `${identity(set)} pod ${pod.metadata.name ?? ""}`, pod })];
}

/** A pod of a ReplicaSet, under the first name that is free. */
export function makePod(set: ReplicaSet, others: readonly Pod[]): Pod {
  const { name = "" } = set.metadata;
  const taken = new Set(others.map(({ metadata }) => metadata.name));
  const nameAt = (index: number): string => `${name}-${hashValue([name, index]).slice(0, 5)}`;
  let index = 0;
  while (taken.has(nameAt(index))) index += 1;
  return podFrom(set, nameAt(index));
}

/** Why the API server would not take the operator's pod. */
function findRefusal({ misbehave, deployment }: OperatorSnapshot): string | undefined {
  const subject = `pods "${deployment?.metadata.name ?? ""}" is forbidden`;
  if (misbehave.operatorQuota === true)
    return `${subject}: exceeded quota: compute, requested: pods=1, used: pods=10, limited: pods=10`;
  return misbehave.operatorForbidden === true
    ? `${subject}: unable to validate against any security context constraint`
    : undefined;
}

/** Pods of the operator's Deployment, whatever revision they are of. */
function operatorPods(scene: OperatorSnapshot): readonly Pod[] {
  const sets = listOwned(scene.deployment, scene.replicaSets);
  return sets.flatMap((set) => listOwned(set, scene.pods));
}

/** The release of the operator that is at work; undefined while none is ready. */
export function operatorVersion(scene: OperatorSnapshot): string | undefined {
  const ready = operatorPods(scene).find(isReadyPod);
  return readTag(ready?.spec, scene.names.operator.container);
}

/** The tag of a container's image in a pod's spec. */
export function readTag(
  podSpec: PodSpec | null | undefined,
  container: string,
): string | undefined {
  const found = podSpec?.containers?.find(({ name }) => name === container);
  return /:([^:/@]+)(?:@.+)?$/.exec(found?.image ?? "")?.[1];
}

/** How the operator's pod is to end up; what fails at the start does nothing to one that is ready. */
function operatorPodEnd(scene: OperatorSnapshot, pod: Pod): PodState {
  const { operatorImagePull, operatorCrash } = isReadyPod(pod) ? {} : scene.misbehave;
  if (operatorImagePull === true) return { is: "ImagePullBackOff" };
  if (operatorCrash === true) return { is: "CrashLoopBackOff" };
  const message = explainHalt(scene);
  return message === undefined ? { is: "ready" } : { is: "CrashLoopBackOff", message };
}

/** The operator halts when a listed namespace, its Role or its RoleBinding is not there. */
function explainHalt(scene: OperatorSnapshot): string | undefined {
  const { names, namespaces, roles, bindings, namespace: home } = scene;
  const { consumerRole, consumerBinding } = names.rbac;
  const listed = scene.settings?.data?.[names.configMap.namespaces] ?? "";
  const places = listed.split(",").map((word) => word.trim());
  const wrong = places.flatMap((place): readonly string[] => {
    if (place === "" || place === home) return [];
    if (!namespaces.some(({ metadata }) => metadata.name === place))
      return [`namespace ${place} does not exist`];
    const isIn = ({ metadata }: KubeObject): boolean => metadata.namespace === place;
    const binding = bindings.find(isIn);
    if (!roles.some(isIn) && readClusterRole(binding) === undefined)
      return [`role ${consumerRole} is missing in namespace ${place}`];
    return binding === undefined
      ? [`role binding ${consumerBinding} is missing in namespace ${place}`]
      : [];
  });
  return wrong[0];
}

/** The first slice follows the operator's pods (domain facts 4.1); others may be of another controller. */
export function endpointActs(scene: OperatorSnapshot): readonly PlannedAction[] {
  const { service, slices, names, deployment } = scene;
  if (scene.endpoints === false || service === undefined || deployment === undefined) return [];
  if (service.spec?.selector?.["name"] !== names.operator.podLabel) return [];
  const [slice] = slices;
  const endpoints = operatorPods(scene).flatMap((pod, index) => buildEndpoint(scene, pod, index));
  const shown = slice?.endpoints?.map(brief) ?? [];
  if (slice !== undefined && sameJson(shown, endpoints.map(brief))) return [];
  const key = `${identity(service)} endpoints ${hashValue(endpoints)}`;
  const run =
    slice === undefined
      ? createObject(newSlice(service, deployment, endpoints), controllerManager)
      : fieldsWritten({ resource: kinds.endpointSlice, object: slice }, { endpoints });
  return [{ key, afterMs: 0, run }];
}

function buildEndpoint(scene: OperatorSnapshot, pod: Pod, index: number): readonly Endpoint[] {
  const given = scene.endpoints === false ? undefined : scene.endpoints?.[index];
  const address = given ?? asString(pod.status?.podIP);
  if (address === undefined) return [];
  const ready = isReadyPod(pod);
  const terminating = pod.metadata.deletionTimestamp !== undefined;
  const { name, namespace, uid } = pod.metadata;
  const targetRef = { kind: "Pod", name, namespace, uid };
  return [{ addresses: [address], conditions: { ready, serving: ready, terminating }, targetRef }];
}

/** What a reader of endpoints looks at; a missing condition counts as ready. */
function brief({ addresses, conditions }: Endpoint): unknown {
  return [addresses ?? [], conditions?.ready !== false];
}

function newSlice(
  service: Service,
  deployment: Deployment,
  endpoints: readonly Endpoint[],
): EndpointSlice {
  const { name = "", namespace = "" } = service.metadata;
  const port = service.spec?.ports?.[0];
  return {
    apiVersion: "discovery.k8s.io/v1",
    kind: "EndpointSlice",
    metadata: {
      ...{ name: `${name}-${hashValue(name).slice(0, 5)}`, namespace },
      labels: { "kubernetes.io/service-name": name },
    },
    addressType: "IPv4",
    endpoints,
    ports: [{ name: port?.name ?? "", port: findTargetPort(deployment, port), protocol: "TCP" }],
  };
}

/** The number of the port that a Service's port leads to; a name is that of a container's port. */
function findTargetPort(
  { spec }: Deployment,
  port: ServicePort | undefined,
): number | null | undefined {
  const target = port?.targetPort;
  if (typeof target !== "string") return target;
  const open = spec?.template?.spec?.containers?.flatMap(({ ports }) => ports ?? []);
  return open?.find(({ name }) => name === target)?.containerPort;
}
