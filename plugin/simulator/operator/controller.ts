/**
 * The operator at play: on the Cluster port alone it does what an operator, the controllers and the
 * kubelet would do, since neither a cluster in memory nor an API server of tests has any of them.
 */
import { ApiError, EngineError } from "../../domain/base/errors";
import type { Names } from "../../domain/names/names";
import type { Clock, KubeClient, KubeObject, Repeated, RepeatedAct } from "../../ports/kubernetes";
import { inTurn } from "../virtual-clock";
import { RepeatedWork, type VirtualClock } from "../../ports/virtual-clock";
import type { MemoryControlPlane } from "../api-server/control-plane";
import { identity, type LogLine, type PlannedAction, statusWritten, timeText } from "./acts";
import { clusterActs, planServedCluster, showService } from "./clusters";
import { activeActiveActs, databaseActs } from "./databases";
import { deploymentActs, endpointActs } from "./deployment";
import { conditionIs, statefulSetActs } from "./pods";
import {
  jobKind,
  type OperatorSnapshot,
  type PlayOptions,
  readScene,
  type RestService,
  setOfCluster,
} from "./snapshot";
import type { StoreChange } from "../api-server/store";
import { parseDocuments } from "../../adapters/kubernetes/text/yaml";
import { kinds } from "../../domain/kube/kinds";
import { isObject } from "../../domain/base/values";
import type { Job, JobStatus } from "../../domain/kube/models";
import { asKind } from "../../domain/kube/typed";

export type { PlayOptions } from "./snapshot";

type Player = (scene: OperatorSnapshot) => readonly PlannedAction[];

/** What Kubernetes does by itself: its controllers, its kubelets, and whoever runs the Jobs. */
const controllers: readonly Player[] = [
  deploymentActs,
  endpointActs,
  jobActs,
  (scene) =>
    scene.ecs.flatMap((ec) => {
      const set = setOfCluster(scene, ec);
      return set === undefined ? [] : statefulSetActs(scene, set);
    }),
];

const operator: readonly Player[] = [
  clusterActs,
  planServedCluster,
  databaseActs,
  activeActiveActs,
];

/** Who reacts to what is stored: those that keep the books first. */
const players: Readonly<Record<NonNullable<PlayOptions["plays"]>, readonly Player[]>> = {
  everything: [...controllers, ...operator],
  operator,
};

const usualPollMs = 200;

/** Begins to play; nothing is done before the first step. */
export function playOperator(options: PlayOptions): Simulator {
  return new Simulator(options);
}

/** A play: it can be ended after any act, and another one continues where it was. */
export class Simulator {
  /** The operator's log so far, one JSON text a line. */
  readonly log: string[] = [];
  /** When each act that is wanted wup to date first: all that is remembered of time. */
  private since = new Map<string, number>();
  private readonly seen: OperatorSnapshot["seen"] = new Map();
  /** When something is due next, as of the last look; without end when all has come to rest. */
  private nextAt = Number.POSITIVE_INFINITY;
  /** What the last step looked at, where it found nothing due: what is due next needs no second look. */
  private looked: readonly PlannedAction[] | undefined;

  constructor(private readonly options: PlayOptions) {}

  /** Does the next act that is due; true when something was done. */
  async step(): Promise<boolean> {
    const { clock, cluster } = this.options;
    const now = clock.now();
    this.nextAt = Number.POSITIVE_INFINITY;
    this.looked = undefined;
    const acts = await this.listWanted();
    this.nextAt = this.earliest(acts);
    const due = acts.find((act) => this.dueTime(act) <= now);
    if (due === undefined) {
      this.looked = acts;
      return false;
    }
    try {
      await due.run({ cluster, log: this.say });
    } catch (error) {
      // someone else was faster: the next look sees what they did
      if (!(error instanceof ApiError) || ![404, 409].includes(error.status)) throw error;
    }
    return true;
  }

  /** When the next act is due, in milliseconds since 1970; undefined when all has come to rest. */
  async dueAt(): Promise<number | undefined> {
    const earliest = this.earliest(this.looked ?? (await this.listWanted()));
    return Number.isFinite(earliest) ? earliest : undefined;
  }

