import { createLog, errorText } from "../../webhook/log";

function captured(level: Parameters<typeof createLog>[0]) {
  const lines: string[] = [];
  return { lines, log: createLog(level, { write: (line) => void lines.push(line) }) };
}

test("a line is JSON with time, level, fields and message, control characters escaped", () => {
  const { lines, log } = captured("info");
  log.warn({ name: "a\u001b[31m\n" }, "review");
  expect(lines).toHaveLength(1);
  const [line = ""] = lines;
  expect(line).not.toMatch(/[\u0000-\u0009\u000b-\u001f]/);
  const { time, ...rest } = JSON.parse(line) as Record<string, unknown>;
  expect(rest).toEqual({ level: "warn", name: "a\u001b[31m\n", message: "review" });
  expect(time).toMatch(/^\d{4}-\d\d-\d\dT.*Z$/);
});

test("the line of a review is as the others, whatever it holds", () => {
  const { lines, log } = captured("info");
  log.review(
    { name: 'a"\u001b\\ü', ec: undefined, dryRun: false },
    { status: 200, ms: 0.31, list: ["x"] },
  );
  log.review({}, {});
  const [first, second] = lines.map((line) => JSON.parse(line) as Record<string, unknown>);
  expect(lines[0]).not.toMatch(/[\u0000-\u0009\u000b-\u001f]/);
  const time = expect.any(String) as string;
  const entry = { name: 'a"\u001b\\ü', dryRun: false, status: 200, ms: 0.31, list: ["x"] };
  const whole = { level: "info", time, ...entry, message: "review" };
  expect(first).toEqual(whole);
  expect(Object.keys(first ?? {})).toEqual(Object.keys(whole));
  expect(second).toEqual({ level: "info", time, message: "review" });
});

test("a level leaves out what is below it", () => {
  const { lines, log } = captured("error");
  log.info({}, "no");
  log.review({}, {});
  log.error({}, "yes");
  expect(lines).toHaveLength(1);
});

test.each([
  ["an error", new Error("a"), "a"],
  ["its causes", new Error("a", { cause: new Error("b", { cause: "c" }) }), "a: b: c"],
  ["anything else", "text", "text"],
  ["nothing", undefined, "undefined"],
])("the text of %s", (_name, error, text) => {
  expect(errorText(error)).toBe(text);
});
