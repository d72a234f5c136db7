/** What a program that was started says of its failure, fit for an error. */
import { stripVTControlCharacters } from "node:util";
import { conceal, publicText } from "../domain/base/redact";
import { oneLine } from "./http/answer";

const mostLines = 10;
const longest = 1000;
/** Of its output only the end is kept. */
const keptBytes = 64 * 1024;

const credentials = [
  /\beyJ[\w-]+\.[\w-]+(?:\.[\w-]*)*/g,
  /(?<=\b(?:bearer|basic)\s+)[^\s"']{8,}/gi,
  /(?<=(?:token|password|passwd|secret|credential|api[-_]?key)["']?\s*[:=]\s*["']?)[^\s"',;]+/gi,
];

/** Collects the end of a program's standard error. */
export class LastWords {
  private bytes = Buffer.alloc(0);

  readonly add = (chunk: Buffer): void => {
    this.bytes = Buffer.concat([this.bytes, chunk]).subarray(-keptBytes);
  };

  get isEmpty(): boolean {
    return this.bytes.length === 0;
  }

  /** The last lines on one line, without control characters and credentials; "" where it said nothing. */
  describe(known: readonly string[] = []): string {
    const lines = stripVTControlCharacters(this.bytes.toString("utf8"))
      .split(/[\r\n]+/)
      .map((line) => line.trim())
      .filter((line) => line !== "");
    const said = conceal(lines.slice(-mostLines).join("\n"), known);
    const without = credentials.reduce((left, pattern) => left.replaceAll(pattern, "…"), said);
    return oneLine(publicText(without).slice(-longest), longest);
  }
}
