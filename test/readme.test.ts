/** README and the pages behind it: short, found by links, and true to the program. */
import { existsSync } from "node:fs";
import { join, posix } from "node:path";
import { scripts } from "../package.json";
import { limits } from "../plugin/simulator/limits";
import { lines } from "../.ci/package/lines";
import { pinnedProgram, pinnedTools } from "./control-plane/pins";
import { pagePaths, readPage, root } from "./support/pages";
import { releaseVersions } from "./support/releases/versions";

test("README is read in one go", () => {
  expect(Buffer.byteLength(readPage("README.md"))).toBeLessThanOrEqual(8192);
});

test("README begins with the two commands that need nothing but Node", () => {
  const lines = readPage("README.md").split("\n");
  expect(lines.filter((line) => line.startsWith("$ npm ci && "))).toEqual([
    expect.stringMatching(/^\$ npm ci && npm start /),
    expect.stringMatching(/^\$ npm ci && npm test /),
  ]);
});

test("a form of installation is one line, and none is said to be published", () => {
  const page = readPage("README.md");
  const rows = [...page.matchAll(/^\| (from this checkout|archive)[^|]*\| `([^`]+)` \|$/gm)];
  expect(rows.map(([, form]) => form)).toEqual(["from this checkout", "archive"]);
  for (const [, , command] of rows) expect(command).toMatch(/&& sudo install /);
  expect(page).toContain("none of them is published");
});

test("every npm script that a page names is one", () => {
  const named = pagePaths().flatMap((path) =>
    [...readPage(path).matchAll(/\bnpm run (?:--silent )?([a-z][a-z:-]*[a-z])/g)].map(
      ([, script = ""]) => script,
    ),
  );
  expect(named.length).toBeGreaterThan(10);
  expect(named.filter((script) => !(script in scripts))).toEqual([]);
});

/** The pages that a page links to. */
function linked(path: string): readonly string[] {
  return [...readPage(path).matchAll(/\]\(([^()\s#:]+\.md)(?:#[^)]*)?\)/g)].map(([, to = ""]) =>
    posix.join(posix.dirname(path), to),
  );
}

test("every page is within two links of README", () => {
  const first = linked("README.md");
  const reached = new Set([...first, ...first.flatMap(linked)]);
  const pages = pagePaths().filter((path) => path.startsWith("docs/"));
  expect(pages.length).toBeGreaterThan(20);
  expect(pages.filter((path) => !reached.has(path))).toEqual([]);
});

/** Questions of people who meet the tool on upgrade day, and what answers them. */
test.each([
  [
    "how do I install without internet access",
    "docs/guides/air-gap.md",
    /^## Install without int/m,
  ],
  [
    "which permissions does reapply-rbac need",
    "docs/reference/permissions.md",
    /^## reapply-rbac/m,
  ],
  ["what does exit 7 mean", "docs/reference/exit-codes.md", /^\| `7` \|.*rolled back/m],
  ["how do I see what will change first", "docs/tutorials/swap.md", /--dry-run=server/],
  ["what if the upgrade is frozen", "docs/guides/frozen-upgrade.md", /kubectl engine recover/],
  ["how do I put the old webhook back", "docs/guides/webhook-swap.md", /^\$ kubectl create -f /m],
  ["does it work with Helm", "docs/guides/helm.md", /--chart \.\/chart/],
  ["does it work with OLM", "docs/guides/olm.md", /oc patch installplan/],
  ["how do I use other brand names", "docs/guides/brand-names.md", /--names acme\.yaml/],
  [
    "how do I run the webhook in production",
    "docs/guides/webhook-in-production.md",
    /^## Checklist/m,
  ],
  ["is it safe to run it twice", "docs/tutorials/swap.md", /^## Run it again/m],
  ["what does exit 5 mean", "docs/reference/exit-codes.md", /^\| `5` \|.*another owner/m],
  ["GitOps owns the configuration", "docs/guides/gitops.md", /--ca-only/],
  [
    "my certificate has expired",
    "docs/guides/webhook-unreachable.md",
    /^\$ kubectl engine cert create -n engine --replace/m,
  ],
  [
    "how do I remove OpenShift's old SCC",
    "docs/guides/parts.md",
    /^\$ kubectl engine unbind-scc /m,
  ],
  ["several operators on a cluster", "docs/guides/parts.md", /^## Several clusters or operators/m],
  [
    "does it work on OpenShift with oc",
    "docs/compatibility.md",
    /^## OpenShift\n\n.*`oc engine …`/m,
  ],
  ["how do I undo a run", "docs/guides/parts.md", /^## Put back what a run replaced/m],
  [
    "the Service has no endpoints",
    "docs/guides/webhook-unreachable.md",
    /^## no endpoints available for service\n\n.*`upgrade-webhook` ends with 3/m,
  ],
  ["how do I script it", "docs/guides/ci.md", /-o json[^]*\*\*Exit codes\*\*/],
  ["how do I bypass it in an emergency", "docs/guides/bypass.md", /admission-bypass-until/],
])("%s: one link from README", (_question, path, answer) => {
  expect(linked("README.md")).toContain(path);
  expect(readPage(path)).toMatch(answer);
});

test("every file of the project that a page names is there", () => {
  const folders = "plugin|webhook|manifests|test|docs|\\.ci";
  const named = pagePaths()
    .filter((path) => path !== "docs/specification.md")
    .flatMap((path) =>
      [...readPage(path).matchAll(new RegExp(`\`((?:${folders})/[\\w./-]+)\``, "g"))].map(
        ([, file = ""]) => `${path}: ${file}`,
      ),
    );
  expect(named.length).toBeGreaterThan(20);
  expect(named.filter((line) => !existsSync(join(root, line.split(": ")[1] ?? "")))).toEqual([]);
});

describe("the page of compatibility names the versions that are pinned", () => {
  const page = readPage("docs/compatibility.md");

  test.each([...pinnedTools(), pinnedProgram("helm"), pinnedProgram("helm4")])(
    "$name",
    ({ version }) => {
      expect(page).toContain(` ${version.replace(/^v/, "")} `);
    },
  );

  test("Node", () => {
    const versions = lines.map(({ version }) => version).join(", ");
    expect(page).toContain(`| ${versions} | tested: \`npm run test:nodes\``);
  });

  test("operator releases", () => {
    const rows = releaseVersions
      .slice(1)
      .map((to, index) => `| ${releaseVersions[index] ?? ""} | ${to} | tested: `);
    for (const row of rows) expect(page).toContain(row);
  });
});

test("the limits of a rehearsal are those that it prints", () => {
  const written = readPage("docs/explanation/rehearsal-limits.md")
    .split("\n")
    .flatMap((line) => (line.startsWith("- ") ? [line.slice(2)] : []));
  expect(written).toEqual(limits.map(({ cannot }) => cannot));
});
