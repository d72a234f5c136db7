/**
 * What of the documents is made from the program is what the program says now. `npm run docs` writes it
 * again: the reference, its list, and the recorded session.
 */
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { spawnSync } from "node:child_process";
import { gunzipSync } from "node:zlib";
import { renderShipped, renderTables, shippedFile, tablesFile } from "../.ci/advisories";
import { advisoriesPage, wordsPage } from "../.ci/docs/advisories";
import { manual } from "../.ci/docs/manual";
import { outputPage } from "../.ci/docs/output";
import { markdown } from "../.ci/docs/markup";
import * as pages from "../.ci/docs/pages";
import { pictureOf } from "../.ci/docs/svg";
import type { AdvisoryFile } from "../plugin/domain/advisories/row";
import { advisoriesSchema } from "../plugin/domain/advisories/schema";
import { entries } from "../plugin/cli/commands";
import { askedByCommands, printedByCommands } from "./support/asked";
import { pagePaths, readPage, root } from "./support/pages";
import { recordSession } from "./support/session";

jest.unmock("../plugin/domain/advisories/shipped");

const docs = join(root, "docs");
const commands = "reference/commands";
const isWritten = process.env["UPDATE_GOLDEN"] === "1";

type Page = readonly [path: string, text: string];

async function referencePages(): Promise<readonly Page[]> {
  const [asked, printed] = [await askedByCommands(), await printedByCommands()];
  const made = {
    advisories: advisoriesPage(JSON.parse(renderShipped()) as AdvisoryFile),
    "advisory-words": wordsPage,
    "exit-codes": pages.exitCodesPage,
    environment: pages.environmentPage,
    findings: pages.findingsPage,
    flags: pages.flagsPage,
    names: pages.namesPage,
    output: outputPage(),
    permissions: pages.permissionsPage(printed),
  };
  return [
    ...Object.entries(made).map(([name, page]): Page => [`reference/${name}.md`, markdown(page)]),
    ...entries.map((entry): Page => {
      const page = pages.commandPage(entry, asked);
      return [`${commands}/${pages.pageName(entry)}.md`, markdown(page)];
    }),
  ];
}

/** The list of the reference: every command with what it does, then the other pages by their titles. */
function indexOf(made: readonly Page[]): string {
  const list = entries.map((entry) => {
    const page = `commands/${pages.pageName(entry)}.md`;
    return `- [kubectl engine ${entry.path}](${page}): ${pages.inWords(entry.summary)}`;
  });
  const there = pagePaths()
    .filter((path) => /^docs\/reference\/(?!README)[^/]+$/.test(path))
    .map((path): Page => [path.slice("docs/".length), readPage(path)]);
  const others = [...new Map([...there, ...made])]
    .filter(([path]) => !path.startsWith(commands))
    .map(([path, text]) => `- [${/^# (.+)$/m.exec(text)?.[1] ?? path}](${basename(path)})`);
  const sections = [`## Commands\n\n${list.join("\n")}`, `## Pages\n\n${others.sort().join("\n")}`];
  return `${["# Reference", "Written from the program.", ...sections].join("\n\n")}\n`;
}

/** Compares a file below docs/ with what it should hold, or writes it. */
function expectWritten([path, text]: Page): void {
  const file = join(docs, path);
  if (isWritten) {
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  }
  const [own] = readdirSync(docs, { recursive: true, encoding: "utf8" }).filter(
    (one) => one === path,
  );
  expect([own, `${path}: run npm run docs`]).toEqual([path, `${path}: run npm run docs`]);
  expect(readFileSync(file, "utf8")).toBe(text);
}

describe("what npm run docs writes", () => {
  let made: readonly Page[] = [];
  beforeAll(async () => {
    made = await referencePages();
    if (isWritten) rmSync(join(docs, commands), { recursive: true, force: true });
  });

  test("the reference, made from the tables of the program", () => {
    for (const page of made) expectWritten(page);
  });

  test("a page for each command and for nothing else", () => {
    const own = made.flatMap(([path]) =>
      path.startsWith(commands) ? [path.slice(commands.length + 1)] : [],
    );
    expect(readdirSync(join(docs, commands)).sort()).toEqual([...own].sort());
  });

  test("the list of the reference", () => {
    expectWritten(["reference/README.md", indexOf(made)]);
  });

  test("the schema of files of advisories, for editors", () => {
    const schema = JSON.stringify(advisoriesSchema(), undefined, 2);
    expectWritten(["reference/advisories.schema.json", `${schema}\n`]);
  });

  test("the recorded session, small enough for a page", async () => {
    const picture = pictureOf(await recordSession());
    expect(picture.length).toBeLessThan(60_000);
    expect(picture).not.toMatch(/<script|\bon[a-z]+=/);
    expect(picture).toContain("@keyframes");
    expectWritten(["session.svg", picture]);
  });
});

test("the advisories that the program reads are those of their files, of which each row is sound", () => {
  const made = renderShipped();
  if (isWritten) writeFileSync(shippedFile, made);
  expect(readFileSync(shippedFile, "utf8")).toBe(made);
  const tables = renderTables();
  if (isWritten) writeFileSync(tablesFile, tables);
  expect(readFileSync(tablesFile, "utf8")).toBe(tables);
});

describe("the man pages", () => {
  const all = [...manual("kubectl-engine"), ...manual("engine-webhook")];

  test("one for each program and each command", () => {
    const names = entries.map((entry) => `man/kubectl-engine-${pages.pageName(entry)}.1.gz`);
    const wanted = ["man/kubectl-engine.1.gz", "man/engine-webhook.1.gz", ...names];
    expect(all.map(({ name }) => name).sort()).toEqual(wanted.sort());
  });

  test("the same bytes again, without a time", () => {
    for (const { bytes } of all) expect(bytes.readUInt32LE(4)).toBe(0);
    expect(manual("engine-webhook")).toEqual(manual("engine-webhook"));
  });

  const hasGroff = spawnSync("groff", ["--version"]).status === 0;
  (hasGroff ? test : test.skip)("groff has nothing against them", () => {
    for (const { name, bytes } of all) {
      const args = ["-man", "-Tascii", "-ww"];
      const { stdout, stderr } = spawnSync("groff", args, { input: gunzipSync(bytes) });
      expect([name, stderr.toString()]).toEqual([name, ""]);
      expect(stdout.length).toBeGreaterThan(200);
    }
  });
});

test("no page patches the version of a database for real: an upgrade is begun by its own command", () => {
  const lines = pagePaths().flatMap((path) =>
    readPage(path)
      .split("\n")
      .filter((line) => /^(?:\$ )?kubectl (?:\S+ )*(?:patch|edit) .*engineVersion/.test(line))
      .map((line) => `${path}: ${line}`),
  );
  expect(lines.length).toBeGreaterThan(3);
  expect(lines.filter((line) => !line.includes("--dry-run=server"))).toEqual([]);
});
