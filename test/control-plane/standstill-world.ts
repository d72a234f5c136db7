/** An EC with three ready pods under the real StatefulSet controller, in a namespace of its own. */
import { connect } from "../../plugin/adapters/kubernetes/connect";
import { getPath, isObject, type Json, withValue } from "../../plugin/domain/base/values";
import { kinds } from "../../plugin/domain/kube/kinds";
import { defaultNames as names } from "../../plugin/domain/names/names";
import type { KubeClient, KubeObject, Ref } from "../../plugin/ports/kubernetes";
import { makeStatefulSet } from "../../plugin/simulator/operator/prerequisites";
import { played, productKinds } from "../../plugin/simulator/operator/snapshot";
import type { Api, KubeObject as Plain } from "./api";
import type { ControlPlane } from "./control-plane";
import { namespaceOf, operatorDeployment } from "./operator";
import { cluster as clusterOf, clusterStatus, database, databaseStatus } from "./scene";
import { type Fate, play } from "./stages";
import { until } from "./until";

export const oldTag = "7.8.2-34";
export const newTag = "8.0.18-23.11";
const operatorTag = "8.0.18-11";

/** The label of nodes that are there for every scene. */
export const sharedNodes = "shared";

const product = productKinds(names);

export interface WorldOptions {
  /** Merged into the first template's spec. */
  readonly pod?: Json;
  readonly annotations?: Readonly<Record<string, string>>;
  /** Merged into the StatefulSet's spec. */
  readonly set?: Json;
  /** Database versions; one of 7.4 when not given. */
  readonly databases?: readonly string[];
}

/** What a scene is arranged with. */
export interface StandstillWorld {
  readonly controlPlane: ControlPlane;
  readonly api: Api;
  readonly cluster: KubeClient;
  readonly namespace: string;
  /** The state that the EC tells, and more of its status. */
  ecStatus(state: string, more?: Json): Promise<void>;
  /** The operator's part of an upgrade: the EC's tag, the state Upgrade, the new template. */
  roll(fate?: Fate, more?: RollOptions): Promise<void>;
  patchSet(spec: Json): Promise<void>;
  patchPod(ordinal: number, status: Json): Promise<void>;
  pod(ordinal: number): Promise<KubeObject | undefined>;
  /** Waits until the pod is as asked. */
  untilPod(ordinal: number, says: string, is: (pod: KubeObject) => boolean): Promise<void>;
  untilReady(count: number): Promise<void>;
  /** Waits until the StatefulSet is of one revision and every pod is ready. */
  untilRenewed(): Promise<void>;
  set(): Promise<KubeObject | undefined>;
  untilGone(ordinal: number): Promise<void>;
  /** Waits for an event of this reason about an object of the namespace. */
  untilEvent(reason: string): Promise<void>;
  close(): void;
}

export interface RollOptions {
  readonly tag?: string;
  readonly pod?: Json;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly set?: Json;
}

const setRef = (namespace: string): Ref => ({
  resource: kinds.statefulSet,
  name: "ec",
  namespace,
});

export async function openStandstill(
  controlPlane: ControlPlane,
  namespace: string,
  options: WorldOptions = {},
): Promise<StandstillWorld> {
  const { api } = controlPlane;
  const cluster = await connect({ kubeconfig: controlPlane.kubeconfig, namespace }, {});
  await api.create(namespaceOf(namespace));
  await api.create(sharedOperator(namespace));
  const ec = clusterOf({ namespace });
  const made = await cluster.create({
    ...ec,
    metadata: { name: "ec", namespace },
    spec: specWith(ec, oldTag),
  });
  await api.writeStatus(ec, clusterStatus);
  for (const [index, version] of (options.databases ?? ["7.4"]).entries()) {
    const one = database({ namespace, name: `db-${String(index)}`, engineVersion: version });
    await api.create(one);
    await api.writeStatus(one, databaseStatus(index + 1, version));
  }
  await cluster.create(firstSet(made, options), { fieldManager: names.operator.deployment });
  const world = worldOf({ controlPlane, api, cluster, namespace }, ec);
  return world;
}

function sharedOperator(namespace: string): ReturnType<typeof operatorDeployment> {
  const deployment = operatorDeployment(namespace, operatorTag);
  const spec = withValue(deployment["spec"] as Json, ["template", "spec", "nodeSelector"], {
    scene: sharedNodes,
  });
  return { ...deployment, spec };
}

function specWith(ec: Plain, versionTag: string): Json {
  const image = {
    repository: names.images.cluster,
    versionTag,
    imagePullPolicy: "IfNotPresent",
  };
  return { ...(ec["spec"] as Json), engineEnterpriseImageSpec: image };
}

