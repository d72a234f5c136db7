import { type Finding, findingKey, sortWorstLast } from "../../../../plugin/domain/base/findings";

const about = (code: string, parts: Partial<Finding> = {}): Finding => ({
  ...{ code, severity: "warning", cause: "c", fix: "f", source: "S27" },
  ...parts,
});

test("findings are sorted by gravity, and stay in their order where it is the same", () => {
  const found = [
    about("E1", { severity: "error" }),
    about("W1"),
    about("A1", { accepted: true }),
    about("E2", { severity: "error" }),
    about("A2", { severity: "error", accepted: true }),
    about("W2"),
  ];
  const codes = sortWorstLast(found).map(({ code }) => code);
  expect(codes).toEqual(["W1", "W2", "A1", "A2", "E1", "E2"]);
});

test("of the same gravity, what cannot be undone stands behind the others, and the loss of data last", () => {
  const codes = ["DATABASE-VOLATILE", "DATABASE-CHANNEL", "SCC-OLDER-LEFT", "DATABASE-DATA-MAY-GO"];
  expect(sortWorstLast(codes.map((code) => about(code))).map(({ code }) => code)).toEqual([
    "SCC-OLDER-LEFT",
    "DATABASE-CHANNEL",
    "DATABASE-DATA-MAY-GO",
    "DATABASE-VOLATILE",
  ]);
});

test.each([
  ["the order of its parts", { fix: "f", code: "W" }, true],
  ["its severity", { severity: "error" }, false],
  ["its object", { object: "Pod/a" }, false],
] as const)("the key of a finding and %s", (_, parts, isSame) => {
  const { cause, severity, source } = about("W");
  const other = { cause, severity, source, fix: "f", code: "W", ...parts };
  expect(findingKey(other) === findingKey(about("W"))).toBe(isSame);
});
