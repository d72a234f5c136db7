/** What every code about installed modules means, for `explain`. */
import { error, type Explained, warning } from "../findings";

/** What may be wrong with modules as the REST API has them, by what it is about. */
export const moduleFindings = {
  absent: error("MODULE-ABSENT", "S99", {
    cause: "a database uses a module that is not installed in that version: an upgrade freezes",
    fix: "install the module with modules install FILE, then run this again",
  }),
  defineNext: warning("MODULE-DEFINE-NEXT", "S56", {
    cause: "an installed user-defined module is not defined in the EC",
    fix: "define it in the EC under one of its two names before a database that uses it is upgraded",
  }),
  engineUnknown: warning("MODULE-ENGINE-UNKNOWN", "domain facts 9", {
    cause:
      "no node of the cluster supports the requested engine version: bundled modules cannot be judged",
    fix: "upgrade the cluster (EC) first, then run this again; or correct the version",
  }),
  oneNode: warning("MODULE-ONE-NODE", "domain facts 9", {
    cause:
      "the module's file was given to the node that answered; the newer call takes it once a node",
    fix: "run it from where every node can be reached: without --api-url, by the pods of the EC",
  }),
  platform: error("MODULE-PLATFORM", "S103", {
    cause: "a module in use is not installed for the requested platform",
    fix: "install a build for that platform with modules install FILE before the upgrade",
  }),
  platformUnknown: warning("MODULE-PLATFORM-UNKNOWN", "S47", {
    cause: "the server does not report for which platforms a module in use is installed",
    fix: "see in the manifest of its archive that it is built for the platform",
  }),
  target: error("MODULE-TARGET", "S103", {
    cause: "a module in use has no installed build for the requested engine version",
    fix: "install a build for that version with modules install FILE before the upgrade",
  }),
} as const satisfies Readonly<Record<string, Explained>>;

/** The catalogue entries of every finding about installed modules. */
export const moduleCodes: readonly Explained[] = Object.values(moduleFindings);
