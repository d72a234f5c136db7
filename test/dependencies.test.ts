/** What package.json says of the packages: which ones ship, which ones are tools, and why some are pinned. */
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";

const root = join(__dirname, "..");

interface Manifest {
  readonly dependencies: Readonly<Record<string, string>>;
  readonly devDependencies: Readonly<Record<string, string>>;
  readonly overrides: Readonly<Record<string, string>>;
  readonly "//": Readonly<Record<string, string>>;
}

const manifest = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as Manifest;
const { dependencies, devDependencies, overrides } = manifest;

const isExact = (range: string): boolean => /^\d/.test(range);

/** The packages that the code of both programs imports, types included. */
function importedPackages(): ReadonlySet<string> {
  const listed = execFileSync("git", ["ls-files", "plugin", "webhook"], {
    cwd: root,
    encoding: "utf8",
  });
  const code = listed.split("\n").filter((file) => file.endsWith(".ts"));
  const names = code.flatMap((file) => {
    const text = readFileSync(join(root, file), "utf8");
    const imports = text.matchAll(/(?:\bfrom |\bimport\(|^import )"([^".\s][^"\s]*)"/gm);
    return [...imports].map(([, path = ""]) => /^(?:@[^/]+\/)?[^/]+/.exec(path)?.[0] ?? "");
  });
  return new Set(names.filter((name) => !name.startsWith("node:")));
}

test("dependencies are the packages that the programs import, and no others", () => {
  expect([...importedPackages()].sort()).toEqual(Object.keys(dependencies).sort());
});

test("the six packages that the project is built on are there, and come first", () => {
  expect(Object.keys(dependencies).slice(0, 5)).toEqual([
    "@kubernetes/client-node",
    "commander",
    "express",
    "node-forge",
    "js-yaml",
  ]);
  expect(Object.keys(devDependencies)[0]).toBe("jest");
});

test("each pin and each override has its reason beside it, and no reason is left over", () => {
  const pins = Object.entries({ ...dependencies, ...devDependencies })
    .filter(([, range]) => isExact(range))
    .map(([name]) => name);
  const overridden = Object.keys(overrides).map((name) => `overrides.${name}`);
  expect(Object.keys(manifest["//"]).sort()).toEqual([...pins, ...overridden].sort());
});
