/** Work on many objects: a first one alone, the others at once, and an end when too many fail. */
import { eachThenRest, nothing, type Rest } from "../domain/base/concurrency";

/** How many at once, and when it is enough. */
interface FleetOptions<T> {
  readonly concurrency: number;
  /** Each of them alone and before the others, in their order. */
  readonly alone?: readonly T[];
  /** All of them end before the others begin; where one fails, no other is begun. */
  readonly early?: readonly T[];
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
  /** Why no further item is begun; undefined while all are. */
  stopped: string | undefined;

  constructor(private readonly options: FleetOptions<T>) {}

  stop(because: string): void {
    this.stopped ??= because;
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

  /** Works on each until it is stopped; a throw ends the run. The first ones are alone until nothing is left of them. */
  async run(items: readonly T[], work: (item: T) => Promise<Rest>): Promise<void> {
    const { alone = [], early = [], canary, noun, concurrency: limit, signal } = this.options;
    const one = async (item: T): Promise<Rest> => {
      if (this.stopped !== undefined) return nothing;
      signal.throwIfAborted();
      return work(item);
    };
    const first = new Set([...alone, ...items.filter((item) => item === canary?.item)]);
    for (const item of first) await (await one(item))();
    const left = items.filter((item) => !first.has(item));
    const others = left.filter((item) => !early.includes(item));
    // on most of those that are begun the work itself is done
    const bounds = { limit, begun: 4 * limit };
    await eachThenRest(
      bounds,
      left.filter((item) => early.includes(item)),
      one,
    );
    const failed = early.filter((item) => this.#failed.has(item)).length;
    if (failed > 0 && others.length > 0) {
      this.stop(`${failed} of the ${noun} that have to come first failed`);
    }
    await eachThenRest(bounds, others, one);
  }
}
