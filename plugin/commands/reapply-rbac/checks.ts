/** The checks of the operator's permissions and of the settings that they follow from (S16, S34; domain facts 6). */
import { type Check, makeChecks } from "../../domain/checks/check";
import { heldSymptoms, releaseSymptoms, settingSymptoms } from "../../domain/rbac/symptoms";

const { ofSymptom } = makeChecks("rbac");

/** One for each row; those of a release want its files. */
export const rbacChecks: readonly Check[] = [
  ...Object.values(settingSymptoms).map((row) => ofSymptom(row)),
  ...heldSymptoms.map((row) => ofSymptom(row)),
  ...releaseSymptoms.map((row) => ofSymptom(row, { wants: "rbac" })),
];
