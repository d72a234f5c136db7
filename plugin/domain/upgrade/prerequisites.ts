/** Which checks have to hold before an upgrade begins (S113, S121-S127). */
import { checks } from "../checks/all";
import type { Area } from "../checks/check";
import { judgeBy, type JudgedCheck, type Judgement } from "../checks/judge";
import type { Skip } from "../checks/selection";
import { situationOf } from "../checks/situation";
import type { CheckTarget } from "../checks/target";
import type { FactKey, Facts } from "../facts";
import type { Finding } from "../findings";

/** Without these an upgrade freezes, whichever of operator and cluster it begins with. */
export const prerequisiteCodes: readonly string[] = [
  "PLATFORM-UNSUPPORTED",
  "PLATFORM-EDGE",
  "PLATFORM-VERSION-UNKNOWN",
  "OPERATOR-TOO-OLD",
  "OPERATOR-VERSION-UNKNOWN",
  "RELEASE-PATH",
  "CLUSTER-LICENSE",
  "CLUSTER-LICENSE-UNKNOWN",
  "LICENSE-EXPIRED",
  "CLUSTER-DATABASE-OLD",
  "CLUSTER-DATABASE-UNKNOWN",
  "CLUSTER-AUTO-USER-MODULES",
  "CLUSTER-MODULE-UNDEFINED",
  "MODULE-OS-BASE",
  "MODULE-RELEASE",
  "ACTIVE-ACTIVE-OPERATOR",
];

const prerequisites = checks.filter(({ code }) => prerequisiteCodes.includes(code));

/** The lists that the prerequisites are judged by. */
export const prerequisiteKeys: readonly FactKey[] = [
  ...new Set(prerequisites.flatMap(({ needs }) => needs)),
];

/** Judges the prerequisites alone, for a command that upgrades the operator or a cluster. */
export function judgePrerequisites(
  facts: Facts,
  target: CheckTarget,
  skip: readonly Skip[],
): Judgement {
  return judgeBy(prerequisites, situationOf(facts, target), { skip });
}

/** What parts of the upgrade judge themselves, because it is what they bring in order. */
const areasElsewhere: ReadonlySet<Area> = new Set<Area>([
  "definitions",
  "webhook",
  "certificate",
  "rbac",
  "scc",
]);

/** What the operator's part judges, brings in order and waits for, and the part before it switches off (S124). */
const codesElsewhere: ReadonlySet<string> = new Set([
  "OPERATOR-OWNED",
  "OPERATOR-NOT-READY",
  "OPERATOR-IMAGES-DIFFER",
  "OPERATOR-REGISTRY",
  "OPERATOR-ACCOUNT-ABSENT",
  "CLUSTER-AUTO-USER-MODULES",
]);

/** The findings of all checks that no part of the whole upgrade does away with. */
export function prerequisiteFindings(judged: readonly JudgedCheck[]): readonly Finding[] {
  return judged
    .filter(({ check }) => !areasElsewhere.has(check.area) && !codesElsewhere.has(check.code))
    .flatMap(({ findings }) => findings);
}
