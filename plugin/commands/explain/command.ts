/** `explain CODE`: what a finding code or a statement's number means; only the list of advisories looks at a cluster. */
import { readShippedGuides, readShippedSpecification } from "../../adapters/shipped";
import { listShipped } from "../../domain/advisories/shipped";
import { UsageError } from "../../domain/base/errors";
import { type Explained, sourceCommand } from "../../domain/base/findings";
import { commonCode } from "../../domain/base/skip";
import { getOwn, suggestion } from "../../domain/base/values";
import { explain } from "../../domain/names/codes";
import type { Names } from "../../domain/names/names";
import type { Report } from "../../kernel/report";
import {
  type AdvisoriesDetails,
  advisoriesText,
  reportAdvisories,
} from "../../cmdutil/advisories-list";
import {
  loadAdvisories,
  type LoadedAdvisories,
  readAdvisoriesWish,
} from "../../cmdutil/advisories-option";
import type { AdvisoriesFlags } from "../../cmdutil/common-flags";
import type { CommandRun } from "../../cmdutil/context";
import type { TextStyle } from "../../output/text";
import { type ExplainedAdvisories, explainRows, renderRow } from "./advisories";
import { catalogue } from "./catalogue";
import { findStatement, readNumbers, type Statement } from "./statements";

/** `details` where numbers of the specification were given. */
export interface ExplainedStatements {
  readonly statements: readonly Statement[];
}

/** Flags of `explain`. */
export interface ExplainFlags extends AdvisoriesFlags {
  /** `--advisories` was typed, with a source or without. */
  readonly lists: boolean;
}

/**
 * Cause, fix and source of one code, in whichever case it was typed, with the advisories of that code; the
 * statements of numbers; without a code all advisories, where these were asked for.
 */
export const runExplain: CommandRun<ExplainFlags> = async (context, [typed], flags) => {
  const { names, env } = context;
  if (typed === undefined && !flags.lists) {
    throw new UsageError("CODE is missing; see kubectl engine explain --help");
  }
  const numbers = readNumbers(typed ?? "");
  if (numbers !== undefined) return explainNumbers(numbers);
  const guide = findGuide(typed ?? "");
  if (guide !== undefined) return guide;
  const loaded = await loadAdvisories(readAdvisoriesWish(flags, env), context);
  if (typed === undefined) {
    const { markRows } = await import("./here.ts");
    return reportAdvisories("Explanation", loaded, await markRows(loaded.rows, context));
  }
  return explainCode(typed, names, loaded);
};

function explainCode(typed: string, names: Names, loaded: LoadedAdvisories): Report {
  const wanted = typed
    .toUpperCase()
    .replaceAll("_", "-")
    .replace(/^\[(.*)\]$/, "$1");
  const entry = catalogue.find(({ code }) => code === commonCode(wanted));
  const rows = explainRows(wanted, loaded);
  if (entry === undefined && rows === undefined) throw unknownCode(typed, wanted, loaded);
  // the rows themselves say more than the code that is made of the shipped ones
  const isOfRows = rows !== undefined && listShipped().some(({ code }) => code === wanted);
  const details = { ...(entry && !isOfRows && explain(entry, names)), ...rows };
  return makeReport(wanted, details as Explained | ExplainedAdvisories);
}

function makeReport(
  what: string,
  details: Explained | ExplainedAdvisories | ExplainedStatements,
): Report {
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
function unknownCode(typed: string, wanted: string, { rows }: LoadedAdvisories): UsageError {
  const area = wanted.split("-")[0] ?? "";
  const codes = [...new Set([...catalogue, ...rows].map(({ code }) => code))];
  const alike = codes.filter((code) => code.startsWith(`${area}-`));
  const hint =
    alike.length > 0
      ? `use one of ${alike.join(", ")}`
      : "use a code as a report prints it, in capitals with dashes, or a number such as S27";
  const nearest = suggestion(wanted, codes);
  return new UsageError(`CODE: ${JSON.stringify(typed)} is not a finding code${nearest}`, { hint });
}

/** The parts of a code, one a line; or each statement under its heading; or the table of all advisories. */
export function explanationText(report: Report, style: TextStyle): string {
  const details = report.details as
    AdvisoriesDetails | Explained | ExplainedAdvisories | ExplainedStatements;
  if ("statements" in details) return details.statements.map(renderStatement).join("\n");
  if ("shipped" in details) return advisoriesText(report, style);
  const ofCode = "cause" in details ? [renderCode(details)] : [];
  return [...ofCode, ...("advisories" in details ? details.advisories.map(renderRow) : [])].join(
    "\n",
  );
}

const renderStatement = ({ number, heading, text }: Statement): string =>
  `${heading.startsWith(number) ? heading : `${number} (${heading})`}\n${text}\n`;

const renderCode = ({ code, severity, cause, fix, source }: Explained): string =>
  `Code:     ${code} (${severity})
Cause:    ${cause}
Fix:      ${fix}
Source:   ${sourceCommand(source)}
`;
