/**
 * Watches the webhook through its probe for as long as a run takes, so that what the report says of an outage was
 * looked at: often around a write that may take the webhook away and while it does not answer, seldom otherwise.
 */
import { EngineError } from "../domain/base/errors";
import type { Observation, ProbeKind, ProbePair } from "../domain/admission/probe";
import { answersInTurn, measureGap } from "../domain/admission/gap";
import {
  type Hole,
  HoleCounter,
  type HoleKind,
  type Moment,
  readSights,
  type Sight,
  touchesWebhook,
  type Unseen,
} from "../domain/admission/outage";
import type { Journal } from "../kernel/journal";
import type { Recorder } from "../kernel/recorder";
import type { GapReport, GapWindow, UnobservedStretch } from "../kernel/report";
import { type Repeated, repeat } from "../ports/kubernetes";
import type { Prober, ProberDeps } from "./prober";

/** Milliseconds between two probes; seldom, between two looks of one probe of each kind. */
const pauses = { often: 200, rollout: 1_000, seldom: 5_000 } as const;

/** How long it is probed often after a write, or after a probe that failed. */
const oftenMs = 10_000;

/** An edit that waits longer is noticed by who sends it. */
const lateMs = 1_000;

/** A server whose answers are late is left alone for a moment. */
const leastPauseMs = 50;

/** Both twins, so often at the beginning: another bad edit is tried as long as none was refused. */
const openingRounds = 3;

/** Opens the probe; else why there is none. */
type OpenProbe = () => Promise<Prober | string>;

/** What was seen, from the first probe to the last. */
export interface Watched extends Moment {
  readonly probes: number;
  readonly slowestMs: number;
  readonly holes: readonly Hole[];
  /** Of each kind what was not seen. */
  readonly unseen: Readonly<Record<HoleKind, readonly Unseen[]>>;
  readonly answers: ReturnType<typeof answersInTurn>;
  /** What is sent, for people. */
  readonly kind: string | undefined;
}

/** A hole as the report tells it. */
export function reportHole(
  { is, from, ms, leastMs, mostMs, holes, isOlder, isOpen }: Hole,
  recorder: Pick<Recorder, "stretch">,
): GapWindow {
  return {
    is,
    ...recorder.stretch(from, from + ms),
    leastSeconds: toSeconds(leastMs),
    mostSeconds: toSeconds(mostMs),
    ...(holes !== undefined && { holes }),
    ...(isOlder && { isOlder }),
    ...(isOpen && { isOpen }),
  };
}

/** What was not seen as the report tells it. */
export function reportUnseen(
  unseen: Watched["unseen"],
  recorder: Pick<Recorder, "stretch">,
): readonly UnobservedStretch[] {
  return (["bypass", "outage"] as const).flatMap((is) =>
    unseen[is].map(({ because, from, to }) => ({ is, ...recorder.stretch(from, to), because })),
  );
}

/** What was watched as the report tells it. */
export function reportWatched(watched: Watched, recorder: Pick<Recorder, "stretch">): GapReport {
  const { from, to, holes, unseen, probes, slowestMs, answers, kind } = watched;
  const unobserved = reportUnseen(unseen, recorder);
  const what = kind === undefined ? "" : ` of ${kind}`;
  const late = slowestMs < lateMs ? "" : `, the slowest answered after ${toSeconds(slowestMs)} s`;
  return {
    ...measureGap(holes),
    method: `${probes} server-side dry runs${what} over fresh connections${late}`,
    windows: holes.map((hole) => reportHole(hole, recorder)),
    seconds: toSeconds(to - from),
    probes,
    slowestMs: Math.round(slowestMs),
    ...(unobserved.length > 0 && { unobserved }),
    answers: answers.map(({ from: begun, to: ended, ...rest }) => ({
      ...rest,
      ...recorder.stretch(begun, ended),
    })),
  };
}

function toSeconds(ms: number): number {
  return Math.round(ms) / 1_000;
}

function startCounters(from: number): Readonly<Record<HoleKind, HoleCounter>> {
  return { bypass: new HoleCounter("bypass", from), outage: new HoleCounter("outage", from) };
}

/** Probes beside a run. */
export class OutageWatch {
  #counters: Readonly<Record<HoleKind, HoleCounter>>;
  #from: number;
  #probe: Prober | undefined;
  #closed = "nothing was probed";
  #isStale = true;
  #next: ProbeKind = "accept";
  #probes = 0;
  #slowestMs = 0;
  /** Writes under way that may take the webhook away. */
  #touching = 0;
  #oftenUntil = 0;
  #isRollout = false;
  #lastOutage: Sight["is"] = "unseen";
  #queue: Promise<unknown> = Promise.resolve();
  #work: Repeated | undefined;

  constructor(
    private readonly deps: ProberDeps,
    private readonly open: OpenProbe,
  ) {
    this.#from = deps.clock.now();
    this.#counters = startCounters(this.#from);
  }

