/** Short forms for scenes: a third pod that is not ready, and why. */
import type { Facts } from "../../../../plugin/domain/facts/facts";
import type { Pod } from "../../../../plugin/domain/kube/models";
import type { KubeObject } from "../../../../plugin/domain/kube/objects";
import { anOperator, newTag, ns, oldTag } from "../engine-cluster/scene";
import type { Cause } from "./causes";
import {
  ago,
  container,
  ecLabel,
  event,
  facts,
  first,
  type Lists,
  name,
  node,
  ofSet,
  pod,
  podLabel,
  second,
  setLabel,
  theEc,
  theSet,
  third,
} from "./scene";

export type PodWish = NonNullable<Parameters<typeof pod>[1]>;
type Fields = Readonly<Record<string, unknown>>;

export const down = (more: PodWish = {}): Pod => pod(2, { ready: false, ...more });
export const withPod = (more: PodWish, rest: Lists = {}): Facts =>
  facts({ pods: [first, second, down(more)], ...rest });

type About = Pick<Cause, "code" | "object">;
export const of2 = (code: string): About => ({ code, object: podLabel(2) });
export const ofTheSet = (code: string): About => ({ code, object: setLabel });
export const ofTheEc = (code: string): About => ({ code, object: ecLabel });

/** The engine's container waits. */
export const waits = (reason: string, message?: string, more: Fields = {}): PodWish => ({
  container: { state: { waiting: { reason, message } }, ...more },
});
export const loop: Fields = {
  state: { waiting: { reason: "CrashLoopBackOff", message: "back-off 5m0s restarting" } },
};
export const lastEnd = (exitCode: number, reason = "Error", message?: string): Fields => ({
  lastState: { terminated: { reason, exitCode, message, finishedAt: ago(1) } },
});
export const running = (minutes: number): Fields => ({
  state: { running: { startedAt: ago(minutes) } },
});

/** The scheduler finds no node. */
export const unplaced = (message: string, more: PodWish = {}): PodWish => ({
  ...more,
  spec: { nodeName: undefined, ...more.spec },
  conditions: [{ type: "PodScheduled", status: "False", reason: "Unschedulable", message }],
});

/** A container that runs before the engine; `restartPolicy: Always` lets it stay. */
export const early = (status: Fields, spec: Fields = { name: "unpack" }): PodWish => ({
  spec: {
    nodeName: "n2",
    initContainers: [spec],
    containers: [{ name: container, image: `engine/engine:${newTag}` }],
  },
  container: { state: { waiting: { reason: "PodInitializing" } } },
  status: { initContainerStatuses: [{ name: spec["name"], ready: false, ...status }] },
});
export const staying: Fields = { name: "audit-shipper", restartPolicy: "Always" };

export const normal = (...args: Parameters<typeof event>): KubeObject => ({
  ...event(...args),
  type: "Normal",
});
export const once = (one: KubeObject): KubeObject => ({ ...one, count: 1 });

/** The API server refuses the third pod. */
export const refused = (why: string, rest: Lists = {}): Facts =>
  facts({
    pods: [first, second],
    events: [event(ofSet, ["FailedCreate", why])],
    ...rest,
  });

export const partition = (number: number): KubeObject =>
  theSet({
    spec: { updateStrategy: { type: "RollingUpdate", rollingUpdate: { partition: number } } },
  });
export const onDelete = theSet({ spec: { updateStrategy: { type: "OnDelete" } } });
export const expired = theEc({ status: { licenseStatus: { licenseState: "Expired" } } });
export const lastDayOver = theEc({
  status: { licenseStatus: { licenseState: "Valid", expirationDate: "2026-05-31T00:00:00Z" } },
});
export const fiveNodes: Lists = {
  nodes: [0, 1, 2, 3, 4].map((ordinal) => node(ordinal)),
  ecs: [theEc({ spec: { nodes: 5 } })],
  statefulSets: [theSet({ spec: { replicas: 5 } })],
};
export const ending = (minutes: number, grace: number, more: Fields = {}): PodWish => ({
  metadata: {
    ...third.metadata,
    deletionTimestamp: ago(minutes),
    deletionGracePeriodSeconds: grace,
    ...more,
  },
});

/** The operator has not taken up the tag. */
export const untaken: Lists = {
  ecs: [theEc({ state: "Running" })],
  statefulSets: [theSet({ tag: oldTag, status: { updateRevision: "before" } })],
  pods: [0, 1, 2].map((ordinal) => pod(ordinal, { old: true })),
};
export const noOperator = { ...anOperator(), spec: { replicas: 0 } };

const replicaSetUid = "operator-set";

/** An operator whose only pod is in this state, with its pod and what owns it. */
export function brokenOperator(
  status: Fields,
): Required<Pick<Lists, "deployments" | "pods">> & Pick<Lists, "replicaSets"> {
  const deployment = anOperator("8.0.2-2", 0);
  const { uid = "operator-uid" } = deployment.metadata;
  const template = (deployment["spec"] as { readonly template: unknown }).template;
  const title = `${String(deployment.metadata.name)}-7b9d`;
  return {
    deployments: [{ ...deployment, metadata: { ...deployment.metadata, uid } }],
    replicaSets: [
      {
        apiVersion: "apps/v1",
        kind: "ReplicaSet",
        metadata: {
          ...{ name: title, namespace: ns, uid: replicaSetUid },
          ownerReferences: [{ kind: "Deployment", name: deployment.metadata.name, uid }],
        },
        spec: { template },
      },
    ],
    pods: [
      {
        apiVersion: "v1",
        kind: "Pod",
        metadata: {
          ...{ name: `${title}-x2x9k`, namespace: ns },
          ownerReferences: [{ kind: "ReplicaSet", name: title, uid: replicaSetUid }],
        },
        status: { phase: "Running", containerStatuses: [{ ready: false, ...status }] },
      },
    ],
  };
}

export const podOf = (ordinal: number, more: PodWish): Pod =>
  pod(ordinal, { ready: false, ...more });
export const nameOf = (ordinal: number): string => `${name}-${ordinal}`;
