/**
 * Sends the twins of the probe as server-side dry runs over fresh connections, while the swap
 * continues around it, and keeps what it saw.
 */
import { ApiError, EngineError, UnavailableError } from "../domain/base/errors";
import type { Names } from "../domain/names/names";
import type { KubeObject } from "../domain/kube/objects";
import { getPath } from "../domain/base/values";
import {
  measureFailing,
  judgeProof,
  type Observation,
  type ProbePair,
  type Proof,
  type ProbeKind,
  type WantedEntry,
} from "../domain/admission/probe";
import { type ProbeAnswer, readAnswer } from "../domain/admission/answers";
import { type Hindrance, hindranceIn, findRefuser } from "../domain/admission/refusers";
import { thinObservations } from "../domain/admission/gap";
import { type Clock, type KubeClient, deadline } from "../ports/kubernetes";

/** What counts as proof, and how long to wait for it. */
export interface ProofWanted {
  /** The entry that has to be seen refusing; absent: answers alone are wanted. */
  readonly entry: WantedEntry;
  readonly quietMs: number;
  readonly pairs: number;
  readonly limitMs: number;
  /** Calls that fail for so long will not get better: what worked before is put back sooner. */
  readonly failingMs?: number;
}

/** What continues while a proof is waited for. */
interface Meanwhile {
  /** A second prober that continues watching. */
  readonly also?: Prober | undefined;
  readonly onWait?: (because: string, ms: number) => void;
}

export interface ProberDeps {
  readonly cluster: KubeClient;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly names: Names;
}

/** Whose answers are the webhook's, and how long one may take, in milliseconds; absent: the usual. */
export interface ProberOptions {
  readonly ours?: readonly string[];
  readonly limitMs?: number;
}

interface SentProbe {
  readonly twin: ProbeKind;
  readonly object: KubeObject;
}

/** One answer may take so long; a webhook that takes longer does not answer. */
const answerLimitMs = 5_000;
/** Between two pairs; a server whose answers are late is left alone for as long as they took. */
const leastPauseMs = 50;
/** Beyond so many, answers that say the same again are forgotten. */
const mostObservations = 2_000;
const unreachableLimit = 25;
/** So many refusals of one and the same webhook are no accident of who answers first. */
const mostLooks = 12;

/** What has been wrong for as long as may be, or was looked at so long, is not waited for any longer. */
function isOver(
  seen: readonly Observation[],
  { failingMs = Infinity, limitMs }: ProofWanted,
  forMs: number,
): boolean {
  return measureFailing(seen) >= failingMs || forMs >= limitMs;
}

/** Probes with one pair. */
export class Prober {
  readonly observations: Observation[] = [];
  /** Names of the entries by which the product's webhook is called. */
  readonly ours: readonly string[];
  readonly #limitMs: number;
  /** Which of the pair's twins is sent as the one to refuse: the first that anybody refused. */
  #deny = 0;
  #denySettled = false;
  #unreachable = 0;

  constructor(
    private readonly deps: ProberDeps,
    readonly pair: ProbePair,
    options: ProberOptions = {},
  ) {
    const { entry, oldEntry } = deps.names.webhook;
    this.ours = options.ours ?? [entry, oldEntry];
    this.#limitMs = options.limitMs ?? answerLimitMs;
  }

  /** True once an entry of the webhook was seen refusing the pair's twin. */
  get refused(): boolean {
    return this.#denySettled;
  }

  /** The twin that an entry of the webhook was seen refusing. */
  get bad(): string | undefined {
    return this.#denySettled ? this.pair.denies[this.#deny]?.what : undefined;
  }

  /** Takes over what another one has seen of the same pair meanwhile: one story, in the order of its time. */
  include({ observations }: Pick<Prober, "observations">): void {
    for (const observation of observations) this.#keep(observation);
  }

