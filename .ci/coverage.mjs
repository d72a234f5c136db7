// Holds the thresholds of package.json against `npm test` and `npm run test:deep` together: each has
// left what it covered in a folder of .cache/coverage. What only computes in a room is held like domain.
import console from "node:console";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join, relative, sep } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { onlyComputes } from "./rooms.mjs";

const { createCoverageMap } = createRequire(import.meta.url)("istanbul-lib-coverage");
const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const readJson = (path) => JSON.parse(readFileSync(join(root, path), "utf8"));

const map = createCoverageMap();
for (const run of ["test", "deep"])
  map.merge(readJson(`.cache/coverage/${run}/coverage-final.json`));

const { global: overAll, ...folders } = readJson("package.json").jest.coverageThreshold;
const judged = new Set();

/** Prints the branches of some files that were taken, and where some were not. */
function hold(name, files, { branches }) {
  const total = createCoverageMap(
    Object.fromEntries(files.map((file) => [file, map.fileCoverageFor(file)])),
  ).getCoverageSummary();
  const { pct } = total.branches;
  console.log(`branches of ${name}: ${pct} % of at least ${branches} %`);
  if (pct >= branches) return;
  process.exitCode = 1;
  for (const file of files) {
    const own = map.fileCoverageFor(file);
    const open = Object.entries(own.b).filter(([, taken]) => taken.includes(0));
    const lines = open.map(([id]) => own.branchMap[id].loc.start.line);
    if (lines.length > 0) console.log(`  ${file.slice(root.length + 1)}: line ${lines.join(", ")}`);
  }
}

function holdOwn(name, isOwn, wanted) {
  const files = map.files().filter(isOwn);
  for (const file of files) judged.add(file);
  hold(name, files, wanted);
}

for (const [folder, wanted] of Object.entries(folders))
  holdOwn(folder, (file) => file.startsWith(join(root, folder, sep)), wanted);
const pathOf = (file) => relative(root, file).split(sep).join("/");
holdOwn("what only computes in a room", (file) => onlyComputes(pathOf(file)), { branches: 100 });
const others = map.files().filter((file) => !judged.has(file));
hold("the rest", others, overAll);
