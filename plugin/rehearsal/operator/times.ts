/** How long the played things take, in milliseconds of the clock that is played on. */

/** Durations of the acts; no real ones are published, so they only have an order of size. */
export interface Times {
  /** From a fact to the operator's answer to it. */
  readonly reactMs: number;
  /** How long the EC still reads Running after it was told to upgrade (domain facts 7). */
  readonly staleRunningMs: number;
  /** From a new pod to running containers. */
  readonly podStartMs: number;
  /** From running containers to a pod that is ready. */
  readonly podReadyMs: number;
  /** How long a pod drains before it is gone (domain facts 11). */
  readonly drainMs: number;
  /** How long the upgrade of one database takes. */
  readonly databaseMs: number;
  /** How long a hook Job of a chart runs. */
  readonly jobMs: number;
}

/** Seconds, where real ones are seconds or minutes. */
export const usualTimes: Times = {
  reactMs: 1_000,
  staleRunningMs: 3_000,
  podStartMs: 2_000,
  podReadyMs: 5_000,
  drainMs: 2_000,
  databaseMs: 4_000,
  jobMs: 1_000,
};

/** All durations multiplied. */
export function slowed(times: Times, factor: number): Times {
  return {
    reactMs: times.reactMs * factor,
    staleRunningMs: times.staleRunningMs * factor,
    podStartMs: times.podStartMs * factor,
    podReadyMs: times.podReadyMs * factor,
    drainMs: times.drainMs * factor,
    databaseMs: times.databaseMs * factor,
    jobMs: times.jobMs * factor,
  };
}
