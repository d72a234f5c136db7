import { entries, wrapperCommands, rehearse } from "../../../plugin/cli/commands";
import { splitGiven } from "../../../plugin/cli/argv";
import { parse } from "../../../plugin/cli/tree";

const split = (...words: readonly string[]) => splitGiven(words, wrapperCommands);

test.each<[string, string[], { own: string[]; given: string[] }]>([
  ["no command: the main job", ["rehearse"], { own: ["rehearse"], given: ["upgrade-webhook"] }],
  [
    "flags before and behind",
    ["rehearse", "--from=a", "cert", "create", "--limits", "--years=3"],
    { own: ["rehearse", "--from=a", "--limits"], given: ["cert", "create", "--years=3"] },
  ],
  [
    "global flags go with the command, wherever they stand",
    ["--namespace=x", "rehearse", "--yes", "upgrade-webhook"],
    { own: ["rehearse"], given: ["--namespace=x", "--yes", "upgrade-webhook"] },
  ],
  [
    "flags of the main job without its name",
    ["rehearse", "--template=-", "--webhook=w"],
    { own: ["rehearse", "--webhook=w"], given: ["upgrade-webhook", "--template=-"] },
  ],
  [
    "help of rehearse",
    ["rehearse", "--help"],
    { own: ["rehearse", "--help"], given: ["upgrade-webhook", "--help"] },
  ],
  [
    "what follows -- is the command's",
    ["rehearse", "explain", "--", "--from=x"],
    { own: ["rehearse"], given: ["explain", "--", "--from=x"] },
  ],
])("%s", (_, words, parts) => {
  expect(split(...words)).toEqual(parts);
});

test.each<[string, string[]]>([
  ["another command", ["explain", "rehearse"]],
  ["a word behind --", ["--", "rehearse"]],
])("%s is no rehearsal", (_, words) => {
  expect(split(...words)).toBeUndefined();
});

test("the words of a command are read as if it stood alone", () => {
  const words = ["upgrade-webhook", "--take-fields", "a,b", "-n", "x", "--no-probe", "-o=json"];
  const alone = parse(words, "kubectl engine");
  const rehearsed = parse(["rehearse", "--from", "y", ...words], "kubectl engine");
  expect(rehearsed.raw).toEqual(alone.raw);
  expect(rehearsed.chosen?.inner).toEqual(alone.chosen);
  expect(rehearsed.chosen).toMatchObject({ entry: rehearse, raw: { from: "y" } });
});

test("no command has a flag of the same name as one of rehearse's", () => {
  const own = rehearse.flags.map(({ name }) => name);
  const others = entries.filter((entry) => entry !== rehearse).flatMap(({ flags }) => flags);
  expect(others.filter(({ name }) => own.includes(name))).toEqual([]);
});
