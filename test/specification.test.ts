/** Every number that the sources cite can be looked up in docs/specification.md. */
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";

const root = join(__dirname, "..");
const page = readFileSync(join(root, "docs/specification.md"), "utf8");
const listed = new Set([
  ...[...page.matchAll(/^\| ([SC]\d+) \|/gmu)].map(([, id]) => id),
  ...sections(false),
  ...sections(true),
]);

/** Facts of the product, or of the admission webhook: "facts 4.3", "admission facts 9.10". */
function sections(admission: boolean): string[] {
  const [product = "", webhook = ""] = page.split("# Admission facts\n");
  const headings = (admission ? webhook : product).matchAll(
    /^##+ [A-Za-z ]*(\d+(?:\.\d+)?)[: ]/gmu,
  );
  return [...headings].map(([, id]) => `${admission ? "admission " : ""}facts ${String(id)}`);
}

const citation = /\b[SC]\d{1,3}\b|\b(?:admission )?[Ff]acts \d+(?:\.\d+)?/gu;

/** Citations of all tracked sources, each with a file that has it. */
function cited(): Map<string, string> {
  const found = new Map<string, string>();
  const files = execFileSync("git", ["ls-files", "-z", "plugin", "webhook", "manifests"], {
    cwd: root,
    encoding: "utf8",
  });
  for (const file of files.split("\0").filter((name) => /\.(?:ts|yaml)$/u.test(name)))
    for (const [id] of readFileSync(join(root, file), "utf8").matchAll(citation))
      if (id !== "C0") found.set(id.replace("Facts", "facts"), file);
  return found;
}

test("every citation has an entry", () => {
  const ids = [...cited()];
  expect(ids.length).toBeGreaterThan(100);
  expect(ids.filter(([id]) => !listed.has(id))).toEqual([]);
});

test("no number is given twice, and none is left out", () => {
  const numbers = (letter: string): number[] =>
    [...page.matchAll(new RegExp(`^\\| ${letter}(\\d+) \\|`, "gmu"))].map(([, n]) => Number(n));
  const upTo = (last: number): number[] => Array.from({ length: last }, (_, i) => i + 1);
  expect(numbers("S")).toEqual(upTo(128));
  expect(numbers("C")).toEqual(upTo(22));
});