  /** Plays until the signal is aborted. */
  async run(signal: AbortSignal): Promise<void> {
    const { clock, pollMs = usualPollMs } = this.options;
    while (!signal.aborted) {
      try {
        if (await this.step()) continue;
      } catch (error) {
        if (!passes(error)) throw error;
      }
      const dueMs = Math.max(this.nextAt - clock.now(), 1);
      await clock.sleep(Math.min(pollMs, dueMs), signal).catch((error: unknown) => {
        if (!signal.aborted) throw error;
      });
    }
  }

  private async listWanted(): Promise<readonly PlannedAction[]> {
    const scene = await readScene(this.options, this.seen);
    showService(scene);
    const { plays = "everything" } = this.options;
    const acts = players[plays].flatMap((player) => player(scene));
    const now = this.options.clock.now();
    this.since = new Map(acts.map(({ key }) => [key, this.since.get(key) ?? now]));
    return acts;
  }

  private earliest(acts: readonly PlannedAction[]): number {
    const work = this.options.rest?.dueAt ?? Number.POSITIVE_INFINITY;
    return Math.min(work, ...acts.map((act) => this.dueTime(act)));
  }

  private dueTime({ key, afterMs }: PlannedAction): number {
    return (this.since.get(key) ?? 0) + afterMs;
  }

  private readonly say = ({ level, ...rest }: LogLine): void => {
    const ts = new Date(this.options.clock.now()).toISOString();
    this.log.push(JSON.stringify({ level, ts, ...rest }));
  };
}

/** An API server that is away comes back; one that refuses an act shows an error of the play. */
function passes(error: unknown): boolean {
  if (error instanceof ApiError) return error.status === 429 || error.status >= 500;
  return error instanceof EngineError;
}

/** No wait of a rehearsal sees as many acts: one that does sees a play that goes round in circles. */
const mostActs = 5_000;

/** Virtual time in which the operator plays along: before a sleep is over, what is due within it has been done. */
export class PlayedClock implements Clock {
  private readonly turn = inTurn();
  private readonly work = new RepeatedWork();
  private acts = 0;

  constructor(
    private readonly inner: VirtualClock,
    private readonly play: Simulator,
    /** While it says no, time passes without the operator. */
    private readonly isAwake: () => boolean = () => true,
  ) {}

  now(): number {
    return this.inner.now();
  }

  async sleep(ms: number, signal?: AbortSignal): Promise<void> {
    await this.work.passUntil(this.inner.now() + ms, this, (some) => this.pass(some, signal));
  }

  repeat(act: RepeatedAct): Repeated {
    return this.work.begin(act, this);
  }

  private async pass(ms: number, signal?: AbortSignal): Promise<void> {
    if (!this.isAwake()) return this.inner.sleep(ms, signal);
    signal?.throwIfAborted();
    const until = this.inner.now() + ms;
    await this.turn(() => this.playUntil(until));
    await this.inner.sleep(Math.max(0, until - this.inner.now()), signal);
    await this.turn(() => this.act());
  }

  /** Lets the operator play until nothing is left to do. */
  async settle(): Promise<void> {
    if (!this.isAwake()) return;
    await this.turn(() => this.playUntil(Number.POSITIVE_INFINITY));
  }

  private async playUntil(until: number): Promise<void> {
    this.acts = 0;
    for (;;) {
      await this.act();
      const due = await this.play.dueAt();
      if (due === undefined || due > until) return;
      this.inner.advance(Math.max(0, due - this.inner.now()));
    }
  }

  private async act(): Promise<void> {
    while (await this.play.step()) {
      this.acts += 1;
      if (this.acts > mostActs) throw new Error("the operator at play goes round in circles");
    }
  }
}

/** Where the operator plays along in a rehearsal. */
interface AlongWish {
  readonly controlPlane: MemoryControlPlane;
  readonly clock: VirtualClock;
  readonly names: Names;
  /** The operator's. */
  readonly namespace: string;
  /** The REST service of a cluster, once one is asked. */
  readonly apis?: { readonly service: RestService | undefined };
}

/**
 * A clock whose sleeps let the operator play. What was loaded is taken as it is, ready or not: the operator
 * sleeps until something of its own is changed, and other commands are rehearsed as if it were not there.
 */
