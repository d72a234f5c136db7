import { isWithin, leadsTo, parseRange } from "../../../../plugin/domain/advisories/ranges";
import type { Dimension } from "../../../../plugin/domain/advisories/row";

/** Whether a version is within a range, else what is wrong with the range. */
function ask(text: string, version: string, dimension?: Dimension): boolean | undefined | string {
  const range = parseRange(text, dimension);
  return typeof range === "string" ? range : isWithin(range, version);
}

test.each<[name: string, range: string, inside: readonly string[], outside: readonly string[]]>([
  ["older than a tag", "<7.4.2-2", ["7.4.2-1", "7.4.1-99", "6.4"], ["7.4.2-2", "7.4.2-10", "8.0"]],
  ["up to a tag", "<=7.4.2-2", ["7.4.2-2", "7.4.2-2.rhel8"], ["7.4.2-3", "7.4.2-2.1"]],
  ["later than", ">8.0", ["8.0.1", "8.0-1", "8.2"], ["8.0", "8.0.0", "7.9"]],
  ["from one on", ">=8.0", ["8.0", "8.0.0-0", "10.0"], ["7.22.2-43"]],
  ["exactly", "=8.0", ["8.0", "8.0.0", "8.0.0-0"], ["8.0.1", "8.0-1"]],
  ["between two", ">=8.0 <8.2", ["8.0", "8.0.20-26"], ["8.2", "7.4"]],
  ["spaces behind signs", ">= 8.0  < 8.2", ["8.1"], ["8.2"]],
  ["no spaces at all", ">=8.0<8.2", ["8.1"], ["8.2"]],
  ["either", "=8.0.2-2 || =8.0.2-6", ["8.0.2-2", "8.0.2-6"], ["8.0.2-4"]],
  ["a build of a build", ">8.0.18-23.10", ["8.0.18-23.11", "v8.0.18-24"], ["8.0.18-23.9"]],
  ["a suffix is no part", "=8.0.18-23", ["8.0.18-23.minimal", "8.0.18-23.rhel8-openshift"], []],
])("%s", (_name, range, inside, outside) => {
  expect(inside.filter((version) => ask(range, version) !== true)).toEqual([]);
  expect(outside.filter((version) => ask(range, version) !== false)).toEqual([]);
});

test.each(["latest", "", "8.0.2-rc1", "08.0", "8.0.0.0.0", "8.0 ", "1.33.4+k3s1", "9".repeat(1e5)])(
  "%p is no version, so nothing is said of it",
  (version) => {
    expect(ask(">=8.0", version)).toBeUndefined();
  },
);

test.each<[range: string, version: string, dimension: Dimension, within: boolean | undefined]>([
  ["<=1.33", "v1.33.4+k3s1", "kubernetes", true],
  ["=1.33.1", "v1.33.4", "kubernetes", true],
  [">1.33", "1.33+", "kubernetes", false],
  [">=1.33", "v1.34.0-gke.1036000", "kubernetes", true],
  ["<4.20", "4.20.1", "openshift", false],
  ["<4.20", "none", "openshift", undefined],
  ["<=1.33", "1.33.4", "engine", false],
])("%s of %s, a version of %s", (range, version, dimension, within) => {
  expect(ask(range, version, dimension)).toBe(within);
});

test.each<[range: string, problem: string]>([
  ["", "a part of the range is empty"],
  ["<8 ||", "a part of the range is empty"],
  ["8.0", "before 8.0 a sign is missing: <, <=, >, >= or ="],
  ["<8.0 9.0", "before 9.0 a sign is missing: <, <=, >, >= or ="],
  ["!=8.0", "!= is no sign of a range: write <, <=, >, >= or ="],
  ["^8.0", "^ is no sign of a range: write <, <=, >, >= or ="],
  ["==8.0", "== is no sign of a range: write <, <=, >, >= or ="],
  [">=8.0 <", "after < a version is missing"],
  ["<8.0.x", "8.0.x has a suffix, which is no part of a range"],
  ["<8.0.2-2.rhel8", "8.0.2-2.rhel8 has a suffix, which is no part of a range"],
  ["<later", "later is no version: write a sign and a version, such as <8.4"],
  ["below 8.2", "below is no version: write a sign and a version, such as <8.4"],
  [">=8.0, <8.2", '8.0, has a comma: a space is "and", || is "or"'],
  [">=8.2 <8.0", "no version is >=8.2 <8.0"],
  ["<8 || >8.0 <8.0.0-0.1", "no version is >8.0 <8.0.0-0.1"],
  ["<0", "no version is <0"],
])("%p is no range", (range, problem) => {
  expect(parseRange(range)).toBe(problem);
});

test.each<[from: string, to: string, leads: boolean]>([
  ["<8.4", ">=8.4", true],
  ["=8.0", "=8.0.2", true],
  ["=8.0.2", "=8.0", false],
  [">=8.2", "<8.2", false],
  [">=8.2", "<8.2.0-0.2", true],
  [">=8.0 <8.2", "<8.2 || =9.0", true],
  [">8.0", ">7.0", true],
])("from %s to %s: %p", (from, to, leads) => {
  const [start, end] = [parseRange(from), parseRange(to)];
  if (typeof start === "string" || typeof end === "string") throw new Error(`${from} ${to}`);
  expect(leadsTo(start, end)).toBe(leads);
});

test("more versions than are remembered are judged as well", () => {
  const range = parseRange("<500");
  const judged = Array.from({ length: 1500 }, (_, at) =>
    typeof range === "string" ? undefined : isWithin(range, `${at}`),
  );
  expect(judged.filter((within) => within === true)).toHaveLength(500);
});
