/** An executable as it is put together: what it reads of its own file, and what it takes from beside it. */
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { assemble } from "../.ci/assemble";

const precompile = join(__dirname, "../.ci/precompile.mjs");
/** Lines within a text have to come through the comment in which the code stands. */
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

const { text, start, id } = assemble(content);
const file = join(dir, "program");
const beside = join(dir, ".program.compiled");
writeFileSync(file, text);

test.each<[string, () => void]>([
  ["with nothing beside it", () => undefined],
  [
    "with what was compiled of it",
    () => {
      writeFileSync(beside, start);
      execFileSync(process.execPath, [precompile, file, beside, id], { stdio: "ignore" });
    },
  ],
  [
    "with what was compiled of another one",
    () => {
      const other = {
        ...content,
        eager: [{ name: "entry.js", code: entry.replace("two", "ten") }],
      };
      const { start: code, id: of } = assemble(other);
      writeFileSync(beside, code);
      execFileSync(process.execPath, [precompile, file, beside, of], { stdio: "ignore" });
    },
  ],
  [
    "with nothing but the name of what was compiled",
    () => {
      writeFileSync(beside, `${id}${process.version}${process.platform}${process.arch}`);
    },
  ],
  [
    "with what another node has compiled of it",
    () => {
      writeFileSync(beside, start);
      execFileSync(process.execPath, [precompile, file, beside, id], { stdio: "ignore" });
      const compiled = readFileSync(beside, "latin1");
      writeFileSync(beside, compiled.replace(process.version, "v20.19.0"), "latin1");
    },
  ],
])("an executable %s does the same", (_name, prepare) => {
  prepare();
  const out = execFileSync(process.execPath, [file, "told"], { encoding: "utf8" });
  expect(out).toBe("two\nlines unpacked told\n");
});

test.each([
  ["a letter beyond ASCII", "'\u00e9'", "not ASCII"],
  ["a carriage return", "'\r'", "carriage return"],
])("%s in the code is refused", (_name, code, why) => {
  expect(() => assemble({ ...content, eager: [{ name: "entry.js", code }] })).toThrow(why);
});
