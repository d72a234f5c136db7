import { nearest, suggestion } from "../../../../plugin/domain/base/values";

const known = ["explain", "options", "version"];

test.each([
  ["exlpain", "explain"],
  ["optoins", "options"],
  ["versoin", "version"],
  ["verison", "version"],
  ["explains", "explain"],
  ["v", undefined],
  ["completely-else", undefined],
])("%s is near to %s", (word, expected) => {
  expect(nearest(word, known)).toBe(expected);
});

test("of several near words the nearest is it", () => {
  expect(nearest("option", ["opinion", "options"])).toBe("options");
});

test("a hint is given only for a near word", () => {
  expect(suggestion("optoins", known)).toBe(" (did you mean options?)");
  expect(suggestion("completely-else", known)).toBe("");
});

test("a long word is near to nothing, and compared with nothing", () => {
  const long = "x".repeat(20_000);
  expect(nearest(long, [`${long}x`])).toBeUndefined();
  expect(nearest("x".repeat(64), ["x".repeat(63)])).toBe("x".repeat(63));
});
