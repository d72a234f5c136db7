/** Order and titles of an upgrade come from one list, whoever tells or runs them. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { listChecks } from "../../../../plugin/commands/checks";
import { defaultNames as names } from "../../../../plugin/domain/names/names";
import type { KubeObject } from "../../../../plugin/domain/kube/objects";
import { listParts } from "../../../../plugin/commands/parts";
import { partIds, type PartId } from "../../../../plugin/domain/base/part-ids";
import type { UpgradePart } from "../../../../plugin/cmdutil/upgrade-part";
import { exampleSource } from "../../../../plugin/simulator/example";
import { testTime } from "../../../support/manual-clock";
import { aPlayedWorld } from "../../../support/played-operator";
import { upgrade } from "../../../support/upgrade-runs";
import { aPod, aSet, oldTag } from "../../domain/engine-cluster/scene";
import { aCluster, anEdb, inShop, statusOf } from "../status/scene";

jest.unmock("../../../../plugin/domain/advisories/shipped");

const checks = listChecks({});

test("every part has a name of its own, and says why it has its place and where that is from", () => {
  for (const { id, title, because, source } of listParts()) {
    expect([id, title, because]).not.toContain("");
    expect(source).toMatch(/^S\d/);
  }
  expect(new Set(listParts().map(({ id }) => id)).size).toBe(partIds.length);
});

test("what a part settles, or cannot begin without, are checks", () => {
  const known = checks.map(({ code }) => code);
  const named = listParts().flatMap(({ settles, blockedBy = [] }) => [
    ...(settles?.codes ?? []),
    ...(settles?.except ?? []),
    ...blockedBy,
  ]);
  expect(named.filter((code) => !known.includes(code))).toEqual([]);
});

const withFewerRules: KubeObject = {
  ...inShop.role,
  rules: (inShop.role["rules"] as readonly unknown[]).slice(1),
};

/** What status names next where access, cluster and databases have something left to do. */
function nextWord(): string | undefined {
  const { next } = statusOf({
    ecs: [aCluster(oldTag)],
    statefulSets: [aSet(oldTag)],
    pods: [0, 1, 2].map((ordinal) => aPod(ordinal, { tag: oldTag })),
    roles: [withFewerRules],
    edbs: [anEdb("a", "7.4")],
  });
  return next?.words?.[0] ?? next?.says;
}

async function plannedTitles(): Promise<readonly string[]> {
  const { objects } = await exampleSource(names, testTime);
  const { report } = await upgrade(await aPlayedWorld({ objects }), ["--dry-run=client"]);
  const { plan } = report.details as { plan: { parts: readonly { title: string }[] } };
  return plan.parts.map(({ title }) => title);
}

test("an order of the parts is the order of the upgrade and of what status names", async () => {
  const titles = listParts().map(({ title }) => title);
  expect([nextWord(), await plannedTitles()]).toEqual(["reapply-rbac", titles]);
  const list = partIds as unknown as PartId[];
  list.reverse();
  try {
    expect(await plannedTitles()).toEqual(titles.toReversed());
    expect(nextWord()).toMatch(
      /^1 database is below .*; before that: EngineEnterpriseCluster\/engine\/ec: /,
    );
  } finally {
    list.reverse();
  }
});

test("the page of the procedure is written from the list", () => {
  const path = join(__dirname, "../../../../docs/reference/procedure.md");
  const page = pageOf(listParts());
  if (process.env["UPDATE_GOLDEN"] === "1") writeFileSync(path, page);
  expect(readFileSync(path, "utf8")).toBe(page);
});

function pageOf(parts: readonly UpgradePart[]): string {
  const blocking = [...new Set(parts.flatMap(({ blockedBy = [] }) => blockedBy))];
  const rows = parts.map(({ title, because, source, settles = {}, blockedBy }, index) => {
    const { areas = [], codes = [] } = settles;
    const settled = [
      ...(areas.length === 0 ? [] : [`areas ${areas.join(", ")}`]),
      ...codes.map((code) => `\`${code}\``),
    ];
    const blocked = blockedBy === undefined ? "" : "the checks below";
    return `| ${[index + 1, title, because, settled.join("; "), blocked, source].join(" | ")} |`;
  });
  return [
    "# The procedure of an upgrade",
    "",
    "`upgrade` does these parts in this order, and `status` names the first that has something left to do.",
    "What a part settles does not stand against the upgrade: the part checks it, and brings it in order.",
    "",
    "| # | Part | Why here | Settles | Blocked by | Source |",
    "|---|---|---|---|---|---|",
    ...rows,
    "",
    "An upgrade freezes without these; each finding says what to do, and `check` lists them all:",
    `${blocking.map((code) => `\`${code}\``).join(", ")}.`,
    "",
  ].join("\n");
}
