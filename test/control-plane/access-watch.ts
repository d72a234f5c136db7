import type { Demand, Told, WatchOrders } from "./access-watch-process";
import type { ControlPlane } from "./control-plane";
import { connectionOf, startProcess } from "./second-process";
import { GivenUp, until } from "./until";
import type { User } from "./users";

/** Who asks: not the account that is asked about. */
export const accessWatcher: User = { name: "access-watcher", groups: ["system:masters"] };

export interface AccessWatch {
  /** From now on this has to be allowed; resolves when all of it was asked once. */
  demand(demand: Demand): Promise<void>;
  /** Ends it. */
  stop(): Promise<AccessRecord>;
}

export interface AccessRecord {
  readonly reviews: number;
  /** Refusals as `demand: verb resource in namespace`, each once. */
  readonly refused: readonly string[];
}

/** Starts a second process that asks, all the time, whether the account may do what is demanded. */
export function startAccessWatch(
  controlPlane: ControlPlane,
  account: Pick<WatchOrders, "user" | "groups">,
): AccessWatch {
  const { told, say, stop } = startProcess<Told>("access-watch-process.ts");
  say({ ...connectionOf(controlPlane, accessWatcher.name), ...account });
  return {
    demand: async (demand) => {
      say(demand);
      await until(`a round of "${demand.name}"`, () => {
        requireNoFailure(told);
        return told.some((one) => one.is === "round" && one.demand === demand.name) || undefined;
      });
    },
    stop: async () => {
      await stop();
      requireNoFailure(told);
      return recordOf(told);
    },
  };
}

function requireNoFailure(told: readonly Told[]): void {
  const failed = told.find((one) => one.is === "failed");
  if (failed?.is === "failed") throw new GivenUp(`the watching ended: ${failed.because}`);
}

function recordOf(told: readonly Told[]): AccessRecord {
  const rounds = told.flatMap((one) => (one.is === "round" ? [one.reviews] : []));
  const refused = told.flatMap((one) => {
    if (one.is !== "refused") return [];
    const { verb = "", resource = "", namespace = "the cluster" } = one.question;
    return [`${one.demand}: ${verb} ${resource} in ${namespace}`];
  });
  return { reviews: Math.max(0, ...rounds), refused: [...new Set(refused)] };
}
