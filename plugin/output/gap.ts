/** How long edits were stopped or let through, in words: what was seen, between which bounds, and what was not seen. */
import type { GapReport, GapWindow, ReplicaReport, UnobservedStretch } from "../kernel/report";

type Is = GapWindow["is"];

/** Seconds that are told as none. */
const leastSeen = 0.05;

/** `0 s in 12 min 31 s, 3,412 probes`; of a swap alone the seconds. */
export function renderGap(gap: GapReport, is: Is): string {
  const seconds = is === "bypass" ? gap.bypassSeconds : gap.outageSeconds;
  const lost = sum(ownUnseen(gap, is).map(({ ms }) => ms)) / 1000;
  if (gap.seconds === undefined || gap.probes === undefined) {
    return `${seconds}s${lost === 0 ? "" : `, ${renderSpan(lost)} not observed`}`;
  }
  const seen = Math.max(0, gap.seconds - lost);
  const time = lost === 0 ? renderSpan(seen) : `${renderSpan(seen)} of ${renderSpan(gap.seconds)}`;
  const within = `in ${time}, ${gap.probes.toLocaleString("en-US")} probes`;
  const holes = ownWindows(gap, is);
  if (holes.length > 0) {
    const least = sum(holes.map(({ leastSeconds }) => leastSeconds));
    const most = sum(holes.map(({ mostSeconds }) => mostSeconds));
    return `${renderBounds(least, most)} ${within}`;
  }
  // stretches are rounded one by one, so that what is left of a time may be a trace
  return lost > 0 && seen < leastSeen ? `not observed ${within}` : `0 s ${within}`;
}

/** A line for each hole, and for each stretch that was not observed. */
export function windowLines(gap: GapReport, is: Is): readonly string[] {
  const holes = ownWindows(gap, is).map(
    (hole) => `  ${renderHole(hole)} from ${renderSpan(hole.at / 1000)} on${renderEnds(hole)}`,
  );
  const unseen = ownUnseen(gap, is).map(
    ({ at, ms, because }) =>
      `  Not observed: ${renderSpan(ms / 1000)} from ${renderSpan(at / 1000)} on: ${because}`,
  );
  return [...holes, ...unseen];
}

/** What stands behind the Service, and what each pod said when it was asked. */
export function replicaLines(replicas: ReplicaReport | undefined): readonly string[] {
  if (replicas === undefined) return [];
  const { ready, note, asked = [] } = replicas;
  const count =
    ready === undefined ? "" : `${ready} ${ready === 1 ? "replica" : "replicas"} ready; `;
  return [`${count}${note}`, ...asked.map((one) => `  ${renderAsked(one)}`)];
}

/** What a pod said when it was asked. */
export function renderAsked({ pod, is, because }: AskedReplica): string {
  return `${pod} ${is}${because === undefined ? "" : `: ${because}`}`;
}

type AskedReplica = NonNullable<ReplicaReport["asked"]>[number];

function ownWindows({ windows = [] }: GapReport, is: Is): readonly GapWindow[] {
  return windows.filter((one) => one.is === is);
}

function ownUnseen({ unobserved = [] }: GapReport, is: Is): readonly UnobservedStretch[] {
  return unobserved.filter((one) => one.is === is);
}

function renderHole({ leastSeconds, mostSeconds, holes = 1 }: GapWindow): string {
  const many = holes === 1 ? "" : ` in ${holes} holes`;
  return `${renderBounds(leastSeconds, mostSeconds)}${many}`;
}

function renderEnds({ isOlder, isOpen }: GapWindow): string {
  const ends = [
    ...(isOlder === true ? ["it may have begun earlier"] : []),
    ...(isOpen === true ? ["it was so at the end"] : []),
  ];
  return ends.length === 0 ? "" : ` (${ends.join(", ")})`;
}

/** Rounded outwards: the true length is within. */
function renderBounds(least: number, most: number): string {
  return `[${Math.floor(least * 10) / 10}, ${Math.ceil(most * 10) / 10}] s`;
}

function renderSpan(seconds: number): string {
  const whole = Math.floor(seconds);
  const [hours, minutes, rest] = [
    Math.floor(whole / 3600),
    Math.floor(whole / 60) % 60,
    whole % 60,
  ];
  return [
    ...(hours > 0 ? [`${hours} h`] : []),
    ...(hours > 0 || minutes > 0 ? [`${minutes} min`] : []),
    `${hours > 0 || minutes > 0 ? rest : Math.round(seconds * 10) / 10} s`,
  ].join(" ");
}

function sum(all: readonly number[]): number {
  return all.reduce((total, one) => total + one, 0);
}
