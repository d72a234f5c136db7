/** Finding codes whose texts are made with the names, and the findings of them. */
import { pick } from "../base/values";
import type { About, Explained, Finding } from "../base/findings";
import { renderFix } from "../base/remedy";
import { defaultNames, type Names } from "./names";
import { type Text, textIn } from "./text";

/** A code whose texts are made with the names. */
export interface Code extends Pick<Finding, "code" | "severity" | "remedies" | "source"> {
  readonly cause: Text;
  readonly fix: Text;
}

/** The ways out of a finding with the fix of them: its own, else its code's unless its fix is in words of its own. */
export function chooseWays(
  { remedies: usual }: Pick<Code, "remedies">,
  { fix, remedies }: Pick<About, "fix" | "remedies">,
): Pick<About, "fix" | "remedies"> {
  const ways = remedies ?? (fix === undefined ? usual : undefined);
  return ways === undefined
    ? pick({ fix }, "fix")
    : { fix: fix ?? renderFix(ways), remedies: ways };
}

/** The code in the words of the names. */
export function explain({ code, severity, cause, fix, source }: Code, names: Names): Explained {
  return { code, severity, cause: textIn(cause, names), fix: textIn(fix, names), source };
}

/** The maker of findings from a table of codes; names are given to a code whose texts need them. */
export const bindFindings =
  <Key extends string, T extends Readonly<Record<Key, Code>>>(
    table: T & Readonly<Record<Key, Code>>,
  ) =>
  <K extends Key>(
    what: K,
    about: About,
    ...[names = defaultNames]: T[K] extends Explained ? readonly [] : readonly [names: Names]
  ): Finding => ({
    ...explain(table[what], names),
    ...about,
    ...chooseWays(table[what], about),
  });
