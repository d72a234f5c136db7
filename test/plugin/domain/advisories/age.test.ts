/** Up to which releases notes were read, and what is asked for beyond them. */
import { joinUpTo, tellBeyond, type UpTo } from "../../../../plugin/domain/advisories/age";

const upTo = { operator: "8.2.0-18", cluster: "8.2.0-78" };

test.each<[string, Parameters<typeof tellBeyond>[0], UpTo, readonly string[]]>([
  ["nothing", {}, upTo, []],
  ["the newest that is known", { operator: "8.2.0-18", cluster: "8.2.0-78" }, upTo, []],
  ["an earlier one", { operator: "8.0.20-26" }, upTo, []],
  ["an image of the newest one", { cluster: "8.2.0-78.5.minimal" }, upTo, []],
  [
    "an image after the one that is known",
    { cluster: "8.2.0-78.6" },
    { cluster: "8.2.0-78.5" },
    ["8.2.0-78.6"],
  ],
  [
    "a later operator",
    { operator: "8.2.0-19" },
    upTo,
    ["operator 8.2.0-19 (they go up to 8.2.0-18)"],
  ],
  [
    "both",
    { operator: "8.4.0-1", cluster: "8.4.0-2" },
    upTo,
    ["operator 8.4.0-1 ", " and cluster 8.4.0-2 "],
  ],
  ["one of which nothing is known", { operator: "9.0.0-1" }, { cluster: "8.0.0-1" }, []],
  ["what is no version", { operator: "latest" }, upTo, []],
  ["beyond what is no version", { operator: "8.2.0-19" }, { operator: "latest" }, []],
])("of %s that is asked for", (_title, asked, known, says) => {
  const told = tellBeyond(asked, known);
  expect(told === undefined).toBe(says.length === 0);
  for (const text of says) expect(told).toContain(text);
});

test.each<[string, readonly UpTo[], UpTo]>([
  ["no file", [], {}],
  ["one file", [upTo], upTo],
  ["an older one beside a newer one", [{ operator: "8.0.2-2" }, upTo], upTo],
  ["a newer one of one kind", [upTo, { operator: "8.4.0-1" }], { ...upTo, operator: "8.4.0-1" }],
  ["the same twice", [upTo, upTo], upTo],
])("of %s the newest of each kind is known", (_title, all, known) => {
  expect(joinUpTo(all)).toEqual(known);
});
