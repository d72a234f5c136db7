/** One cluster, and the runs of a job on it: what each asked, what took effect, and how it ended. */
import { withMethods } from "../../plugin/ports/delegate";
import { defaultNames as names } from "../../plugin/domain/names/names";
import type { KubeObject, Resource } from "../../plugin/domain/kube/objects";
import { Changes, type Difference } from "./fault-runs";
import type { Fault } from "./faults";
import { type ObservedCall, type Gate, observe } from "../../plugin/simulator/observed-cluster";
import { playAlong } from "../../plugin/simulator/operator/controller";
import { VirtualClock } from "../../plugin/ports/virtual-clock";
import { type Access, type KubeClient, requestDeadlineMs } from "../../plugin/ports/kubernetes";
import type { Report } from "../../plugin/kernel/report";
import { admin } from "../support/world";
import { testTime } from "../support/manual-clock";
import type { Ended } from "../support/program-world";
import type { Starts } from "../support/starts";
import type { Job } from "./list";
import { type Opened, reachOf } from "./rest";

const namespace = names.operator.namespace;
const oneDay = 86_400_000;

/** A request of a run: the call, which one of its kind it is, and which one of all. */
export interface Request {
  readonly call: ObservedCall;
  /** `patch Role shop/edb-role`. */
  readonly key: string;
  /** How many of the same key came before it. */
  readonly nth: number;
  /** How many requests came before it. */
  readonly index: number;
}

/** A write that took effect. */
export interface Written extends Request {
  /** Absent where it was not there. */
  readonly before?: KubeObject | undefined;
  /** Absent where it is gone. */
  readonly after?: KubeObject;
}

/** What is done to a request: nothing, something else first, or a failure in the place of its answer. */
export type Disturb = (
  request: Request,
) => Fault | undefined | Promise<Fault | undefined> | Promise<void>;

export interface RunWish {
  /** Words added to the job's own. */
  readonly more?: readonly string[];
  readonly user?: string;
  readonly unconfirmed?: true;
  readonly disturb?: Disturb;
  /** What the user may not do; `disturb` refuses the requests themselves. */
  readonly lacks?: (access: Access) => boolean;
  readonly signal?: AbortSignal;
  /** Nobody else plays while the job waits. */
  readonly still?: true;
}

/** How a run ended, and what it did. */
export interface Ran extends Ended {
  readonly report: Report;
  readonly requests: readonly Request[];
  readonly written: readonly Written[];
  /** Calls of the REST API that change something. */
  readonly posts: readonly string[];
  /** All calls of the REST API. */
  readonly calls: readonly string[];
  /** Virtual time. */
  readonly ms: number;
}

/** Says no when it is asked for what the user lacks. */
function withoutRights(
  cluster: KubeClient,
  lacks: (access: Access) => boolean = () => false,
): KubeClient {
  return withMethods(cluster, {
    can: (access) => (lacks(access) ? Promise.resolve(false) : cluster.can(access)),
  });
}

export class Trial {
  /** Of every run so far. */
  readonly ran: Ran[] = [];
  private readonly changes: Changes;
  private readonly env: NodeJS.ProcessEnv;

  private constructor(
    private readonly job: Job,
    private readonly starts: Starts,
    readonly opened: Opened,
  ) {
    this.changes = new Changes(opened.controlPlane);
    this.env = starts.newHome();
  }

  static async of(job: Job, starts: Starts): Promise<Trial> {
    return new Trial(job, starts, await openedFor(job, starts));
  }

  async close(): Promise<void> {
    await this.opened.api?.close();
  }

  get admin(): KubeClient {
    return this.opened.controlPlane.connect({ user: admin, namespace });
  }

  /** What became of the cluster, and of what its REST API keeps. */
  state(): Difference {
    const { api } = this.opened;
    const all = [...this.changes.difference()].filter(([key]) => !this.job.passing?.test(key));
    if (api === undefined) return new Map(all);
    const kept = [
      [...api.store.bdbs.values()].map(({ uid, version }) => [uid, version]),
      [...api.store.modules.values()].map(({ name, version }) => [name, version]),
    ];
    return new Map([...all, ["REST API", JSON.stringify(kept)]]);
  }

