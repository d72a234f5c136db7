/**
 * Live reads of ECs, bounded: so many questions at a time, and each asked once for all who want to
 * know, so that a burst of bad edits cannot flood the API server (admission facts 9.9). Whoever asks
 * gets an answer to a request that was sent after the question: an older one could confirm a denial
 * that is no longer right (C14). A request that hangs holds nobody up: it is sent again beside it.
 */
import { atMost } from "../../plugin/domain/base/concurrency";
import { ClustersUnreadable } from "./clusters";

interface LiveLimits {
  /** Questions under way at once; each has two requests at most. */
  readonly most: number;
  /** No single request may take longer. */
  readonly ms: number;
  /** The request is sent again after so long without an answer, and then after ever longer ones. */
  readonly patienceMs: number;
}

const usual: LiveLimits = { most: 16, ms: 10_000, patienceMs: 500 };
const longestPatienceMs = 1_000;

type Start = (signal: AbortSignal) => Promise<unknown>;

export class LiveReads {
  private readonly questions = new Map<string, LiveRead>();
  private readonly limits: LiveLimits;
  private readonly bounded;

  constructor(limits: Partial<LiveLimits> = {}) {
    this.limits = { ...usual, ...limits };
    this.bounded = atMost(this.limits.most);
  }

  /** The answer to `start`, shared by all who ask the same before it is sent; ends with the signal. */
  async read<T>(
    name: string,
    start: (signal: AbortSignal) => Promise<T>,
    signal: AbortSignal,
  ): Promise<T> {
    const known = this.questions.get(name);
    const question = known ?? new LiveRead(this.limits);
    const asker = question.add(start);
    if (known === undefined) {
      this.questions.set(name, question);
      void this.pursue(name, question);
    }
    try {
      return (await unlessAborted(asker.answer, signal)) as T;
    } finally {
      question.leave(asker);
    }
  }

  private async pursue(name: string, question: LiveRead): Promise<void> {
    await this.bounded(async () => {
      // those who ask in the same turn share the first request
      await Promise.resolve();
      while (question.isAsked) await question.pursue();
      this.questions.delete(name);
    });
  }
}

interface Asker {
  /** When it asked, in the order that requests are in too. */
  readonly at: number;
  readonly start: Start;
  readonly answer: Promise<unknown>;
  readonly resolve: (answer: unknown) => void;
  readonly reject: (error: Error) => void;
}

interface SentRead {
  readonly at: number;
  readonly end: AbortController;
}

/** One question, for as long as someone waits for its answer. */
class LiveRead {
  private readonly askers = new Set<Asker>();
  /** Under way: the first, which an API server that is only slow will answer, and the latest. */
  private sent: readonly SentRead[] = [];
  private moment = 0;
  private wake: () => void = () => undefined;

  constructor(private readonly limits: LiveLimits) {}

  get isAsked(): boolean {
    return this.askers.size > 0;
  }

  add(start: Start): Asker {
    let [resolve, reject]: [Asker["resolve"], Asker["reject"]] = [() => undefined, () => undefined];
    const answer = new Promise<unknown>((...both) => {
      [resolve, reject] = both;
    });
    const asker = { at: (this.moment += 1), start, answer, resolve, reject };
    this.askers.add(asker);
    return asker;
  }

  /** Who leaves waits no more. */
  leave(asker: Asker): void {
    if (this.askers.delete(asker) && !this.isAsked) this.wake();
  }

  /** Sends requests until nobody waits any more. */
  async pursue(): Promise<void> {
    const { patienceMs: usualMs } = this.limits;
    let [patienceMs, isSilent] = [usualMs, false];
    for (let [first] = this.askers; first !== undefined; [first] = this.askers) {
      if (isSilent || this.sent.length === 0) this.send(first.start);
      isSilent = await this.silence(patienceMs);
      patienceMs = isSilent ? Math.min(2 * patienceMs, longestPatienceMs) : usualMs;
    }
    for (const { end } of this.sent) end.abort();
  }

  private send(start: Start): void {
    const [first, latest] = this.sent;
    latest?.end.abort();
    const sent = { at: (this.moment += 1), end: new AbortController() };
    this.sent = first === undefined ? [sent] : [first, sent];
    void this.follow(sent, start);
  }

  /** True after so long in which no request has ended, false when one has or nobody waits any more. */
  private silence(ms: number): Promise<boolean> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, ms, true);
      this.wake = () => {
        clearTimeout(timer);
        resolve(false);
      };
    });
  }

  private async follow(sent: SentRead, start: Start): Promise<void> {
    const { signal } = sent.end;
    try {
      const answer = await start(AbortSignal.any([signal, AbortSignal.timeout(this.limits.ms)]));
      for (const older of this.sent) if (older.at < sent.at) older.end.abort();
      this.sent = this.sent.filter(({ at }) => at > sent.at);
      for (const asker of this.take((at) => at < sent.at)) asker.resolve(answer);
    } catch (error) {
      if (signal.aborted) return;
      this.sent = this.sent.filter((other) => other !== sent);
      // who has asked before a later one was sent waits for that
      const last = this.sent.at(-1)?.at ?? 0;
      for (const asker of this.take((at) => at < sent.at && at > last))
        asker.reject(error as Error);
    }
    this.wake();
  }

  /** Those who wait no more. */
  private take(isDone: (at: number) => boolean): readonly Asker[] {
    const done = [...this.askers].filter(({ at }) => isDone(at));
    for (const asker of done) this.askers.delete(asker);
    return done;
  }
}

async function unlessAborted<T>(answer: Promise<T>, signal: AbortSignal): Promise<T> {
  let stop: () => void = () => undefined;
  const aborted = new Promise<never>((_resolve, reject) => {
    stop = () => {
      reject(new ClustersUnreadable("no answer in time", { cause: signal.reason }));
    };
  });
  if (signal.aborted) stop();
  signal.addEventListener("abort", stop);
  try {
    return await Promise.race([answer, aborted]);
  } finally {
    signal.removeEventListener("abort", stop);
  }
}
