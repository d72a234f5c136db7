/** How long a review may take: what `?timeout=` leaves, so that the answer comes before the cut. */
import { abortAfter } from "./abort-after";

const units: Readonly<Record<string, number>> = {
  ns: 1e-6,
  us: 1e-3,
  µs: 1e-3,
  μs: 1e-3,
  ms: 1,
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
};

/** The API server's own default, for calls without a `timeout`. */
const usual = 10_000;
/** The longest that a registration can ask for. */
const longest = 30_000;
/** The API server rounds the time left up to whole seconds. */
const margin = 1_000;

/** A duration as Go prints it (`10s`, `1m30s`, `500ms`) in milliseconds. */
export function parseGoDuration(text: string): number | undefined {
  if (!/^(\d{1,9}(\.\d{1,9})?(ns|us|µs|μs|ms|s|m|h))+$/.test(text)) return undefined;
  const parts = text.matchAll(/([\d.]+)(\D+)/g);
  return [...parts].reduce((sum, [, n = "", unit = ""]) => sum + Number(n) * (units[unit] ?? 0), 0);
}

/** The time for a call in milliseconds: one second less than asked, a quarter of it where that is next to nothing. */
export function budgetOf(timeout: string | null): number {
  const asked = parseGoDuration(timeout ?? "") ?? usual;
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
