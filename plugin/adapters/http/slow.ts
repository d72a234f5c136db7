/** Tells that an answer does not come, for as long as it does not. */
import { type Clock, deadline } from "../../ports/kubernetes";

const firstMs = 2_000;
const everyMs = 1_000;

/** Told of the whole seconds that the oldest question is open; without them, that none is for long. */
export type OnSlow = (asked: string, seconds?: number) => void;

/** All questions to one server, or to one program, that are open at one time, as one wait. */
export class SlowAnswers {
  readonly #open = new Set<{ readonly from: number }>();
  #told = false;
  #callOff: (() => void) | undefined;

  constructor(
    private readonly clock: Pick<Clock, "now" | "alarm">,
    private readonly asked: string,
    private readonly tell: OnSlow | undefined,
  ) {}

  /** The answer, watched while it does not come. */
  async during<T>(answer: Promise<T>): Promise<T> {
    if (this.tell === undefined) return answer;
    const question = { from: this.clock.now() };
    this.#open.add(question);
    if (this.#open.size === 1) this.#lookIn(firstMs);
    try {
      return await answer;
    } finally {
      this.#open.delete(question);
      if (this.#open.size === 0) {
        this.#callOff?.();
        this.#say();
      }
    }
  }

  #lookIn(ms: number): void {
    this.#callOff = deadline(this.clock, ms, () => {
      this.#say();
      this.#lookIn(everyMs);
    });
  }

  #say(): void {
    const longest = Math.max(0, ...[...this.#open].map(({ from }) => this.clock.now() - from));
    const isLong = longest >= firstMs;
    if (isLong) this.tell?.(this.asked, Math.floor(longest / 1000));
    else if (this.#told) this.tell?.(this.asked);
    this.#told = isLong;
  }
}
