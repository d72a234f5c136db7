/**
 * How long commands that ask no cluster take, against `node -e 0`: by turns in one run, so that a busy
 * machine slows all of them. Run after `npm run build`; exit code 1 when one is above the limit.
 */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { median, spread, table } from "./admission/table";
import { timed, watchMachine } from "./commands/process";

const executable = join(__dirname, "../../dist/kubectl-engine");
const rounds = 5;
const runsEach = 11;
const limit = 1.3;

const lines: readonly (readonly string[])[] = [
  ["--help"],
  ["version"],
  ["completion", "bash"],
  ["upgrade-webhook", "--help"],
];

interface Cost {
  readonly ms: number;
  readonly cpuMs: number;
}

/** One round: every line and node alone in turn, so many times; the medians, node's first. */
async function round(): Promise<readonly Cost[]> {
  const commands = [["-e", "0"], ...lines.map((words) => [executable, ...words])];
  const runs = commands.map((): Cost[] => []);
  for (let run = 0; run < runsEach; run += 1) {
    for (const [at, args] of commands.entries()) {
      const { code, ms, cpuMs } = await timed(process.execPath, args);
      if (code !== 0) throw new Error(`node ${args.join(" ")}: exit code ${String(code)}`);
      runs[at]?.push({ ms, cpuMs });
    }
  }
  return runs.map((each) => ({
    ms: median(each.map(({ ms }) => ms)),
    // a tick of the clock is long: the sum of the runs is exact, one of them is not
    cpuMs: each.reduce((sum, { cpuMs }) => sum + cpuMs, 0) / each.length,
  }));
}

/** What a line took in each round, and what node took in the same. */
function row(words: readonly string[], all: readonly (readonly [own: Cost, node: Cost])[]) {
  const ratios = all.map(([own, node]) => own.ms / node.ms);
  const cells = [
    words.join(" "),
    spread(
      all.map(([own]) => own.ms),
      1,
    ),
    spread(ratios, 2),
    spread(
      all.map(([own, node]) => own.cpuMs / node.cpuMs),
      2,
    ),
  ];
  return { cells, ratio: median(ratios) };
}

async function main(): Promise<void> {
  if (!existsSync(executable)) throw new Error("dist/kubectl-engine is missing: npm run build");
  const machine = watchMachine();
  const measured: (readonly Cost[])[] = [];
  for (let at = 0; at < rounds; at += 1) measured.push(await round());
  const none: Cost = { ms: NaN, cpuMs: NaN };
  const rows = [["node -e 0"], ...lines].map((words, at) =>
    row(
      words,
      measured.map((costs) => [costs[at] ?? none, costs[0] ?? none]),
    ),
  );
  console.log(
    table(
      ["", "ms", "times `node -e 0`", "in processor time"],
      rows.map(({ cells }) => cells),
    ),
  );
  console.log(
    `median of ${rounds} rounds (least–most), ${runsEach} runs of each by turns; limit ${limit}; ${machine()}`,
  );
  if (rows.some(({ ratio }) => !(ratio <= limit))) process.exitCode = 1;
}

main().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
});
