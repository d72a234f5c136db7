/** The operator at play and the cluster's REST service beside it, on the real API server. */
import { connect } from "../../plugin/adapters/kubernetes/connect";
import { defaultNames as names } from "../../plugin/domain/names";
import { EdbBridge } from "../../plugin/rehearsal/cluster-api/bridge";
import { playOperator, type PlayOptions } from "../../plugin/rehearsal/operator/play";
import { systemClock } from "../../plugin/program/clock";
import {
  aClusterApi,
  type ClusterApiForTest,
  type PlayedWish,
} from "../support/played-cluster-api";
import type { ControlPlane } from "./control-plane";
import { shortTimes } from "./played-operator";

/** Of the service's work: a test waits for facts, not for times. */
const workTimes = { queuedMs: 20, batchMs: 50, failoverMs: 20, finishMs: 20, installMs: 20 };

/** What may differ. */
export interface ServedPlay {
  readonly namespace: string;
  readonly api?: Omit<PlayedWish, "clock" | "store" | "bdbs">;
  readonly play?: Partial<PlayOptions>;
}

/** Both, until they are ended. */
export interface PlayedBoth {
  readonly api: ClusterApiForTest;
  /** The operator's log so far. */
  readonly log: readonly string[];
  readonly end: () => Promise<void>;
}

/** Plays both; a database is there for every EDB once the operator has looked. */
export async function playServed(
  { kubeconfig }: ControlPlane,
  { namespace, api: wish, play }: ServedPlay,
): Promise<PlayedBoth> {
  const cluster = await connect({ kubeconfig, namespace }, {});
  const api = await aClusterApi({ times: workTimes, ...wish, clock: systemClock, bdbs: [] });
  const { store, works, profile } = api;
  const ending = new AbortController();
  const operator = playOperator({
    ...{ cluster, clock: systemClock, names, namespace, times: shortTimes, pollMs: 20 },
    ...{
      endpoints: ["192.0.2.10"],
      rest: new EdbBridge({ store, works, names, profile }),
      ...play,
    },
  });
  const running = operator.run(ending.signal);
  return {
    api,
    log: operator.log,
    end: async () => {
      ending.abort();
      await running;
      cluster.close();
      await api.close();
    },
  };
}
