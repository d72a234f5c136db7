/** Compares records with the files beside this one. UPDATE_GOLDEN=1 writes them. */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Freezer } from "./frozen";
import { scenarios } from "./scenarios";

/** Defines a test for each scenario that is chosen by its title. */
export function keep(isChosen: (title: string) => boolean): void {
  const freezer = new Freezer();
  afterAll(() => {
    freezer.close();
  });
  const chosen = scenarios.filter(({ title }) => isChosen(title));
  test.each(chosen.map((scenario) => [scenario.title, scenario] as const))(
    "%s",
    async (title, scenario) => {
      const path = join(__dirname, "records", `${title}.txt`);
      const text = await freezer.recordOf(scenario);
      if (process.env["UPDATE_GOLDEN"] === "1") writeFileSync(path, text);
      expect(text).toBe(existsSync(path) ? readFileSync(path, "utf8") : "");
    },
  );
}
