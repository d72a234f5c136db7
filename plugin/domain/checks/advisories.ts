/** What is known of releases, as checks: the rows that ship with the tool, and those that a user gives. */
import { listAdvisories, type AdvisorySymptom } from "../advisories/symptoms";
import type { Sourced } from "../advisories/row";
import type { AdvisoryScene } from "../advisories/situation";
import { listShipped } from "../advisories/shipped";
import { oncePer } from "../base/values";
import type { Act } from "../diagnosis/symptom";
import { areas, type Check } from "./check";
import { type CheckContext, type CheckTarget, findWantedTag } from "./context";

/** What is known of releases, where a user gives more than ships with the tool. */
export type AdvisedTarget = Pick<CheckTarget, "advised">;

/** A check of advisories. */
export interface AdvisoryCheck extends Check {
  readonly rows: readonly Sourced[];
}

/** The rows that are in force. */
export function chooseRows({ advised }: AdvisedTarget): readonly Sourced[] {
  return advised ?? listShipped();
}

/** A check for each code of the rows. */
export const listAdvisoryChecks = oncePer((rows: readonly Sourced[]): readonly AdvisoryCheck[] =>
  listAdvisories(rows).flatMap(makeChecks),
);

/** Those without which one of these acts may not begin. */
export function listForbiddingChecks(
  target: AdvisedTarget,
  acts: readonly Act[],
): readonly AdvisoryCheck[] {
  return listAdvisoryChecks(chooseRows(target)).filter(({ forbids = [] }) =>
    forbids.some((act) => acts.includes(act)),
  );
}

function makeChecks(symptom: AdvisorySymptom): readonly AdvisoryCheck[] {
  const { rows } = symptom;
  const area = areas.filter((one) => one === rows[0]?.area);
  return area.map((one) => ({
    ...symptom,
    area: one,
    ...(rows.every(({ needsTarget }) => needsTarget === true) && { wants: "version" }),
    ...(rows.some(({ vouched }) => vouched === true) && { vouched: true }),
    judge: (situation) => symptom.judge(makeScene(situation)),
  }));
}

/** The situation as advisories see it. */
export const makeScene = oncePer(
  ({ facts, target, wanted, clusters }: CheckContext): AdvisoryScene => {
    const cluster = findWantedTag({ target, wanted });
    return {
      facts,
      clusters,
      wanted: { operator: wanted?.tag, cluster, engine: target.engineVersion },
    };
  },
);
