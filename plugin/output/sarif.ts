/** A report of the rules as SARIF 2.1.0, for code scanning. */
import { sep } from "node:path";
import { version } from "../../package.json";
import type { Finding } from "../domain/base/findings";
import { ruleFindings } from "../domain/rules/findings";
import { groupBy } from "../domain/base/values";
import type { Report } from "../kernel/report";

/** The log, with every rule that there is, whether something was found by it or not. */
export function buildSarif({ kind, exit, findings = [] }: Report): object {
  const known = [...Object.values(ruleFindings), ...findings];
  const rules = [...groupBy(known, ({ code }) => code).values()].flatMap(([first]) => first ?? []);
  const indexes = new Map(rules.map(({ code }, index) => [code, index]));
  const driver = {
    name: "kubectl-engine",
    version,
    rules: rules.map(({ code, severity, cause, fix, source }) => ({
      id: code,
      shortDescription: { text: cause },
      help: { text: fix },
      defaultConfiguration: { level: severity },
      properties: { source },
    })),
  };
  const invocation = {
    // 1 and 3 are verdicts
    executionSuccessful: [0, 1, 3].includes(exit.code),
    exitCode: exit.code,
    exitCodeDescription: exit.reason,
  };
  return {
    $schema: "https://json.schemastore.org/sarif-2.1.0.json",
    version: "2.1.0",
    runs: [
      {
        tool: { driver },
        automationDetails: { id: `kubectl-engine/${kind}/` },
        columnKind: "utf16CodeUnits",
        invocations: [invocation],
        results: findings.map((finding) => buildResult(finding, indexes)),
      },
    ],
  };
}

function buildResult(finding: Finding, indexes: ReadonlyMap<string, number>): object {
  const { code, severity, object, field } = finding;
  const { location } = finding;
  const physicalLocation = location && {
    artifactLocation: { uri: encodeUri(location.file) },
    region: { startLine: location.line, startColumn: location.column },
  };
  const name = [object, field].filter((part) => part !== undefined).join(" ");
  const logicalLocations = name === "" ? undefined : [{ fullyQualifiedName: name }];
  const place = physicalLocation ?? logicalLocations;
  return {
    ruleId: code,
    ruleIndex: indexes.get(code),
    level: severity,
    message: { text: writeSentence(finding) },
    ...(place && { locations: [{ physicalLocation, logicalLocations }] }),
  };
}

/** What is wrong, where in the object, and the way out. */
export function writeSentence({ object, field, cause, fix, command }: Finding): string {
  const where = [object, field].filter((part) => part !== undefined).join(" ");
  const run = command === undefined ? "" : `\nRun: ${command}`;
  return `${where === "" ? "" : `${where}: `}${cause}\nFix: ${fix}${run}`;
}

/** A path as a reference of a URI; a backslash that separates nothing is part of a name. */
function encodeUri(file: string): string {
  return Buffer.from(file)
    .toString("utf8")
    .replaceAll(sep, "/")
    .split("/")
    .map(encodeURIComponent)
    .join("/");
}
