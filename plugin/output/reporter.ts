/** The reporter for the chosen form: the talk on stderr, the result on stdout. */
import type { Event, Report, Reporter } from "../kernel/report";
import { renderAge } from "../domain/base/duration";
import type { PlainForm } from "../domain/base/output-form";
import { escape, escapeJson, isTerminal, palette, type Palette, wantsColor } from "./escape";
import { fitText, readWidth } from "../domain/base/fit";
import { paintResult, whyWithSource } from "./steps";
import { contentKey, foldFindings, listObjects, paintSeverity } from "./findings";
import { renderAnswers, renderText, type TextStyle } from "./text";
import { type Finding, sortWorstLast } from "../domain/base/findings";
import { groupBy, omit } from "../domain/base/values";
import type { Names } from "../domain/names/names";

/** What a reporter writes to, and how. */
export interface ReporterWish {
  readonly out: NodeJS.WritableStream;
  readonly err: NodeJS.WritableStream;
  readonly env: NodeJS.ProcessEnv;
  /** A word, or what a template was compiled to. */
  readonly output: PlainForm | ((report: Report) => string);
  /** Of the kinds, for `name`; absent: the default ones. */
  readonly names?: Names | undefined;
  readonly color: "auto" | "always" | "never";
  readonly quiet: boolean;
  readonly verbosity: number;
  /** Tables of text have every column. */
  readonly wide?: boolean | undefined;
}

/** A reporter whose live line can be removed, for a prompt. */
export interface TalkingReporter extends Reporter {
  /** Shows the findings that were not shown before, the worst last: they stand above a question or the first write. */
  present(findings: readonly Finding[]): void;
  /** `text` is a command's own rendering, instead of the common one. */
  end(report: Report, text?: OwnText): void;
  rest(): void;
}

type OwnText = (report: Report, style: TextStyle) => string;

/** Makes the reporter; the YAML library is loaded only for YAML. */
export async function createReporter(wish: ReporterWish): Promise<TalkingReporter> {
  const { out, output } = wish;
  const talk = new ProgressReporter(talkStyle(wish));
  const render = await renderer(wish, talk.above);
  return {
    event(event: Event) {
      if (output === "jsonl") out.write(renderLine(event));
      else talk.event(event);
    },
    present(findings) {
      talk.present(findings);
    },
    end(report, text) {
      talk.finish();
      const said = render(report, text);
      out.write(output === "text" ? fitText(said, readWidth(out)) : said);
    },
    rest() {
      talk.rest();
    },
  };
}

function talkStyle({ out, err, env, color, output, quiet, verbosity }: ReporterWish) {
  const live = isTerminal(err) && env["TERM"] !== "dumb";
  return {
    err,
    palette: palette(wantsColor({ color, env, terminal: isTerminal(err) })),
    live,
    passing: live && output === "text" && isTerminal(out),
    findings: (output !== "text" && output !== "github") || isTerminal(err),
    terminal: isTerminal(err),
    quiet,
    sources: verbosity > 0,
  };
}

/** `above` are the keys of findings that stand on the terminal already. */
async function renderer(
  wish: ReporterWish,
  above: ReadonlySet<string>,
): Promise<(report: Report, text?: OwnText) => string> {
  if (typeof wish.output === "function") return wish.output;
  switch (wish.output) {
    case "json":
      return renderJson;
    case "jsonl":
      return renderLine;
    case "yaml": {
      const { renderYaml } = await import("./yaml.ts");
      return (report) => renderYaml(report);
    }
    case "name": {
      const [{ renderNames }, { defaultNames }] = await Promise.all([
        import("./names.ts"),
        import("../domain/names/names.ts"),
      ]);
      return (report) => renderNames(report, wish.names ?? defaultNames);
    }
    case "sarif": {
      const { buildSarif } = await import("./sarif.ts");
      return (report) => renderJson(buildSarif(report));
    }
    case "junit":
      return (await import("./junit.ts")).renderJunit;
    case "github":
      return (await import("./github.ts")).renderGithub;
    case "text":
      return (report, text = renderText) => {
        const isBelow = isTerminal(wish.out);
        return text(report, { ...textStyle(wish), ...(isBelow && { above }) });
      };
  }
}

