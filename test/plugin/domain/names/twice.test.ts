import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { load } from "js-yaml";
import { parseMarked, twiceKey } from "../../../../plugin/domain/names/judge";
import { readNames } from "../../../../webhook/config";

const parse = (text: string): unknown => parseMarked(text, (marked) => load(marked));

test.each([
  ["plain", "a: 1\na: 2\n", { a: 1, "twice~a": 2 }],
  ["quoted, as JSON", '{"a":1,"a":2}', { a: 1, "twice~a": 2 }],
  ["three times", "{a: 1, a: 2, a: 3}", { a: 1, "twice~a": 2, "twice~~a": 3 }],
])("a key that is there twice is marked: %s", (_title, text, value) => {
  expect(parse(text)).toEqual(value);
});

test.each([
  ["no YAML", "a: [1", "unexpected end"],
  ["more than ten of them", "a: 1\n".repeat(13), "duplicated mapping key"],
])("%s is thrown as it is", (_title, text, message) => {
  expect(() => parse(text)).toThrow(message);
});

test.each([
  () => {
    throw new Error("other");
  },
  () => {
    throw Object.assign(new Error("duplicated"), { reason: "duplicated mapping key", mark: {} });
  },
])("an error that tells no place is thrown as it is", (other) => {
  expect(() => parseMarked("a: 1", other)).toThrow();
});

test("a key without the mark is none", () => {
  expect([twiceKey("ec"), twiceKey("twice~~ec")]).toEqual([undefined, "ec"]);
});

test("the webhook names them with all else", () => {
  const folder = mkdtempSync(join(tmpdir(), "twice-"));
  try {
    const file = join(folder, "names.yaml");
    writeFileSync(file, "version: ''\nec: { short: a }\nec: { short: b }\n");
    expect(readNames(file)).toEqual({
      problems: ['version: "" is not an API version such as v1 or v1alpha1', "ec: is there twice"],
    });
  } finally {
    rmSync(folder, { recursive: true });
  }
});
