/**
 * `npm test` and `npm run test:deep`. Without arguments the files of `npm test` run in groups
 * (suites.ts says which and why), and those of deep.json are left to `test:deep`, which also has
 * every disturbance of test/faults. With a path, -t, --watch, --shard or any other argument that
 * chooses tests, this is plain jest on one file at a time.
 */
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";

const root = join(dirname(fileURLToPath(import.meta.url)), "../..");
const deep = Object.keys(JSON.parse(readFileSync(join(root, "test/suites/deep.json"), "utf8")));

/** Arguments that say how a run is reported, ordered or spread, and choose no test. */
const reporting = new RegExp(
  `^(${[
    "--(coverage|json|randomize|silent|verbose|bail|ci|logHeapUsage|listTests|runInBand)|-i",
    "(--(outputFile|seed|maxWorkers)|-w)[ =][^ ]+",
  ].join("|")})( |$)`,
);

/** Whether nothing else is left once these are taken away. */
function isReporting(words) {
  const rest = words.replace(reporting, "");
  return rest === "" || (rest !== words && isReporting(rest));
}

const longestFirst = ["--testSequencer", "<rootDir>/test/suites/longest-first.mjs"];

const runs = {
  test: {
    chosen: [
      ...["--testMatch", "<rootDir>/test/suites/*.ts", "--testPathIgnorePatterns", "suites.ts"],
      ...longestFirst,
    ],
    rest: `not run: ${deep.length} long files and every disturbance (npm run test:deep), the real API server (npm run test:control-plane), packages, pages and lines of Node (.ci/run)`,
  },
  deep: {
    chosen: [
      ...["--testMatch", "<rootDir>/test/faults/**/*.test.ts"],
      ...deep.map((file) => `<rootDir>/${file}`),
      ...["--testPathIgnorePatterns", "/node_modules/"],
      ...longestFirst,
    ],
    rest: "not run: what npm test runs, the real API server (npm run test:control-plane), packages, pages and lines of Node (.ci/run)",
  },
};

const [name = "test", ...given] = process.argv.slice(2);
const { chosen, rest } = runs[name];
const isWhole = isReporting(given.join(" "));
// thresholds hold for both runs together: .ci/coverage.mjs
const coverage = given.includes("--coverage")
  ? [
      ...["--coverageDirectory", `.cache/coverage/${name}`, "--coverageReporters", "json"],
      ...["--coverageThreshold", "{}"],
    ]
  : [];
// each takes all words that follow it, up to the next option
const progress = given.some((word) => word.startsWith("--reporters"))
  ? []
  : ["--reporters", "default", "--reporters", "<rootDir>/test/suites/progress.mjs"];
const isDeep = name === "deep" || given.some((word) => /^(\.\/)?test\/faults\b/.test(word));
const everyFile = isDeep ? ["--testPathIgnorePatterns", "/node_modules/"] : [];
const words = isWhole
  ? [...chosen, ...progress, ...coverage, ...given]
  : [...given, ...everyFile, ...progress];
const jest = join(root, "node_modules/jest/bin/jest.js");
const { status } = spawnSync(process.execPath, [jest, ...words], { cwd: root, stdio: "inherit" });
if (isWhole) process.stderr.write(`${rest}\n`);
process.exitCode = status ?? 1;
