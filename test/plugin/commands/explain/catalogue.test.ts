import { deploymentFindings } from "../../../../plugin/domain/rollout/findings";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { runExplain } from "../../../../plugin/commands/explain/command";
import { defaultNames } from "../../../../plugin/domain/names/names";
import { catalogue } from "../../../../plugin/commands/explain/catalogue";
import { advisoryFindings } from "../../../../plugin/domain/advisories/findings";
import { clusterFindings } from "../../../../plugin/domain/engine-cluster/findings";
import { databaseFindings } from "../../../../plugin/domain/database/findings";
import type { Code } from "../../../../plugin/domain/names/codes";
import { kinds } from "../../../../plugin/domain/kube/kinds";
import { operatorFindings } from "../../../../plugin/domain/operator/findings";
import { rbacFindings } from "../../../../plugin/domain/rbac/findings";
import { recoveryFindings } from "../../../../plugin/domain/recovery/findings";
import { sccFindings } from "../../../../plugin/domain/scc/findings";
import { webhookFindings } from "../../../../plugin/domain/admission/findings";

/** The sources below a folder, without the tables of codes themselves. */
function sourcesBelow(folder: string): readonly string[] {
  const root = join(__dirname, "../../../../plugin", folder);
  return readdirSync(root, { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".ts") && !file.endsWith("findings.ts"))
    .map((file) => readFileSync(join(root, file), "utf8"));
}

test("every code has a cause, a way out and a source", () => {
  for (const { code, severity, cause, fix, source } of catalogue) {
    expect(code).toMatch(/^([A-Z]+(-[A-Z0-9]+)+|R[123]|REF|USAGE)$/);
    expect(["error", "warning"]).toContain(severity);
    expect([cause, fix, source]).not.toContain("");
  }
});

test("each code is there once, in alphabetical order", () => {
  const codes = catalogue.map(({ code }) => code);
  expect(codes).toEqual([...new Set(codes)].sort());
});

test("every code that is written out is explained", () => {
  const used = ["domain", "commands", "kernel", "readers"]
    .flatMap(sourcesBelow)
    .flatMap((text) => [...text.matchAll(/\bcode: "([A-Z-]+)"/g)].map(([, code]) => code));
  const known = catalogue.map(({ code }) => code);
  expect(used.length).toBeGreaterThan(0);
  expect(used.filter((code) => code === undefined || !known.includes(code))).toEqual([]);
});

const tables: readonly (readonly [string, Readonly<Record<string, Code>>])[] = [
  ["advisory", advisoryFindings],
  ["cluster", clusterFindings],
  ["database", databaseFindings],
  ["operator", operatorFindings],
  ["Deployment", deploymentFindings],
  ["rbac", rbacFindings],
  ["recovery", recoveryFindings],
  ["scc", sccFindings],
  ["webhook", webhookFindings],
];

test.each(tables)("every code of the table %s is a finding somewhere", (_, table) => {
  const text = ["domain", "adapters/advisories", "commands", "kernel", "readers", "cli", "cmdutil"]
    .flatMap(sourcesBelow)
    .join("\n");
  const unused = Object.entries(table).filter(
    ([key, { code }]) => !new RegExp(`"${key}"|\\.${key}\\b|"${code}"`).test(text),
  );
  expect(unused.map(([, { code }]) => code)).toEqual([]);
});

test("Kubernetes' own kinds are addressed by plural and version", () => {
  for (const { plural, kind, version } of Object.values(kinds)) {
    expect(plural).toBe(`${kind.toLowerCase().replace(/y$/, "ie")}s`);
    expect(version).toBe("v1");
  }
});

test("an older code is explained by the one that took its place", async () => {
  const context = { names: defaultNames, env: {} } as Parameters<typeof runExplain>[0];
  const flags = { advisories: [], advisoriesSha256: [], lists: false };
  for (const code of ["DATABASE-VOLATILE", "database-data-at-risk"]) {
    const { details } = await runExplain(context, [code], flags);
    expect(details).toMatchObject({ code: "DATABASE-VOLATILE" });
  }
});
