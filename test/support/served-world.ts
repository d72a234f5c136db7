/** A cluster in memory with an operator at play, and the REST service of its EC beside it, in one time. */
import { defaultNames as names } from "../../plugin/domain/names/names";
import type { PlayOptions } from "../../plugin/simulator/operator/controller";
import type { KubeObject } from "../../plugin/ports/kubernetes";
import { EdbBridge } from "../../plugin/simulator/rest-api/bridge";
import { VirtualClock } from "../../plugin/ports/virtual-clock";
import { testTime } from "./manual-clock";
import { aClusterApi, type ClusterApiForTest, type PlayedWish } from "./played-cluster-api";
import { aPlayedWorld, type PlayedWorld } from "./played-operator";

/** What may differ from the example with an API of 7.22. */
export interface ServedWish {
  readonly objects?: readonly KubeObject[];
  readonly api?: Omit<PlayedWish, "clock" | "store" | "bdbs">;
  readonly play?: Partial<PlayOptions>;
}

/** Both: sleeps of `clock` let the operator and the service work. */
export interface ServedWorld extends PlayedWorld {
  readonly api: ClusterApiForTest;
}

/** Opens both, with a database for every EDB; the caller closes `api`. */
export async function aServedWorld({
  objects,
  api: wish,
  play,
}: ServedWish = {}): Promise<ServedWorld> {
  const virtual = new VirtualClock(testTime);
  const api = await aClusterApi({ ...wish, clock: virtual, bdbs: [] });
  const { store, works, profile } = api;
  const rest = new EdbBridge({ store, works, names, profile });
  const world = await aPlayedWorld({ ...play, ...(objects && { objects }), virtual, rest });
  // the first look takes on what is stored
  await world.play.dueAt();
  return { ...world, api };
}
