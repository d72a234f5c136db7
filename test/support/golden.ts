/** Golden files: whole results kept beside the tests. UPDATE_GOLDEN=1 writes them again. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** Compares a text with the file of that name under test/golden. */
export function expectGoldenText(name: string, text: string): void {
  const path = join(__dirname, "../golden", name);
  if (process.env["UPDATE_GOLDEN"] === "1") writeFileSync(path, text);
  expect(text).toBe(readFileSync(path, "utf8"));
}

/** Compares a value with the JSON file of that name under test/golden. */
export function expectGolden(name: string, value: unknown): void {
  const path = join(__dirname, "../golden", name);
  if (process.env["UPDATE_GOLDEN"] === "1") {
    writeFileSync(path, `${JSON.stringify(value, undefined, 2)}\n`);
  }
  expect(JSON.parse(JSON.stringify(value))).toEqual(JSON.parse(readFileSync(path, "utf8")));
}
