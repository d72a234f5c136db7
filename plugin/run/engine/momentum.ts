/** Verdict after verdict on one thing that takes time: when it last moved, and whether it stands still. */
import { exitCodes } from "../../domain/errors";
import type { Finding } from "../../domain/findings";
import {
  isSameStall,
  type Progress,
  type Stalled,
  stallFinding,
} from "../../domain/rollout/progress";
import { BlockedError } from "./recorder";

/** What happens to one thing, look after look. */
export class Momentum {
  #moved: number;
  /** A step that comes again is no progress, or a failure could repeat forever. */
  readonly #steps = new Set<string>();
  #suspect: Stalled | undefined;

  constructor(
    from: number,
    private readonly codes: readonly Pick<Finding, "code" | "source">[],
  ) {
    this.#moved = from;
  }

  /** True after a look that saw a stall. */
  get isSuspected(): boolean {
    return this.#suspect !== undefined;
  }

  /** Milliseconds without a step that is new. */
  idleMs(now: number): number {
    return now - this.#moved;
  }

  /** Takes a verdict; a stall that is seen twice is thrown as the end. */
  take(verdict: Progress, now: number): void {
    if (verdict.is === "done") return;
    if (verdict.is === "stalled") {
      if (isSameStall(this.#suspect, verdict)) {
        const code = verdict.unproven === true ? exitCodes.timeout : exitCodes.failed;
        throw new BlockedError(code, [stallFinding(verdict, this.codes)]);
      }
      this.#suspect = verdict;
      return;
    }
    this.#suspect = undefined;
    if (!this.#steps.has(verdict.step)) this.#moved = now;
    this.#steps.add(verdict.step);
  }
}
