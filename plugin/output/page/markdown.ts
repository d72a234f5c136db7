/**
 * A page as Markdown (GitHub's): no HTML. Whatever could become a link, a mention or a picture stands in
 * a code span, where nothing is interpreted.
 */
import {
  type Page,
  renderMs,
  showCode,
  showLine,
  renderCell,
  type Writer,
  writeBlock,
} from "./blocks";

/** The whole file. */
export function renderMarkdown({ title, blocks, footer }: Page): string {
  const parts = [`# ${text(title)}`, ...blocks.map((block) => writeBlock(markdown, block, 2))];
  return `${[...parts, text(footer)].join("\n\n")}\n`;
}

const linked = /@|:\/\/|www\.|#\d|mailto:|xmpp:/i;

/** What a person copies into a shell. */
const command = /^(?:kubectl|oc|helm) /;

/** One line in which every mark is literal; a command is a code span, which is copied as it is. */
function text(value: string): string {
  if (command.test(value)) return quoteCode(showLine(value));
  return showLine(value)
    .split(/( +)/)
    .map((word) => (linked.test(word) ? quoteCode(word) : literal(word)))
    .join("");
}

function literal(word: string): string {
  return word.replaceAll(/[\\`*_[\]<>#+|~&$]/g, String.raw`\$&`);
}

/** A code span, fenced by more backticks than it holds; a bar would end the cell of a table even there. */
function quoteCode(word: string): string {
  const fence = chooseFence(word, 1);
  const pad = word.startsWith("`") || word.endsWith("`") ? " " : "";
  return `${fence}${pad}${word.replaceAll("|", String.raw`\|`)}${pad}${fence}`;
}

function chooseFence(value: string, least: number): string {
  const runs = (value.match(/`+/g) ?? []).map(({ length }) => length + 1);
  return "`".repeat(Math.max(least, ...runs));
}

const markdown: Writer = {
  banner: (block) => `## ${text(block.text.toUpperCase())}`,
  card: ({ head, rows }) => `**${text(head)}**\n\n${markdown.facts({ rows }, 0)}`,
  code: (block) => {
    const code = showCode(block.text);
    const fence = chooseFence(code, 3);
    return `${fence}\n${code}\n${fence}`;
  },
  list: ({ items }) => items.map((item) => `- ${text(item)}`).join("\n"),
  facts: ({ rows }) => markdown.table({ head: ["Fact", "Value"], rows }, 0),
  grid: ({ cells }) => markdown.table({ head: ["Namespace", "Result"], rows: cells }, 0),
  section: ({ title, blocks }, depth) => {
    const inner = blocks.map((block) => writeBlock(markdown, block, depth + 1));
    return [`${"#".repeat(Math.min(depth, 6))} ${text(title)}`, ...inner].join("\n\n");
  },
  table: ({ head, rows }) => {
    const lines = [head, ...rows].map(
      (cells) => `| ${cells.map((cell) => text(renderCell(cell))).join(" | ")} |`,
    );
    return [lines[0], `|${" --- |".repeat(head.length)}`, ...lines.slice(1)].join("\n");
  },
  chart: ({ lanes }) => {
    const rows = lanes.flatMap(({ group, name, says, bars }) =>
      bars.length === 0
        ? [[group, name, "", "", says]]
        : bars.map((bar) => [group, name, renderMs(bar.at), renderMs(bar.ms), bar.says]),
    );
    return markdown.table({ head: ["Group", "What", "From", "For", "Says"], rows }, 0);
  },
};
