/**
 * ECs that were not there a moment ago: an edit that may pass without one passes without asking the
 * API server again. It may be used for an allow alone, as all that is known; an EC that is known
 * counts before it, and a denial is confirmed live (C14).
 */
import type { ClusterLookup } from "../plugin/domain/rules/types";

/** How long an answer of the API server holds. */
const keptMs = 1_000;
/** The names come from callers, who can make up any number. */
const most = 1_024;
/** Longer than a name and two namespaces. */
const longestKey = 1_024;

/** The lookups that a live read has answered with "no such EC". */
export class Absences {
  /** The ends of their times, the oldest first. */
  private readonly ends = new Map<string, number>();

  constructor(private readonly now: () => number = () => performance.now()) {}

  /** True for one that found an EC or was remembered a moment ago. */
  covers(lookup: ClusterLookup): boolean {
    return lookup.is !== "missing" || (this.ends.get(keyOf(lookup)) ?? 0) > this.now();
  }

  remember(lookup: ClusterLookup): void {
    const key = lookup.is === "missing" ? keyOf(lookup) : "";
    if (key === "" || key.length > longestKey) return;
    this.ends.delete(key);
    this.ends.set(key, this.now() + keptMs);
    for (const oldest of this.ends.keys()) {
      if (this.ends.size <= most) return;
      this.ends.delete(oldest);
    }
  }
}

function keyOf({ name, lookedIn }: ClusterLookup & { readonly is: "missing" }): string {
  return `${lookedIn.join(" ")}/${name ?? ""}`;
}
