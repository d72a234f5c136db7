/**
 * How long commands that ask no cluster take, against `node -e 0`: by turns in one run, so that a busy
 * machine slows all of them. Run after `npm run build`; exit code 1 when one is above the limit.
 * With `--packed`, the executable of the release and the Node inside it, after `npm run package`.
 */
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fetchNode, nodeHere, nodeVersion } from "../../.ci/package/nodes";
import { archHere, released, unpackInto } from "../package/released";
import { median, spread, table } from "./admission/table";
import { type Usage, usageOf } from "./rbac/usage";

const rounds = 5;
const runsEach = 11;
const limit = 1.3;
/** An executable that carries its Node also maps the code in it. */
const packedLimit = 1.7;

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

/** A program and its arguments. */
type Words = readonly [program: string, ...args: string[]];

function timed([program, ...args]: Words): Promise<Usage> {
  return usageOf([], () => {
    const { status } = spawnSync(program, args, { stdio: ["ignore", "pipe", "pipe"] });
    if (status !== 0) throw new Error(`${program} ${args.join(" ")}: exit code ${String(status)}`);
    return Promise.resolve();
  });
}

/** Every command in turn, so many times; what each took. */
async function round(commands: readonly Words[]): Promise<readonly Cost[]> {
  const runs = commands.map((): Usage[] => []);
  for (let run = 0; run < runsEach; run += 1) {
    for (const [at, words] of commands.entries()) runs[at]?.push(await timed(words));
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

/** Node, and the plugin as it is started. */
interface Programs {
  readonly node: string;
  readonly plugin: Words;
}

function findBuilt(): Programs {
  const executable = join(__dirname, "../../dist/kubectl-engine");
  if (!existsSync(executable)) throw new Error("dist/kubectl-engine is missing: npm run build");
  return { node: process.execPath, plugin: [process.execPath, executable] };
}

async function unpack(dir: string): Promise<Programs> {
  await unpackInto(released(`kubectl-engine_linux_${archHere}.tar.gz`), dir);
  const node = join(await fetchNode(nodeHere(nodeVersion)), "node");
  return { node, plugin: [join(dir, "kubectl-engine")] };
}

async function measure({ node, plugin }: Programs, most: number): Promise<void> {
  const commands: readonly Words[] = [
    [node, "-e", "0"],
    ...lines.map((words): Words => [...plugin, ...words]),
  ];
  const measured: (readonly Cost[])[] = [];
  for (let at = 0; at < rounds; at += 1) measured.push(await round(commands));
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
    `\nmedian of ${rounds} rounds (least–most), ${runsEach} runs of each by turns; limit ${most}\n` +
      `${said}: others took ${spread(others.map((share) => share * 100))} % of the processors`,
  );
  if (rows.some(({ ratio }) => !(ratio <= most))) process.exitCode = 1;
}

async function main(): Promise<void> {
  if (!process.argv.includes("--packed")) {
    await measure(findBuilt(), limit);
    return;
  }
  const dir = mkdtempSync(join(tmpdir(), "startup-"));
  try {
    await measure(await unpack(dir), packedLimit);
  } finally {
    rmSync(dir, { recursive: true });
  }
}

main().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
});
