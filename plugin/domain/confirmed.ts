/** What was planned when a person said yes, and what a later plan may still send of it. */
import type { Finding } from "./findings";
import { planFindings } from "./upgrade/codes";

/** One thing that a write does to an object; a write that does several is several acts. */
export interface Act {
  /** `Kind/namespace/name`. */
  readonly object: string;
  /** `delete`, `take x out of its users`. */
  readonly does: string;
}

/** A finding for each act that was not among the confirmed ones. */
export function unconfirmedFindings(
  confirmed: readonly Act[],
  now: readonly Act[],
): readonly Finding[] {
  const keyOf = ({ object, does }: Act): string => JSON.stringify([object, does]);
  const known = new Set(confirmed.map(keyOf));
  return now
    .filter((act) => !known.has(keyOf(act)))
    .map(({ object, does }) => ({
      ...planFindings.changed,
      object,
      cause: `somebody changed the cluster, so that one would also have to ${does}, which was not confirmed`,
    }));
}
