/** Which checks have to hold before a whole upgrade begins (S113, S121-S127). */
import type { Area } from "../checks/check";
import type { JudgedCheck } from "../checks/judge";
import type { Finding } from "../findings";

/**
 * What parts of the upgrade judge themselves, because it is what they bring in order; and what
 * databases alone need, which are upgraded afterwards (S66).
 */
const areasElsewhere: ReadonlySet<Area> = new Set<Area>([
  "definitions",
  "webhook",
  "certificate",
  "rbac",
  "scc",
  "active-active",
]);

/** What the operator's part brings in order and waits for: a run cut off there leaves it so. */
const codesElsewhere: ReadonlySet<string> = new Set([
  "OPERATOR-NOT-READY",
  "OPERATOR-IMAGES-DIFFER",
  "OPERATOR-ACCOUNT-ABSENT",
]);

/** The findings that no part of the upgrade does away with. */
export function prerequisiteFindings(judged: readonly JudgedCheck[]): readonly Finding[] {
  return judged
    .filter(({ check }) => !areasElsewhere.has(check.area) && !codesElsewhere.has(check.code))
    .flatMap(({ findings }) => findings);
}
