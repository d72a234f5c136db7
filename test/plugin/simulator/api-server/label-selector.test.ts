import { parseLabelSelector } from "../../../../plugin/simulator/api-server/selectors";

const objects = { one: { a: "1", b: "x" }, two: { a: "2" }, none: {} };

test.each([
  ["", ["one", "two", "none"]],
  ["a=1", ["one"]],
  ["a==1", ["one"]],
  ["a!=1", ["two", "none"]],
  ["a in (1, 2),!b", ["two"]],
  ["a notin (1)", ["two", "none"]],
  ["a", ["one", "two"]],
  ["!a", ["none"]],
  ["a,b", ["one"]],
  ["a=", []],
  ["a in ()", []],
  ["a>1", ["two"]],
  ["a <2", ["one"]],
])("%j selects %j", (selector, expected) => {
  const selects = parseLabelSelector(selector);
  const found = Object.entries(objects).filter(([, labels]) => selects(labels));
  expect(found.map(([name]) => name)).toEqual(expected);
});

test.each([
  ["a===1", "unable to parse requirement: found '=', expected: identifier"],
  ["a in 1", "unable to parse requirement: found '1' expected: '('"],
  ["a in (1,2", "unable to parse requirement: found '', expected: ',' or ')'"],
  ["=x", "found '=', expected: !, identifier, or 'end of string'"],
  ["a=1,", "found '', expected: identifier after ','"],
  [",", "found ',', expected: !, identifier, or 'end of string'"],
  ["a b", "unable to parse requirement: found 'b', expected: in, notin, =, ==, !=, gt, lt"],
  ["a=x y", "found 'y', expected: ',' or 'end of string'"],
  ["!a=1", "found '=', expected: ',' or 'end of string'"],
])("%j is refused", (selector, message) => {
  expect(() => parseLabelSelector(selector)).toThrow(
    expect.objectContaining({ message, status: 400, reason: "BadRequest" }) as Error,
  );
});

test.each([
  ["A_/x=1", '<nil>: Invalid value: "A_/x": prefix part'],
  ["a-=1", '<nil>: Invalid value: "a-": name part'],
  ["a=$", 'values[0][a]: Invalid value: "$": a valid label'],
  ["a<b", "values[0]: Invalid value: \"b\": for 'Gt'"],
])("%j is refused for its words", (selector, message) => {
  expect(() => parseLabelSelector(selector)).toThrow(`unable to parse requirement: ${message}`);
});
