import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import Ajv from "ajv";
import { load } from "js-yaml";
import { renderDetails, renderText } from "../../../plugin/output/text";
import { renderJson, renderLine } from "../../../plugin/output/reporter";
import schema from "../../../docs/reference/documents.schema.json";
import { palette } from "../../../plugin/output/escape";
import { renderYaml } from "../../../plugin/output/yaml";
import type { Report } from "../../../plugin/kernel/report";
import { forbidden, hostile, swapped } from "./sample-reports";

const folder = join(__dirname, "../../golden");
const golden = (name: string): string => readFileSync(join(folder, name), "utf8");
const plain = { palette: palette(false), verbosity: 0 };
const full = { ...plain, verbosity: 1 };
const samples = [
  ["a swap", "swap", swapped],
  ["a missing permission", "forbidden", forbidden],
  ["hostile names", "hostile", hostile],
] as const;
// what a terminal must never get; a line break is the text's own
const dangerous =
  /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2060-\u206f]/u;

describe.each(samples)("%s", (_, name, report) => {
  test("as text", () => {
    const written = { [`report-${name}.txt`]: plain, [`report-${name}-v.txt`]: full };
    for (const [file, style] of Object.entries(written)) {
      const text = renderText(report, style);
      if (process.env["UPDATE_GOLDEN"] === "1") writeFileSync(join(folder, file), text);
      expect(text).toBe(golden(file));
    }
  });

  test("as JSON", () => {
    expect(renderJson(report)).toBe(golden(`report-${name}.json`));
  });

  test("as YAML", () => {
    expect(renderYaml(report)).toBe(golden(`report-${name}.yaml`));
  });

  test("JSON and YAML are the same document", () => {
    const whole = JSON.parse(JSON.stringify(report).replaceAll("\\ud800", "\\ufffd")) as unknown;
    expect(JSON.parse(renderJson(report).replaceAll("\\ud800", "\\ufffd"))).toEqual(whole);
    expect(load(renderYaml(report))).toEqual(whole);
  });

  test("nothing in it can move, color or reorder a terminal", () => {
    for (const text of [renderText(report, plain), renderJson(report), renderYaml(report)]) {
      expect(text).not.toMatch(dangerous);
    }
  });

  test("JSON Lines has it in one line", () => {
    const line = renderLine(report);
    expect(line.indexOf("\n")).toBe(line.length - 1);
    expect(JSON.parse(line)).toEqual(JSON.parse(renderJson(report)));
  });
});

test("with -v 1 each step has its time", () => {
  const text = renderText(swapped, { ...plain, verbosity: 1 });
  expect(text).toContain("TIME");
  expect(text).toContain("120ms");
});

test("color changes nothing but color", () => {
  for (const [, , report] of samples) {
    const colored = renderText(report, { palette: palette(true), verbosity: 0 });
    expect(colored).toContain("\u001b[");
    expect(colored.replaceAll(/\u001b\[\d+m/g, "")).toBe(renderText(report, plain));
  }
});

test("a report with nothing but its end has one line", () => {
  const report: Report = {
    apiVersion: "cli.engine.com/v1",
    kind: "X",
    exit: { code: 0, reason: "nothing to do" },
  };
  expect(renderText(report, plain)).toBe("Done: nothing to do\n");
});

test.each([
  [
    "short ones in one line",
    "operator: is at 8.0.2-2; EC: Running",
    "Done: operator: is at 8.0.2-2; EC: Running\n",
  ],
  [
    "long ones one below the other",
    `operator: ${"a".repeat(70)}; EC: ${"b".repeat(70)}`,
    `Done: operator: ${"a".repeat(70)};\n          EC: ${"b".repeat(70)}\n`,
  ],
])("several reasons: %s", (_, reason, shown) => {
  const report: Report = { apiVersion: "cli.engine.com/v1", kind: "X", exit: { code: 0, reason } };
  expect(renderText(report, plain)).toBe(shown);
});

test("details that are one value are one line", () => {
  expect(renderDetails("text\u001b")).toEqual(["text\\x1b"]);
  expect(renderDetails({ gone: undefined })).toEqual([]);
});

describe("the JSON Schema", () => {
  const validate = new Ajv({ allErrors: true, strictTypes: false }).compile(schema);

  test.each([
    ["a swap", swapped],
    ["a missing permission", forbidden],
  ])("accepts %s", (_, report) => {
    expect({ ok: validate(report), errors: validate.errors }).toEqual({ ok: true, errors: null });
  });

  test.each([
    ["an exit code outside the contract", { ...swapped, exit: { code: 9, reason: "x" } }],
    ["an unknown result", { ...swapped, steps: [{ ...swapped.steps?.[0], result: "maybe" }] }],
    ["no kind", { ...swapped, kind: undefined }],
    ["a code in lower case", { ...swapped, findings: [{ ...swapped.findings?.[0], code: "x" }] }],
    ["a fingerprint that is none", hostile],
    ["a rehearsal without its stages", { ...swapped, kind: "Rehearsal", details: { source: {} } }],
  ])("refuses %s", (_, report) => {
    expect(validate(JSON.parse(JSON.stringify(report)))).toBe(false);
  });

  test("accepts additions, since v1 may grow", () => {
    expect(validate({ ...swapped, later: true })).toBe(true);
  });
});
