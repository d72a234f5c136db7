import { UsageError } from "../../plugin/domain/base/errors";
import { joinWords } from "../../webhook/help";
import { settings } from "../../webhook/settings";

test.each([["--help"], ["-h"]])("%s names every variable, and what it means", (word) => {
  const said = joinWords([word]);
  for (const [name, [unset, means]] of Object.entries(settings)) {
    expect(said).toContain(`  ${name}\n      ${means} (default: ${unset})\n`);
  }
});

test("--version tells release, commit and Node", () => {
  expect(joinWords(["--version"])).toMatch(
    /^engine-webhook v\d+\.\d+\.\d+ \(commit .+, .+; Node v.+\)\n$/,
  );
});

test.each<[readonly string[], number]>([
  [["serve"], 1],
  [["--port", "1"], 2],
  [["--version", "--verbose"], 2],
])("%j is refused, every word of it, and not run", (words, count) => {
  let thrown: unknown;
  try {
    joinWords(words);
  } catch (error) {
    thrown = error;
  }
  expect(thrown).toBeInstanceOf(UsageError);
  expect(thrown).toMatchObject({ exitCode: 2, problems: { length: count } });
  expect(String(thrown)).toContain("--help");
});