export function playAlong({ controlPlane, clock, names, namespace, apis }: AlongWish): PlayedClock {
  const user = { name: "system:kube-controller-manager", groups: ["system:masters"] };
  const cluster = controlPlane.connect({ user, namespace });
  const play = playOperator({
    ...{ cluster, clock, names, namespace },
    get rest() {
      return apis?.service;
    },
  });
  let awake = false;
  controlPlane.onChange((change) => {
    const { object, before } = change;
    const isOther =
      before === undefined || object.metadata.generation !== before.metadata.generation;
    awake ||= (isItsOwn(object, names) && isOther) || isRollMoved(change);
  });
  return new PlayedClock(clock, play, () => {
    // work that was begun over REST is for the operator to tell of
    awake ||= apis?.service?.dueAt !== undefined;
    return awake;
  });
}

/** What the operator and its controllers react to. */
function isItsOwn({ apiVersion, kind, metadata }: KubeObject, names: Names): boolean {
  if (apiVersion.startsWith(`${names.group}/`)) return true;
  if (kind === "Job") return true;
  return kind === "Deployment" && metadata.name === names.operator.deployment;
}

/** A StatefulSet that asks for something else, or a pod that is taken from it: its controller goes on. */
function isRollMoved({ type, object, before }: StoreChange): boolean {
  const { kind, metadata } = object;
  if (kind === "StatefulSet") return metadata.generation !== before?.metadata.generation;
  const isLeaving = metadata.deletionTimestamp !== undefined;
  return kind === "Pod" && (type === "DELETED" || isLeaving);
}

/** Helm's own mark on what runs before or after its release. */
const hookAnnotation = "helm.sh/hook";

/** The manager of what hook Jobs apply. */
const hookManager = "helm-hook";

/** Ends the hook Jobs that have not ended. */
function jobActs(scene: OperatorSnapshot): readonly PlannedAction[] {
  const failing = scene.misbehave.failingJobs === true;
  return scene.jobs.filter(isOpenHook).map((job) => ({
    key: `${identity(job)} ends`,
    afterMs: scene.times.jobMs,
    run: async (hands) => {
      if (!failing) await work(hands.cluster, scene, job);
      const status = buildEndConditions(failing, timeText(scene.now));
      await statusWritten({ resource: jobKind, object: job }, status)(hands);
    },
  }));
}

function isOpenHook(job: Job): boolean {
  const isHook = job.metadata.annotations?.[hookAnnotation] !== undefined;
  return isHook && !conditionIs(job, "Complete") && !conditionIs(job, "Failed");
}

async function work(cluster: KubeClient, scene: OperatorSnapshot, job: Job): Promise<void> {
  const { namespace = scene.namespace } = job.metadata;
  const volumes = job.spec?.template?.spec?.volumes ?? [];
  const mounted = volumes.flatMap(({ configMap }) => configMap?.name ?? []);
  for (const name of mounted) {
    const found = await cluster.get({ resource: kinds.configMap, name, namespace });
    const texts = Object.values(asKind(found, "ConfigMap")?.data ?? {});
    for (const definition of texts.flatMap((yaml) => definitionsIn(yaml, name)))
      await cluster.apply(definition, { fieldManager: hookManager, force: true });
  }
  await scene.hookWork?.(job);
}

function definitionsIn(yaml: string, origin: string): readonly KubeObject[] {
  if (!yaml.includes("CustomResourceDefinition")) return [];
  return parseDocuments(yaml, origin).filter(
    (document): document is KubeObject =>
      isObject(document) && document["kind"] === "CustomResourceDefinition",
  );
}

/** Both conditions are asked for by newer API servers. */
function buildEndConditions(failing: boolean, time: string): JobStatus {
  const [types, reason, message] = failing
    ? ([
        ["FailureTarget", "Failed"],
        "BackoffLimitExceeded",
        "Job has reached the specified backoff limit",
      ] as const)
    : ([
        ["SuccessCriteriaMet", "Complete"],
        "CompletionsReached",
        "Reached expected number of succeeded pods",
      ] as const);
  const times = { lastProbeTime: time, lastTransitionTime: time };
  return {
    startTime: time,
    ...(failing ? { failed: 1 } : { completionTime: time, succeeded: 1 }),
    ready: 0,
    terminating: 0,
    uncountedTerminatedPods: {},
    conditions: types.map((type) => ({ type, status: "True", reason, message, ...times })),
  };
}
