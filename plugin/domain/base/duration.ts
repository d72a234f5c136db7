/**
 * Durations, read as flags, settings and the API server's `?timeout=` spell them, and told as kubectl
 * tells ages.
 */

const second = 1_000;
const minute = 60 * second;
const hour = 60 * minute;
const day = 24 * hour;
const year = 365 * day;

const unitMs: Readonly<Record<string, number>> = {
  ns: 1e-6,
  us: 1e-3,
  µs: 1e-3,
  μs: 1e-3,
  ms: 1,
  s: second,
  m: minute,
  h: hour,
  "": second,
};

/**
 * Milliseconds of a duration in Go's spelling (`500ms`, `1m30s`), or of a number of seconds (`5`), as
 * kubectl's --request-timeout takes it; undefined for anything else.
 */
export function parseDuration(text: string): number | undefined {
  if (!/^(\d{1,9}|(\d{1,9}(\.\d{1,9})?(ns|us|\u00b5s|\u03bcs|ms|s|m|h))+)$/.test(text))
    return undefined;
  const parts = text.matchAll(/([\d.]+)(\D*)/g);
  return [...parts].reduce(
    (sum, [, count, unit]) => sum + Number(count) * Number(unitMs[String(unit)]),
    0,
  );
}

type Unit = readonly [ms: number, letter: string];
const units = {
  seconds: [second, "s"],
  minutes: [minute, "m"],
  hours: [hour, "h"],
  days: [day, "d"],
  years: [year, "y"],
} as const satisfies Record<string, Unit>;

/** Below a limit: the unit, and the smaller one that is added while the number is small. */
const forms: readonly (readonly [below: number, unit: Unit, rest?: Unit])[] = [
  [2 * minute, units.seconds],
  [10 * minute, units.minutes, units.seconds],
  [3 * hour, units.minutes],
  [8 * hour, units.hours, units.minutes],
  [2 * day, units.hours],
  [8 * day, units.days, units.hours],
  [2 * year, units.days],
  [8 * year, units.years, units.days],
];
const longest: (typeof forms)[number] = [Infinity, units.years];

/** A span of time in at most two units: `45s`, `3h20m`, `90d` (S57, AGE). */
export function renderAge(ms: number): string {
  const span = Math.max(0, ms);
  const [, unit, rest] = forms.find(([below]) => span < below) ?? longest;
  const count = Math.floor(span / unit[0]);
  const more = rest === undefined ? 0 : Math.floor((span % unit[0]) / rest[0]);
  return `${count}${unit[1]}${rest === undefined || more === 0 ? "" : `${more}${rest[1]}`}`;
}

/** The age of an object at a moment, undefined where it does not report when it was made. */
export function formatAge(created: unknown, now: number): string | undefined {
  const from = typeof created === "string" ? Date.parse(created) : NaN;
  return Number.isNaN(from) ? undefined : renderAge(now - from);
}

/** Whole days from now to a moment, below zero when it is past; undefined for what is no date. */
export function daysUntil(moment: string | undefined, now: number): number | undefined {
  const at = moment === undefined ? NaN : Date.parse(moment);
  return Number.isNaN(at) ? undefined : Math.floor((at - now) / day);
}
