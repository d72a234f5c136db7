import { explanationText } from "../../../plugin/commands/explain";
import { catalogue } from "../../../plugin/domain/catalogue";
import { typed } from "../../support/program-world";

const [first] = catalogue;

test("an unknown code is wrong usage", async () => {
  const { code, err } = await typed(["explain", "no-such-code"]);
  expect(code).toBe(2);
  expect(err).toContain('error: CODE: "no-such-code" is not a finding code');
  expect(err).toContain("next: use");
});

test.each([
  ["SECRT-MISSING", "SECRET-MISSING"],
  ["REFF", "REF"],
  ["r4", "R1"],
])("the nearest code to %s is named", async (wanted, nearest) => {
  expect((await typed(["explain", wanted])).err).toContain(`(did you mean ${nearest}?)`);
});

test("what stands in brackets behind a denial is explained, in any case", async () => {
  for (const rule of ["R1", "R2", "R3", "REF", "[R1]", "r3"]) {
    const { code, out } = await typed(["explain", rule]);
    expect([rule, code, out]).toEqual([rule, 0, expect.stringMatching(/^Code: +(R[123]|REF) /)]);
  }
});

test("an empty code is wrong usage too", async () => {
  expect((await typed(["explain", ""])).code).toBe(2);
});

test.each(catalogue.map((entry) => [entry.code, entry] as const))(
  "%s is explained with cause, fix and source",
  async (code, entry) => {
    const { out } = await typed(["explain", code]);
    for (const part of [entry.cause, entry.fix, entry.source]) expect(out).toContain(part);
  },
);

test("a code may be typed in any case, with underscores", async () => {
  if (first === undefined) return;
  const { out } = await typed(["explain", first.code.toLowerCase().replaceAll("-", "_")]);
  expect(out).toContain(first.cause);
});

test("codes of the same area are offered", async () => {
  if (first === undefined) return;
  const { err } = await typed(["explain", `${first.code.split("-")[0] ?? ""}-NONSENSE`]);
  expect(err).toContain(first.code);
});

test("a document without details has empty parts", () => {
  const exit = { code: 0, reason: "x" } as const;
  const report = { apiVersion: "cli.engine.com/v1", kind: "Explanation", exit } as const;
  expect(explanationText(report)).toContain("Code:");
});
