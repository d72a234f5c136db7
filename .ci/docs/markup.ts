/** A page before it has a form: its parts, written as Markdown or as a man page. */

/** One part of a page: a heading behind ##, or a paragraph; a block of commands; a table. */
export type Part =
  | string
  | { readonly code: string }
  | { readonly rows: readonly (readonly string[])[]; readonly heads: readonly string[] };

/** A page with its title. */
export interface Page {
  readonly title: string;
  /** What it is about, in one line. */
  readonly summary: string;
  readonly parts: readonly Part[];
}

/** Signs that would mean something in Markdown; links are written as they are. */
const escaped = (text: string): string => text.replaceAll(/[*<>|`]/g, String.raw`\$&`);

/** A row of a table: its first cell is something to type, or to look for. */
const rowOf = ([first = "", ...others]: readonly string[]): readonly string[] => [
  `\`${first.replaceAll("|", String.raw`\|`)}\``,
  ...others.map(escaped),
];

function markdownPart(part: Part): string {
  if (typeof part === "string") return escaped(part);
  if ("code" in part) return `\`\`\`console\n${part.code}\n\`\`\``;
  const line = (cells: readonly string[]): string => `| ${cells.join(" | ")} |`;
  const rows = part.rows.map((row) => line(rowOf(row)));
  return [line(part.heads), line(part.heads.map(() => "---")), ...rows].join("\n");
}

/** The page in Markdown. */
export function markdown({ title, summary, parts }: Page): string {
  return `${[`# ${title}`, `${escaped(summary)}.`, ...parts.map(markdownPart)].join("\n\n")}\n`;
}

/** Signs that would mean something in roff: a dash is one to be typed, a dot begins no request. */
const roff = (text: string): string =>
  text
    .replaceAll("\\", String.raw`\e`)
    .replaceAll("-", String.raw`\-`)
    .replaceAll(/^([.'])/gm, String.raw`\&$1`)
    .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, "$1");

function manPart(part: Part): string {
  if (typeof part === "string") {
    const text = roff(part).replaceAll("\n\n", "\n.PP\n");
    return part.startsWith("## ") ? `.SH ${text.slice(3).toUpperCase()}` : `.PP\n${text}`;
  }
  if ("code" in part) return `.PP\n.nf\n${roff(part.code)}\n.fi`;
  return part.rows
    .map(([first = "", ...others]) => {
      const told = others.map((other, at) =>
        at === 0 ? other : `${part.heads[at + 1]}: ${other}`,
      );
      return `.TP\n.B ${roff(first)}\n${roff(told.filter((one) => !one.endsWith(": ")).join("; "))}`;
    })
    .join("\n");
}

/** The page for man, in section 1. */
export function man(name: string, version: string, { summary, parts }: Page): string {
  const head = `.TH ${roff(name.toUpperCase())} 1 "" "${roff(`kubectl-engine ${version}`)}"`;
  const about = `.SH NAME\n${roff(name)} \\- ${roff(summary)}`;
  return `${[head, about, ...parts.map(manPart)].join("\n")}\n`;
}
