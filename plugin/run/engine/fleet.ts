/** Work on many objects: a first one alone, the others at once, and an end when too many fail. */
import { atMost, eachAtMost } from "../../domain/at-most";

/** So many times as many items may be begun and not ended: on most of them the work is done. */
const mostBegun = 4;

/** How many at once, and when it is enough. */
interface FleetOptions<T> {
  readonly concurrency: number;
  /** Each of them alone and before the others, in their order. */
  readonly alone?: readonly T[];
  /** The one whose failure ends it. */
  readonly canary?: { readonly item: T; readonly label: string } | undefined;
  readonly maxFailures?: number | undefined;
  /** What the items are called: `namespaces`. */
  readonly noun: string;
  readonly signal: AbortSignal;
}

/** A run over many objects; each has an outcome of its own. */
export class Fleet<T> {
  readonly #failed = new Set<T>();
  #because: string | undefined;

  constructor(private readonly options: FleetOptions<T>) {}

  /** Why no further item is begun; undefined while all are. */
  get stopped(): string | undefined {
    return this.#because;
  }

  stop(because: string): void {
    this.#because ??= because;
  }

  /** Counts a failure; what concerns all the others stops them. */
  fail(item: T): void {
    this.#failed.add(item);
    const { maxFailures, noun, canary } = this.options;
    const count = this.#failed.size;
    if (maxFailures !== undefined && count >= maxFailures) {
      this.stop(`${count} ${noun} failed, as many as --max-failures allows`);
    }
    if (canary?.item === item) this.stop(`the canary ${canary.label} failed`);
  }

  /**
   * Works on each until it is stopped; a throw of the work ends the run. What follows on the work of
   * an item does not keep the next one waiting, and the first ones are alone until it is done.
   */
  async run<R>(
    items: readonly T[],
    work: (item: T) => Promise<R>,
    follow: (made: R) => Promise<void> = nothing,
  ): Promise<void> {
    const { alone = [], canary, concurrency, signal } = this.options;
    const one = async (item: T): Promise<() => Promise<void>> => {
      if (this.#because !== undefined) return nothing;
      signal.throwIfAborted();
      const made = await work(item);
      return () => follow(made);
    };
    const first = new Set([...alone, ...items.filter((item) => item === canary?.item)]);
    for (const item of first) await (await one(item))();
    const others = items.filter((item) => !first.has(item));
    const working = atMost(concurrency);
    await eachAtMost(concurrency * mostBegun, others, async (item) => {
      const rest = await working(() => this.#orStop(() => one(item)));
      await this.#orStop(rest);
    });
  }

  /** Those that wait for their turn are not begun after a throw. */
  async #orStop<V>(act: () => Promise<V>): Promise<V> {
    try {
      return await act();
    } catch (error) {
      this.stop("the work ended by an error");
      throw error;
    }
  }
}

const nothing = (): Promise<void> => Promise.resolve();
