/** What was measured at each size, kept as JSON, and how steeply it grows. */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { repositoryRoot } from "../../control-plane/pins";
import { median } from "../admission/table";

/** What costs are told in. */
export type Metric = "seconds" | "client" | "servers" | "requests" | "busy" | "mib" | "reviewMs";

export type Values = Partial<Readonly<Record<Metric, number>>>;

/** Medians of some rounds of one line at one size. */
export interface Point {
  readonly subject: string;
  readonly line: string;
  readonly size: number;
  readonly rounds: number;
  readonly values: Values;
  /** The largest part of the machine that other processes took in a round, 0 to 1. */
  readonly others: number;
}

/** Of one round. */
export interface Round {
  readonly values: Values;
  readonly others: number;
}

export function pointOf(
  { subject, line, size }: Pick<Point, "subject" | "line" | "size">,
  rounds: readonly Round[],
): Point {
  const keys = Object.keys(rounds[0]?.values ?? {}) as Metric[];
  const values: Partial<Record<Metric, number>> = {};
  for (const key of keys) {
    values[key] = rounded(median(rounds.map((round) => round.values[key] ?? NaN)));
  }
  const others = rounded(Math.max(...rounds.map((round) => round.others)));
  return { subject, line, size, rounds: rounds.length, values, others };
}

/** Four digits are more than any measurement is good for. */
function rounded(value: number): number {
  return Number(value.toPrecision(4));
}

/** The points measured so far, a run for each part of them. */
export const measuredFile = join(repositoryRoot, ".cache/bench/growth.json");

export function readPoints(file: string): readonly Point[] {
  try {
    return JSON.parse(readFileSync(file, "utf8")) as readonly Point[];
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return [];
    throw error;
  }
}

/** Those of the same line and size are replaced. */
export function keepPoint(point: Point): void {
  const isSame = (other: Point): boolean => keyOf(other) === keyOf(point);
  const others = readPoints(measuredFile).filter((other) => !isSame(other));
  mkdirSync(dirname(measuredFile), { recursive: true });
  writeFileSync(measuredFile, textOf([...others, point]));
}

function keyOf({ subject, line, size }: Point): string {
  return `${subject} ${line} ${String(size)}`;
}

/** As they are kept: a line for each, in the order of lines and sizes. */
export function textOf(points: readonly Point[]): string {
  const named = ({ subject, line }: Point): string => `${subject} ${line}`;
  const sorted = [...points].sort(
    (a, b) => named(a).localeCompare(named(b), "en") || a.size - b.size,
  );
  return `[\n${sorted.map((point) => JSON.stringify(point)).join(",\n")}\n]\n`;
}

/** How a cost grows: what it is at the least size, and the power of the size by which the rest grows. */
export interface Growth {
  readonly fixed: number;
  /** Between the two largest sizes, without the fixed cost; 1 is linear, 0 does not grow. */
  readonly slope: number;
}

/** Less than this part of the fixed cost is noise. */
const noise = 0.1;

export function growthOf(points: readonly Point[], metric: Metric): Growth {
  const costs = points.map(({ size, values }) => ({ size, cost: values[metric] ?? NaN }));
  const fixed = costs[0]?.cost ?? NaN;
  const [before, last] = costs.slice(-2);
  if (before === undefined || last === undefined) return { fixed, slope: NaN };
  if (last.cost - fixed <= noise * fixed) return { fixed, slope: 0 };
  const grown = (last.cost - fixed) / Math.max(before.cost - fixed, noise * fixed);
  return { fixed, slope: Math.log(grown) / Math.log(last.size / before.size) };
}
