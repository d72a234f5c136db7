/** Findings about judging itself. */
import type { Explained } from "./check";

/** A list that was not read, a check that failed itself. */
export const judgingCodes = {
  unread: {
    code: "CHECK-NOT-JUDGED",
    severity: "warning",
    cause: "a list could not be read, so nothing is said about what rests on it",
    fix: "have somebody grant the permission that is named, then run again",
    source: "cli contract, check",
  },
  broken: {
    code: "CHECK-BROKEN",
    severity: "warning",
    cause: "a check came to no verdict: it met something that it was not made for",
    fix: "look at what it is about by hand, and report it with the cluster's objects",
    source: "cli contract, check",
  },
} as const satisfies Readonly<Record<string, Explained>>;
