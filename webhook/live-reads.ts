/**
 * Live reads of ECs, bounded: one at a time for each question, so that a burst of bad edits cannot
 * flood the API server (admission facts 9.9). Whoever asks gets an answer to a read that began
 * after the question: an older one could confirm a denial that is no longer right (C14).
 */
import { abortAfter } from "./abort-after";
import { ClustersUnreadable } from "./clusters";

export interface LiveLimits {
  /** Reads under way at once, over all questions. */
  readonly most: number;
  /** No single read may take longer. */
  readonly ms: number;
}

interface Flight {
  started: boolean;
  answer: Promise<unknown>;
}

export class LiveReads {
  private readonly flights = new Map<string, Flight>();
  private readonly waiting: (() => void)[] = [];
  private running = 0;

  constructor(private readonly limits: LiveLimits = { most: 16, ms: 10_000 }) {}

  /** The answer to `start`, shared by all who ask the same before it is sent; ends with the signal. */
  async read<T>(
    question: string,
    start: (signal: AbortSignal) => Promise<T>,
    signal: AbortSignal,
  ): Promise<T> {
    const last = this.flights.get(question);
    const flight = last?.started === false ? last : this.depart(question, start, last);
    return (await unlessAborted(flight.answer, signal)) as T;
  }

  private depart(
    question: string,
    start: (signal: AbortSignal) => Promise<unknown>,
    last: Flight | undefined,
  ): Flight {
    const flight: Flight = { started: false, answer: Promise.resolve() };
    const fly = async (): Promise<unknown> => {
      await last?.answer.catch(() => undefined);
      await this.enter();
      flight.started = true;
      try {
        return await start(abortAfter(this.limits.ms));
      } finally {
        this.leave();
        if (this.flights.get(question) === flight) this.flights.delete(question);
      }
    };
    flight.answer = fly();
    flight.answer.catch(() => undefined); // whoever asked may have gone
    this.flights.set(question, flight);
    return flight;
  }

  private async enter(): Promise<void> {
    if (this.running < this.limits.most) this.running += 1;
    else await new Promise<void>((resolve) => this.waiting.push(resolve));
  }

  /** The place goes to the next in line, if there is one. */
  private leave(): void {
    const next = this.waiting.shift();
    if (next === undefined) this.running -= 1;
    else next();
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
