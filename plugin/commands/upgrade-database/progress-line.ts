/** The one line that tells of all waits for databases. */
import type { Awaited } from "../../domain/base/awaited";
import { boundList } from "../../domain/base/values";
import type { Recorder } from "../../kernel/recorder";
import type { Clock } from "../../ports/kubernetes";

/** So many databases are told by their names. */
const shownAtMost = 3;

/** The live line of many databases at once: how many are done, and what those under way wait for. */
export class ProgressLine {
  readonly #under = new Map<string, Awaited>();
  #total = 1;
  #done = 0;
  #failed = 0;

  constructor(
    private readonly clock: Clock,
    private readonly recorder: Pick<Recorder, "noteWaiting">,
    /** When the run began, in milliseconds since 1970. */
    readonly from = clock.now(),
  ) {}

  /** From here on each of so many is accounted for. */
  begin(total: number): void {
    this.#total = total;
    this.#under.clear();
  }

  waits(label: string, on: Awaited): void {
    this.#under.set(label, on);
    this.recorder.noteWaiting(this.#line(on), (this.clock.now() - this.from) / 1000);
  }

  ended(label: string, failed: boolean): void {
    this.#under.delete(label);
    this.#done += 1;
    if (failed) this.#failed += 1;
  }

  #line(on: Awaited): Awaited {
    if (this.#total === 1) return on;
    const all = [...this.#under.values()];
    const failed = this.#failed === 0 ? "" : `, ${this.#failed} failed`;
    return `databases: ${this.#done} of ${this.#total}${failed}; ${boundList(all, shownAtMost)}`;
  }
}
