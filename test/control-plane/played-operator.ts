/** The operator at play beside a test on the real API server. */
import { connect } from "../../plugin/adapters/kubernetes/connect";
import { defaultNames as names } from "../../plugin/domain/names";
import type { Misbehaviour } from "../../plugin/rehearsal/operator/snapshot";
import { type PlayOptions, playOperator } from "../../plugin/rehearsal/operator/play";
import { systemClock } from "../../plugin/adapters/clock";
import type { ControlPlane } from "./control-plane";

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
  misbehave: Misbehaviour = {},
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
