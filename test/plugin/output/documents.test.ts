/** The published schema: made of the types, and held against documents of every command. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import Ajv from "ajv";
import { documentsSchema } from "../../../.ci/docs/schema";
import { readShippedSchema } from "../../../plugin/adapters/shipped";
import { entries } from "../../../plugin/cli/commands";
import type { Report } from "../../../plugin/kernel/report";
import { schemaProblems } from "../../control-plane/plugin-run";
import { aFolder } from "../../support/a-folder";
import { typed } from "../../support/program-world";
import { recordedDocuments } from "../../support/report-documents";
import { aWebhookProgram } from "../../support/webhook-program";

const file = join(__dirname, "../../../docs/reference/documents.schema.json");
const [, { properties }, ...byKind] = readShippedSchema().allOf;
const kinds = properties.kind.enum;

test("it is what the types say; UPDATE_GOLDEN=1 writes it again", () => {
  const made = `${JSON.stringify(documentsSchema(), undefined, 2)}\n`;
  if (process.env["UPDATE_GOLDEN"] === "1") writeFileSync(file, made);
  expect(readFileSync(file, "utf8")).toBe(made);
});

test("it has every command's kind, and none leaves its details open", () => {
  const own = entries.map(({ kind }) => kind);
  expect(kinds).toEqual([...new Set([...own, "Edits", "ExampleRelease", "Usage"])].sort());
  const free = byKind.filter(
    ({ then }) => JSON.stringify(then) === '{"properties":{"details":{}}}',
  );
  expect(free).toEqual([]);
});

test.each(recordedDocuments)("the recorded document of %s fits it", (_, document) => {
  expect(schemaProblems(document)).toEqual([]);
});

const asked: readonly (readonly [line: string, kind: string])[] = [
  ["advisories list", "Advisories"],
  ["advisories lint plugin/advisories/shipped.json", "AdvisoriesLint"],
  ["advisories test plugin/advisories/shipped.json", "AdvisoriesTest"],
  ["explain --advisories", "Explanation"],
  ["frobnicate", "Usage"],
  ["options --names", "Options"],
  ["options --schema", "Options"],
  ["policy", "Policy"],
  ["rehearse cert create --replace", "Rehearsal"],
  ["rehearse audit", "Rehearsal"],
  ["rehearse modules list", "Rehearsal"],
  ["rehearse modules in-use", "Rehearsal"],
  ["rehearse modules define rg --source rg=https://modules.example/rg.zip --yes", "Rehearsal"],
  ["rehearse --write-example release --dry-run=client", "ExampleRelease"],
  ["validate -f manifests/crds", "Validation"],
  ["version", "Version"],
];

/** Of a rehearsal the documents of its stages too. */
function stagesOf({ details }: Report): readonly Report[] {
  const { stages = [] } = (details ?? {}) as { readonly stages?: readonly { report: Report }[] };
  return stages.map(({ report }) => report);
}

const program = aWebhookProgram();
const seen = new Set(recordedDocuments.map(([, { kind }]) => kind));
test.each(asked)("the document of %s fits it", async (line, kind) => {
  const home = aFolder("home");
  const env = { HOME: home, ENGINE_HOME: join(home, "engine"), PATH: home, SHELL: "bash" };
  const webhook = kind === "Rehearsal" ? [`--webhook=${program.file}`] : [];
  const { out } = await typed([...line.split(" "), ...webhook, "-o", "json"], { env });
  const document = JSON.parse(out) as Report;
  expect(document.kind).toBe(kind);
  for (const each of [document, ...stagesOf(document)]) {
    seen.add(each.kind);
    expect(schemaProblems(each)).toEqual([]);
  }
});

test("a document of every kind was held against it", () => {
  // this one is judged where it is made: test/plugin/commands/modules/install-command.test.ts
  const elsewhere = ["ModulesInstall", "Edits"];
  expect([...seen, ...elsewhere].sort()).toEqual(expect.arrayContaining([...kinds]));
});

test.each([
  ["what no type has", { more: true }, "must NOT have additional properties"],
  ["a kind that does not exist", { kind: "Nothing" }, "must be equal to one of the allowed values"],
])("%s is a problem to the tests", (_, change, problem) => {
  const [, first] = recordedDocuments[0] ?? [];
  expect(schemaProblems({ ...first, ...change }).join()).toContain(problem);
});

test("of one kind it has what that kind leads to alone, and is a schema", async () => {
  const { code, out } = await typed(["options", "--schema", "Check"]);
  const schema = JSON.parse(out) as { readonly definitions: object };
  expect(code).toBe(0);
  const names = Object.keys(schema.definitions);
  expect(names).toEqual(expect.arrayContaining(["CheckDetails", "CheckLine", "Finding", "Report"]));
  expect(names).not.toContain("StatusDetails");
  const validate = new Ajv({ strict: false }).compile(schema);
  const check = recordedDocuments.find(([, { kind }]) => kind === "Check")?.[1];
  expect(validate(check)).toBe(true);
  expect(validate({ ...check, kind: "Status" })).toBe(false);
  expect(validate({ ...check, details: {} })).toBe(false);
});

test("without a kind all of it is printed", async () => {
  const { out } = await typed(["options", "--schema"]);
  expect(JSON.parse(out)).toEqual(readShippedSchema());
});

test("a kind that does not exist is one error, with the nearest", async () => {
  const { code, out, err } = await typed(["options", "--schema", "Statos"]);
  expect({ code, out }).toEqual({ code: 2, out: "" });
  expect(err).toContain('--schema: "Statos" is not a kind of document (did you mean Status?)');
});
