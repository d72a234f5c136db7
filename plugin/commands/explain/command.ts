/** `explain CODE`: what a finding code or a statement's number means; needs no cluster. */
import { readShippedGuides, readShippedSpecification } from "../../adapters/shipped";
import { UsageError } from "../../domain/base/errors";
import { type Explained, sourceCommand } from "../../domain/base/findings";
import { commonCode } from "../../domain/base/skip";
import { getOwn, suggestion } from "../../domain/base/values";
import { explain } from "../../domain/names/codes";
import type { Report } from "../../kernel/report";
import type { CommandRun } from "../../cmdutil/context";
import { catalogue } from "./catalogue";
import { findStatement, readNumbers, type Statement } from "./statements";

/** `details` where numbers of the specification were given. */
export interface ExplainedStatements {
  readonly statements: readonly Statement[];
}

/** Cause, fix and source of one code, in whichever case it was typed; or the statements of numbers. */
export const runExplain: CommandRun<object> = ({ names }, [typed = ""]) => {
  const numbers = readNumbers(typed);
  if (numbers !== undefined) return Promise.resolve(explainNumbers(numbers));
  const guide = findGuide(typed);
  if (guide !== undefined) return Promise.resolve(guide);
  const wanted = typed
    .toUpperCase()
    .replaceAll("_", "-")
    .replace(/^\[(.*)\]$/, "$1");
  const entry = catalogue.find(({ code }) => code === commonCode(wanted));
  if (entry === undefined) return Promise.reject(unknownCode(typed, wanted));
  return Promise.resolve(makeReport(entry.code, explain(entry, names)));
};

function makeReport(what: string, details: Explained | ExplainedStatements): Report {
  const exit = { code: 0, reason: `${what} explained` } as const;
  return { apiVersion: "cli.engine.com/v1", kind: "Explanation", details, exit };
}

/** A page that a finding sends people to: `guides/bypass`, or its path in the documentation. */
function findGuide(typed: string): Report | undefined {
  const name = typed.replace(/^docs\//, "").replace(/\.md$/, "");
  const text = getOwn(readShippedGuides(), name);
  if (typeof text !== "string") return undefined;
  const [, title = name] = /^# (.*)$/m.exec(text) ?? [];
  const page: Statement = { number: name, heading: title, text: text.replace(/^# .*\n+/, "") };
  return makeReport(name, { statements: [page] });
}

function explainNumbers(numbers: readonly string[]): Report {
  const specification = readShippedSpecification();
  const found = numbers.map((number) => findStatement(specification, number));
  const unknown = numbers.filter((_, index) => found[index] === undefined);
  if (unknown.length > 0) {
    throw new UsageError(
      unknown.map((number) => `CODE: the specification has no ${number}`),
      { hint: "use a number as a report prints it, for example S27, C9 or Facts-7" },
    );
  }
  return makeReport(numbers.join(", "), { statements: found.flatMap((one) => one ?? []) });
}

/** The nearest code, and those of the same area, which share their first word. */
function unknownCode(typed: string, wanted: string): UsageError {
  const area = wanted.split("-")[0] ?? "";
  const codes = catalogue.map(({ code }) => code);
  const alike = codes.filter((code) => code.startsWith(`${area}-`));
  const hint =
    alike.length > 0
      ? `use one of ${alike.join(", ")}`
      : "use a code as a report prints it, in capitals with dashes, or a number such as S27";
  const nearest = suggestion(wanted, codes);
  return new UsageError(`CODE: ${JSON.stringify(typed)} is not a finding code${nearest}`, { hint });
}

/** The parts of a code, one a line; or each statement under its heading. */
export function explanationText(report: Report): string {
  const details = report.details as Explained | ExplainedStatements;
  return "statements" in details
    ? details.statements.map(renderStatement).join("\n")
    : renderCode(details);
}

const renderStatement = ({ number, heading, text }: Statement): string =>
  `${heading.startsWith(number) ? heading : `${number} (${heading})`}\n${text}\n`;

const renderCode = ({ code, severity, cause, fix, source }: Explained): string =>
  `Code:     ${code} (${severity})
Cause:    ${cause}
Fix:      ${fix}
Source:   ${sourceCommand(source)}
`;
