/** Whether the template that the tool ships is known to be that of the operator that runs. */
import type { Finding } from "../findings";
import { releasePairs } from "../release/pairs";
import { compareReleaseTags, parseReleaseTag } from "../versions";

const known = releasePairs.map(([tag]) => tag);

/** A warning for an operator of a later release than any that this tool knows. */
export function judgeShipped(operator: string | undefined, object: string): readonly Finding[] {
  if (operator === undefined) return [];
  const runs = parseReleaseTag(operator);
  const releases = known.map((tag) => parseReleaseTag(tag)).filter((one) => one !== undefined);
  if (runs === undefined || releases.some((one) => compareReleaseTags(runs, one) <= 0)) return [];
  return [
    {
      code: "WEBHOOK-TEMPLATE-OLDER",
      severity: "warning",
      object,
      cause: `the operator is of ${operator}, and the template that the tool ships is known up to ${known.slice(-1).join("")}: what a later webhook guards beside that is not in it`,
      fix: "give the template of the operator's release with --release SOURCE",
      source: "S26",
    },
  ];
}