  /** The observations that count: of the twin that was seen refused, once one was. */
  countObservations(since = 0): readonly Observation[] {
    const what = this.pair.denies[this.#deny]?.what;
    return this.observations.filter(
      ({ from, twin, pair }) =>
        from >= since && (twin === "accept" || !this.#denySettled || pair === what),
    );
  }

  /**
   * What tells how long bad edits passed: of twins that nobody but another refuser judges, those
   * that it refuses; a twin that no one ever refused may be no bad edit here.
   */
  tellObservations(): readonly Observation[] {
    const seen = this.countObservations();
    const refused = new Set(
      seen
        .filter(
          ({ twin, answer }) => twin === "deny" && findRefuser(answer, this.ours) !== undefined,
        )
        .map(({ pair }) => pair),
    );
    if (this.#denySettled || refused.size === 0) return seen;
    return seen.filter(({ twin, pair }) => twin === "accept" || refused.has(pair));
  }

  /** What stands against a proof in the answers so far: somebody else's refusals. */
  get hindrance(): Hindrance | undefined {
    const { observations, ours, pair } = this;
    return hindranceIn(observations, { ours, denies: pair.denies.length });
  }

  /**
   * A few rounds over the state found. Webhooks are asked at the same time and the first refusal is
   * the one that is told: where only those of another webhook were seen, it is asked more often.
   */
  async look(rounds: number): Promise<void> {
    for (let round = 0; round < rounds || (round < mostLooks && this.mayTurn); round += 1) {
      await this.round();
    }
  }

  /** Only refusals of another webhook were seen: who is told first may change. */
  get mayTurn(): boolean {
    const { hindrance } = this;
    return hindrance?.twin === "deny" && hindrance.refuser.kind === "webhook";
  }

  /** Both twins once and at the same time: a webhook that does not answer costs its time limit once. */
  async glance(): Promise<void> {
    await Promise.all([this.send("accept"), this.send("deny")]);
  }

  /** Sends both twins once. */
  async round(cut?: AbortSignal): Promise<void> {
    await this.send("accept", cut);
    await this.send("deny", cut);
  }

  /** Probes on until the work is done; a probe that fails never hides the work's outcome. */
  async during<T>(work: Promise<T>): Promise<T> {
    const cut = new AbortController();
    const outcome = work.finally(() => {
      cut.abort();
    });
    outcome.catch(() => undefined); // awaited below, after the round under way
    try {
      while (!cut.signal.aborted) {
        const from = this.deps.clock.now();
        await this.round(cut.signal);
        await this.#pause(from, cut.signal).catch(() => undefined); // the work is done
      }
    } catch (error) {
      await outcome;
      // an interrupt or a lost server is met again by whatever comes next
      if (!(error instanceof EngineError)) throw error;
    }
    return await outcome;
  }

  /** Probes until the proof stands or the limit is reached; judges from this moment on. */
  async settle(wanted: ProofWanted, during: Meanwhile = {}): Promise<Proof> {
    const { clock, signal } = this.deps;
    const from = clock.now();
    const told = new Set<string>();
    for (;;) {
      const begun = clock.now();
      await Promise.all([this.round(), during.also?.round()]);
      const seen = this.countObservations(from);
      const proof = judgeProof(seen, wanted);
      if (proof.is === "proven") return proof;
      // a server that is slow and right is given the time for as many answers as are wanted
      if (proof.isRight !== true && isOver(seen, wanted, clock.now() - from)) return proof;
      // twins that take turns say the same by turns: a line for each state, told once
      if (!told.has(proof.because)) during.onWait?.(proof.because, clock.now() - from);
      told.add(proof.because);
      await this.#pause(begun, signal);
    }
  }

  async #pause(from: number, signal: AbortSignal): Promise<void> {
    const { clock } = this.deps;
    await clock.sleep(Math.max(leastPauseMs, clock.now() - from), signal);
  }

  #keep(observation: Observation): void {
    const { observations } = this;
    observations.push(observation);
    if (observations.length <= mostObservations) return;
    // half of them stay as they are: a proof counts the newest
    const older = thinObservations(observations.slice(0, -mostObservations / 2));
    const kept = older.slice(-mostObservations / 4);
    observations.splice(0, observations.length - mostObservations / 2, ...kept);
  }

  /** Sends one twin; gives what was seen, undefined where it was cut short. */
  async send(twin: ProbeKind, cut?: AbortSignal): Promise<Observation | undefined> {
    const variant = this.pair.denies[this.#deny];
    const sent = twin === "accept" ? { what: this.pair.kind, object: this.pair.accept } : variant;
    if (sent === undefined || cut?.aborted === true) return undefined;
    const from = this.deps.clock.now();
    const answer = await this.#answer({ twin, object: sent.object }, cut);
    if (answer === undefined) return undefined;
    const seen = { pair: sent.what, twin, from, to: this.deps.clock.now(), answer };
    this.#keep(seen);
    if (twin === "deny") this.#choose(answer);
    return seen;
  }

  /** Another twin is tried as long as none was refused: servers differ in what they judge. */
  #choose(answer: ProbeAnswer): void {
    if (answer.is === "refused" && this.ours.includes(answer.by)) this.#denySettled = true;
    const isOursDown = answer.is === "failed" && findRefuser(answer, this.ours) === undefined;
    if (!this.#denySettled && !isOursDown) {
      this.#deny = (this.#deny + 1) % this.pair.denies.length;
    }
  }

  /** Undefined when the round was cut short: not an observation. */
  async #answer(sent: SentProbe, cut: AbortSignal | undefined): Promise<ProbeAnswer | undefined> {
    const { signal, clock } = this.deps;
    const limit = new AbortController();
    const inTime = deadline(clock, this.#limitMs, () => {
      limit.abort();
    });
    const options = {
      dryRun: true,
      fresh: true,
      signal: AbortSignal.any([signal, limit.signal, ...(cut === undefined ? [] : [cut])]),
    };
    try {
      await this.#dryRun(sent, options);
      this.#unreachable = 0;
      return { is: "accepted" };
    } catch (error) {
      signal.throwIfAborted();
      if (cut?.aborted === true) return undefined;
      if (limit.signal.aborted) return this.#noAnswer();
      return this.#refusal(error);
    } finally {
      inTime();
    }
  }

  #noAnswer(): ProbeAnswer {
    return { is: "failed", by: "", detail: `no answer within ${this.#limitMs / 1_000} s` };
  }

  #refusal(error: unknown): ProbeAnswer {
    if (error instanceof ApiError) {
      this.#unreachable = 0;
      return readAnswer(error);
    }
    if (!(error instanceof EngineError)) throw error;
    // one cut connection is no verdict on the webhook, a server that stays away ends the run
    this.#unreachable += 1;
    if (!(error instanceof UnavailableError) || this.#unreachable >= unreachableLimit) throw error;
    return { is: "other", detail: error.message };
  }

  async #dryRun(
    { twin, object }: SentProbe,
    options: { readonly dryRun: boolean; readonly fresh: boolean; readonly signal: AbortSignal },
  ): Promise<void> {
    const { cluster } = this.deps;
    if (object.metadata.uid === undefined) {
      await cluster.create(object, options);
      return;
    }
    // a stored database: its operator writes to it all the time, so the newest one is taken
    const { name = "", namespace = "" } = object.metadata;
    const read = await cluster.get({ resource: this.pair.resource, name, namespace }, options);
    const current = read ?? object;
    const changed = twin === "accept" ? current : { ...current, spec: getPath(object, ["spec"]) };
    await cluster.update(changed, options);
  }
}
