/**
 * Breaks the product on purpose, one break of breaks.json at a time in a copy of the tree, and says
 * which run catches each: `node test/breaks/run.mjs [PART OF A NAME]`. The test files that are named
 * beside a break come first; where they pass, all of `npm test` and then of `npm run test:deep` do.
 * A break that no longer applies, or that nothing catches, ends it with 1.
 */
import { execFileSync, spawnSync } from "node:child_process";
import console from "node:console";
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";

const root = join(dirname(fileURLToPath(import.meta.url)), "../..");
const readJson = (path) => JSON.parse(readFileSync(join(root, path), "utf8"));
const [part = ""] = process.argv.slice(2);
const breaks = readJson("test/breaks/breaks.json").filter(({ name }) => name.includes(part));
const deep = Object.keys(readJson("test/suites/deep.json"));

const tracked = execFileSync("git", ["ls-files", "-z"], { cwd: root, encoding: "utf8" });
const files = tracked.split("\0").filter(Boolean);
const copy = mkdtempSync(join(tmpdir(), "breaks-"));

/** The one file of the programs that holds a text exactly once. */
function fileWith(text) {
  const sources = files.filter((file) => /^(plugin|webhook)\/.*\.ts$/.test(file));
  const holding = sources.filter((file) => readFileSync(join(copy, file), "utf8").includes(text));
  const [file] = holding;
  const parts = file === undefined ? [] : readFileSync(join(copy, file), "utf8").split(text);
  return holding.length === 1 && parts.length === 2 ? file : undefined;
}

const passes = (command, args) =>
  spawnSync(command, args, { cwd: copy, stdio: "ignore" }).status === 0;

/** The run that fails; undefined where all pass. */
function catcher(caught) {
  const named = (isDeep) => caught.filter((file) => deep.includes(file) === isDeep);
  const runs = [
    ["npm test", "npx", ["jest", "--bail", ...named(false)], named(false).length > 0],
    ["npm run test:deep", "npx", ["jest", "--bail", ...named(true)], named(true).length > 0],
    ["npm test", "npm", ["test", "--", "--bail"], true],
    ["npm run test:deep", "npm", ["run", "test:deep", "--", "--bail"], true],
  ];
  const found = runs.find(([, command, args, isRun]) => isRun && !passes(command, args));
  return (
    found && `${found[0]} (${found[1] === "npx" ? found[2].slice(2).join(", ") : "as a whole"})`
  );
}

try {
  for (const file of files) cpSync(join(root, file), join(copy, file));
  symlinkSync(join(root, "node_modules"), join(copy, "node_modules"));
  execFileSync("git", ["init", "-q"], { cwd: copy });
  execFileSync("git", ["add", "-A"], { cwd: copy });
  // a test that fails anyway would catch everything
  const named = [...new Set(breaks.flatMap(({ caught }) => caught))];
  if (!passes("npx", ["jest", ...named]))
    throw new Error("tests that are named beside breaks fail without any break");
  for (const { name, text, instead, caught } of breaks) {
    const file = fileWith(text);
    if (file === undefined) {
      console.log(`NO LONGER APPLIES: ${name}`);
      process.exitCode = 1;
      continue;
    }
    const whole = readFileSync(join(copy, file), "utf8");
    writeFileSync(
      join(copy, file),
      whole.replace(text, () => instead),
    );
    const by = catcher(caught);
    writeFileSync(join(copy, file), whole);
    console.log(by === undefined ? `NOT CAUGHT: ${name}` : `${name}: ${by}`);
    if (by === undefined) process.exitCode = 1;
  }
} finally {
  rmSync(copy, { recursive: true, force: true });
}
