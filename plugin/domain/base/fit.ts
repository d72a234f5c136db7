/** Lines that fit the terminal: the one place where a line is broken. */

const ink = /\u001b\[\d*m/g;

/** What stands to be copied: a command is one word up to its end, or to what is said after it. */
const wordOrCommand =
  /(?<=(?:^|: |\$ | run | with | {2}))(?:kubectl|oc|helm) (?:'[^']*'|"[^"]*"|[^;,'"]|[;,](?! ))+[;,]?|[^ ]+/g;

/** Objects and hunks, which are copied as they are, up to an empty line. */
const copied = /^(?:apiVersion:|---|\+\+\+|@@)/;

/** A last column that begins beyond this part of the width leaves too little for its text. */
const farthest = 0.6;

/** The columns of a terminal; undefined for a file or a pipe, whose lines are as long as they are. */
export function readWidth(stream: NodeJS.WritableStream): number | undefined {
  const columns: unknown = "columns" in stream ? stream.columns : undefined;
  return typeof columns === "number" && columns > 0 ? columns : undefined;
}

/** The text in lines that fit; only what is there to be copied may be longer. */
export function fitText(text: string, width: number | undefined, step = 2): string {
  if (width === undefined || /^(?:#|---|apiVersion:)/.test(text)) return text;
  let whole = false;
  const lines = text.split("\n").flatMap((line) => {
    const bare = line.replaceAll(ink, "");
    whole = copied.test(bare) || (whole && bare !== "");
    return whole || bare.length <= width ? [line] : breakLine(line, { bare, width, step });
  });
  return lines.join("\n");
}

/** As `fitText`, with the lines of each paragraph joined before: the source has them at its own width. */
export function fitHelp(text: string, width: number | undefined): string {
  const joined = text.replaceAll(/^(\S.{79,})\n(?=\S)/gm, "$1 ");
  return width === undefined ? text : fitText(joined, width, 0);
}

interface Broken {
  /** The line without its colors. */
  readonly bare: string;
  readonly width: number;
  readonly step: number;
}

function breakLine(line: string, wanted: Broken): readonly string[] {
  const { before, lead, hang } = indents(wanted);
  const lines: string[] = [];
  let [current, end] = ["", before - lead];
  for (const { 0: word, index } of line.matchAll(wordOrCommand)) {
    const longer = `${current}${line.slice(end, index)}${word}`;
    const isFirst = current === "";
    const fits = isFirst || longer.replaceAll(ink, "").length <= wanted.width;
    if (!fits) lines.push(current);
    current = fits ? longer : `${" ".repeat(hang)}${word}`;
    end = index + word.length;
  }
  return [...lines, current];
}

/** What follows stands below the line's last column, or a step to the right of its beginning. */
function indents({ bare, width, step }: Broken) {
  const measure = (part: RegExp): number => part.exec(bare)?.[0].length ?? 0;
  const fits = (column: number): boolean => column <= width * farthest;
  const before = measure(/^ */);
  const column = measure(/^.*[^ ] {2,}(?=[^ ])/);
  const lead = fits(before) ? before : 2;
  return { before, lead, hang: column > 0 && fits(column) ? column : lead + step };
}
