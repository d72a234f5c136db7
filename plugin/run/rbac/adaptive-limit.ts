/** How many requests are under way at once: fewer when the API server says that it is too much. */
import { ApiError } from "../../domain/errors";
import type { Clock, Cluster } from "../ports";

const attempts = 8;
const usualPauseMs = 1_000;
/** A server that asks for more is asked again all the same. */
const longestWaitMs = 30_000;
/** So many answers without a 429 let one request more be under way. */
const calmAfter = 50;

/** Sends requests, at most so many at once; half as many after each 429, which is then repeated. */
export class AdaptiveLimit {
  #limit: number;
  #running = 0;
  #until = 0;
  #calm = 0;
  readonly #waiting: (() => void)[] = [];

  constructor(
    private readonly most: number,
    private readonly run: { readonly clock: Clock; readonly signal: AbortSignal },
    private readonly note: (text: string) => void,
  ) {
    this.#limit = most;
  }

  /** How many may be under way now. */
  get limit(): number {
    return this.#limit;
  }

  async send<T>(act: () => Promise<T>): Promise<T> {
    // what is begun after an interrupt puts something in order, and is sent
    const signal = this.run.signal.aborted ? undefined : this.run.signal;
    for (let attempt = 1; ; attempt += 1) {
      await this.#enter();
      try {
        await this.#pause(signal);
        const answer = await act();
        this.#speedUp();
        return answer;
      } catch (error) {
        if (!(error instanceof ApiError) || error.status !== 429 || attempt >= attempts)
          throw error;
        this.#slowDown(error);
      } finally {
        this.#leave();
      }
    }
  }

  async #enter(): Promise<void> {
    while (this.#running >= this.#limit) {
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    }
    this.#running += 1;
  }

  /** An interrupt ends it: what waits here was not looked at by the server. */
  async #pause(signal: AbortSignal | undefined): Promise<void> {
    const { clock } = this.run;
    const pause = this.#until - clock.now();
    if (pause > 0) await clock.sleep(pause, signal);
  }

  #leave(): void {
    this.#running -= 1;
    this.#waiting.shift()?.();
  }

  #speedUp(): void {
    this.#calm += 1;
    if (this.#calm < calmAfter || this.#limit >= this.most) return;
    this.#calm = 0;
    this.#limit += 1;
    this.#waiting.shift()?.();
  }

  /** Answers of requests sent before the last 429 tell nothing new: it is halved once a pause. */
  #slowDown({ retryAfter }: ApiError): void {
    const now = this.run.clock.now();
    const asked = retryAfter === undefined ? usualPauseMs : retryAfter * 1000;
    const pause = Math.min(asked, longestWaitMs);
    if (now >= this.#until) {
      this.#limit = Math.max(1, Math.floor(this.#limit / 2));
      this.note(
        `the API server is overloaded (429): ${this.#limit} at once, after ${pause / 1000}s`,
      );
    }
    this.#until = Math.max(this.#until, now + pause);
    this.#calm = 0;
  }
}

/** The cluster with every request sent through the pace; a watch is open for as long as it is read. */
export function paced(cluster: Cluster, pace: AdaptiveLimit): Cluster {
  return new Proxy(cluster, {
    get(target, key) {
      const value: unknown = Reflect.get(target, key, target);
      if (typeof value !== "function") return value;
      const method = value.bind(target) as (...args: readonly unknown[]) => unknown;
      if (key === "watch" || key === "close") return method;
      return (...args: readonly unknown[]) => pace.send(async () => await method(...args));
    },
  });
}
