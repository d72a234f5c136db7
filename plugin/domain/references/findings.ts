/** The code of what is named and does not exist. */
import { error } from "../base/findings";
import type { Code } from "../names/codes";

/** What may be wrong with references. */
export const referenceFindings = {
  missing: error("REFERENCE-MISSING", "Facts 7", {
    cause:
      "an object names another one that does not exist, or that lacks an item that is read from it: the operator does not act on what it names, or pods are not created",
    fix: "create what is named, with the items that are needed, or correct the name",
  }),
} as const satisfies Readonly<Record<string, Code>>;
