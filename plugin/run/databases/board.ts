/** The live line of many databases at once: how many are done, and what those under way wait for. */
import { bounded } from "../../domain/status/verdict";
import type { Clock } from "../ports";
import type { Recorder } from "../recorder";

/** So many databases are told by their names. */
const shownAtMost = 3;

/** Keeps what each database waits for. */
export class Board {
  readonly #from: number;
  readonly #under = new Map<string, string>();
  #total = 1;
  #done = 0;
  #failed = 0;

  constructor(
    private readonly clock: Clock,
    private readonly recorder: Pick<Recorder, "waiting">,
  ) {
    this.#from = clock.now();
  }

  /** When the run began, in milliseconds since 1970. */
  get from(): number {
    return this.#from;
  }

  begin(total: number): void {
    this.#total = total;
  }

  waits(label: string, on: string): void {
    this.#under.set(label, on);
    this.recorder.waiting(this.#line(), (this.clock.now() - this.#from) / 1000);
  }

  ended(label: string, failed: boolean): void {
    this.#under.delete(label);
    this.#done += 1;
    if (failed) this.#failed += 1;
  }

  #line(): string {
    const all = [...this.#under].map(([label, on]) => `${label}: ${on}`);
    if (this.#total === 1) return all.join("");
    const failed = this.#failed === 0 ? "" : `, ${this.#failed} failed`;
    return `databases: ${this.#done} of ${this.#total}${failed}; ${bounded(all, shownAtMost)}`;
  }
}
