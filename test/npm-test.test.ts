/** What `npm test` runs, by its arguments: groups of files, or what was chosen. */
import { spawnSync } from "node:child_process";
import { join, relative } from "node:path";

const root = join(__dirname, "..");

/** The files that jest would run. */
function listed(...words: readonly string[]): readonly string[] {
  const argv = [join(root, "test/suites/run.mjs"), "test", "--listTests", ...words];
  const { stdout, status } = spawnSync(process.execPath, argv, { cwd: root, encoding: "utf8" });
  expect(status).toBe(0);
  return stdout
    .split("\n")
    .filter(Boolean)
    .map((file) => relative(root, file));
}

test("arguments that choose no test leave the groups", () => {
  const files = listed("-w", "1", "--seed=3", "--randomize", "--maxWorkers", "2");
  expect(files).toContain("test/suites/domain.ts");
  expect(files.filter((file) => !file.startsWith("test/suites/"))).toEqual([]);
});

test("paths are run as they are, also those that the groups leave out", () => {
  const files = ["test/faults/jobs.test.ts", "test/words.test.ts"];
  expect([...listed(...files)].sort()).toEqual(files);
});
