import { shapeProblem, textProblem } from "../../../plugin/domain/values";

const shared = (levels: number): unknown =>
  Array.from({ length: levels }).reduce<unknown>((inner) => Array<unknown>(10).fill(inner), "x");
const nested = (levels: number): unknown =>
  Array.from({ length: levels }).reduce<unknown>((inner) => ({ inner }), "x");
const endless: unknown[] = [];
endless.push(endless);

test.each<[string, unknown, RegExp | undefined]>([
  ["nothing", undefined, undefined],
  ["a manifest", { kind: "X", list: [{ a: null }, 1, "x"] }, undefined],
  ["as many values as aliases may make", shared(5), undefined],
  ["ten billion values of aliases", shared(10), /absurd size/],
  ["200 levels", nested(200), undefined],
  ["300 levels", nested(300), /deeper than 250 levels/],
  ["a value that contains itself", endless, /contains itself/],
])("%s", (_, value, problem) => {
  const found = shapeProblem(value, 100);
  if (problem === undefined) expect(found).toBeUndefined();
  else expect(found).toMatch(problem);
});

test.each<[string, string, boolean]>([
  ["a short text with merge keys", "c: {<<: *a}", false],
  ["a long text without", "x".repeat(70_000), false],
  ["a long text with a script", `run: cat <<EOF\n${"x".repeat(70_000)}`, false],
  ["a long text with merge keys", `c: {<<: *a}\n${"x".repeat(70_000)}`, true],
  ["a long text with quoted ones", `"<<" : *a\n${"x".repeat(70_000)}`, true],
  ["a long text with tagged ones", `!!merge x: *a\n${"x".repeat(70_000)}`, true],
])("%s is refused: %s", (_, text, refused) => {
  expect(textProblem(text) !== undefined).toBe(refused);
});
