/**
 * The plots and tables of the page on scale are those of its results. `UPDATE_GOLDEN=1 npx jest
 * test/scale.test.ts` draws them again; new results come from `npm run bench -- growth`.
 */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { pagesOf, shownPoints, writePagesOf } from "./bench/growth/pages";
import { growthOf, type Point, textOf } from "./bench/growth/points";
import { root } from "./support/pages";

const written = (path: string): string =>
  existsSync(join(root, path)) ? readFileSync(join(root, path), "utf8") : "";

test("plots and tables follow from the results alone", () => {
  const points = shownPoints();
  expect(points.length).toBeGreaterThan(20);
  if (process.env["UPDATE_GOLDEN"] === "1") writePagesOf(points);
  for (const [path, text] of pagesOf(points)) expect([path, written(path)]).toEqual([path, text]);
});

const pointsOf = (costs: readonly (readonly [number, number])[]): readonly Point[] =>
  costs.map(([size, seconds]) => ({
    ...{ subject: "cluster", line: "check", rounds: 1, others: 0 },
    size,
    values: { seconds },
  }));

test.each<[string, readonly (readonly [number, number])[], number]>([
  [
    "linear beside a fixed cost",
    [
      [1, 5],
      [1_000, 15],
      [10_000, 105],
    ],
    1,
  ],
  [
    "quadratic",
    [
      [1, 1],
      [10, 101],
      [100, 10_001],
    ],
    2,
  ],
  [
    "constant",
    [
      [1, 32],
      [100, 32],
      [1_000, 32],
    ],
    0,
  ],
  [
    "constant but for noise",
    [
      [1, 1],
      [100, 0.9],
      [1_000, 1.05],
    ],
    0,
  ],
])("what is %s has its slope", (_name, costs, slope) => {
  expect(growthOf(pointsOf(costs), "seconds").slope).toBeCloseTo(slope, 1);
});

test("of one size there is no slope", () => {
  expect(growthOf(pointsOf([[1, 5]]), "seconds").slope).toBeNaN();
});

test("points are kept in the order of lines and sizes, whichever came first", () => {
  const points = pointsOf([
    [1, 5],
    [100, 6],
    [1_000, 7],
  ]);
  expect(textOf([...points].reverse())).toBe(textOf(points));
});
