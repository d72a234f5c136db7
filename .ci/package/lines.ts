/**
 * `npm run test:nodes`: the unit tests and the rehearsal on every line of Node that the checkout runs on.
 * With `--ends` the oldest and the newest alone, and of the tests those of the domain.
 */
import { spawnSync } from "node:child_process";
import { delimiter, join } from "node:path";
import { fetchNode, nodeHere, nodeVersion } from "./nodes";

const root = join(__dirname, "../..");

/** Of each line the version that is tried, and the day after which nobody fixes it; oldest first. */
export const lines = [
  { version: "20.19.6", endOfLife: "2026-04-30" },
  { version: "22.23.3", endOfLife: "2027-04-30" },
  { version: "24.21.0", endOfLife: "2028-04-30" },
  { version: nodeVersion, endOfLife: "2029-04-30" },
] as const;

const soonMs = 180 * 24 * 60 * 60_000;

/** What to know about lines that end soon, or did; nothing fails for it. */
export function endingLines(now: Date): readonly string[] {
  return lines.flatMap(({ version, endOfLife }) => {
    const left = Date.parse(endOfLife) - now.getTime();
    if (left > soonMs) return [];
    return [`warning: Node ${version}: its line ${left < 0 ? "ended" : "ends"} on ${endOfLife}`];
  });
}

/** Runs a command with this node before all others. */
function passes(folder: string, command: string, args: readonly string[]): boolean {
  const env = { ...process.env, PATH: [folder, process.env["PATH"] ?? ""].join(delimiter) };
  return spawnSync(command, args, { cwd: root, env, stdio: ["ignore", "ignore", 2] }).status === 0;
}

async function main(): Promise<void> {
  const ends = process.argv.includes("--ends");
  const tried = lines.filter((_, at) => !ends || at === 0 || at === lines.length - 1);
  const tests = ends ? ["npx", "jest", "test/plugin/domain"] : ["npm", "test"];
  endingLines(new Date()).forEach((line) => {
    console.error(line);
  });
  for (const { version } of tried) {
    const folder = await fetchNode(nodeHere(version));
    const works =
      passes(folder, join(folder, "node"), ["dist/kubectl-engine", "rehearse"]) &&
      passes(folder, tests[0] ?? "", tests.slice(1));
    console.log(`Node ${version}: rehearsal and ${tests.join(" ")} ${works ? "passed" : "FAILED"}`);
    if (!works) process.exitCode = 1;
  }
}

if (require.main === module) {
  main().catch((error: unknown) => {
    console.error(error instanceof Error ? error.message : error);
    process.exitCode = 1;
  });
}
