/** The admission rules as `explain` knows them: the code is what stands in brackets behind a denial. */
import { error, type Explained } from "../findings";

/** One code for each rule, and for an EC that cannot be looked up. */
export const ruleCodes: readonly Explained[] = [
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
