/**
 * A page as one HTML file that loads nothing: no script, its own style alone, which the policy names by
 * its hash. Positions are attributes of SVG elements, since the policy allows no style on an element.
 */
import { createHash } from "node:crypto";
import {
  type Bar,
  type Cell,
  type Page,
  renderMs,
  showText,
  showCode,
  renderCell,
  type Writer,
  writeBlock,
} from "./blocks";
import { style } from "./style";
import { ticks } from "./timeline";

const sha256 = createHash("sha256").update(style).digest("base64");
const policy = `default-src 'none'; style-src 'sha256-${sha256}'; base-uri 'none'; form-action 'none'`;

/** The whole file. */
export function renderHtml({ title, blocks, footer }: Page): string {
  return `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${text(title)}</title>
<style>${style}</style>
</head>
<body>
<main>
<h1>${text(title)}</h1>
${blocks.map((block) => writeBlock(html, block, 2)).join("\n")}
<footer>${text(footer)}</footer>
</main>
</body>
</html>
`;
}

const entities: Readonly<Record<string, string>> = {
  ...{ "&": "&amp;", "<": "&lt;", ">": "&gt;" },
  ...{ '"': "&quot;", "'": "&#39;" },
};

function encodeText(safe: string): string {
  return safe.replaceAll(/[&<>"']/g, (one) => entities[one] ?? one);
}

function text(value: string): string {
  return encodeText(showText(value));
}

function inkCell(cell: Cell): string {
  if (typeof cell === "string") return text(cell);
  return `<span class="t ${cell.tone}">${text(cell.text)}</span>`;
}

const html: Writer = {
  banner: (block) => `<p class="banner">${text(block.text)}</p>`,
  card: ({ tone, head, rows }) =>
    `<div class="card ${tone}"><b>${text(head)}</b>${html.facts({ rows }, 0)}</div>`,
  code: (block) => `<pre>${encodeText(showCode(block.text))}</pre>`,
  list: ({ items }) => `<ul>${items.map((item) => `<li>${text(item)}</li>`).join("")}</ul>`,
  facts: ({ rows }) =>
    `<dl>${rows.map(([name, value]) => `<dt>${text(name)}</dt><dd>${text(value)}</dd>`).join("")}</dl>`,
  grid: ({ cells }) =>
    `<ul class="grid">${cells.map(([name, result]) => `<li>${text(name)} ${inkCell(result)}</li>`).join("")}</ul>`,
  section: ({ title, blocks }, depth) => {
    const tag = `h${Math.min(depth, 6)}`;
    const inner = blocks.map((block) => writeBlock(html, block, depth + 1));
    return `<section>\n<${tag}>${text(title)}</${tag}>\n${inner.join("\n")}\n</section>`;
  },
  table: ({ head, rows }) => {
    const attributes = head.map((name, column) => {
      const short = rows.every((row) => showText(renderCell(row[column])).length <= shortest);
      return `${short ? ' class="short"' : ""} data-head="${text(name)}"`;
    });
    const cell = (one: Cell, column: number): string =>
      `<td${attributes[column] ?? ""}>${inkCell(one)}</td>`;
    const lines = rows.map((row) => `<tr>${row.map(cell).join("")}</tr>`);
    const heads = head.map((name) => `<th scope="col">${text(name)}</th>`);
    return `<table>\n<thead><tr>${heads.join("")}</tr></thead>\n<tbody>\n${lines.join("\n")}\n</tbody>\n</table>`;
  },
  chart: ({ lanes, tick }) => {
    const labels = Array.from(
      { length: ticks + 1 },
      (_, n) => `<span>${renderMs(tick * n)}</span>`,
    );
    const rows = lanes.map(({ group, name, says, bars }, index) => {
      const head = lanes[index - 1]?.group === group ? "" : `<p class="group">${text(group)}</p>\n`;
      const title = text(
        [name, ...(bars.length === 0 ? [says] : bars.map((bar) => bar.says))].join("; "),
      );
      const drawn = bars.map((bar) => renderBar(bar, tick * ticks)).join("");
      return `${head}<div class="lane"><span>${text(name)}</span><svg role="img" viewBox="0 0 ${width} ${height}" preserveAspectRatio="none"><title>${title}</title>${marks}${drawn}</svg><span class="says">${text(says)}</span></div>`;
    });
    return `<div class="lane axis"><span></span><span class="ticks">${labels.join("")}</span><span></span></div>\n${rows.join("\n")}\n<p class="key">Time from the beginning of the run. High bars: as wished. Low bars, at the foot of a row: not as wished.</p>`;
  },
};

/** A column whose texts are all so short is not broken. */
const shortest = 12;

const width = 1_000;
const height = 22;
const marks = Array.from({ length: ticks - 1 }, (_, index) => {
  const x = ((index + 1) * width) / ticks;
  return `<line x1="${x}" x2="${x}" y1="0" y2="${height}"/>`;
}).join("");

/** What is as wished stands high, what is not at the foot: to be told apart without color. */
function renderBar({ at, ms, tone, says }: Bar, span: number): string {
  const [top, high] = tone === "good" || tone === "calm" ? [3, 16] : [11, 11];
  const long = Math.max((ms / span) * width, 3);
  const from = Math.min((at / span) * width, width - long);
  return `<rect class="${tone}" x="${from.toFixed(1)}" y="${top}" width="${long.toFixed(1)}" height="${high}"><title>${text(says)}</title></rect>`;
}
