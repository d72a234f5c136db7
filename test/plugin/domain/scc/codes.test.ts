import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { sccCodes } from "../../../../plugin/domain/scc/codes";

const plugin = join(__dirname, "../../../../plugin");

/** Every code that the sources give to a finding. */
const used = ["domain/scc", "run/scc"].flatMap((folder) =>
  readdirSync(join(plugin, folder))
    .filter((file) => file !== "codes.ts")
    .flatMap((file) => [
      ...readFileSync(join(plugin, folder, file), "utf8").matchAll(/^ +code: "([A-Z-]+)",$/gm),
    ])
    .map(([, code]) => code),
);

test("what is found is explained, and what is explained can be found", () => {
  expect([...new Set(used)].sort()).toEqual(sccCodes.map(({ code }) => code));
});
