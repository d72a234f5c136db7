/** Laws over every output that is kept: each line fits a terminal, and none is printed twice. */
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fitText } from "../../../plugin/domain/base/fit";

const root = join(__dirname, "../../..");

/** What one run printed on one stream. */
interface Printed {
  readonly title: string;
  readonly text: string;
}

const files = execFileSync("git", ["ls-files", "-z", "test/golden", "test/records/kept"], {
  cwd: root,
  encoding: "utf8",
})
  .split("\0")
  .filter((file) => file.endsWith(".txt") && !/(?:requests|outcomes)\.txt$/.test(file));

/** A rehearsal holds the output of several runs, a table of cases that of each, `status -A` that of each namespace. */
const borders = /^(?:== .*|## .*|--- (?:stdout|stderr|exit.*))$/m;
const namespaceHead = /^[a-z0-9-]+:$/m;

const printed: readonly Printed[] = files.flatMap((file) =>
  readFileSync(join(root, file), "utf8")
    .split(borders)
    .map((text, n) => ({ title: `${file} ${n}`, text })),
);

/** Manifests, hunks and tables of the reference are read as they are. */
const isDocument = ({ text }: Printed): boolean =>
  /^(?:apiVersion:|@@|\{$|#compdef|# bash|groups?:|kind:|- op: )/m.test(text);

/** Commands, and what is one word: paths, URLs, hashes. */
const isCopied = (line: string): boolean =>
  /(?:^|[ :])(?:kubectl|oc|helm) /.test(line) || /^\s*\S*$/.test(line);

test("every line of a kept output fits 80 columns but commands to copy", () => {
  const wide = printed
    .filter((one) => !isDocument(one))
    .flatMap(({ title, text }) =>
      fitText(text, 80)
        .split("\n")
        .filter((line) => line.length > 80 && !isCopied(line))
        .map((line) => `${title}: ${line}`),
    );
  expect(printed.length).toBeGreaterThan(500);
  expect(wide).toEqual([]);
});

test("no kept output prints a line twice", () => {
  const twice = printed
    .filter((one) => !isDocument(one))
    .flatMap(({ title, text }) => text.split(namespaceHead).map((part) => ({ title, text: part })))
    .flatMap(({ title, text }) => {
      const lines = text.split("\n").map((line) => line.trim());
      // a procedure may need one command twice
      const told = lines.filter((line) => line.length > 12 && !line.startsWith("kubectl "));
      const again = told.filter((line, at) => told.indexOf(line) !== at);
      return [...new Set(again)].map((line) => `${title}: ${line}`);
    });
  expect(twice).toEqual([]);
});
