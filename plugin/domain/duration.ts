/** Durations as flags, settings and the API server's `?timeout=` spell them. */

const unitMs: Readonly<Record<string, number>> = {
  ns: 1e-6,
  us: 1e-3,
  µs: 1e-3,
  μs: 1e-3,
  ms: 1,
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
  "": 1_000,
};

/**
 * Milliseconds of a duration in Go's spelling (`500ms`, `1m30s`), or of a number of seconds (`5`), as
 * kubectl's --request-timeout takes it; undefined for anything else.
 */
export function parseDuration(text: string): number | undefined {
  if (!/^(\d{1,9}|(\d{1,9}(\.\d{1,9})?(ns|us|µs|μs|ms|s|m|h))+)$/.test(text)) return undefined;
  const parts = text.matchAll(/([\d.]+)(\D*)/g);
  return [...parts].reduce(
    (sum, [, count, unit]) => sum + Number(count) * Number(unitMs[String(unit)]),
    0,
  );
}
