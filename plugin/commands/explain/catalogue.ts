/** Every finding code with its cause, its way out and its source, for `explain`. */
import { advisoryFindings } from "../../domain/advisories/findings";
import { deploymentFindings } from "../../domain/rollout/findings";
import { loginCodes } from "../../domain/rest-api/login";
import { troubleCodes } from "../../domain/rest-api/troubles";
import { moduleCodes } from "../../domain/engine-cluster/modules";
import { certificateCodes } from "../../domain/certificate/certificate";
import { checkCodes } from "../checks";
import { clusterCodes } from "../../domain/engine-cluster/findings";
import { databaseFindings } from "../../domain/database/findings";
import { deletionFindings } from "../../domain/kube/deletion";
import { dumpCodes } from "../../domain/facts/dump";
import { error } from "../../domain/base/findings";
import type { Code } from "../../domain/names/codes";
import { operatorFindings } from "../../domain/operator/findings";
import { rbacFindings } from "../../domain/rbac/findings";
import { referenceFindings } from "../../domain/references/findings";
import { recoveryFindings } from "../../domain/recovery/findings";
import { sccFindings } from "../../domain/scc/findings";
import { ruleFindings } from "../../domain/rules/findings";
import { conflictFindings } from "../../domain/kube/owners";
import { planFindings } from "../../domain/kube/planned-write";
import { secretKeeperFindings } from "../../domain/certificate/keepers";
import { webhookFindings } from "../../domain/admission/findings";

/** Each problem of a command line or of a file is a finding of this code. */
const usageCode = error("USAGE", "exit code 2", {
  cause: "the command line, or a file that it names, is wrong: nothing was read or written",
  fix: "correct what the finding names; --help shows every flag of a command",
});

/** The codes in alphabetical order. */
export const catalogue: readonly Code[] = [
  ...Object.values(webhookFindings),
  ...certificateCodes,
  ...Object.values(secretKeeperFindings),
  ...Object.values(operatorFindings),
  ...Object.values(deploymentFindings),
  ...Object.values(rbacFindings),
  ...Object.values(sccFindings),
  ...clusterCodes,
  ...Object.values(databaseFindings),
  ...checkCodes,
  ...loginCodes,
  ...troubleCodes,
  ...moduleCodes,
  ...Object.values(conflictFindings),
  ...Object.values(planFindings),
  ...Object.values(recoveryFindings),
  ...Object.values(referenceFindings),
  ...Object.values(deletionFindings),
  ...dumpCodes,
  ...Object.values(ruleFindings),
  ...Object.values(advisoryFindings),
  usageCode,
].sort((one, other) => (one.code < other.code ? -1 : 1));
