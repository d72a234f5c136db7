/** Whether what a run tells of holes agrees with what truly was. */
import type { GapWindow } from "../../plugin/kernel/report";
import type { Span, Truth } from "./disturbed-webhook";

/** Milliseconds since 1970 lose what is below one: at both ends of a span. */
const roundingSeconds = 0.002;
/** Probes of two kinds that take turns, of two senders: among so many is one of each. */
const enoughProbes = 5;

interface Judged {
  readonly truth: Truth | undefined;
  readonly probes: readonly Span[];
  /** Holes of no sure length that may be told where there was none. */
  readonly mayBe: number;
}

/** What is wrong with the windows of one kind. */
export function judgeWindows(
  windows: readonly GapWindow[],
  { truth, probes, mayBe }: Judged,
): readonly string[] {
  const least = sum(windows.map(({ leastSeconds }) => leastSeconds));
  if (truth === undefined) {
    return least === 0 && windows.length <= mayBe ? [] : [`made up: ${JSON.stringify(windows)}`];
  }
  const isTooLong = least > toSeconds(truth.may) + roundingSeconds;
  return [
    ...(isTooLong ? ["the least is longer than it was"] : []),
    ...(truth.sure === undefined ? [] : judgeSure(windows, { sure: truth.sure, probes })),
  ];
}

/** A hole that was certainly there, as long as somebody asked. */
function judgeSure(
  windows: readonly GapWindow[],
  { sure, probes }: { readonly sure: Span; readonly probes: readonly Span[] },
): readonly string[] {
  const within = countWithin(probes, sure);
  if (windows.length === 0) {
    return within < enoughProbes ? [] : [`${within} probes met it, and it is not told`];
  }
  // nobody looked before the first probe and after the last one
  const [first = sure, last = sure] = [probes[0], probes.at(-1)];
  const watched = { from: Math.max(sure.from, first.from), to: Math.min(sure.to, last.to) };
  const most = sum(windows.map(({ mostSeconds }) => mostSeconds));
  return most < toSeconds(watched) - roundingSeconds ? ["the most is shorter than it was"] : [];
}

export function countWithin(probes: readonly Span[], span: Span): number {
  return probes.filter(({ from, to }) => span.from < from && to < span.to).length;
}

function toSeconds({ from, to }: Span): number {
  return Math.max(0, to - from) / 1000;
}

function sum(all: readonly number[]): number {
  return all.reduce((total, one) => total + one, 0);
}
