/** The operator at play beside a test on the real API server. */
import { connect } from "../../plugin/adapters/kubernetes/connect";
import { kinds } from "../../plugin/domain/kube/kinds";
import { defaultNames as names } from "../../plugin/domain/names/names";
import { getPath } from "../../plugin/domain/base/values";
import { type Misbehavior, played } from "../../plugin/simulator/operator/snapshot";
import { type PlayOptions, playOperator } from "../../plugin/simulator/operator/controller";
import { systemClock } from "../../plugin/adapters/clock";
import type { KubeClient } from "../../plugin/ports/kubernetes";
import type { ControlPlane } from "./control-plane";
import { until } from "./until";

/** Short ones: a test waits for facts, not for times. */
export const shortTimes = {
  reactMs: 10,
  staleRunningMs: 50,
  podStartMs: 10,
  podReadyMs: 20,
  drainMs: 10,
  databaseMs: 20,
  jobMs: 10,
};

/** What a test says of a play; the rest is the same for all. */
export type Playing = Partial<PlayOptions> & Pick<PlayOptions, "cluster" | "namespace">;

/** Sets the image of both of the operator's containers. */
export async function setOperator(
  cluster: KubeClient,
  namespace: string,
  version: string,
): Promise<void> {
  const image = `${names.images.operator}:${version}`;
  const { deployment, container, admissionContainer } = names.operator;
  const containers = [container, admissionContainer].map((name) => ({ name, image }));
  const ref = { resource: kinds.deployment, name: deployment, namespace };
  const body = { spec: { template: { spec: { containers } } } };
  await cluster.patch(ref, body, { type: "strategic" });
}

/** Waits until the operator is of its present Deployment, and three pods of the cluster are ready. */
export async function untilPodsReady(cluster: KubeClient, namespace: string): Promise<void> {
  await until("the operator and three pods", async () => {
    const { deployment: name } = names.operator;
    const deployment = await cluster.get({ resource: kinds.deployment, name, namespace });
    const set = await cluster.get({ resource: played.statefulSet, name: "ec", namespace });
    const ready =
      getPath(deployment, ["status", "observedGeneration"]) === deployment?.metadata.generation &&
      getPath(deployment, ["status", "availableReplicas"]) === 1 &&
      getPath(set, ["status", "readyReplicas"]) === 3;
    return ready || undefined;
  });
}

/** Plays until the returned function is called. */
export function startPlay(playing: Playing): () => Promise<void> {
  const ending = new AbortController();
  const running = playOperator({
    ...{ clock: systemClock, names, endpoints: ["192.0.2.10"], times: shortTimes, pollMs: 100 },
    ...playing,
  }).run(ending.signal);
  return async () => {
    ending.abort();
    await running;
  };
}

/** The same over a connection of its own. */
export async function playAt(
  { kubeconfig }: ControlPlane,
  namespace: string,
  misbehave: Misbehavior = {},
): Promise<() => Promise<void>> {
  const cluster = await connect({ kubeconfig, namespace }, {});
  const end = startPlay({ cluster, namespace, misbehave });
  return async () => {
    await end();
    cluster.close();
  };
}

/** The operator plays as long as something is done. */
export async function whilePlaying<T>(playing: Playing, act: () => Promise<T>): Promise<T> {
  const end = startPlay(playing);
  try {
    return await act();
  } finally {
    await end();
  }
}
