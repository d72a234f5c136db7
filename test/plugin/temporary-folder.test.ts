/** Where no temporary folder can be made, as in a pod without any, the person is told what to do. */
import { spawnSync } from "node:child_process";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { temporaryFolder } from "../../plugin/adapters/files";
import { UsageError } from "../../plugin/domain/base/errors";
import { aFolder } from "../support/a-folder";
import { bundled } from "../support/bundled";
import { aWebhookProgram } from "../support/webhook-program";

const root = join(__dirname, "../..");
const folder = aFolder("no-folder");
const file = join(folder, "file");
writeFileSync(file, "");

test.each([
  ["is a file", file, /^cannot make a temporary folder: is a file, not a folder: .*file$/],
  ["lies below a file", join(file, "home"), /: part of the path is not a folder: .*home$/],
])("a home that %s: a sentence names it, the cause and the setting", (_title, home, said) => {
  const hint = "set ENGINE_HOME to a folder that can be written; in a pod, mount an emptyDir there";
  const make = (): object => temporaryFolder(home);
  expect(make).toThrow(UsageError);
  expect(make).toThrow(said);
  expect(make).toThrow(expect.objectContaining({ hint }) as Error);
});

test.each([
  ["the machine's folder", undefined],
  ["a home that is not there yet", join(folder, "new")],
])("%s: the folder is made, and gone when it is removed", (_title, home) => {
  const { path, remove } = temporaryFolder(home);
  expect(existsSync(path)).toBe(true);
  remove();
  expect(existsSync(path)).toBe(false);
});

test("a rehearsal without a folder for what is temporary ends with 2 and says how to give one", () => {
  const words = ["rehearse", "--webhook", aWebhookProgram().file, "upgrade-webhook", "--yes"];
  const { status, stderr } = spawnSync(process.execPath, [bundled("plugin/main.ts"), ...words], {
    cwd: root,
    env: { PATH: process.env["PATH"], TMPDIR: file },
  });
  expect(String(stderr)).toContain(
    `cannot make a temporary folder: part of the path is not a folder: ${file}`,
  );
  expect(String(stderr)).toContain("set TMPDIR to a folder that can be written");
  expect(status).toBe(2);
}, 60_000);