  async run(wish: RunWish = {}): Promise<Ran> {
    const { clock, still, settle, api, controlPlane } = this.opened;
    const from = clock.now();
    const seen = api?.calls.length ?? 0;
    const user = wish.user === undefined ? admin : { name: wish.user, groups: [] };
    const own = controlPlane.connect({ user, namespace });
    const { gate, requests, written } = this.gate(own, wish.disturb);
    const ended = await this.starts.typed(this.argv(wish), {
      cluster: withoutRights(observe(own, gate), wish.lacks),
      clock: wish.still === true ? still : clock,
      env: this.env,
      ...(wish.signal && { signal: wish.signal }),
    });
    const ms = clock.now() - from;
    await settle();
    const calls = api?.calls.slice(seen).map(({ method, path }) => `${method} ${path}`) ?? [];
    const posts = calls.filter(
      (line) => !line.startsWith("GET") && !line.endsWith(names.restPaths.authorize),
    );
    const report = JSON.parse(ended.out) as Report;
    const ran = { ...ended, report, requests, written, posts, calls, ms };
    this.ran.push(ran);
    return ran;
  }

  private argv({ more = [], unconfirmed }: RunWish): readonly string[] {
    const words = placed(this.job.words(this.starts.place), this.opened);
    return [...words, "-o", "json", ...more, ...(unconfirmed === true ? [] : ["--yes"])];
  }

  private gate(cluster: KubeClient, disturb: Disturb = () => undefined) {
    const requests: Request[] = [];
    const written: Written[] = [];
    const seen = new Map<string, number>();
    const { clock } = this.opened;
    const gate: Gate = async (call, send) => {
      const key = keyOf(call);
      const nth = seen.get(key) ?? 0;
      seen.set(key, nth + 1);
      const request = { call, key, nth, index: requests.length };
      requests.push(request);
      // others are under way at the same time
      const until = clock.now() + requestDeadlineMs;
      const fault = (await disturb(request)) ?? undefined;
      const sent = async () => {
        const before = call.writes ? await this.stored(request) : undefined;
        const answer = await send();
        if (call.writes) {
          const after = call.verb === "delete" ? {} : { after: answer as KubeObject };
          written.push({ ...request, before, ...after });
        }
        return answer;
      };
      if (fault === undefined) return sent();
      if (fault.applied) await sent();
      if (fault.hangs !== undefined) await clock.sleep(Math.max(0, until - clock.now()));
      throw fault.error(call, cluster.server);
    };
    return { gate, requests, written };
  }

  /** What a request is about, as it is stored. */
  async stored({ call }: Pick<Request, "call">): Promise<KubeObject | undefined> {
    const { name, namespace } = call.target ?? {};
    if (name === undefined) return undefined;
    const resource = await this.resourceOf(call);
    return resource && this.admin.get({ resource, name, ...(namespace && { namespace }) });
  }

  /** What a call is about, as the API server serves it; a call may name the kind alone. */
  async resourceOf({ target }: ObservedCall): Promise<Resource | undefined> {
    if (target === undefined) return undefined;
    const served = await this.admin.serves(target.group, target.version);
    return served?.find(({ kind }) => kind === target.kind);
  }
}

/** Names that a run gives are not the same in the next one. */
function keyOf({ verb, subject, dryRun }: ObservedCall): string {
  const named = subject.replace(/\d{8}-\d{6}-[0-9a-f]{6}$/, "RUN");
  return `${verb} ${named}${dryRun ? " (dry run)" : ""}`;
}

/** Words in the operator's namespace, with the way to the REST API that is played. */
export function placed(words: readonly string[], { api }: Opened): readonly string[] {
  const isPlaced = words.some((word) => /^(-n|--namespace)\b/.test(word));
  return [
    ...words,
    ...(api === undefined ? [] : reachOf(api)),
    ...(isPlaced ? [] : ["-n", namespace]),
  ];
}

/** The cluster that a job begins on, for one run or several. */
export function openedFor(job: Pick<Job, "open" | "before" | "objects">, starts: Starts) {
  return job.open?.() ?? forkOf(job, starts);
}

async function forkOf(job: Pick<Job, "before" | "objects">, starts: Starts): Promise<Opened> {
  const still = new VirtualClock(testTime + oneDay);
  const controlPlane = (await starts.of(job)).fork(still);
  const clock = playAlong({ controlPlane, clock: still, names, namespace });
  return { controlPlane, clock, still, settle: () => clock.settle() };
}
