/** A report of the rules in the XML that CI systems take for test results. */
import type { Finding } from "../domain/base/findings";
import { groupBy } from "../domain/base/values";
import type { Report, JudgedObject, RulesDetails } from "../kernel/report";
import { escape } from "./escape";
import { writeSentence } from "./sarif";

interface Case {
  readonly name: string;
  readonly file: string | undefined;
  readonly result: JudgedObject["result"] | "unreadable";
  readonly findings: readonly Finding[];
}

/** A suite for each file, or for all that is stored; a case for each object, and for each problem of a file. */
export function renderJunit({ kind, details, findings = [] }: Report): string {
  const { objects } = (details ?? { objects: [] }) as Pick<RulesDetails, "objects">;
  const found = groupBy(findings, ({ object, location }) => placeKey(object, location));
  const cases: readonly Case[] = [
    ...findings
      .filter(({ object }) => object === undefined)
      .map((finding) => ({
        name: finding.code,
        file: finding.location?.file,
        result: "unreadable" as const,
        findings: [finding],
      })),
    ...objects.map(({ object, location, result }) => {
      const own = found.get(placeKey(object, location)) ?? [];
      return { name: object, file: location?.file, result, findings: own };
    }),
  ];
  const suites = [...groupBy(cases, ({ file }) => file ?? kind)];
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites name="kubectl-engine ${kind}"${renderCounts(cases)}>`,
    ...suites.flatMap(([name, own]) => [
      `  <testsuite name="${xml(name)}"${renderCounts(own)}>`,
      ...own.map((one) => renderCase(one, name)),
      "  </testsuite>",
    ]),
    "</testsuites>",
    "",
  ].join("\n");
}

/** An object may stand in several files. */
function placeKey(object: string | undefined, location: Finding["location"]): string {
  return `${location?.file ?? ""}\n${object ?? ""}`;
}

const tags = { refused: "failure", unreadable: "error", "not evaluated": "skipped" } as const;

function renderCase({ name, result, findings }: Case, suite: string): string {
  const head = `    <testcase name="${xml(name)}" classname="${xml(suite)}" time="0"`;
  const said = findings.map(writeSentence).join("\n");
  if (result === "allowed") {
    return said === "" ? `${head}/>` : `${head}><system-out>${xml(said)}</system-out></testcase>`;
  }
  const [first] = findings;
  const tag = tags[result];
  const attributes = ` message="${xml(first?.cause ?? "")}"`;
  const type = result === "not evaluated" ? "" : ` type="${xml(first?.code ?? "")}"`;
  const body = result === "not evaluated" ? "" : xml(said);
  return `${head}><${tag}${attributes}${type}>${body}</${tag}></testcase>`;
}

function renderCounts(cases: readonly Case[]): string {
  const of = (wanted: Case["result"]): number =>
    cases.filter(({ result }) => result === wanted).length;
  const [failures, errors, skipped] = [of("refused"), of("unreadable"), of("not evaluated")];
  return ` tests="${cases.length}" failures="${failures}" errors="${errors}" skipped="${skipped}" time="0"`;
}

const marks: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "\n": "&#10;",
};

/** Characters that no XML may hold are shown as their escapes. */
function xml(text: string): string {
  const lines = text.split("\n").map(escape).join("\n");
  return lines.replaceAll(/[&<>"\n\ufffe\uffff]/g, (mark) => marks[mark] ?? "?");
}
