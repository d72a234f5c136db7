/** Every printed line of this tool is one that the tool itself reads, and that runs. */
import { join } from "node:path";
import { catalogue as codes } from "../../../plugin/commands/explain/catalogue";
import { explain } from "../../../plugin/domain/names/codes";
import { commandedCodes } from "../../support/commanded-codes";
import { firstRun } from "../../../plugin/domain/base/remedy";
import { defaultNames as names } from "../../../plugin/domain/names/names";
import { entries } from "../../../plugin/cli/commands";
import { commandHelp, rootHelp } from "../../../plugin/cli/help";
import { parse } from "../../../plugin/cli/tree";
import type { Report } from "../../../plugin/kernel/report";
import { aPlayedWorld } from "../../support/played-operator";
import { type Ended, typed } from "../../support/program-world";
import { writeRelease } from "../../support/releases/tree";
import { aFolder } from "../../support/a-folder";
import { pagePaths, readPage, wordsOf as allWordsOf } from "../../support/pages";

const prefix = "kubectl engine";

const catalogue = codes.map((code) => explain(code, names));

let folder = "";
let release = "";
beforeAll(() => {
  folder = aFolder("printed");
  release = writeRelease(join(folder, "release"), "8.0.2-2");
});

async function run(words: readonly string[]): Promise<Ended> {
  const { cluster, clock } = await aPlayedWorld();
  return await typed(words, {
    connect: () => Promise.resolve(cluster),
    clock,
    env: { ENGINE_HOME: join(folder, "home"), HOME: folder, PATH: "" },
  });
}

/** The words of a printed line, behind the program's. */
function wordsOf(line: string): readonly string[] {
  return allWordsOf(line).slice(prefix.split(" ").length);
}

/** What the parser and the command's own flags have against a line. */
function problemsOf(words: readonly string[]): readonly string[] {
  const { chosen, problems, help } = parse(words, prefix);
  if (help !== undefined) return [];
  const prepared = chosen?.entry.prepare(chosen.raw, chosen.inner);
  return [...problems, ...(prepared?.problems ?? []), ...(prepared?.missing ?? [])];
}

/** `kubectl engine …` lines of a text, with lines that continue behind a backslash joined. */
function linesIn(text: string): readonly string[] {
  return text
    .replaceAll(/\\\n\s*/g, "")
    .split("\n")
    .map((line) => line.replace(/^\s*\$?\s*/, ""))
    .filter((line) => line.startsWith(`${prefix} `))
    .filter((line) => !/\bCOMMAND\b|\[flags\]|…/.test(line));
}

describe("a command of a finding", () => {
  test("belongs to a code of the catalogue", () => {
    const known = catalogue.map(({ code }) => code);
    expect(commandedCodes.filter((code) => !known.includes(code))).toEqual([]);
  });

  test("is there wherever a fix begins with a command of this tool to run", () => {
    const paths = entries.map(({ path }) => path).join("|");
    const told = catalogue.filter(({ fix }) => new RegExp(`^run (${paths})\\b`).test(fix));
    expect(told.length).toBeGreaterThan(10);
    expect(told.map(({ code }) => code).filter((code) => !commandedCodes.includes(code))).toEqual(
      [],
    );
  });

  const ofEngine = new Map(
    codes.flatMap(({ remedies }) => {
      const run = firstRun(remedies)?.run;
      return run?.of === "tool" ? [[run.words.join(" "), run.words] as const] : [];
    }),
  );

  test.each([...ofEngine])("%s is read and runs", async (_, words) => {
    expect(problemsOf(words)).toEqual([]);
    const ended = await run([...words, "-n=engine", "--yes", "--no-input", "-o=json"]);
    const { exit } = JSON.parse(ended.out) as Report;
    expect([2, 70]).not.toContain(ended.code);
    // the example has no configuration under the new name, which this line is for
    if (words.includes("--ca-only")) expect(exit.reason).toContain("there is no CA of it to write");
    else if (ended.code !== 0) expect(exit.reason).not.toMatch(/does not exist|there is no /);
  });
});

test("every example of the help is read", () => {
  const texts = [
    rootHelp(prefix, names),
    ...entries.map((entry) => commandHelp(prefix, entry, names)),
  ];
  const lines = texts.flatMap(linesIn);
  expect(lines.length).toBeGreaterThan(40);
  expect(lines.map((line) => [line, problemsOf(wordsOf(line))])).toEqual(
    lines.map((line) => [line, []]),
  );
});

test("every line of every page is read", () => {
  const lines = pagePaths().flatMap((path) => linesIn(readPage(path)));
  expect(lines.length).toBeGreaterThan(10);
  expect(lines.map((line) => [line, problemsOf(wordsOf(line))])).toEqual(
    lines.map((line) => [line, []]),
  );
});

describe("what runs print", () => {
  test.each<[string, () => string[]]>([
    ["check", () => ["check"]],
    ["check of a release", () => ["check", `--release=${release}`]],
    ["status", () => ["status"]],
    ["recover", () => ["recover"]],
    ["upgrade-webhook", () => ["upgrade-webhook", "--no-probe", "--dry-run=client"]],
    ["upgrade", () => ["upgrade", `--release=${release}`, "--no-probe", "--dry-run=client"]],
    ["a question without a terminal", () => ["upgrade-webhook", "--no-probe"]],
    ["a wrong line", () => ["upgrade-cluster", "ec"]],
    ["an unknown code", () => ["explain", "nosuch"]],
  ])("%s: each line is read and runs", async (_, line) => {
    const json = await run([...line(), "-n=engine", "-o=json", "--context=c"]);
    const { findings = [] } = JSON.parse(json.out) as Report;
    const text = await run([...line(), "-n=engine", "--context=c"]);
    const found = findings.flatMap(({ command }) => command ?? []);
    const printed = `${text.out}\n${text.err}`.replaceAll(/^ *(next|Next|Run): *(.*: )?/gm, "");
    const lines = [...found, ...linesIn(printed)].filter((one) => one.startsWith(`${prefix} `));
    for (const one of new Set(lines)) {
      const words = wordsOf(one);
      expect([one, problemsOf(words)]).toEqual([one, []]);
      const { code } = await run([...words, "--yes", "--dry-run=client"]);
      expect([one, code === 2 || code === 70]).toEqual([one, false]);
    }
    for (const one of found) expect(one).toContain("--context=c");
  });

  test("findings carry the release that they were checked by", async () => {
    const { out } = await run(["check", `--release=${release}`, "-n=engine", "-o=json"]);
    const { findings = [] } = JSON.parse(out) as Report;
    const stale = findings.find(({ code }) => code === "RBAC-STALE");
    expect(stale?.command).toBe(
      `kubectl engine reapply-rbac --prune --release=${release} --namespace=engine`,
    );
  });
});
