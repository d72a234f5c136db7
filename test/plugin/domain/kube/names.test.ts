import * as names from "../../../../plugin/domain/kube/names";

test.each<[keyof typeof names & `is${string}`, string, boolean]>([
  ["isLabel", "a-1", true],
  ["isLabel", "1", true],
  ["isLabel", "n".repeat(63), true],
  ["isLabel", "n".repeat(64), false],
  ["isLabel", "a.b", false],
  ["isLabel", "-a", false],
  ["isLabel", "", false],
  ["isSubdomain", "a.b-c", true],
  ["isSubdomain", "n".repeat(253), true],
  ["isSubdomain", "n".repeat(254), false],
  ["isSubdomain", "a..b", false],
  ["isSubdomain", "a/b", false],
  ["isSubdomain", "a\n", false],
  ["isOldLabel", "a1", true],
  ["isOldLabel", "1a", false],
  ["isQualified", "A_b.c", true],
  ["isQualified", "A_", false],
  ["isItem", "_tls.key", true],
  ["isItem", "a/b", false],
])("%s %j: %p", (form, text, is) => {
  expect(names[form](text)).toBe(is);
});