function textStyle({ out, env, color, verbosity, wide }: ReporterWish): TextStyle {
  const terminal = isTerminal(out);
  const width = readWidth(out);
  return { palette: palette(wantsColor({ color, env, terminal })), verbosity, wide, width };
}

/** The document, indented for reading. */
export function renderJson(report: object): string {
  return `${escapeJson(JSON.stringify(report, undefined, 2))}\n`;
}

/** One line of JSON Lines: an event as it happens, or the document at the end. */
export function renderLine(value: Event | Report): string {
  return `${escapeJson(JSON.stringify(value))}\n`;
}

/** Where and how the talk appears. */
interface TalkStyle {
  readonly err: NodeJS.WritableStream;
  readonly palette: Palette;
  /** A terminal: waiting is one line that is written over. */
  readonly live: boolean;
  /** The result shows steps, probes and findings on the same terminal: then they pass by only. */
  readonly passing: boolean;
  /** False where the result shows the findings to the same reader: a log has each once. */
  readonly findings: boolean;
  /** A person may be asked on it: what was found before the question stands right above it. */
  readonly terminal: boolean;
  readonly quiet: boolean;
  /** Whether numbers of the specification are shown. */
  readonly sources: boolean;
}

/** So many causes of one way out are shown above a question; the objects of the others are named. */
const mostCauses = 5;

/** Seconds between two lines in a log while the same is waited for. */
const logEvery = 30;

const clearLine = "\r\u001b[K";

/** Shows events; `rest` takes the live line away, before a prompt or the result. */
class ProgressReporter {
  #live = false;
  #waitingOn: string | undefined;
  #part: string | undefined;
  /** Seconds of the wait that was last told of. */
  #toldAt = 0;
  /** What was found before the question, which is shown there in order; undefined once it was asked. */
  #held: Finding[] | undefined;
  /** Lines of findings, each of which is written once. */
  readonly #told = new Set<string>();
  /** Keys of the findings that stood above a question, if only by their object. */
  readonly #presented = new Set<string>();
  /** Keys of the findings that were shown on the terminal with their cause and fix. */
  readonly above = new Set<string>();

  constructor(private readonly style: TalkStyle) {
    if (style.terminal) this.#held = [];
  }

  event(event: Event): void {
    if (event.type === "warning") {
      this.line(`${this.style.palette.warn("warning:")} ${escape(event.text)}`);
      return;
    }
    if (this.style.quiet) return;
    if (event.type === "waiting") {
      this.tellWaiting(event);
      return;
    }
    this.#waitingOn = undefined;
    if (event.type === "note") this.note(event);
    else if (event.type === "finding") this.finding(event.finding);
    else this.result(this.tell(event));
  }

