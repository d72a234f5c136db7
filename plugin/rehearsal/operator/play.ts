/**
 * The operator at play: on the Cluster port alone it does what an operator, the controllers and the
 * kubelet would do, since neither a cluster in memory nor an API server of tests has any of them.
 */
import { ApiError, EngineError } from "../../domain/errors";
import type { Names } from "../../domain/names";
import type { Clock, Cluster, KubeObject } from "../../run/ports";
import type { Act, LogLine } from "./act";
import { clusterActs } from "./clusters";
import { activeActiveActs } from "./active-active";
import { databaseActs } from "./databases";
import { deploymentActs } from "./deployment";
import { endpointActs } from "./endpoints";
import { isTold } from "./events";
import { jobActs } from "./jobs";
import type { Misbehaviour } from "./misbehaviour";
import type { ReleaseTable } from "./releases";
import type { RestService } from "./rest-service";
import { readScene, type Scene, type Stage } from "./scene";
import { servedClusterActs, showService } from "./served-cluster";
import { statefulSetActs } from "./stateful-set";
import { slowed, type Times, usualTimes } from "./times";
import { setOfCluster } from "./cluster-set";

/** Where and how the operator plays. */
export interface PlayOptions {
  /** Its own connection: it needs the rights of the operator and of the controllers. */
  readonly cluster: Cluster;
  readonly clock: Clock;
  readonly names: Names;
  /** The operator's. */
  readonly namespace: string;
  /** Beside the published pairs of operator and cluster releases. */
  readonly versions?: ReleaseTable;
  readonly misbehave?: Misbehaviour;
  /** Addresses of the webhook's endpoints instead of the pods' own; false: endpoints are left alone. */
  readonly endpoints?: readonly string[] | false;
  readonly times?: Partial<Times>;
  /** What a hook Job does beside applying the definitions that it mounts. */
  readonly hookWork?: (job: KubeObject) => Promise<void>;
  /** The REST service of a cluster: databases are raised there. */
  readonly rest?: RestService | undefined;
  /** How long `run` waits between two looks. */
  readonly pollMs?: number;
}

/** A play: it can be ended after any act, and another one goes on where it was. */
export interface Play {
  /** Does the next act that is due; true when something was done. */
  step(): Promise<boolean>;
  /** When the next act is due, in milliseconds since 1970; undefined when all has come to rest. */
  dueAt(): Promise<number | undefined>;
  /** Plays until the signal is aborted. */
  run(signal: AbortSignal): Promise<void>;
  /** The operator's log so far, one JSON text a line. */
  readonly log: readonly string[];
}

const usualPollMs = 200;

/** Begins to play; nothing is done before the first step. */
export function playOperator(options: PlayOptions): Play {
  return new OperatorAtPlay(options);
}

class OperatorAtPlay implements Play {
  readonly log: string[] = [];
  private readonly stage: Stage;
  /** When each act that is wanted was wanted first: all that is remembered of time. */
  private since = new Map<string, number>();

  constructor(private readonly options: PlayOptions) {
    const { names, namespace, misbehave = {}, times } = options;
    const { slow = 1, staleRunningMs } = misbehave;
    const usual = slowed({ ...usualTimes, ...times }, slow);
    this.stage = {
      names,
      namespace,
      releases: options.versions ?? {},
      misbehave,
      times: { ...usual, ...(staleRunningMs !== undefined && { staleRunningMs }) },
      endpoints: options.endpoints,
      hookWork: options.hookWork,
      // asked for with each look: it may be opened later
      get rest() {
        return options.rest;
      },
      seen: new Map(),
    };
  }

  async step(): Promise<boolean> {
    const { clock, cluster } = this.options;
    const now = clock.now();
    const due = (await this.wanted()).find((act) => this.dueTime(act) <= now);
    if (due === undefined) return false;
    try {
      await due.run({ cluster, clock, log: this.say });
    } catch (error) {
      // somebody else was faster: the next look sees what they did
      if (!(error instanceof ApiError) || ![404, 409].includes(error.status)) throw error;
    }
    return true;
  }

  async dueAt(): Promise<number | undefined> {
    const acts = (await this.wanted()).map((act) => this.dueTime(act));
    const work = this.stage.rest?.dueAt ?? Number.POSITIVE_INFINITY;
    const times = [...acts, work].filter(Number.isFinite);
    return times.length === 0 ? undefined : Math.min(...times);
  }

  async run(signal: AbortSignal): Promise<void> {
    const { clock, pollMs = usualPollMs } = this.options;
    while (!signal.aborted) {
      try {
        if (await this.step()) continue;
      } catch (error) {
        if (!passes(error)) throw error;
      }
      await clock.sleep(pollMs, signal).catch((error: unknown) => {
        if (!signal.aborted) throw error;
      });
    }
  }

  private async wanted(): Promise<readonly Act[]> {
    const { cluster, clock } = this.options;
    const scene = await readScene(cluster, this.stage, clock.now());
    showService(scene);
    const acts = actsOf(scene).filter((act) => !isTold(scene, act));
    const now = clock.now();
    this.since = new Map(acts.map(({ key }) => [key, this.since.get(key) ?? now]));
    return acts;
  }

  private dueTime({ key, afterMs }: Act): number {
    return (this.since.get(key) ?? 0) + afterMs;
  }

  private readonly say = (line: LogLine): void => {
    const ts = new Date(this.options.clock.now()).toISOString();
    const { level, ...rest } = line;
    this.log.push(JSON.stringify({ level, ts, ...rest }));
  };
}

/** An API server that is away comes back; one that refuses an act shows an error of the play. */
function passes(error: unknown): boolean {
  if (error instanceof ApiError) return error.status === 429 || error.status >= 500;
  return error instanceof EngineError;
}

/** Everything that is to be done, what keeps the books first. */
function actsOf(scene: Scene): readonly Act[] {
  return [
    ...deploymentActs(scene),
    ...endpointActs(scene),
    ...jobActs(scene),
    ...scene.ecs.flatMap((ec) => {
      const set = setOfCluster(scene, ec);
      return set === undefined ? [] : statefulSetActs(scene, set);
    }),
    ...clusterActs(scene),
    ...servedClusterActs(scene),
    ...databaseActs(scene),
    ...activeActiveActs(scene),
  ];
}
