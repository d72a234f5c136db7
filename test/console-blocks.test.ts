/** The commands in the pages: those under a mark are run, and give what the page shows. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { ConsolePage, fits, programWords, shownIn } from "./support/console-page";
import { consoleBlocks, markedBlocks, pagePaths, readPage, root } from "./support/pages";

const pages = pagePaths().filter((path) => markedBlocks(path, readPage(path)).length > 0);

if (pages.length > 0) {
  test.each(pages)("the marked commands of %s run, and print what it shows", async (path) => {
    const text = readPage(path);
    const { told, shown } = await played(path, text);
    if (process.env["UPDATE_GOLDEN"] === "1") writeFileSync(join(root, path), told);
    else expect(told).toBe(shown);
  });
}

/** Pages that are typed in a clone (test/typed), or made from the program (test/docs.test.ts). */
const elsewhere = /^(README\.md|docs\/install\.md|docs\/tutorials\/.+|docs\/reference\/.+)$/;

test("output that a page shows is compared with a run, or the page says why not", () => {
  const shown = pagePaths()
    .filter((path) => !elsewhere.test(path))
    .flatMap((path) => consoleBlocks(path, readPage(path)).map((block) => ({ path, ...block })))
    .filter(({ lines }) => shownIn(lines).some(({ output }) => output.length > 0));
  expect(shown.length).toBeGreaterThan(10);
  const unmarked = shown.filter(({ mark: [first, second = ""] }) =>
    first === "not" ? second !== "run:" : first !== "test",
  );
  expect(unmarked.map(({ path, from }) => `${path}:${String(from)}`)).toEqual([]);
});

/** The page with the outputs as they are, beside the page as it is written. */
async function played(path: string, text: string) {
  const lines = text.split("\n");
  const page = new ConsolePage({ hasRelease: !text.includes("--write-example") });
  try {
    const told: string[] = [];
    let done = 0;
    for (const block of markedBlocks(path, text)) {
      told.push(...lines.slice(done, block.from));
      const inside = await page.run(block);
      told.push(...inside.map((line) => `${block.indent}${line}`.trimEnd()));
      done = block.to;
    }
    return { told: [...told, ...lines.slice(done)].join("\n"), shown: text };
  } finally {
    await page.close();
  }
}

const story = `# A page

<!-- file words.yaml -->
\`\`\`yaml
group: app.acme.example
\`\`\`

1. Look, then do it:

   <!-- test -->
   \`\`\`console
   $ kubectl engine options --names words.yaml > all.yaml    # and keep them
   $ kubectl engine upgrade-webhook -n engine \\
       --yes
   …
   Done: …
   \`\`\`

<!-- test exits 3 -->
\`\`\`console
$ kubectl engine check -n engine --release ./release --strict
…
\`\`\`
`;

test("a page is a story: what one block writes, the next one finds", async () => {
  const { told, shown } = await played("a-page.md", story);
  expect(told).toBe(shown);
});

test.each([
  ["another program's command", "$ helm list", /only this program's commands are run/],
  ["another end than the page says", "$ kubectl engine explain NONE", /ends with 2, not 0/],
  ["output before the first command", "Done", /does not begin with a command/],
])("%s fails", async (_name, line, refused) => {
  const text = `<!-- test -->\n\`\`\`console\n${line}\n\`\`\`\n`;
  await expect(played("a-page.md", text)).rejects.toThrow(refused);
});

test("output that differs is what the page should show", async () => {
  const text = (output: string): string =>
    `<!-- test -->\n\`\`\`console\n$ kubectl engine version\n${output}\n\`\`\`\n`;
  const { told } = await played("a-page.md", text("kubectl-engine 0.0.0"));
  expect(told).not.toContain("0.0.0");
  expect((await played("a-page.md", told)).told).toBe(told);
});

test("a mark without a block under it fails", () => {
  expect(() => markedBlocks("a-page.md", "<!-- test -->\nwords\n")).toThrow(/a-page.md:1/);
});

test.each([
  { case: "the same", output: "one\ntwo\n", shown: ["one", "two"], fit: true },
  { case: "another line", output: "one\nthree\n", shown: ["one", "two"], fit: false },
  { case: "a line too many", output: "one\ntwo\n", shown: ["one"], fit: false },
  { case: "lines left out", output: "one\ntwo\nthree\n", shown: ["one", "…", "three"], fit: true },
  { case: "no lines left out", output: "one\nthree\n", shown: ["one", "…", "three"], fit: true },
  { case: "text left out", output: "one (3s)\n", shown: ["one (…)"], fit: true },
  {
    case: "another time",
    output: "2026-01-02T03:04:05Z\n",
    shown: ["2031-11-19T06:54:12Z"],
    fit: true,
  },
])("output and page: $case", ({ output, shown, fit }) => {
  expect(fits(output, shown)).toBe(fit);
});

test.each([
  ["kubectl engine status -n engine   # look", ["status", "-n", "engine"]],
  ["oc engine check", ["check"]],
  ["kubectl-engine version", ["version"]],
  ["npm start", ["rehearse"]],
  ["kubectl get pods", undefined],
])("%s is given to the program as its words", (line, words) => {
  expect(programWords(line)).toEqual(words);
});

test("a line that continues is one command", () => {
  expect(shownIn(["$ kubectl engine \\", "    version", "1"])).toEqual([
    {
      typed: ["$ kubectl engine \\", "    version"],
      line: "kubectl engine version",
      output: ["1"],
    },
  ]);
});
