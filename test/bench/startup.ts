/**
 * How long `kubectl-engine --help` takes, against `node -e 0`: both in one run, by turns, so that a
 * busy machine slows both. Run after `npm run build`; exit code 1 when it is above the limit.
 */
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";

const executable = join(__dirname, "../../dist/kubectl-engine");
const rounds = 41;
const limit = 1.5;

/** Milliseconds of one process from start to end. */
function timed(args: readonly string[]): number {
  const from = process.hrtime.bigint();
  const { status } = spawnSync(process.execPath, args, { stdio: ["ignore", "pipe", "pipe"] });
  if (status !== 0) throw new Error(`node ${args.join(" ")}: exit code ${String(status)}`);
  return Number(process.hrtime.bigint() - from) / 1e6;
}

function median(values: readonly number[]): number {
  const sorted = [...values].sort((one, other) => one - other);
  return sorted[Math.floor(sorted.length / 2)] ?? NaN;
}

/** Medians of node alone, of --help and of version, and --help's ratio to node alone. */
export function measureStartup(): {
  readonly node: number;
  readonly help: number;
  readonly version: number;
  readonly ratio: number;
} {
  const runs: { node: number[]; help: number[]; version: number[] } = {
    node: [],
    help: [],
    version: [],
  };
  for (let round = 0; round < rounds; round += 1) {
    runs.node.push(timed(["-e", "0"]));
    runs.help.push(timed([executable, "--help"]));
    runs.version.push(timed([executable, "version"]));
  }
  const [node, help, version] = [median(runs.node), median(runs.help), median(runs.version)];
  return { node, help, version, ratio: help / node };
}

if (require.main === module) {
  if (!existsSync(executable)) throw new Error("dist/kubectl-engine is missing: npm run build");
  const { node, help, version, ratio } = measureStartup();
  console.log(
    `node -e 0 ${node.toFixed(1)} ms, --help ${help.toFixed(1)} ms, version ${version.toFixed(1)} ms`,
  );
  console.log(`--help / node -e 0 = ${ratio.toFixed(2)} (limit ${limit})`);
  if (ratio > limit) process.exitCode = 1;
}
