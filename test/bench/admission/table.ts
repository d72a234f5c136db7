/** Medians, spreads and Markdown. */

export function quantile(values: readonly number[], part: number): number {
  const sorted = [...values].sort((one, other) => one - other);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? NaN;
}

export function median(values: readonly number[]): number {
  return quantile(values, 0.5);
}

/** The median, and the least and the most beside it. */
export function spread(values: readonly number[], digits = 0): string {
  const [least, most] = [Math.min(...values), Math.max(...values)];
  return `${median(values).toFixed(digits)} (${least.toFixed(digits)}–${most.toFixed(digits)})`;
}

/** A Markdown table; all but the first column stand to the right. */
export function table(heads: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(" | ")} |`;
  const rule = heads.map((_, index) => (index === 0 ? "---" : "---:"));
  return [line(heads), line(rule), ...rows.map(line)].join("\n");
}

/** A goal as a line of the report. */
export interface Goal {
  readonly text: string;
  readonly met: boolean;
}

export function showGoals(goals: readonly Goal[]): string {
  return goals.map(({ text, met }) => `- ${met ? "met" : "NOT MET"}: ${text}`).join("\n");
}
