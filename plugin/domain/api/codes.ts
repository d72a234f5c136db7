/** What every code about installed modules means, for `explain`. */
import type { Explained } from "../findings";

/** What may be wrong with modules as the REST API has them, by what it is about. */
export const moduleFindings = {
  absent: {
    code: "MODULE-ABSENT",
    severity: "error",
    cause: "a database uses a module that is not installed in that version: an upgrade freezes",
    fix: "install the module with modules install FILE, then run this again",
    source: "S99",
  },
  defineNext: {
    code: "MODULE-DEFINE-NEXT",
    severity: "warning",
    cause: "an installed user-defined module is not defined in the EC",
    fix: "define it in the EC under one of its two names before a database that uses it is upgraded",
    source: "S56",
  },
  engineUnknown: {
    code: "MODULE-ENGINE-UNKNOWN",
    severity: "warning",
    cause:
      "no node of the cluster supports the requested engine version: bundled modules cannot be judged",
    fix: "upgrade the cluster (EC) first, then run this again; or correct the version",
    source: "domain facts 9",
  },
  oneNode: {
    code: "MODULE-ONE-NODE",
    severity: "warning",
    cause:
      "the module's file was given to the node that answered; the newer call takes it once a node",
    fix: "run it from where every node can be reached: without --api-url, by the pods of the EC",
    source: "domain facts 9",
  },
  platform: {
    code: "MODULE-PLATFORM",
    severity: "error",
    cause: "a module in use is not installed for the requested platform",
    fix: "install a build for that platform with modules install FILE before the upgrade",
    source: "S103",
  },
  platformUnknown: {
    code: "MODULE-PLATFORM-UNKNOWN",
    severity: "warning",
    cause: "the server does not report for which platforms a module in use is installed",
    fix: "see in the manifest of its archive that it is built for the platform",
    source: "S47",
  },
  target: {
    code: "MODULE-TARGET",
    severity: "error",
    cause: "a module in use has no installed build for the requested engine version",
    fix: "install a build for that version with modules install FILE before the upgrade",
    source: "S103",
  },
} as const satisfies Readonly<Record<string, Explained>>;

/** The catalogue entries of every finding about installed modules. */
export const moduleCodes: readonly Explained[] = Object.values(moduleFindings);
