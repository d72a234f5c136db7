/** `-o name`: what a script gets to hand to kubectl. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { defaultNames as names } from "../../../plugin/domain/names/names";
import { renderNames } from "../../../plugin/output/names";
import { diff, entries, writers } from "../../../plugin/cli/commands";
import type { Report } from "../../../plugin/kernel/report";
import { aNamespace } from "../../support/builders";
import { makeWorld } from "../../support/world";
import { typed } from "../../support/program-world";
import { recordedDocument } from "../../support/report-documents";

test.each<[string, readonly string[]]>([
  ["upgrade-cluster.done", ["engineenterprisecluster.app.engine.com/ec"]],
  [
    "upgrade-webhook.dry-run-server",
    [
      "validatingwebhookconfiguration.admissionregistration.k8s.io/engine-enterprise-admission",
      "validatingwebhookconfiguration.admissionregistration.k8s.io/edb-admission",
    ],
  ],
  ["reapply-rbac.done", ["role.rbac.authorization.k8s.io/edb-role"]],
  ["cert-create.done", ["secret/admission-tls"]],
  ["check.after", []],
])("the names of %s", (title, lines) => {
  expect(renderNames(recordedDocument(title), names)).toBe(
    lines.map((line) => `${line}\n`).join(""),
  );
});

test("of a status the clusters are named", () => {
  const golden = join(__dirname, "../../golden/status/fine.json");
  const details: unknown = JSON.parse(readFileSync(golden, "utf8"));
  const report = { details } as Report;
  expect(renderNames(report, names)).toBe("engineenterprisecluster.app.engine.com/ec\n");
});

test("nothing else is on stdout, and the talk is on stderr", async () => {
  const { cluster } = makeWorld({ objects: [aNamespace("engine")] });
  const connect = () => Promise.resolve(cluster);
  const { code, out, err } = await typed(["cert", "create", "--yes", "-o", "name"], { connect });
  expect({ code, out }).toEqual({ code: 0, out: "secret/admission-tls\n" });
  expect(err).toContain("Secret/engine/admission-tls");
});

test("what is printed is named by its own group", async () => {
  const { out } = await typed(["policy", "-o", "name"]);
  const lines = out.trimEnd().split("\n");
  expect(lines).toContain(
    "validatingadmissionpolicy.admissionregistration.k8s.io/engine-enterprise-admission-edb-form",
  );
});

const objects = new Set([...writers, diff].map(({ path }) => path)).add("status").add("policy");
const others = entries.filter(({ path }) => !objects.has(path));
test.each(others.map(({ path }) => [path]))("%s refuses it by one error", async (path) => {
  const { code, out, err } = await typed([...path.split(" "), ...argumentOf(path), "-o", "name"]);
  expect({ code, out }).toEqual({ code: 2, out: "" });
  expect(err).toContain(`--output: name is for objects, and ${path} neither writes nor lists any`);
  expect(err.match(/^error:/gm)).toHaveLength(1);
});

function argumentOf(path: string): readonly string[] {
  const words: Readonly<Record<string, string>> = {
    explain: "SECRET-MISSING",
    completion: "bash",
    "modules install": "rg.zip",
    validate: "--filename=-",
    "advisories lint": "own.yaml",
    "advisories test": "own.yaml",
  };
  return [words[path] ?? []].flat();
}
