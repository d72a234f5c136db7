/** What is wrong with rows of advisories themselves. */
import { error, type Explained } from "../base/findings";
import { bindFindings } from "../names/codes";

const source = "docs/guides/advisories.md";

/** By a short name. */
export const advisoryFindings = {
  broken: error("ADVISORY-BROKEN", source, {
    cause:
      "a row of a file of advisories cannot be judged: it was left out, and all others were judged",
    fix: "correct the row at the place that the finding names; advisories lint shows every problem of a file",
  }),
  unclear: error("ADVISORY-UNCLEAR", source, {
    cause:
      "a text of an advisory says too little to a person, or its condition lets an act pass that it seems to forbid",
    fix: "write the text or the condition as the cause says, then run advisories lint again",
  }),
  example: error("ADVISORY-EXAMPLE", source, {
    cause: "an example of an advisory has another end than the file says",
    fix: "correct the ranges, the condition or the values of the example, so that they say the same",
  }),
} satisfies Readonly<Record<string, Explained>>;

/** Makes a finding of one of them. */
export const advisoryFinding = bindFindings(advisoryFindings);
