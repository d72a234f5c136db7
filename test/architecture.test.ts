/** The map of the code: each folder and file that it names exists, and it fits on a screen or two. */
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";

const root = join(__dirname, "..");
const page = readFileSync(join(root, "ARCHITECTURE.md"), "utf8");
const files = execFileSync("git", ["ls-files"], { cwd: root, encoding: "utf8" }).split("\n");

const codeIn = (text: string): readonly string[] =>
  [...text.matchAll(/`([^`]+)`/g)].map(([, code = ""]) => code);
const isPath = (code: string): boolean => /^[\w./-]+(\.(ts|mjs|json|yaml)|\/)$/.test(code);

/** The rows of "Where is it?": a folder, and what the second cell names in it. */
const rows = page
  .split("\n")
  .map((line) => /^\| `([\w./-]+\/)` +\| (.*) \|$/.exec(line))
  .flatMap((match) => (match === null ? [] : [[match[1] ?? "", match[2] ?? ""] as const]));

test("there are rows to look at", () => {
  expect(rows.length).toBeGreaterThan(10);
});

test.each(rows)("%s holds what its row names", (folder, row) => {
  const missing = codeIn(row)
    .filter(isPath)
    .filter(
      (path) => !files.some((file) => file.startsWith(folder) && `${file}/`.includes(`/${path}`)),
    );
  expect(missing).toEqual([]);
});

test("what the text names is somewhere in the checkout", () => {
  const missing = codeIn(page)
    .filter(isPath)
    .filter((path) => !files.some((file) => `/${file}/`.includes(`/${path}`)));
  expect(missing.filter((path) => !path.includes("NAME"))).toEqual([]);
});

test("it has at most 8 KiB", () => {
  expect(Buffer.byteLength(page)).toBeLessThanOrEqual(8192);
});
