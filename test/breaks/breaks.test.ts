/** The breaks made on purpose still apply: whoever changes that code repairs them. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import breaks from "./breaks.json";

const root = join(__dirname, "../..");

const sources = ["plugin", "webhook"].flatMap((folder) =>
  readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".ts"))
    .map((file) => readFileSync(join(root, folder, file), "utf8")),
);

test.each(breaks.map((one) => [one.name, one] as const))(
  "%s",
  (_name, { text, instead, caught }) => {
    expect(sources.flatMap((source) => source.split(text).slice(1))).toHaveLength(1);
    expect(instead).not.toContain(text);
    expect(caught.filter((path) => !existsSync(join(root, path)))).toEqual([]);
  },
);
