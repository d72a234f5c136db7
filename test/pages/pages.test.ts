/**
 * Pages of every kind in a real browser, wide and narrow, light and dark: nothing is fetched, nothing
 * runs, nothing sticks out. The pictures are kept in .cache/screenshots to be looked at.
 */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Browser, Page } from "playwright-core";
import { renderHtml } from "../../plugin/output/page/html";
import { buildPage } from "../../plugin/output/page/model";
import type { Report } from "../../plugin/kernel/report";
import { hostileTexts, recordedDocuments, withTexts } from "../support/report-documents";
import { typed } from "../support/program-world";
import { aWebhookProgram } from "../support/webhook-program";
import { aBrowser } from "./chromium";

const folder = join(__dirname, "../../.cache/screenshots");
mkdirSync(folder, { recursive: true });
const program = aWebhookProgram();
let browser: Browser;
let page: Page;
const found: string[] = [];

beforeAll(async () => {
  browser = await aBrowser();
  page = await browser.newPage();
  page.on("console", (message) => found.push(message.text()));
  page.on("pageerror", (error) => found.push(error.message));
  page.on("request", (request) => {
    if (!request.isNavigationRequest()) found.push(`asks for ${request.url()}`);
  });
});
afterAll(async () => {
  await browser.close();
});

interface Seen {
  readonly over: number;
  readonly active: number;
  readonly titles: number;
  readonly margin: string;
}

/** Runs in the page, whose names are not this program's. */
const look = `({
  over: document.documentElement.scrollWidth - document.documentElement.clientWidth,
  active: document.querySelectorAll("script,img,a,iframe,object,link,base,form,[style]").length,
  titles: document.querySelectorAll("h1").length,
  margin: getComputedStyle(document.body).marginTop,
})`;

/** What is wrong with a page in every look at it; each look is kept as a picture. */
async function problemsOf(name: string, html: string): Promise<readonly string[]> {
  const file = join(folder, `${name}.html`);
  writeFileSync(file, html);
  found.length = 0;
  await page.goto(pathToFileURL(file).href);
  for (const width of [1_200, 400]) {
    await page.setViewportSize({ width, height: 1_000 });
    for (const colorScheme of ["light", "dark"] as const) {
      await page.emulateMedia({ colorScheme });
      const seen = await page.evaluate<Seen>(look);
      const isSound = seen.over <= 0 && seen.active === 0 && seen.titles === 1;
      if (!isSound || seen.margin !== "0px")
        found.push(`${width} ${colorScheme}: ${JSON.stringify(seen)}`);
      await page.screenshot({ path: join(folder, `${name}-${width}-${colorScheme}.png`) });
    }
  }
  return [...found];
}

const ended = recordedDocuments.filter(([, { run }]) => run !== undefined);
const ofEachKind = [...new Map(ended.map((one) => [one[1].kind, one])).values()];

test.each(ofEachKind)("%s", async (name, report) => {
  expect(await problemsOf(name, renderHtml(buildPage(report)))).toEqual([]);
});

const lines = [
  ...["upgrade-webhook", "upgrade", "check", "status"].map((one) => `rehearse ${one}`),
  ...[
    "version --client",
    "options --names",
    "explain SECRET-MISSING",
    "check --list",
    "frobnicate",
  ],
];

test.each(lines)("%s", async (line) => {
  const webhook = line.startsWith("rehearse") ? [`--webhook=${program.file}`] : [];
  const { out } = await typed([...line.split(" "), ...webhook, "-o", "json"]);
  const html = renderHtml(buildPage(JSON.parse(out) as Report));
  expect(await problemsOf(line.replaceAll(" ", "-"), html)).toEqual([]);
});

test.each(hostileTexts)("%s in the place of every name changes nothing", async (what, text) => {
  const all = ofEachKind.filter(([, { kind }]) => ["Upgrade", "ReapplyRbac"].includes(kind));
  expect(all.length).toBe(2);
  for (const [name, report] of all) {
    const html = renderHtml(buildPage(withTexts(report, text) as Report));
    expect(await problemsOf(`hostile-${name}-${what.replaceAll(" ", "-")}`, html)).toEqual([]);
  }
});
