/** A run in time: parts, pods, probes and objects over one axis, from what the document says of them. */
import type { GapReport, Report, StepReport, Stretch, PartReport } from "../../kernel/report";
import { asArray, getOwn } from "../../domain/base/values";
import { type Bar, type Block, type Lane, renderMs, section, type Tone } from "./blocks";

/** A person looks at so many rows. */
const mostLanes = 60;

/** An axis has so many stretches. */
export const ticks = 4;

const tickSeconds = [0.1, 0.2, 0.5, 1, 2, 3, 5, 10, 15, 20, 30, 60, 120, 180, 300, 600, 900, 1_800];

/** How a result or a verdict stands. */
export function chooseTone(result: string): Tone {
  if (result === "failed") return "bad";
  if (result === "unjudged") return "warn";
  return ["unchanged", "skipped", "planned"].includes(result) ? "calm" : "good";
}

/** The chart; nothing of a run that took no time, and of one that was not done. */
export function timelineBlocks(report: Report): readonly Block[] {
  const parts = asArray(getOwn(report.details, "parts")) as readonly PartReport[];
  const steps = listTimed(report.steps);
  const end = Math.max(0, ...[...steps, ...listTimed(parts)].map(({ at, ms }) => at + ms));
  const lanes = [
    ...listTimed(parts).map((part) => layLane("Parts", part.title, [part])),
    ...(report.pods ?? []).map((pod) => layLane("Pods", pod.name, [{ ...pod, why: "renewed" }])),
    ...probeLanes(report.gap),
    ...objectLanes(steps, end),
  ];
  if (end === 0 || lanes.length === 0) return [];
  const more = lanes.length - mostLanes;
  const tick = tickSeconds.find((one) => one * 1_000 * ticks >= end) ?? hours(end / ticks);
  return section("Timeline", [
    { is: "chart", lanes: lanes.slice(0, mostLanes), tick: tick * 1_000 },
    ...(more > 0 ? [{ is: "list", items: [`and ${more} more, with -o json`] } as const] : []),
  ]);
}

function hours(ms: number): number {
  return Math.ceil(ms / 3_600_000) * 3_600;
}

function listTimed<T extends { readonly at?: number }>(all: readonly T[] = []) {
  return all.flatMap((one) => (one.at === undefined ? [] : [{ ...one, at: one.at }]));
}

/** Objects that were written or waited for; beside many others, one that took no time says nothing. */
function objectLanes(all: readonly (StepReport & Stretch)[], end: number): readonly Lane[] {
  const acts = all.filter(({ action }) => action !== "read");
  const told = acts.length > 12 ? acts.filter(({ ms }) => ms > end / 200) : acts;
  const objects = [...new Set(told.map(({ object }) => object))];
  return objects.map((object) => {
    const own = told.filter((step) => step.object === object);
    return layLane("Objects", object, own);
  });
}

interface Stint extends Stretch {
  readonly action?: string;
  readonly result: string;
  readonly why: string;
}

function layLane(group: string, name: string, stints: readonly Stint[]): Lane {
  const did = ({ action, result }: Stint): string => [action ?? [], result].flat().join(" ");
  return {
    group,
    name,
    says: stints.map((one) => `${did(one)}, ${renderMs(one.ms)}`).join("; "),
    bars: stints.map((one) => drawBar(one, chooseTone(one.result), `${did(one)} (${one.why})`)),
  };
}

function drawBar({ at, ms }: Stretch, tone: Tone, does: string): Bar {
  return { at, ms, tone, says: `${does} after ${renderMs(at)}, for ${renderMs(ms)}` };
}

type Answer = NonNullable<GapReport["answers"]>[number];

/** What each twin is to be answered; a refusal by someone else proves nothing either way. */
const twins = {
  accept: { name: "Edit that has to pass", right: "accepted", wrong: ["refused", "failed"] },
  deny: { name: "Edit that has to be refused", right: "refused", wrong: ["accepted"] },
} as const;

const words = {
  ...{ accepted: "accepted", refused: "refused" },
  ...{ failed: "not answered", other: "refused by something else" },
};

function answerTone({ twin, is }: Answer): Tone {
  if (is === twins[twin].right) return "good";
  return twins[twin].wrong.some((one) => one === is) ? "bad" : "warn";
}

function answerSays({ is, by }: Answer): string {
  return by === undefined ? words[is] : `${words[is]} by ${by}`;
}

/** The probes as strips, one for each answer, and the stretches in which something was wrong. */
function probeLanes(gap: GapReport | undefined): readonly Lane[] {
  if (gap?.answers === undefined) return [];
  const { answers, windows = [], bypassSeconds, outageSeconds } = gap;
  const answerKey = (answer: Answer): string => `${answer.twin} ${answerSays(answer)}`;
  const strips = [...new Set(answers.map(answerKey))].sort().flatMap((key) => {
    const own = answers.filter((answer) => answerKey(answer) === key);
    const bars = own.map((answer) => drawBar(answer, answerTone(answer), answerSays(answer)));
    return own.slice(0, 1).map((answer): Lane => {
      return { group: "Probes", name: twins[answer.twin].name, says: answerSays(answer), bars };
    });
  });
  const wrong = (is: "bypass" | "outage", name: string, count: number): Lane => {
    const own = windows.filter((window) => window.is === is);
    const bars = own.map((window) => drawBar(window, "bad", is));
    return { group: "Probes", name, says: count === 0 ? "none, 0s" : `${count}s`, bars };
  };
  return [
    ...strips,
    wrong("bypass", "Unguarded: bad edits could pass", bypassSeconds),
    wrong("outage", "Outage: good edits were stopped", outageSeconds),
  ];
}
