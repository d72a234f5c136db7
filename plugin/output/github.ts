/** A report of the rules as workflow commands: GitHub shows them beside the lines of a pull request. */
import type { Finding } from "../domain/base/findings";
import type { Report } from "../kernel/report";
import { escape } from "./escape";
import { writeSentence } from "./sarif";

/** A command for each finding, then how it ended. */
export function renderGithub({ findings = [], exit }: Report): string {
  return [...findings.map(writeCommand), plain(exit.reason), ""].join("\n");
}

function writeCommand(finding: Finding): string {
  const { severity, code, object, location } = finding;
  const title = [code, object].filter((part) => part !== undefined).join(" ");
  const properties = [
    ...(location === undefined
      ? []
      : [`file=${property(location.file)}`, `line=${location.line}`, `col=${location.column}`]),
    `title=${property(title)}`,
  ];
  return `::${severity} ${properties.join(",")}::${data(writeSentence(finding))}`;
}

/** Never a command itself. */
function plain(text: string): string {
  return data(text).replace(/^::/, " ::");
}

/** What the runner takes apart is written as it writes it itself; a line end stays one. */
function data(text: string): string {
  return text.split("\n").map(escape).join("\n").replaceAll("%", "%25").replaceAll("\n", "%0A");
}

function property(text: string): string {
  return data(text).replaceAll(":", "%3A").replaceAll(",", "%2C");
}
