/**
 * Breaks the product on purpose, one break of breaks.json at a time in a copy of the tree, and says
 * which run catches each: `node test/breaks/run.mjs [PART OF A NAME...]`. The test files that are
 * named beside a break run first; where they pass, all of `npm test` and then of `npm run test:deep`
 * do. A break counts as caught where a test fails whose file passes without it: files that do not
 * load, or that fail anyway, prove nothing, and neither does a run that does not end. A break that no
 * longer applies, or that nothing catches, ends the script with 1.
 */
import { execFileSync, spawn } from "node:child_process";
import console from "node:console";
import { once } from "node:events";
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { constants, tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";
import process from "node:process";
import { clearTimeout, setTimeout } from "node:timers";
import { fileURLToPath } from "node:url";

const root = join(dirname(fileURLToPath(import.meta.url)), "../..");
const readJson = (path) => JSON.parse(readFileSync(join(root, path), "utf8"));
const given = process.argv.slice(2);
const parts = given.length === 0 ? [""] : given;
const breaks = readJson("test/breaks/breaks.json").filter(({ name }) =>
  parts.some((part) => name.includes(part)),
);
const deep = Object.keys(readJson("test/suites/deep.json"));

const tracked = execFileSync("git", ["ls-files", "-z"], { cwd: root, encoding: "utf8" });
const files = tracked.split("\0").filter(Boolean);
const copy = mkdtempSync(join(tmpdir(), "breaks-"));

/** The run that is on, and the signal that ended it and this script. */
let running, stopped;

for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"])
  // more than once: a group of processes is often told twice
  process.on(signal, () => {
    stopped = signal;
    // the group: the workers of a run would go on in a folder that is gone
    if (running?.pid !== undefined) process.kill(-running.pid, signal);
  });

/** The one file of the programs that holds a text exactly once. */
function fileWith(text) {
  const sources = files.filter((file) => /^(plugin|webhook)\/.*\.ts$/.test(file));
  const holding = sources.filter((file) => readFileSync(join(copy, file), "utf8").includes(text));
  const [file] = holding;
  const pieces = file === undefined ? [] : readFileSync(join(copy, file), "utf8").split(text);
  return holding.length === 1 && pieces.length === 2 ? file : undefined;
}

const results = join(copy, "results.json");

/** The whole of `npm run test:deep` ends within it, on a machine that does other things as well. */
const longestRunMs = 45 * 60_000;

/**
 * The first test that fails, with its file; undefined where all pass. Without --bail, which leaves
 * no results. A run that ends without a test that fails proves nothing.
 */
async function failing([command, ...args]) {
  if (stopped !== undefined) throw new Error(`stopped by ${stopped}`);
  rmSync(results, { force: true });
  const words = [...args, "--json", `--outputFile=${results}`];
  running = spawn(command, words, { cwd: copy, stdio: "ignore", detached: true });
  const { pid } = running;
  let isLate = false;
  const limit = setTimeout(() => {
    isLate = true;
    process.kill(-pid, "SIGKILL");
  }, longestRunMs);
  const [code] = await once(running, "close");
  clearTimeout(limit);
  running = undefined;
  if (stopped !== undefined) throw new Error(`stopped by ${stopped}`);
  if (isLate) throw new Error(`this did not end: ${[command, ...args].join(" ")}`);
  if (code === 0) return undefined;
  const { testResults } = JSON.parse(readFileSync(results, "utf8"));
  const tests = testResults.flatMap(({ name, assertionResults }) =>
    assertionResults.map((test) => ({ file: relative(copy, name), ...test })),
  );
  const failed = tests.find(({ status }) => status === "failed");
  if (failed === undefined) throw new Error(`no test failed, yet this did: ${command} ${args}`);
  // a group runs files as blocks of their names
  const block = failed.ancestorTitles.find((title) => title.startsWith("test/"));
  return { file: block ?? failed.file, name: failed.fullName };
}

/** Words that run test files, also those that plain jest leaves to `npm run test:deep`. */
const wordsOf = (named) => ["npx", "jest", ...named, "--testPathIgnorePatterns", "/node_modules/"];

/** The runs of the named files: those of `npm test` first, as they are shorter. */
function namedRuns(caught) {
  const isDeep = (file) => deep.includes(file) || file.startsWith("test/faults/");
  const runs = [
    ["npm test", caught.filter((file) => !isDeep(file))],
    ["npm run test:deep", caught.filter(isDeep)],
  ];
  return runs
    .filter(([, named]) => named.length > 0)
    .map(([by, named]) => ({ by, words: wordsOf(named) }));
}

const wholeRuns = [
  { by: "npm test, as a whole", words: ["npm", "test", "--"] },
  { by: "npm run test:deep, as a whole", words: ["npm", "run", "test:deep", "--"] },
];

/** The run that a break makes fail, and its first test that does; undefined where all pass. */
async function catcher(named) {
  for (const { by, words } of [...named, ...wholeRuns]) {
    console.error(`  ${words.join(" ")}`);
    const test = await failing(words);
    if (test !== undefined) return { by, test };
  }
  return undefined;
}

/** What fails in a file of tests without any break, found once for each. */
const controls = new Map();

async function failingWithout(file) {
  if (!controls.has(file)) controls.set(file, await failing(wordsOf([file])));
  return controls.get(file);
}

/** What is said of a break, and whether it is caught. */
async function trial({ text, instead, caught }) {
  const file = fileWith(text);
  if (file === undefined) return { says: "NO LONGER APPLIES", isCaught: false };
  const whole = readFileSync(join(copy, file), "utf8");
  writeFileSync(
    join(copy, file),
    whole.replace(text, () => instead),
  );
  const found = await catcher(namedRuns(caught));
  writeFileSync(join(copy, file), whole);
  if (found === undefined) return { says: "NOT CAUGHT", isCaught: false };
  const control = await failingWithout(found.test.file);
  if (control === undefined)
    return { says: `${found.by}: ${found.test.file}: ${found.test.name}`, isCaught: true };
  return { says: `PROVES NOTHING, fails without the break: ${control.name}`, isCaught: false };
}

try {
  for (const file of files) cpSync(join(root, file), join(copy, file));
  symlinkSync(join(root, "node_modules"), join(copy, "node_modules"));
  execFileSync("git", ["init", "-q"], { cwd: copy });
  execFileSync("git", ["add", "-A"], { cwd: copy });
  if (breaks.length === 0) throw new Error(`no break has ${given.join(" or ")} in its name`);
  for (const one of breaks) {
    const { says, isCaught } = await trial(one);
    console.log(`${one.name}: ${says}`);
    if (!isCaught) process.exitCode = 1;
  }
} catch (error) {
  console.error(error.message);
  process.exitCode = stopped === undefined ? 1 : 128 + constants.signals[stopped];
} finally {
  // jest's workers may still be writing their last files
  rmSync(copy, { recursive: true, force: true, maxRetries: 5 });
}
