/** Shows a status again and again: a screen on a terminal, a line or a document per change elsewhere. */
import type { Summary } from "../domain/status/status";
import { escape } from "../output/escape";
import { renderLine } from "../output/json";
import { isTerminal, palette, wantsColor } from "../output/style";
import type { Report } from "../run/report";
import type { CommandContext } from "./context";
import type { StatusDetails } from "./status-details";
import { statusLines } from "./status-text";

/** Told of every look. */
export type Show = (details: StatusDetails, report: () => Report) => void;

/** What fits the stream and the form of the result. */
export function screenFor(context: CommandContext): Show {
  const { streams, options } = context;
  switch (options.output) {
    case "json":
    case "yaml":
      return () => undefined; // exactly one document, at the end
    case "jsonl":
      return onChange((_, report) => {
        streams.out.write(renderLine(report()));
      });
    case "text":
      return isTerminal(streams.out) ? redrawn(context) : changes(streams.out);
  }
}

/** What would be the same at another time of day: the moment of reading and the ages are no change. */
function fingerprint(details: StatusDetails): string {
  const passing = ["readAt", "age"];
  return JSON.stringify(details, (key, value: unknown) =>
    passing.includes(key) ? undefined : value,
  );
}

function onChange(show: Show): Show {
  let before = "";
  return (details, report) => {
    const now = fingerprint(details);
    if (now !== before) show(details, report);
    before = now;
  };
}

const home = "\u001b[H";
const clearAll = "\u001b[2J";
const clearRight = "\u001b[K";
const clearBelow = "\u001b[J";

/** Written over in place: nothing is cleared before it is written anew, so nothing flickers. */
function redrawn({ streams: { out }, options, env }: CommandContext): Show {
  const ink = palette(wantsColor({ color: options.color, env, terminal: true }));
  let first = true;
  return (details) => {
    const width = widthOf(out);
    const lines = statusLines(details, {
      palette: ink,
      ...(width !== undefined && { width: width - 1 }),
    });
    const shown = fitting(lines, heightOf(out));
    const text = shown.map((line) => `${line}${clearRight}\n`).join("");
    out.write(`${first ? clearAll : ""}${home}${text}${clearBelow}`);
    first = false;
  };
}

/** A screen that scrolls cannot be written over: what does not fit is said to be there. */
function fitting(lines: readonly string[], rows: number | undefined): readonly string[] {
  if (rows === undefined || lines.length < rows) return lines;
  const kept = Math.max(1, rows - 2);
  return [...lines.slice(0, kept), `… ${lines.length - kept} more lines: enlarge the window`];
}

function widthOf(out: NodeJS.WritableStream): number | undefined {
  return positive("columns" in out ? out.columns : undefined);
}

function heightOf(out: NodeJS.WritableStream): number | undefined {
  return positive("rows" in out ? out.rows : undefined);
}

function positive(size: unknown): number | undefined {
  return typeof size === "number" && size > 0 ? size : undefined;
}

/** One line for each component that has changed. */
function changes(out: NodeJS.WritableStream): Show {
  const before = new Map<string, string>();
  return ({ readAt, old, summary, next }) => {
    const lines = new Map([
      ["API server", old === undefined ? "answers" : `does not answer: ${old.because}`],
      ...summary.map((one) => [one.title, lineOf(one)] as const),
      ["Next", next === undefined ? "nothing" : (next.command ?? next.says)],
    ]);
    for (const [title, line] of lines) {
      if (before.get(title) !== line) out.write(`${readAt} ${escape(title)}: ${escape(line)}\n`);
      before.set(title, line);
    }
    for (const title of before.keys()) {
      if (lines.has(title)) continue;
      out.write(`${readAt} ${escape(title)}: gone\n`);
      before.delete(title);
    }
  };
}

function lineOf({ is, facts, says, fix }: Summary): string {
  const parts = [facts, says, ...(fix === undefined ? [] : [`fix: ${fix}`])];
  return `${is}: ${parts.filter((part) => part !== "").join("; ")}`;
}