function firstSet(
  ec: KubeObject,
  { pod = {}, annotations = {}, set = {} }: WorldOptions,
): KubeObject {
  const made = makeStatefulSet(ec, oldTag, names);
  const spec = made["spec"] as Json;
  const template = spec["template"] as Json;
  const image = `engine/operator:${operatorTag}`;
  return {
    ...made,
    spec: {
      ...spec,
      ...set,
      template: {
        metadata: {
          ...(template["metadata"] as Json),
          annotations: {
            ...(getPath(template, ["metadata", "annotations"]) as Json),
            ...annotations,
          },
        },
        spec: {
          ...(template["spec"] as Json),
          // the nodes of other scenes are not for these pods
          nodeSelector: { scene: sharedNodes },
          initContainers: [{ name: "prepare", image }],
          ...pod,
        },
      },
    },
  };
}

type Parts = Pick<StandstillWorld, "controlPlane" | "api" | "cluster" | "namespace">;

function worldOf(parts: Parts, ec: Plain): StandstillWorld {
  const { api, cluster, namespace } = parts;
  const podRef = (ordinal: number): Ref => ({
    resource: played.pod,
    name: `ec-${String(ordinal)}`,
    namespace,
  });
  const patchSet = async (spec: Json): Promise<void> => {
    const options = { type: "strategic", fieldManager: "kubectl-patch" } as const;
    await cluster.patch(setRef(namespace), { spec }, options);
  };
  const ecStatus = async (state: string, more: Json = {}): Promise<void> => {
    await api.writeStatus(ec, { ...clusterStatus, state, ...more });
  };
  const untilPod: StandstillWorld["untilPod"] = async (ordinal, says, is) => {
    await until(`${namespace}: pod ${String(ordinal)} ${says}`, async () => {
      const pod = await cluster.get(podRef(ordinal));
      return (pod !== undefined && is(pod)) || undefined;
    });
  };
  return {
    ...parts,
    ecStatus,
    patchSet,
    untilPod,
    roll: async (fate = "ready", { tag = newTag, pod = {}, annotations = {}, set = {} } = {}) => {
      const ref: Ref = { resource: product.ec, name: "ec", namespace };
      const spec = { engineEnterpriseImageSpec: { versionTag: tag } };
      await cluster.patch(ref, { spec }, { type: "merge", fieldManager: "person" });
      await ecStatus("Upgrade");
      const image = `${names.images.cluster}:${tag}`;
      const container = { name: names.pods.container, image };
      const template = {
        metadata: { annotations: { [play.fate]: fate, ...annotations } },
        spec: { containers: [container], ...pod },
      };
      await cluster.patch(
        setRef(namespace),
        { spec: { ...set, template } },
        { type: "strategic", fieldManager: names.operator.deployment },
      );
    },
    patchPod: async (ordinal, status) => {
      const options = { type: "strategic", subresource: "status" } as const;
      await cluster.patch(podRef(ordinal), { status }, options);
    },
    pod: (ordinal) => cluster.get(podRef(ordinal)),
    set: () => cluster.get(setRef(namespace)),
    untilRenewed: async () => {
      const isRenewed = async (): Promise<true | undefined> => {
        const set = await cluster.get(setRef(namespace));
        const [wanted, ...counts] = [
          ["spec", "replicas"],
          ["status", "readyReplicas"],
          ["status", "updatedReplicas"],
        ].map((path) => getPath(set, path));
        return counts.every((count) => count === wanted) || undefined;
      };
      await until(`${namespace}: every pod is renewed`, isRenewed, { withinMs: 120_000 });
    },
    untilReady: async (count) => {
      await until(`${namespace}: ${String(count)} ready pods`, async () => {
        const set = await cluster.get(setRef(namespace));
        // none is left out
        const ready = getPath(set, ["status", "readyReplicas"]) ?? 0;
        return ready === count || undefined;
      });
    },
    untilGone: async (ordinal) => {
      await until(`${namespace}: pod ${String(ordinal)} to be gone`, async () =>
        (await cluster.get(podRef(ordinal))) === undefined ? true : undefined,
      );
    },
    untilEvent: async (reason) => {
      await until(`${namespace}: event ${reason}`, async () => {
        const events = (await cluster.list(played.event, { namespace })) ?? [];
        return events.some((event) => event["reason"] === reason) || undefined;
      });
    },
    close: () => {
      cluster.close();
    },
  };
}

/** True where the pod's status says this anywhere. */
export function podSays(text: string): (pod: KubeObject) => boolean {
  return (pod) => isObject(pod["status"]) && JSON.stringify(pod["status"]).includes(text);
}

/** True when the pod is of another image than before. */
export function isRenewed(pod: KubeObject): boolean {
  return JSON.stringify(pod["spec"]).includes(`:${newTag}"`);
}
