/** Every finding code with its cause, its way out and its source, for `explain`. */
import { loginCodes } from "./api/login";
import { moduleCodes } from "./api/module-judgment";
import { certificateCodes } from "./certificate";
import { checkCodes } from "./checks/all";
import { clusterCodes } from "./cluster/codes";
import { databaseFindings } from "./databases/codes";
import { deletionFindings } from "./deletion";
import { dumpCodes } from "./dump";
import { error, type Explained } from "./findings";
import { operatorFindings } from "./operator/codes";
import { rbacFindings } from "./rbac/codes";
import { recoveryFindings } from "./recovery/codes";
import { sccFindings } from "./scc/codes";
import { ruleFindings } from "./rules/codes";
import { planFindings } from "./planned-write";
import { secretKeeperFindings } from "./secret-keepers";
import { webhookFindings } from "./webhook/codes";

/** Each problem of a command line or of a file is a finding of this code. */
const usageCode = error("USAGE", "exit code 2", {
  cause: "the command line, or a file that it names, is wrong: nothing was read or written",
  fix: "correct what the finding names; --help shows every flag of a command",
});

/** The codes in alphabetical order. */
export const catalogue: readonly Explained[] = [
  ...Object.values(webhookFindings),
  ...certificateCodes,
  ...Object.values(secretKeeperFindings),
  ...Object.values(operatorFindings),
  ...Object.values(rbacFindings),
  ...Object.values(sccFindings),
  ...clusterCodes,
  ...Object.values(databaseFindings),
  ...checkCodes,
  ...loginCodes,
  ...moduleCodes,
  ...Object.values(planFindings),
  ...Object.values(recoveryFindings),
  ...Object.values(deletionFindings),
  ...dumpCodes,
  ...Object.values(ruleFindings),
  usageCode,
].sort((one, other) => (one.code < other.code ? -1 : 1));