  /** Looks at the state found, and watches from then on: what went before, a question say, nobody watched. */
  async begin(): Promise<void> {
    this.#from = this.deps.clock.now();
    this.#counters = startCounters(this.#from);
    await this.#inTurn(async () => {
      for (let asked = 0; Math.max(asked, this.#probes) < 2 * openingRounds; asked += 1) {
        await this.#ask();
      }
    });
    this.#work = repeat(this.deps.clock, () => this.#inTurn(() => this.#round()));
  }

  /** What is sent, once there is something to probe. */
  get pair(): ProbePair | undefined {
    return this.#probe?.pair;
  }

  /** A rollout has begun, or is over: pods that come and go may take the webhook with them. */
  rollout(isUnderWay: boolean): void {
    this.#isRollout = isUnderWay;
    if (isUnderWay) this.#work?.soon();
  }

  /** The record of a part, whose lines tell when a write is about to be sent. */
  watchJournal(journal: Journal): Journal {
    const isTouching = (line: object): boolean => touchesWebhook(line, this.deps.names);
    return {
      problem: () => journal.problem(),
      save: (object) => journal.save(object),
      intent: async (line) => {
        await journal.intent(line);
        if (isTouching(line)) await this.#beforeWrite();
      },
      outcome: async (line) => {
        if (isTouching(line)) this.#afterWrite();
        await journal.outcome(line);
      },
    };
  }

  /** Milliseconds that are still to be watched after a write or a probe that failed; none where nothing is probed. */
  get tailMs(): number {
    const { clock, signal } = this.deps;
    if (this.#probe === undefined || signal.aborted) return 0;
    return Math.max(0, this.#oftenUntil - clock.now());
  }

  /** Watches for as long as a write may still show, looks once more, and ends. */
  async end(): Promise<Watched> {
    const { clock, signal } = this.deps;
    await clock.sleep(this.tailMs, signal).catch(() => undefined); // an interrupt ends the watch
    await this.#work?.stop();
    await this.#inTurn(async () => {
      for (let twin = 0; twin < 2 && !signal.aborted; twin += 1) await this.#ask();
    });
    const to = clock.now();
    // since an interrupt no probe was sent, or its answer was not waited for
    if (signal.aborted) this.#missed(to, "the run was interrupted");
    const [bypass, outage] = [this.#counters.bypass.end(to), this.#counters.outage.end(to)];
    const observed = this.#probe?.countObservations() ?? [];
    return {
      ...{ from: this.#from, to, probes: this.#probes, slowestMs: this.#slowestMs },
      holes: [...bypass.holes, ...outage.holes],
      unseen: { bypass: bypass.unseen, outage: outage.unseen },
      answers: answersInTurn(observed),
      kind: this.#probe?.pair.kind,
    };
  }

  /** The last look before it: without it nothing is known of the moment before. */
  async #beforeWrite(): Promise<void> {
    this.#touching += 1;
    this.#work?.soon();
    if (this.#lastOutage === "bad") return;
    await this.#inTurn(async () => {
      this.#next = "accept";
      await this.#ask();
    });
  }

  #afterWrite(): void {
    this.#touching -= 1;
    this.#isStale = true;
    this.#probeOften();
    this.#work?.soon();
  }

  #probeOften(): void {
    this.#oftenUntil = this.deps.clock.now() + oftenMs;
  }

  /** Gives the time until the next one. */
  async #round(): Promise<number> {
    const { clock, signal } = this.deps;
    const from = clock.now();
    // where it is asked seldom both twins are: a hole of either kind is met by the next look
    const twins = this.#pauseMs() === pauses.seldom ? 2 : 1;
    for (let twin = 0; twin < twins && !signal.aborted; twin += 1) await this.#ask();
    return Math.max(leastPauseMs, this.#pauseMs() - (clock.now() - from));
  }

  #pauseMs(): number {
    if (this.#touching > 0 || this.deps.clock.now() < this.#oftenUntil) return pauses.often;
    return this.#isRollout ? pauses.rollout : pauses.seldom;
  }

  /** Sends the twin whose turn it is. */
  async #ask(): Promise<void> {
    const { clock, signal } = this.deps;
    const from = clock.now();
    try {
      const prober = await this.#opened();
      const twin = this.#next;
      this.#next = twin === "accept" ? "deny" : "accept";
      if (prober === undefined) this.#missed(from, this.#closed);
      else await this.#send(prober, twin);
    } catch (error) {
      // an interrupt ends the run, which ends this
      if (signal.aborted) return;
      if (!(error instanceof EngineError)) throw error;
      this.#missed(from, error.message);
    }
  }

  async #send(prober: Prober, twin: ProbeKind): Promise<void> {
    const seen = await prober.send(twin);
    if (seen !== undefined) this.#count(prober, seen);
  }

  #count(prober: Prober, seen: Observation): void {
    this.#probes += 1;
    this.#slowestMs = Math.max(this.#slowestMs, seen.to - seen.from);
    const { bypass, outage } = readSights(seen, prober);
    if (bypass !== undefined) this.#take("bypass", seen, bypass);
    if (outage !== undefined) this.#take("outage", seen, outage);
    if ([bypass?.is, outage?.is].includes("bad")) this.#probeOften();
  }

  #take(kind: HoleKind, moment: Moment, sight: Sight): void {
    this.#counters[kind].take(moment, sight);
    if (kind === "outage") this.#lastOutage = sight.is;
  }

  #missed(from: number, because: string): void {
    const moment = { from, to: this.deps.clock.now() };
    this.#take("bypass", moment, { is: "unseen", because });
    this.#take("outage", moment, { is: "unseen", because });
  }

  /** Where nothing could be probed, a write may have brought what is to be probed. */
  async #opened(): Promise<Prober | undefined> {
    if (this.#probe !== undefined || !this.#isStale) return this.#probe;
    const opened = await this.open();
    this.#isStale = false;
    if (typeof opened === "string") {
      this.#closed = opened;
      return undefined;
    }
    this.#probe = opened;
    // what was seen while it was chosen what to send was seen as well
    for (const seen of [...opened.observations]) this.#count(opened, seen);
    return opened;
  }

  /** One after the other: they are taken in the order of their time. */
  #inTurn<T>(act: () => Promise<T>): Promise<T> {
    const mine = this.#queue.then(act);
    this.#queue = mine.catch(() => undefined); // its sender's alone
    return mine;
  }
}
