/** Which checks have to hold before an upgrade begins (S113, S121-S127). */
import { checks } from "../checks/all";
import type { Check } from "../checks/check";
import { judgeBy, type JudgedCheck, type Judgement } from "../checks/judge";
import type { Skip } from "../checks/selection";
import { situationOf } from "../checks/situation";
import type { CheckTarget } from "../checks/target";
import type { FactKey, Facts } from "../facts";
import type { Finding } from "../findings";
import { procedure } from "../procedure";

/** The checks without which some part may not begin. */
export const prerequisiteCodes: readonly string[] = [
  ...new Set(procedure.flatMap(({ blockedBy = [] }) => blockedBy)),
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

/** The findings of all checks that no part of the whole upgrade settles. */
export function prerequisiteFindings(judged: readonly JudgedCheck[]): readonly Finding[] {
  return judged.flatMap(({ check, findings }) => (isSettled(check) ? [] : findings));
}

function isSettled({ area, code }: Check): boolean {
  return procedure.some(
    ({ settles: { areas = [], codes = [] } = {} }) => areas.includes(area) || codes.includes(code),
  );
}
