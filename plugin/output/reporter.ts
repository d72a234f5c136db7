/** The reporter for the chosen form: the talk on stderr, the result on stdout. */
import type { Event, Report, Reporter } from "../run/report";
import { isTerminal, palette, wantsColor } from "./style";
import { ProgressReporter } from "./progress-reporter";
import { renderText, type TextStyle } from "./text";
import { escapeJson } from "./escape";

/** What a reporter writes to, and how. */
export interface ReporterWish {
  readonly out: NodeJS.WritableStream;
  readonly err: NodeJS.WritableStream;
  readonly env: NodeJS.ProcessEnv;
  readonly output: "text" | "json" | "yaml" | "jsonl";
  readonly color: "auto" | "always" | "never";
  readonly quiet: boolean;
  readonly verbosity: number;
}

/** A reporter whose live line can be removed, for a prompt. */
export interface TalkingReporter extends Reporter {
  /** `text` is a command's own rendering, instead of the common one. */
  end(report: Report, text?: (report: Report, style: TextStyle) => string): void;
  rest(): void;
}

/** Makes the reporter; the YAML library is loaded only for YAML. */
export async function createReporter(wish: ReporterWish): Promise<TalkingReporter> {
  const { out, output } = wish;
  const talk = new ProgressReporter(talkStyle(wish));
  const render = await renderer(wish);
  return {
    event(event: Event) {
      if (output === "jsonl") out.write(renderLine(event));
      else talk.event(event);
    },
    end(report, text) {
      talk.rest();
      const own = output === "text" ? text : undefined;
      out.write(own === undefined ? render(report) : own(report, textStyle(wish)));
    },
    rest() {
      talk.rest();
    },
  };
}

function talkStyle({ out, err, env, color, output, quiet }: ReporterWish) {
  const live = isTerminal(err) && env["TERM"] !== "dumb";
  return {
    err,
    palette: palette(wantsColor({ color, env, terminal: isTerminal(err) })),
    live,
    passing: live && output === "text" && isTerminal(out),
    findings: output !== "text" || isTerminal(err),
    quiet,
  };
}

async function renderer(wish: ReporterWish): Promise<(report: Report) => string> {
  switch (wish.output) {
    case "json":
      return renderJson;
    case "jsonl":
      return renderLine;
    case "yaml":
      return (await import("./yaml.ts")).renderYaml;
    case "text":
      return (report) => renderText(report, textStyle(wish));
  }
}

function textStyle({ out, env, color, verbosity }: ReporterWish): TextStyle {
  const terminal = isTerminal(out);
  return { palette: palette(wantsColor({ color, env, terminal })), verbosity };
}

/** The document, indented for reading. */
export function renderJson(report: Report): string {
  return `${escapeJson(JSON.stringify(report, undefined, 2))}\n`;
}

/** One line of JSON Lines: an event as it happens, or the document at the end. */
export function renderLine(value: Event | Report): string {
  return `${escapeJson(JSON.stringify(value))}\n`;
}
