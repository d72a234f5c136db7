import { PassThrough } from "node:stream";
import { fitText, fitHelp, readWidth } from "../../../../plugin/domain/base/fit";

const long = "the webhook answers and refuses what it has to refuse";

test.each<[string, string, readonly string[]]>([
  ["a short line stays", "as it is", ["as it is"]],
  [
    "text goes on below its own column",
    `  Cause:  ${long}`,
    ["  Cause:  the webhook answers and", "          refuses what it has to", "          refuse"],
  ],
  [
    "a column that begins too far right leaves no room below it",
    `Some/${"o".repeat(20)}  done  ${long}`,
    [
      `Some/${"o".repeat(20)}  done`,
      "  the webhook answers and refuses",
      "  what it has to refuse",
    ],
  ],
  [
    "a text far to the right begins left",
    `${" ".repeat(30)}${long}`,
    ["  the webhook answers and refuses", "    what it has to refuse"],
  ],
  ["a path stays whole", `Saved in /${"p".repeat(40)}`, ["Saved in", `  /${"p".repeat(40)}`]],
  [
    "a command stays whole, up to what is said after it",
    "Next: kubectl engine check '--context=my; one' -n engine; then look again",
    ["Next:", "  kubectl engine check '--context=my; one' -n engine;", "  then look again"],
  ],
  [
    "a color takes no room",
    `\u001b[31merror:\u001b[0m the webhook answers and agree`,
    ["\u001b[31merror:\u001b[0m the webhook answers and", "  agree"],
  ],
])("%s", (_title, text, lines) => {
  expect(fitText(text, 34).split("\n")).toEqual(lines);
});

test("an object in a report stays, the text around it does not", () => {
  const object = `apiVersion: v1\nnote: ${long}`;
  expect(fitText(`Ask for:\n${object}\n\n${long}`, 34)).toBe(
    `Ask for:\n${object}\n\nthe webhook answers and refuses\n  what it has to refuse`,
  );
});

test("without a terminal no line is broken", () => {
  expect(readWidth(new PassThrough())).toBeUndefined();
  expect(readWidth(Object.assign(new PassThrough(), { columns: 0 }))).toBeUndefined();
  expect(fitText(long, undefined)).toBe(long);
  expect(fitHelp(`${long}\n${long}`, undefined)).toBe(`${long}\n${long}`);
});

test("paragraphs of a help are filled anew", () => {
  const paragraph = `${long} ${long}\nor not.\n\nExamples:\n  one`;
  expect(fitHelp(paragraph, 60)).toBe(
    `${long} the\nwebhook answers and refuses what it has to refuse or not.\n\nExamples:\n  one`,
  );
});
