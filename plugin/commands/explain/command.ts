/** `explain CODE`: what a finding code means; needs no cluster. */
import { catalogue } from "./catalogue";
import { UsageError } from "../../domain/base/errors";
import { type Explained, withPage } from "../../domain/base/findings";
import { explain } from "../../domain/names/codes";
import type { Report } from "../../kernel/report";
import { suggestion } from "../../domain/base/values";
import type { CommandRun } from "../../cmdutil/context";

/** Cause, fix and source of one code, in whichever case it was typed. */
export const runExplain: CommandRun<object> = ({ names }, [typed = ""]) => {
  const wanted = typed
    .toUpperCase()
    .replaceAll("_", "-")
    .replace(/^\[(.*)\]$/, "$1");
  const entry = catalogue.find(({ code }) => code === wanted);
  if (entry === undefined) return Promise.reject(unknownCode(typed, wanted));
  return Promise.resolve({
    apiVersion: "cli.engine.com/v1",
    kind: "Explanation",
    details: explain(entry, names),
    exit: { code: 0, reason: `${entry.code} explained` },
  });
};

/** The nearest code, and those of the same area, which share their first word. */
function unknownCode(typed: string, wanted: string): UsageError {
  const area = wanted.split("-")[0] ?? "";
  const codes = catalogue.map(({ code }) => code);
  const alike = codes.filter((code) => code.startsWith(`${area}-`));
  const hint =
    alike.length > 0
      ? `use one of ${alike.join(", ")}`
      : "use a code as a report prints it, in capitals with dashes";
  const nearest = suggestion(wanted, codes);
  return new UsageError(`CODE: ${JSON.stringify(typed)} is not a finding code${nearest}`, { hint });
}

/** The four parts, one a line, and where the reference has them. */
export function explanationText(report: Report): string {
  const { code, severity, cause, fix, source } = report.details as Explained;
  return `Code:     ${code} (${severity})
Cause:    ${cause}
Fix:      ${fix}
Source:   ${withPage(source)}
Page:     docs/reference/findings.md#${code.toLowerCase()}
`;
}
