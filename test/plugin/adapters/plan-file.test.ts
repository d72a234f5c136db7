import { readdir, readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { replaceFile } from "../../../plugin/adapters/files";
import { aFolder } from "../../support/a-folder";

const writing = { what: "plan", hint: "give another file", mode: 0o600 };
const writePlanFile = (path: string, text: string) => replaceFile(path, text, writing);

let folder: string;

beforeEach(() => {
  folder = aFolder("plan");
});

test("a plan is written for its owner alone", async () => {
  const path = join(folder, "plan.json");
  await writePlanFile(path, "{}\n");
  expect(await readFile(path, "utf8")).toBe("{}\n");
  expect((await stat(path)).mode & 0o777).toBe(0o600);
});

test("an older plan is replaced, and nothing is left beside it", async () => {
  const path = join(folder, "plan.json");
  await writeFile(path, "old");
  await writePlanFile(path, "new");
  expect(await readFile(path, "utf8")).toBe("new");
  expect(await readdir(folder)).toEqual(["plan.json"]);
});

test.each([
  ["a folder that does not exist", "absent/plan.json", "no such folder: .*/absent$"],
  ["a folder in its place", ".", "(is a folder, not a file|cannot be read \\([A-Z]+\\)): "],
])("%s is a usage error that names the file", async (_, name, why) => {
  const path = join(folder, name);
  await expect(writePlanFile(path, "x")).rejects.toMatchObject({
    exitCode: 2,
    message: expect.stringMatching(new RegExp(`^cannot write the plan: ${why}`)) as unknown,
  });
  expect(await readdir(folder)).toEqual([]);
});
