/** Every finding code with its cause, its way out and its source, for `explain`. */
import { moduleCodes } from "./api/module-judgment";
import { certificateCodes } from "./certificate";
import { checkCodes } from "./checks/all";
import { clusterCodes } from "./cluster/codes";
import { databaseFindings } from "./databases/codes";
import { dumpCodes } from "./dump";
import { error, type Explained } from "./findings";
import { operatorFindings } from "./operator/codes";
import { rbacFindings } from "./rbac/codes";
import { recoveryFindings } from "./recovery/codes";
import { sccFindings } from "./scc/codes";
import { planFindings } from "./planned-write";
import { webhookFindings } from "./webhook/codes";

/** Each problem of a command line or of a file is a finding of this code. */
const usageCode = error("USAGE", "exit code 2", {
  cause: "the command line, or a file that it names, is wrong: nothing was read or written",
  fix: "correct what the finding names; --help shows every flag of a command",
});

/** One code for each rule, and for an EC that cannot be looked up. */
const ruleCodes: readonly Explained[] = [
  error("R1", "S61", {
    cause:
      "the cluster does not bundle the engineVersion that the edit sets, or it is not a string",
    fix: "set one of the versions that the denial lists, or upgrade the cluster first with upgrade-cluster",
  }),
  error("R2", "S67", {
    cause:
      "the edit upgrades the database to a minor release, and the cluster's upgrade policy is major",
    fix: "set a version that the denial lists, or change the cluster's upgrade policy first",
  }),
  error("R3", "S56", {
    cause:
      "the edit names a module that the cluster neither bundles nor defines as a user-defined module",
    fix: "add the module to the cluster's list of user-defined modules, or remove it from the edit; modules in-use shows which databases use which modules",
  }),
  error("REF", "S61", {
    cause:
      "the database refers to a cluster that does not exist in the namespaces that the denial names",
    fix: "correct the name of the cluster in the database, or create that cluster",
  }),
];

/** The codes in alphabetical order. */
export const catalogue: readonly Explained[] = [
  ...Object.values(webhookFindings),
  ...certificateCodes,
  ...Object.values(operatorFindings),
  ...Object.values(rbacFindings),
  ...Object.values(sccFindings),
  ...clusterCodes,
  ...Object.values(databaseFindings),
  ...checkCodes,
  ...moduleCodes,
  ...Object.values(planFindings),
  ...Object.values(recoveryFindings),
  ...dumpCodes,
  ...ruleCodes,
  usageCode,
].sort((one, other) => (one.code < other.code ? -1 : 1));
