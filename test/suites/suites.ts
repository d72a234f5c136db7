/**
 * `npm test` runs many test files as one suite: jest loads the program's modules again for every file
 * that it runs itself, which takes longer than most tests do. Files in deep.json are left to
 * `npm run test:deep`. With arguments both are plain jest (run.mjs).
 */
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import deep from "./deep.json";

const root = join(__dirname, "..");

/** Folders of each suite, about equally long; a folder that is in none belongs to `rest`. */
const folders = {
  adapters: ["plugin/adapters"],
  domain: ["plugin/domain"],
  jobs: ["jobs", "records"],
  program: ["plugin/cli", "plugin/cmdutil"],
  parts: [
    "plugin/commands/upgrade-webhook",
    "plugin/commands/upgrade-operator",
    "plugin/commands/upgrade-cluster",
    "plugin/commands/upgrade-database",
    "plugin/commands/reapply-rbac",
    "plugin/commands/unbind-scc",
    "plugin/kernel",
    "plugin/readers",
  ],
  simulator: ["plugin/simulator"],
  webhook: ["webhook"],
  wholes: [
    "plugin/commands/upgrade",
    "plugin/commands/rehearse",
    "plugin/commands/check",
    "plugin/commands/status",
    "plugin/commands/recover",
    "plugin/commands/validate",
  ],
} as const satisfies Readonly<Record<string, readonly string[]>>;

/** These have runs of their own. */
const otherRuns = ["control-plane", "faults", "package", "pages", "typed"];

const isUnder = (all: readonly string[], file: string): boolean =>
  all.some((folder) => file.startsWith(`${folder}/`));

const gone = Object.keys(deep).filter((file) => !existsSync(join(root, "..", file)));
if (gone.length > 0) throw new Error(`deep.json names files that do not exist: ${gone.join(", ")}`);

function filesOf(suite: keyof typeof folders | "rest"): readonly string[] {
  const files = readdirSync(root, { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".test.ts") && !isUnder(otherRuns, file))
    .filter((file) => !Object.hasOwn(deep, `test/${file}`))
    .sort();
  const taken = Object.values<readonly string[]>(folders).flat();
  return files.filter((file) =>
    suite === "rest" ? !isUnder(taken, file) : isUnder(folders[suite], file),
  );
}

/** Defines the tests of a suite: each file is a block of its name, so that its hooks stay its own. */
export function suite(name: Parameters<typeof filesOf>[0]): void {
  describe.each(filesOf(name).map((file) => `test/${file}`))("%s", (file) => {
    // an import cannot wait for the block to begin
    // eslint-disable-next-line @typescript-eslint/no-require-imports
    require(join(root, "..", file));
  });
}
