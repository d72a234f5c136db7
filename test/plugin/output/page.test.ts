/** A report as a page: the same facts in HTML and Markdown, and no name that is more than a text. */
import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { renderHtml } from "../../../plugin/output/page/html";
import { renderMarkdown } from "../../../plugin/output/page/markdown";
import { buildPage } from "../../../plugin/output/page/model";
import type { Report } from "../../../plugin/kernel/report";
import { hostileTexts, recordedDocuments, withTexts } from "../../support/report-documents";
import { forbidden, hostile, swapped } from "./sample-reports";

const timed: Report = {
  ...swapped,
  kind: "Upgrade",
  gap: {
    ...{ bypassSeconds: 0, outageSeconds: 0.4, method: "12 dry runs" },
    windows: [{ is: "outage", at: 900, ms: 400, leastSeconds: 0.3, mostSeconds: 0.5 }],
    answers: [
      { twin: "accept", is: "accepted", at: 0, ms: 900 },
      { twin: "accept", is: "failed", by: "a.admission.engine", at: 900, ms: 400 },
      { twin: "deny", is: "refused", by: "a.admission.engine", at: 0, ms: 1_300 },
    ],
  },
  pods: [{ name: "Pod/engine/ec-0", at: 2_000, ms: 61_000, result: "done" }],
  namespaces: [
    { name: "shop", result: "changed", rules: { gained: ["apps/deployments: get"], lost: [] } },
    { name: "news", result: "failed" },
  ],
  details: {
    parts: [
      { part: "webhook", title: "The webhook", result: "changed", at: 0, ms: 1_500, why: "new" },
    ],
  },
  release: { source: "./release", sha256: "ab".repeat(32) },
  origin: {
    ...{
      command: "kubectl engine upgrade",
      version: "0.1.0 (abc)",
      endedAt: "2026-08-01T10:16:30Z",
    },
    ...{ context: "prod", user: 'user "eve"', identity: "alice", as: "alice", asGroups: ["ops"] },
  },
};

test.each([
  ["swap", swapped],
  ["forbidden", forbidden],
  ["hostile", hostile],
  ["timed", timed],
])("%s as Markdown", (name, report) => {
  const file = join(__dirname, `../../golden/report-${name}.md`);
  const made = renderMarkdown(buildPage(report));
  if (process.env["UPDATE_GOLDEN"] === "1") writeFileSync(file, made);
  expect(made).toBe(readFileSync(file, "utf8"));
});

const both = [
  ["HTML", (report: Report) => renderHtml(buildPage(report))],
  ["Markdown", (report: Report) => renderMarkdown(buildPage(report)).replaceAll("\\", "")],
] as const;

test.each(both)("%s says who, as whom, where, when and with what", (_, render) => {
  const text = render(timed);
  for (const fact of [
    "kubectl engine upgrade",
    "alice",
    "ops",
    "prod",
    "2026-08-01 10:16:30 UTC",
  ]) {
    expect(text).toContain(fact);
  }
  for (const fact of ["./release", "ab".repeat(32), "0.1.0 (abc)"]) expect(text).toContain(fact);
});

test.each(both)(
  "%s has the time of each part, pod and answer, and each right gained",
  (_, render) => {
    const text = render(timed);
    const told = ["The webhook", "Pod/engine/ec-0", "1m1s", "not answered by a.admission.engine"];
    for (const fact of [
      ...told,
      "Outage: good edits were stopped",
      "0.4s",
      "apps/deployments: get",
    ]) {
      expect(text).toContain(fact);
    }
  },
);

test.each([
  [
    "a dry run",
    { ...swapped, run: { ...timed.run, id: "1", startedAt: "", dryRun: "client" } },
    "Dry run (client): nothing was changed",
  ],
  ["a rehearsal", { ...swapped, kind: "Rehearsal" }, "Rehearsal: nothing real was touched"],
] as const)("%s says so in large letters", (_, report, said) => {
  expect(renderHtml(buildPage(report))).toContain(`<p class="banner">${said}</p>`);
  expect(renderMarkdown(buildPage(report)).replaceAll("\\", "")).toContain(
    `## ${said.toUpperCase()}`,
  );
});

test("the policy allows the page's own style alone, by its hash", () => {
  const html = renderHtml(buildPage(swapped));
  const [, style = ""] = /<style>([^<]*)<\/style>/.exec(html) ?? [];
  const sum = createHash("sha256").update(style).digest("base64");
  expect(html).toContain(`content="default-src 'none'; style-src 'sha256-${sum}'; base-uri 'none'`);
});

/** The elements of a page in their order, without their texts. */
const elements = (html: string): string =>
  [...html.replace(/<style>[^<]*<\/style>/, "").matchAll(/<\/?[a-z][a-z0-9]*/gi)].join("");

describe.each(hostileTexts)("%s", (_, text) => {
  const harmless = text.replaceAll(/[^\n]+/g, "x");
  const calm = recordedDocuments.filter(([, { run }]) => run !== undefined);

  test.each(calm)("in the place of every name of %s", (_name, report) => {
    const html = renderHtml(buildPage(withTexts(report, text) as Report));
    expect(elements(html)).toBe(
      elements(renderHtml(buildPage(withTexts(report, harmless) as Report))),
    );
    const markdown = renderMarkdown(buildPage(withTexts(report, text) as Report));
    const plainLines = renderMarkdown(buildPage(withTexts(report, harmless) as Report)).split("\n");
    expect(markdown.split("\n").length).toBe(plainLines.length);
    expect(`${html}${markdown}`).not.toMatch(
      /[\u0000-\u0009\u000b-\u001f\u202a-\u202e\u2066-\u2069\u200b\u2028]/,
    );
    const outside = markdown.replaceAll(/(`+)[^`](?:.*?[^`])?\1(?!`)/gs, "").replaceAll(/\\./g, "");
    expect(outside).not.toMatch(/[<\]]|:\/\//);
  });
});

test("a command in Markdown is copied as it is, and a field is not full of backslashes", () => {
  const command = `kubectl patch edb a --type=merge -p '{"spec":{"x":[1]}}' --context=prod`;
  const backups = [{ object: "EDB/a", file: "/x", command, holds: "it (so far) holds = yes!" }];
  const exit = { code: 0, reason: "done" } as const;
  const report: Report = { apiVersion: "cli.engine.com/v1", kind: "Upgrade", backups, exit };
  const markdown = renderMarkdown(buildPage(report));
  expect(markdown).toContain(`| \`${command}\` |`);
  expect(markdown).toContain("it (so far) holds = yes!");
});
