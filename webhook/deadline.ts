/** How long a review may take: what `?timeout=` leaves, so that the answer comes before the cut. */
import { parseDuration } from "../plugin/domain/duration";
import { abortAfter } from "./abort-after";

/** The API server's own default, for calls without a `timeout`. */
const usual = 10_000;
/** The longest that a registration can ask for. */
const longest = 30_000;
/** The API server rounds the time left up to whole seconds. */
const margin = 1_000;

/** The time for a call in milliseconds: one second less than asked, a quarter of it where that is next to nothing. */
export function budgetOf(timeout: string | null): number {
  const asked = parseDuration(timeout ?? "") ?? usual;
  const most = Math.min(asked > 0 ? asked : usual, longest);
  return Math.max(most - margin, most / 4);
}

/** A point in time that an answer has to meet. */
export class Deadline {
  private readonly at: number;

  constructor(
    budget: number,
    private readonly now: () => number = () => performance.now(),
    start = now(),
  ) {
    this.at = start + budget;
  }

  /** Milliseconds left, never below zero. */
  left(): number {
    return Math.max(0, this.at - this.now());
  }

  /** Aborts at the deadline. Made only when there is something to wait for. */
  signal(): AbortSignal {
    return abortAfter(this.left());
  }
}
