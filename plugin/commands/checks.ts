/** Every check, by area in the order in which they are shown. */
import { activeActiveChecks, moduleChecks } from "./modules/checks";
import { type AdvisedTarget, chooseRows, listAdvisoryChecks } from "../domain/checks/advisories";
import { certificateChecks, restChecks } from "../domain/checks/secrets";
import { pick } from "../domain/base/values";
import type { Code } from "../domain/names/codes";
import { areas, type Check, judgingCodes } from "../domain/checks/check";
import { clusterChecks, clusterSpecChecks, licenceChecks } from "./upgrade-cluster/checks";
import { databaseChecks } from "./upgrade-database/checks";
import { deletionChecks } from "../domain/checks/deletion";
import { definitionChecks } from "./upgrade-operator/definition-checks";
import { releaseChecks } from "./upgrade-operator/release-checks";
import { operatorChecks, operatorOwnerChecks } from "./upgrade-operator/checks";
import { platformChecks } from "../domain/checks/platform";
import { rbacChecks } from "./reapply-rbac/checks";
import { sccChecks } from "./unbind-scc/checks";
import { webhookChecks, webhookTrustChecks } from "./upgrade-webhook/checks";
import type { ProbeOutcome } from "../domain/admission/probe-outcome";
import type { Facts } from "../domain/facts/facts";
import type { Selection } from "../domain/checks/selection";
import { type CheckTarget, describeSituation } from "../domain/checks/context";
import { type Judgment, judgeBy } from "../domain/checks/judge";

/** The catalogue of checks. */
const checks: readonly Check[] = [
  ...deletionChecks,
  ...platformChecks,
  ...operatorChecks,
  ...operatorOwnerChecks,
  ...releaseChecks,
  ...definitionChecks,
  ...clusterChecks,
  ...clusterSpecChecks,
  ...licenceChecks,
  ...databaseChecks,
  ...moduleChecks,
  ...activeActiveChecks,
  ...webhookChecks,
  ...webhookTrustChecks,
  ...certificateChecks,
  ...rbacChecks,
  ...sccChecks,
  ...restChecks,
];

/** The catalogue with what is known of releases. */
export function listChecks(target: AdvisedTarget): readonly Check[] {
  const all = [...checks, ...listAdvisoryChecks(chooseRows(target))];
  return all.toSorted((one, other) => areas.indexOf(one.area) - areas.indexOf(other.area));
}

/** Those that what was seen of the webhook has a part in. */
export const probedChecks: readonly Check[] = [
  ...certificateChecks,
  ...webhookChecks,
  ...webhookTrustChecks,
];

/** The codes that no command explains already, for the catalogue of codes. */
export const checkCodes: readonly Code[] = [
  ...Object.values(judgingCodes),
  ...listChecks({}).filter((check) => check.shared !== true),
].map((check: Code) => pick(check, "code", "severity", "cause", "fix", "remedies", "source"));

/** Judges the facts by every check of the catalogue. */
export function judgeChecks(
  facts: Facts,
  target: CheckTarget,
  {
    selection = {},
    probe,
  }: { readonly selection?: Selection; readonly probe?: ProbeOutcome | undefined } = {},
): Judgment {
  return judgeBy(listChecks(target), describeSituation(facts, target, probe), selection);
}
