/** An executable as it is put together: what it reads of its own file. */
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { assemble } from "../.ci/assemble";

const entry = "console.log(`two\nlines`, require('./part.js').text, process.argv[2]);";
const content = {
  eager: [{ name: "entry.js", code: entry }],
  packed: [{ name: "part.js", code: "exports.text = 'unpacked'" }],
  licenses: "/* free */",
};

const dir = mkdtempSync(join(tmpdir(), "assembled-"));
afterAll(() => {
  rmSync(dir, { recursive: true });
});

test("an executable runs its start and unpacks a part when it is asked for", () => {
  const file = join(dir, "program");
  writeFileSync(file, assemble(content).text);
  const out = execFileSync(process.execPath, [file, "told"], { encoding: "utf8" });
  expect(out).toBe("two\nlines unpacked told\n");
});

test.each([
  ["a letter beyond ASCII", "'\u00e9'", "not ASCII"],
  ["a carriage return", "'\r'", "carriage return"],
])("%s in the code is refused", (_name, code, why) => {
  expect(() => assemble({ ...content, eager: [{ name: "entry.js", code }] })).toThrow(why);
});
