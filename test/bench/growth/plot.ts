/** A subject as a picture: a panel for each metric, both axes logarithmic, the slope at each line. */
import { growthOf, type Metric, type Point } from "./points";
import { linesOf, metricTitles, type Subject } from "./subjects";

/** In pixels: a panel, and in it the place of the lines; labels stand at its right. */
const panel = { width: 510, height: 250 };
const area = { left: 58, top: 34, width: 262, height: 168 };
const columns = 2;
const labelGap = 15;

const style = `text{font:12px system-ui,sans-serif;fill:#1f2328}.t{font-weight:600}.n{fill:#59636e}
.paper{fill:#fff}.grid{stroke:#d1d9e0;stroke-width:1}.line{fill:none;stroke-width:2}
.l0{stroke:#0969da}.l1{stroke:#bc4c00;stroke-dasharray:7 3}.l2{stroke:#1a7f37;stroke-dasharray:2 3}.l3{stroke:#8250df;stroke-dasharray:9 3 2 3}
.d0{fill:#0969da}.d1{fill:#bc4c00}.d2{fill:#1a7f37}.d3{fill:#8250df}
@media(prefers-color-scheme:dark){text{fill:#e6edf3}.n{fill:#9198a1}.paper{fill:#0d1117}.grid{stroke:#3d444d}
.l0{stroke:#58a6ff}.l1{stroke:#f0883e}.l2{stroke:#3fb950}.l3{stroke:#bc8cff}
.d0{fill:#58a6ff}.d1{fill:#f0883e}.d2{fill:#3fb950}.d3{fill:#bc8cff}}`;

/** From values to pixels, and where lines of the grid are. */
interface Scale {
  readonly at: (value: number) => number;
  readonly ticks: readonly number[];
}

/** 1, 2 and 5 in each decade. */
const steps = [1, 2, 5];

function stepsBetween(least: number, most: number): readonly number[] {
  const [low, high] = [Math.floor(Math.log10(least)), Math.ceil(Math.log10(most))];
  const all = Array.from({ length: high - low + 2 }, (_, at) => low + at).flatMap((power) =>
    steps.map((step) => Number(`${String(step)}e${String(power)}`)),
  );
  const from = Math.max(
    0,
    all.findLastIndex((value) => value <= least),
  );
  const found = all.findIndex((value, at) => at > from && value >= most);
  return all.slice(from, found + 1);
}

function scaleOf(values: readonly number[], from: number, to: number): Scale {
  const all = stepsBetween(Math.min(...values), Math.max(...values));
  const [least = 1, most = 10] = [all[0], all.at(-1)];
  const part = (value: number) => Math.log(value / least) / Math.log(most / least);
  const whole = all.filter((value) => /^10*$|^0\.0*1$/.test(String(value)));
  // many decades have a line each, few have some in between
  const ticks = whole.length > 2 ? whole : all;
  return { at: (value) => from + (to - from) * part(value), ticks };
}

const escaped = (text: string): string => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");

const px = (value: number): string => String(Number(value.toFixed(1)));

export const shortNumber = (value: number): string =>
  Number(value.toPrecision(3)).toLocaleString("en-US", { maximumFractionDigits: 4 });

type Lines = readonly (readonly [name: string, points: readonly Point[]])[];

export function plotOf(subject: Subject, points: readonly Point[]): string {
  const lines: Lines = [...linesOf(subject, points)];
  const rows = Math.ceil(subject.metrics.length / columns);
  const [width, height] = [columns * panel.width, rows * panel.height + 34];
  const panels = subject.metrics.map((metric, at) => {
    const [x, y] = [(at % columns) * panel.width, Math.floor(at / columns) * panel.height + 34];
    return `<g transform="translate(${x} ${y})">\n${panelOf(subject, metric, lines)}\n</g>`;
  });
  const title = `${subject.title}: the number at a line is its slope`;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" role="img" aria-label="${escaped(title)}">
<style>${style}</style><rect class="paper" width="100%" height="100%" rx="8"/>
<text class="t" x="16" y="24">${escaped(title)}</text>
${panels.join("\n")}
</svg>
`;
}

function panelOf({ axis }: Subject, metric: Metric, lines: Lines): string {
  const { left, top, width, height } = area;
  const costs = lines.flatMap(([, points]) => points.map(({ values }) => values[metric] ?? NaN));
  const sizes = lines.flatMap(([, points]) => points.map(({ size }) => size));
  const x = scaleOf(sizes, left, left + width);
  const y = scaleOf(costs, top + height, top);
  const [right, bottom] = [left + width, top + height].map(px);
  const grid = [
    ...x.ticks.map((tick) => {
      const at = px(x.at(tick));
      return `<path class="grid" d="M${at} ${top}V${bottom}"/><text class="n" x="${at}" y="${bottom}" dy="16" text-anchor="middle">${shortNumber(tick)}</text>`;
    }),
    ...y.ticks.map((tick) => {
      const at = px(y.at(tick));
      return `<path class="grid" d="M${left} ${at}H${right}"/><text class="n" x="${left - 6}" y="${at}" dy="4" text-anchor="end">${shortNumber(tick)}</text>`;
    }),
  ];
  const drawn = lines.map(([, points], at) => {
    const places = points.map(
      ({ size, values }) => `${px(x.at(size))} ${px(y.at(values[metric] ?? NaN))}`,
    );
    const dots = places.map((place) => {
      const [cx = "", cy = ""] = place.split(" ");
      return `<circle class="d${at}" cx="${cx}" cy="${cy}" r="3"/>`;
    });
    return `<path class="line l${at}" d="M${places.join("L")}"/>${dots.join("")}`;
  });
  return [
    `<text class="t" x="${left}" y="${top - 12}">${escaped(metricTitles[metric])}</text>`,
    ...grid,
    `<text class="n" x="${px(left + width / 2)}" y="${bottom}" dy="34" text-anchor="middle">${escaped(axis)}</text>`,
    ...drawn,
    ...labelsOf(lines, metric, y),
  ].join("\n");
}

/** Each at the height of its line's end, as far as the others leave room. */
function labelsOf(lines: Lines, metric: Metric, y: Scale): readonly string[] {
  const wanted = lines
    .map(([name, points], at) => {
      const { slope } = growthOf(points, metric);
      const text = `${name} ${slope.toFixed(2)}`;
      return { at, text, y: y.at(points.at(-1)?.values[metric] ?? NaN) };
    })
    .sort((one, other) => one.y - other.y);
  const last = area.top + area.height;
  const overflow = (above: number) => Math.max(0, above - last);
  const stacked = wanted.reduce<number[]>((heights, label) => {
    const above = heights.at(-1);
    return [...heights, Math.max(label.y, above === undefined ? 0 : above + labelGap)];
  }, []);
  const up = overflow(stacked.at(-1) ?? 0);
  return wanted.map(
    ({ at, text }, index) =>
      `<circle class="d${at}" cx="${area.left + area.width + 10}" cy="${px((stacked[index] ?? 0) - up)}" r="3"/><text x="${area.left + area.width + 18}" y="${px((stacked[index] ?? 0) - up)}" dy="4">${escaped(text)}</text>`,
  );
}
