/** An upgrade of three pods that came to a stand, hours ago unless said, as objects. */
import type { FactKey, Facts } from "../../../../plugin/domain/facts/facts";
import { defaultNames as names } from "../../../../plugin/domain/names/names";
import type { Event, Node, Pod, StatefulSet } from "../../../../plugin/domain/kube/models";
import type { KubeObject } from "../../../../plugin/domain/kube/objects";
import { anEc, anOperator, aSet, factsOf, newTag, now, ns, oldTag } from "../engine-cluster/scene";

type Fields = object;
export type Lists = Partial<Record<FactKey, readonly KubeObject[]>>;

const minute = 60_000;
/** So many minutes before the look. */
export const ago = (minutes: number): string => new Date(now - minutes * minute).toISOString();
const long = 600;

/** The name of this EC is of these tests alone. */
export const name = "vault";
export const setLabel = `StatefulSet/${ns}/${name}`;
export const ecLabel = `${names.ec.kind}/${ns}/${name}`;
export const podLabel = (ordinal: number): string => `Pod/${ns}/${name}-${ordinal}`;

const writtenAt = (minutes: number, fieldsV1: Fields = {}): Fields => ({
  managedFields: [{ manager: "operator", operation: "Update", time: ago(minutes), fieldsV1 }],
});

interface EcWish {
  readonly tag?: string;
  readonly state?: string;
  readonly spec?: Fields;
  readonly status?: Fields;
  /** Minutes since its spec was written. */
  readonly written?: number;
}

export function theEc(wish: EcWish = {}): KubeObject {
  const { tag = newTag, state = "Upgrade", spec = {}, status = {}, written = long } = wish;
  const image = { repository: "engine/engine", versionTag: tag, imagePullPolicy: "IfNotPresent" };
  return anEc(
    { engineEnterpriseImageSpec: image, ...spec },
    { state, ...status },
    { name, uid: "vault-uid", ...writtenAt(written) },
  );
}

interface SetWish {
  readonly tag?: string;
  readonly spec?: Fields;
  readonly status?: Fields;
  readonly metadata?: Fields;
  readonly written?: number;
}

export function theSet(wish: SetWish = {}): StatefulSet {
  const { tag, spec, status, metadata = {}, written = long } = wish;
  const set = aSet(tag, spec, status);
  return { ...set, metadata: { ...set.metadata, name, ...writtenAt(written), ...metadata } };
}

interface PodSeen {
  readonly old?: true;
  readonly revision?: string;
  readonly tag?: string;
  readonly ready?: boolean;
  /** Minutes since it was created and since its state changed. */
  readonly since?: number;
  readonly metadata?: Fields;
  readonly spec?: Fields;
  readonly status?: Fields;
  readonly conditions?: readonly Fields[];
  /** Status of its container. */
  readonly container?: Fields;
}

export const container = names.pods.container;

const before = { revision: "before", tag: oldTag };
const after = { revision: "new", tag: newTag };

export function pod(ordinal: number, wish: PodSeen = {}): Pod {
  const { ready = true, since = long, metadata, spec, status, conditions = [] } = wish;
  const { revision, tag } = { ...(wish.old === true ? before : after), ...wish };
  const at = { lastTransitionTime: ago(since) };
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: {
      name: `${name}-${ordinal}`,
      namespace: ns,
      uid: `pod-${ordinal}`,
      creationTimestamp: ago(since),
      labels: { "controller-revision-hash": revision },
      ownerReferences: [{ kind: "StatefulSet", name, uid: "set-uid" }],
      ...metadata,
    },
    spec: {
      nodeName: `n${ordinal}`,
      containers: [{ name: container, image: `engine/engine:${tag}` }, { name: "bootstrapper" }],
      ...spec,
    },
    status: {
      phase: ready ? "Running" : "Pending",
      conditions: [
        { type: "Ready", status: ready ? "True" : "False", ...at },
        ...conditions.map((one) => ({ ...at, ...one })),
      ],
      containerStatuses: [{ name: container, ready, ...wish.container }],
      ...status,
    },
  };
}

export const node = (ordinal: number, ready = "True", more: Fields = {}): Node => ({
  apiVersion: "v1",
  kind: "Node",
  metadata: { name: `n${ordinal}` },
  spec: {},
  status: {
    conditions: [
      {
        type: "Ready",
        status: ready,
        lastTransitionTime: ago(long),
        ...(ready !== "True" && {
          reason: "NodeStatusUnknown",
          message: "Kubelet stopped posting",
        }),
      },
    ],
  },
  ...more,
});
export const nodes = [node(0), node(1), node(2)];

export const cordonedNode = (ordinal: number): Node => ({
  ...node(ordinal),
  spec: { unschedulable: true },
});

/** A warning that came first and last so many minutes ago. */
export function event(
  of: { readonly kind: string; readonly name: string },
  [reason, message]: readonly [reason: string, message: string],
  [first, last]: readonly [number, number] = [long, 1],
): Event {
  return {
    apiVersion: "v1",
    kind: "Event",
    metadata: { name: `${of.name}.${reason}.${first}`, namespace: ns },
    type: "Warning",
    involvedObject: { ...of, namespace: ns },
    ...{ reason, message, count: 34, firstTimestamp: ago(first), lastTimestamp: ago(last) },
  };
}
export const ofPod = (ordinal: number) => ({ kind: "Pod", name: `${name}-${ordinal}` });
export const ofSet = { kind: "StatefulSet", name };

/** The roll half way: the last pod is new, the others are old; every one is ready. */
export const [first, second, third] = [pod(0, { old: true }), pod(1, { old: true }), pod(2)];
export const halfway = [first, second, third];

export function facts(lists: Lists = {}, rest: Partial<Facts> = {}): Facts {
  return factsOf(
    {
      ecs: [theEc()],
      statefulSets: [theSet()],
      pods: halfway,
      nodes,
      deployments: [anOperator()],
      ...lists,
    },
    rest,
  );
}
