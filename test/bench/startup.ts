/**
 * How long commands that ask no cluster take, against `node -e 0`: by turns in one run, so that a busy
 * machine slows all of them. Run after `npm run build`; exit code 1 when one is above the limit.
 */
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { median, spread, table } from "./admission/table";
import { type Usage, usageOf } from "./rbac/usage";

const executable = join(__dirname, "../../dist/kubectl-engine");
const rounds = 5;
const runsEach = 11;
const limit = 1.3;

const lines: readonly (readonly string[])[] = [
  ["--help"],
  ["version", "--client"],
  ["completion", "bash"],
  ["upgrade-webhook", "--help"],
];

/** Beyond this part of the machine others have disturbed a round. */
const mostOthers = 0.1;

/** Medians and sums of one round. */
interface Cost {
  readonly ms: number;
  readonly cpu: number;
  readonly others: number;
}

function timed(args: readonly string[]): Promise<Usage> {
  return usageOf([], () => {
    const { status } = spawnSync(process.execPath, args, { stdio: ["ignore", "pipe", "pipe"] });
    if (status !== 0) throw new Error(`node ${args.join(" ")}: exit code ${String(status)}`);
    return Promise.resolve();
  });
}

/** Every line and node alone in turn, so many times; what each took, node first. */
async function round(): Promise<readonly Cost[]> {
  const commands = [["-e", "0"], ...lines.map((words) => [executable, ...words])];
  const runs = commands.map((): Usage[] => []);
  for (let run = 0; run < runsEach; run += 1) {
    for (const [at, args] of commands.entries()) runs[at]?.push(await timed(args));
  }
  const sum = (all: readonly number[]) => all.reduce((one, other) => one + other, 0);
  return runs.map((each) => ({
    ms: median(each.map(({ seconds }) => seconds * 1_000)),
    // a tick of the clock is long: only the sum of the runs is exact
    cpu: sum(each.map(({ client }) => client)),
    others: sum(each.map(({ others }) => others)) / each.length,
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
      all.map(([own, node]) => own.cpu / node.cpu),
      2,
    ),
  ];
  return { cells, ratio: median(ratios) };
}

async function main(): Promise<void> {
  if (!existsSync(executable)) throw new Error("dist/kubectl-engine is missing: npm run build");
  const measured: (readonly Cost[])[] = [];
  for (let at = 0; at < rounds; at += 1) measured.push(await round());
  const none: Cost = { ms: NaN, cpu: NaN, others: NaN };
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
  const others = measured.flat().map((cost) => cost.others);
  const said = median(others) > mostOthers ? "DISTURBED" : "calm";
  console.log(
    `\nmedian of ${rounds} rounds (least–most), ${runsEach} runs of each by turns; limit ${limit}\n` +
      `${said}: others took ${spread(others.map((share) => share * 100))} % of the processors`,
  );
  if (rows.some(({ ratio }) => !(ratio <= limit))) process.exitCode = 1;
}

main().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
});
