import { readFileSync } from "node:fs";
import { join } from "node:path";
import { catalogue } from "../../../../plugin/commands/explain/catalogue";
import { findStatement, readNumbers } from "../../../../plugin/commands/explain/statements";

const specification = readFileSync(join(__dirname, "../../../../docs/specification.md"), "utf8");

test.each([
  ["S27", ["S27"]],
  ["s27", ["S27"]],
  ["S27, S28", ["S27", "S28"]],
  ["S27 C3", ["S27", "C3"]],
  ["S25-S28", ["S25", "S26", "S27", "S28"]],
  ["S25–27", ["S25", "S26", "S27"]],
  ["S9-S7", ["S9"]],
  ["Facts 7", ["Facts 7"]],
  ["facts-7", ["Facts 7"]],
  ["Admission facts 6.2", ["Admission facts 6.2"]],
  ["SECRET-MISSING", undefined],
  ["S27 SECRET-MISSING", undefined],
  ["S", undefined],
  ["", undefined],
])("%j names %j", (typed, numbers) => {
  expect(readNumbers(typed)).toEqual(numbers);
});

test.each([
  ["S27", "Admission webhook", /^The Secret `admission-tls` exists/],
  ["C1", "C: decisions", /^Valid engine versions/],
  ["C22", "C: decisions", /^REST: /],
  ["Facts 5", "Facts 5: security context constraints", /./],
  ["Facts 4", "Facts 4: webhook configuration", /4\.5 Failures/],
  ["Facts 4.2", "4.2 The Secret", /./],
  ["Admission facts 2", "Admission facts 2: transport", /HTTP\/1\.1/],
  [
    "Admission facts 14",
    "Admission facts 14: the same rules elsewhere",
    /ValidatingAdmissionPolicy/,
  ],
  [
    "Admission facts 6.2",
    "6.2 One sentence says what is wrong, one what to do, and the rule's number ends it.",
    /^$/,
  ],
])("%s stands under %j", (number, heading, text) => {
  expect(findStatement(specification, number)).toEqual({
    number,
    heading,
    text: expect.stringMatching(text) as string,
  });
});

test.each(["S0", "S999", "C99", "Facts 1", "Facts 99", "Facts 4.9"])("there is no %s", (number) => {
  expect(findStatement(specification, number)).toBeUndefined();
});

test("every number that a finding names as its source is explained", () => {
  const sources = catalogue.map(({ source }) => source).filter((source) => /^[SCFA]/.test(source));
  expect(sources.length).toBeGreaterThan(50);
  const unexplained = sources.filter(
    (source) =>
      readNumbers(source)?.every((number) => findStatement(specification, number)) !== true,
  );
  expect([...new Set(unexplained)]).toEqual([]);
});
