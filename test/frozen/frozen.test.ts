/** Every command does what it did: records are compared with files. UPDATE_GOLDEN=1 writes them. */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Freezer } from "./frozen";
import { scenarios } from "./scenarios";

const freezer = new Freezer();

test.each(scenarios.map((scenario) => [scenario.title, scenario] as const))(
  "%s",
  async (title, scenario) => {
    const path = join(__dirname, "records", `${title}.txt`);
    const text = await freezer.recordOf(scenario);
    if (process.env["UPDATE_GOLDEN"] === "1") writeFileSync(path, text);
    expect(text).toBe(existsSync(path) ? readFileSync(path, "utf8") : "");
  },
);
