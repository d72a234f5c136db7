import { compileText, hasHoles } from "../../../../plugin/domain/advisories/texts";

test.each<[text: string, shown: string]>([
  ["no braces", "no braces"],
  ["", ""],
  ["{database.name}", "orders"],
  ["{{database.name}}", "{database.name}"],
  ["jsonpath={{.status}} of {database.name}", "jsonpath={.status} of orders"],
  ["{database.name + '}'}{database.name + \"{\"}", "orders}orders{"],
  ["{database.tls}", "(unknown)"],
])("%s is shown as %s", (text, shown) => {
  const read = compileText(text, "database");
  expect(typeof read === "string" ? read : read({ database: { name: "orders" } })).toBe(shown);
});

test.each<[text: string, problem: string]>([
  ["a {", "the brace at { has no other"],
  ["} of", "the brace at } of has no other"],
  ["{}", "the brace at {} has no other"],
  ["it is {database.name", "the brace at {database.name has no other"],
  ["{database.nmae}", "{database.nmae}: database has no nmae (did you mean name?)"],
  ["{node.name}", "{node.name}: there is no node in a row that concerns database"],
  ["{database}", "{database}: it gives Database, which cannot be printed: name a field of it"],
])("%s is refused", (text, problem) => {
  expect(compileText(text, "database")).toBe(problem);
});

test.each<[text: string, has: boolean]>([
  ["text", false],
  ["{{text}}", false],
  ["{text}", true],
  ["{text", true],
])("%s has an expression in it: %p", (text, has) => {
  expect(hasHoles(text)).toBe(has);
});
