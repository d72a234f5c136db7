import { defaultNames } from "../../../../plugin/domain/names";
import {
  plain,
  quote,
  quoteAll,
  quoteName,
  show,
  showMiss,
  showPlaces,
  warningText,
} from "../../../../plugin/domain/rules/wording";

const printable = /^[\x20-\x7e]*$/;

describe("user texts are quoted, escaped and cut", () => {
  test.each([
    ["a plain text", "7.2", `"7.2"`],
    ["quotes and backslashes", `a"b\\`, String.raw`"a\"b\\"`],
    ["line ends and tabs", "a\r\n\tb", String.raw`"a\r\n\tb"`],
    ["a terminal escape", "\u001b[31m", String.raw`"\u001b[31m"`],
    ["an eight-bit terminal escape", "\u009b31m", String.raw`"\u009b31m"`],
    ["a change of direction", "a\u202eb", String.raw`"a\u202eb"`],
    ["a letter that only looks the same", "se\u0430rch", String.raw`"se\u0430rch"`],
    ["a lone surrogate", "\ud800", String.raw`"\ud800"`],
    ["64 characters stay", "a".repeat(64), `"${"a".repeat(64)}"`],
    ["65 are cut", "a".repeat(65), `"${"a".repeat(61)}..."`],
    ["a huge text", "a".repeat(3_000_000), `"${"a".repeat(61)}..."`],
  ])("%s", (_title, value, expected) => {
    expect(quote(value)).toBe(expected);
    expect(quote(value)).toMatch(printable);
  });

  test("a legal object name is never cut", () => {
    expect(quoteName("a".repeat(253))).toBe(`"${"a".repeat(253)}"`);
    expect(quoteName("a".repeat(254))).toHaveLength(255);
    expect(plain("a\u0000".repeat(200))).toHaveLength(253);
  });
});

describe("values of other types are shown, never whole", () => {
  test.each<[string, unknown, string]>([
    ["a text", "x", `"x"`],
    ["a number", 8, "8"],
    ["a boolean", true, "true"],
    ["null", null, "null"],
    ["undefined", undefined, "null"],
    ["an array", [1, 2], "[...]"],
    ["an object", { secret: "s" }, "{...}"],
  ])("%s", (_title, value, expected) => {
    expect(show(value)).toBe(expected);
  });
});

describe("why no EC was found", () => {
  test.each([
    [
      "one namespace",
      { is: "missing", name: "ec", lookedIn: ["a"] },
      `EC "ec" not found in namespace "a"`,
    ],
    [
      "two namespaces",
      { is: "missing", lookedIn: ["a", "b"] },
      `no EC found in namespaces "a", "b"`,
    ],
    ["several", { is: "ambiguous", candidates: ["a/x", "b/y"] }, "several ECs found: a/x, b/y"],
    [
      "very many",
      { is: "ambiguous", candidates: Array.from({ length: 10 }, (_, index) => `a/${index}`) },
      "several ECs found: a/0, a/1, a/2, a/3, a/4, a/5, a/6, a/7, 2 more",
    ],
  ] as const)("%s", (_title, lookup, expected) => {
    expect(showMiss(lookup, defaultNames)).toBe(expected);
  });

  test("the namespaces are quoted", () => {
    expect(showPlaces(["a\nb"])).toBe(String.raw`namespace "a\nb"`);
  });
});

describe("a warning has 120 characters at most, and keeps its end", () => {
  test.each([
    ["a short one", "lowered", "", "lowered"],
    ["a long one", "x".repeat(200), " [R1]", `${"x".repeat(112)}... [R1]`],
    ["control characters", "a\nb", "", String.raw`a\u000ab`],
  ])("%s", (_title, ...[text, end, expected]) => {
    expect(warningText(text, end)).toBe(expected);
  });

  test("also when every character is escaped", () => {
    expect(warningText("\u0007".repeat(200), " [R3]")).toHaveLength(120);
  });
});

test("of a long list of texts the first are shown, the others counted", () => {
  const texts = Array.from({ length: 34 }, (_, index) => `v${index}`);
  expect(quoteAll(texts.slice(0, 2))).toBe('"v0", "v1"');
  expect(quoteAll(texts)).toMatch(/^"v0", .*"v31", 2 more$/);
});
