/** Every relative link of every page leads to a file that is there, and to a heading in it. */
import { existsSync } from "node:fs";
import { join, posix } from "node:path";
import { pagePaths, readPage, root } from "./support/pages";

/** Code is no text: neither links nor headings are in it. */
function withoutCode(page: string): string {
  return page
    .replaceAll(/^( *)(```+)[^\n]*\n[\s\S]*?^\1\2$/gm, "")
    .replaceAll(/<!--[\s\S]*?-->/g, "");
}

/** The anchor of a heading: its words in lower case, without signs, joined by dashes. */
function anchorOf(heading: string): string {
  const text = heading.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, "$1").toLowerCase();
  return text.replaceAll(/[^\p{L}\p{N}_\- ]/gu, "").replaceAll(" ", "-");
}

/** All anchors of a page; a heading that comes again has a number behind it. */
function anchorsOf(page: string): ReadonlySet<string> {
  const anchors = new Set<string>();
  for (const [, heading = ""] of withoutCode(page).matchAll(/^#{1,6} +(.+?) *#*$/gm)) {
    const anchor = anchorOf(heading);
    let again = 0;
    while (anchors.has(again === 0 ? anchor : `${anchor}-${String(again)}`)) again += 1;
    anchors.add(again === 0 ? anchor : `${anchor}-${String(again)}`);
  }
  for (const [, id = ""] of page.matchAll(/<a (?:id|name)="([^"]+)"/g)) anchors.add(id);
  return anchors;
}

/** What the page links to: in Markdown, by reference, and in HTML. */
function targetsOf(page: string): readonly string[] {
  const text = withoutCode(page).replaceAll(/`[^`\n]*`/g, "code");
  const patterns = [
    /\]\(<?([^()\s>]+)>?(?: "[^"]*")?\)/g,
    /^ *\[[^\]]+\]: +(\S+)/gm,
    /\b(?:src|href|srcset)="([^"\s]+)"/g,
  ];
  return patterns
    .flatMap((pattern) => [...text.matchAll(pattern)].map(([, target = ""]) => target))
    .filter((target) => !/^[a-z][a-z0-9+.-]*:/i.test(target));
}

/** What is wrong with the links of a page; `read` is undefined for what is not there. */
function brokenIn(
  path: string,
  page: string,
  read: (path: string) => string | undefined,
): readonly string[] {
  return targetsOf(page).flatMap((target) => {
    const [file = "", anchor] = target.split("#");
    const named = file === "" ? path : posix.join(posix.dirname(path), decodeURI(file));
    const found = file === "" ? page : read(named);
    if (found === undefined) return [`${path}: ${target}: there is no ${named}`];
    if (anchor === undefined || anchorsOf(found).has(anchor)) return [];
    return [`${path}: ${target}: ${named} has no heading #${anchor}`];
  });
}

/** A file's text; of what is no page, that it is there. */
function readOf(path: string): string | undefined {
  if (path.startsWith("..") || !existsSync(join(root, path))) return undefined;
  return path.endsWith(".md") ? readPage(path) : "";
}

test("every relative link leads somewhere", () => {
  const pages = pagePaths();
  const texts = pages.map(readPage);
  expect(texts.flatMap(targetsOf).length).toBeGreaterThan(10);
  expect(pages.flatMap((path) => brokenIn(path, readPage(path), readOf))).toEqual([]);
});

const there: Readonly<Record<string, string>> = {
  "README.md": "# Engine\n",
  "docs/b.md": "## A `code` heading, with signs!\n\n## Twice\n\n## Twice\n\n```sh\n# none\n```\n",
};

test.each([
  ["a file that is there", "[b](b.md)", []],
  ["a heading", "[b](b.md#a-code-heading-with-signs)", []],
  ["the second of two headings", "[b](b.md#twice-1)", []],
  ["a page above", '<a href="../README.md#engine">', []],
  ["a link in code", "`[b](no.md)`\n\n```md\n[b](no.md)\n```\n", []],
  ["another site", "[b](https://example.com/no.md)", []],
  ["a file that is not there", "[b](no.md)", ["docs/a.md: no.md: there is no docs/no.md"]],
  ["a picture that is not there", '<img src="no.svg">', [/there is no docs\/no.svg/]],
  ["a reference to what is not there", "[b]: no.md", [/there is no docs\/no.md/]],
  ["a heading that is not there", "[b](b.md#no)", [/docs\/b.md has no heading #no/]],
  ["a comment in code as a heading", "[b](b.md#none)", [/no heading #none/]],
  ["a heading of its own that is not there", "# A\n\n[a](#b)", [/docs\/a.md has no heading #b/]],
])("a link to %s", (_name, page, broken) => {
  const found = brokenIn("docs/a.md", page, (path) => there[path]);
  expect(found).toHaveLength(broken.length);
  for (const [index, one] of broken.entries()) expect(found[index]).toMatch(one);
});