  /** On a terminal in full, in a log, where nobody is asked, a line for those that differ in their object alone. */
  present(findings: readonly Finding[]): void {
    this.#held = undefined;
    const fresh = findings.filter((one) => !this.#presented.has(contentKey(one)));
    for (const one of fresh) this.#presented.add(contentKey(one));
    if (this.style.terminal) this.presentInFull(sortWorstLast(fresh));
    else this.presentBriefly(sortWorstLast(fresh));
  }

  private presentInFull(findings: readonly Finding[]): void {
    const { palette, sources } = this.style;
    const style = { palette, verbosity: sources ? 1 : 0 };
    const blocks = foldFindings(findings, style, sources ? Infinity : mostCauses);
    for (const { lines, shown } of blocks) {
      this.line(["", ...lines].join("\n"));
      for (const one of shown) this.above.add(contentKey(one));
    }
    if (blocks.length > 0) this.line("");
  }

  private presentBriefly(findings: readonly Finding[]): void {
    const { palette } = this.style;
    const untold = findings.filter((one) => !this.#told.has(describeFinding(one, palette)));
    const alike = groupBy(untold, (one) => contentKey(omit(one, "object", "field")));
    for (const [first, ...others] of alike.values()) {
      if (first === undefined) continue;
      this.line(describeFinding(first, palette, others));
    }
  }

  /** Takes the live line away, and shows what was found where no question came. */
  finish(): void {
    const held = this.#held ?? [];
    this.#held = undefined;
    this.rest();
    if (this.style.passing || !this.style.findings || this.style.quiet) return;
    for (const one of sortWorstLast(held)) this.lineOnce(one);
  }

  private finding(finding: Finding): void {
    if (this.#presented.has(contentKey(finding))) return;
    if (this.#held !== undefined) this.#held.push(finding);
    else if (this.style.passing) this.over(describeFinding(finding, this.style.palette));
    else if (this.style.findings) this.lineOnce(finding);
  }

  private lineOnce(finding: Finding): void {
    const line = describeFinding(finding, this.style.palette);
    if (!this.#told.has(line)) this.line(line);
    this.#told.add(line);
  }

  /** Takes the live line away. */
  rest(): void {
    if (this.#live) this.style.err.write(clearLine);
    this.#live = false;
  }

  private tell(event: Event & { type: "step" | "probe" }): string {
    if (event.type === "probe") {
      return `probe ${escape(event.probe.phase)}: ${renderAnswers(event.probe)}`;
    }
    const { n, action, object, result } = event.step;
    const why = this.style.sources ? whyWithSource(event.step) : event.step.why;
    const outcome = paintResult(result, this.style.palette);
    return `step ${n}: ${action} ${escape(object)} ${outcome} (${escape(why)})`;
  }

  private note({ text, part, source }: Event & { type: "note" }): void {
    this.#part = part ?? this.#part;
    const from = this.style.sources && source !== undefined ? ` (${source})` : "";
    this.line(escape(`${part === undefined ? "" : `${part}: `}${text}${from}`));
  }

  /** On a terminal each poll renews the line; elsewhere a change is worth one, and half a minute. */
  private tellWaiting({ on, seconds, last }: Event & { type: "waiting" }): void {
    const text = `waiting for ${escape(on)}`;
    const moved = last === undefined ? "" : `; ${escape(last)}`;
    const timed = `${text} (${renderAge(seconds * 1000)})${moved}`;
    const isNew = this.#waitingOn !== on;
    if (this.style.live) this.over(this.#part === undefined ? timed : `${this.#part}: ${timed}`);
    else if (isNew) this.line(text);
    else if (seconds - this.#toldAt >= logEvery) this.line(timed);
    else return;
    this.#waitingOn = on;
    this.#toldAt = seconds;
  }

  private result(text: string): void {
    if (this.style.passing) this.over(text);
    else this.line(text);
  }

  private line(text: string): void {
    this.rest();
    this.style.err.write(`${fitText(text, readWidth(this.style.err))}\n`);
  }

  /** Writes over the live line, cut to the terminal's width: a wrapped line cannot be cleared. */
  private over(text: string): void {
    const columns = readWidth(this.style.err) ?? 80;
    // cutting could split a color code, hence the plain text
    const bare = text.replaceAll(/\u001b\[\d+m/g, "");
    this.style.err.write(`${clearLine}${bare.slice(0, Math.max(20, columns - 1))}`);
    this.#live = true;
  }
}

function describeFinding(
  finding: Finding,
  palette: Palette,
  others: readonly Finding[] = [],
): string {
  const object = finding.object === undefined ? "" : ` ${listObjects([finding, ...others])}`;
  return `${paintSeverity(finding, palette)}: ${escape(finding.code)}${object}: ${escape(finding.cause)}`;
}
