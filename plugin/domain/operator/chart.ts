/** An operator that was installed with a chart, as helm speaks of it (S20, S21). */

/** A chart's release as helm lists it. */
export interface ChartRelease {
  readonly name: string;
  /** Chart and its version in one word, `operator-1.2.3`. */
  readonly chart: string;
  /** deployed, failed, pending-upgrade and so on. */
  readonly status: string;
}

/** One `helm upgrade`. */
export interface ChartUpgrade {
  readonly name: string;
  readonly chart: string;
  readonly version: string;
  /** Settings as helm takes them, `a.b=true`. */
  readonly sets: readonly string[];
  /** A file with values. */
  readonly values: string | undefined;
  readonly dryRun: boolean;
}

/**
 * Helm's words for it, as a person would type them. With any setting given, helm by itself forgets
 * all values of before; what a person gave is kept, and the new chart's own defaults count.
 */
export function helmWords({ name, chart, version, sets, values }: ChartUpgrade): readonly string[] {
  return [
    ...["helm", "upgrade", name, chart, "--version", version, "--reset-then-reuse-values"],
    ...sets.flatMap((set) => ["--set", set]),
    ...(values === undefined ? [] : ["--values", values]),
  ];
}

/** True when the release is deployed from the chart of that version; a leading v means nothing. */
export function isDeployed(release: ChartRelease | undefined, version: string): boolean {
  if (release === undefined || release.status !== "deployed") return false;
  const wanted = version.replace(/^v/, "");
  return release.chart.endsWith(`-${wanted}`) || release.chart.endsWith(`-v${wanted}`);
}
