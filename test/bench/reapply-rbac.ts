/**
 * `kubectl engine reapply-rbac` over many namespaces beside the documented way, a loop of `kubectl
 * apply` over the same files in some namespaces of the same sort, by turns; on a real API server,
 * after `npm run build`. Names and contents are from a seed that is another one in each run.
 * Flags: `--sizes=100,1000`, `--rounds=5`, `--cases=absent,changed,unchanged`, `--seed=TEXT`. Exit
 * code 1 beyond the limits.
 */
import { randomBytes } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { logToStderr } from "../control-plane/binaries";
import { startControlPlane } from "../control-plane/control-plane";
import {
  cluster,
  namespaceNamed,
  operatorNamespace,
  settings,
} from "../control-plane/managed-namespaces";
import { operatorDeployment } from "../control-plane/operator";
import { runner } from "../control-plane/plugin-run";
import { applyCrds } from "../control-plane/scene";
import { median, showGoals, spread, table } from "./admission/table";
import { type Bench, benchOn, costOfRun, type PluginCost } from "./commands/run";
import {
  bringInto,
  type Case,
  cases,
  createNamespaces,
  Draw,
  filledFiles,
  namesFrom,
} from "./rbac/scene";
import { type Usage, usageOf } from "./rbac/usage";

/** Namespaces of the loop in each case and round. */
const loopNamespaces = 20;
const leastFaster = 20;
/** 200 MB, which may be held with 5,000 namespaces. */
const mostMiB = 200e6 / 2 ** 20;
/** Beyond this part of the machine others have disturbed a measurement. */
const mostOthers = 0.1;

/** One run of the plugin, and the loop that went before it. */
interface Round extends PluginCost {
  /** The loop over some namespaces of the same sort, just before. */
  readonly loop: Usage;
}

interface Namespaces extends Bench {
  readonly seed: string;
  readonly names: readonly string[];
  readonly looped: readonly string[];
}

/** `kubectl apply -f role.yaml -f role_binding.yaml -n NAMESPACE` for one namespace after the other. */
async function loop({ controlPlane, servers, looped }: Namespaces): Promise<Usage> {
  const words = filledFiles().flatMap(({ name, text }) => {
    const file = join(controlPlane.site.dataDir, name);
    writeFileSync(file, text);
    return ["-f", file];
  });
  return usageOf(servers, async () => {
    for (const namespace of looped) {
      const { code, stderr } = await controlPlane.kubectl(["apply", ...words, "-n", namespace]);
      if (code !== 0) throw new Error(stderr);
    }
  });
}

/** Brings all namespaces into the state, and lets the loop and the plugin do their work. */
async function oneRound(bench: Namespaces, state: Case, round: number): Promise<Round> {
  const { controlPlane, names, looped } = bench;
  const { api } = controlPlane;
  const seed = `${bench.seed} ${round}`;
  if (state !== "unchanged") await bringInto(state, { api, seed, names: [...names, ...looped] });
  const looping = await loop(bench);
  const run = await costOfRun(bench, ["reapply-rbac"]);
  return { ...run, loop: looping };
}

async function openBench(size: number, seed: string): Promise<Namespaces> {
  const controlPlane = await startControlPlane({ users: [runner], log: () => undefined });
  const { api } = controlPlane;
  const all = namesFrom(new Draw(seed), size + loopNamespaces);
  const names = all.slice(loopNamespaces);
  const looped = all.slice(0, loopNamespaces);
  await applyCrds(api);
  await api.create(namespaceNamed(operatorNamespace));
  await api.create(settings({ EDB_NAMESPACES: names.join(",") }));
  await api.create(cluster());
  await api.create(operatorDeployment(operatorNamespace));
  await createNamespaces(api, all);
  return { ...benchOn(controlPlane), seed, names, looped };
}

type Rounds = ReadonlyMap<Case, readonly Round[]>;

/** The states by turns, so that a busy machine slows all alike; what is unchanged follows what was written. */
async function measure(size: number, { seed, rounds, wanted }: Flags): Promise<Rounds> {
  const bench = await openBench(size, seed);
  try {
    const measured = new Map<Case, Round[]>(wanted.map((state) => [state, []]));
    for (let round = 1; round <= rounds; round += 1) {
      for (const state of wanted) {
        measured.get(state)?.push(await oneRound(bench, state, round));
      }
    }
    return measured;
  } finally {
    await bench.controlPlane.stop();
  }
}

function loopMs({ seconds }: Usage): number {
  return (seconds * 1_000) / loopNamespaces;
}

function timesFaster({ seconds, loop: looping }: Round, size: number): number {
  return (loopMs(looping) * size) / 1_000 / seconds;
}

function report(size: number, measured: Rounds): string {
  const heads = [
    `${size} namespaces`,
    "run, s",
    "loop, ms each",
    "times faster",
    "CPU of the client, s",
    "of the servers, s",
    "most MiB",
  ];
  const rows = [...measured].map(([state, rounds]) => {
    const of = (value: (round: Round) => number, digits: number) =>
      spread(rounds.map(value), digits);
    return [
      state,
      of(({ seconds }) => seconds, 1),
      of((round) => loopMs(round.loop), 0),
      of((round) => timesFaster(round, size), 1),
      of(({ client }) => client, 1),
      of(({ servers }) => servers, 1),
      of(({ mib }) => mib, 0),
    ];
  });
  return table(heads, rows);
}

/** The requests of the last round, the most frequent ones first. */
function showRequests(measured: Rounds): string {
  const lines = [...measured].map(([state, rounds]) => {
    const counts = [...(rounds.at(-1)?.requests ?? [])].sort(([, one], [, other]) => other - one);
    const all = counts.reduce((sum, [, count]) => sum + count, 0);
    return `- ${state}: ${all} requests, ${counts.map(([name, count]) => `${count} ${name}`).join(", ")}`;
  });
  return lines.join("\n");
}

function writesOf({ requests }: Round): number {
  const writes = [...requests].filter(([name]) => /^(create|patch|update|delete) role/.test(name));
  return writes.reduce((sum, [, count]) => sum + count, 0);
}

function showDisturbance(measured: Rounds): string {
  const all = [...measured.values()]
    .flat()
    .flatMap(({ others, loop: { others: more } }) => [others, more]);
  const shares = spread(all.map((others) => others * 100));
  const disturbed = all.filter((others) => others > mostOthers).length;
  const said = disturbed > 0 ? `DISTURBED in ${disturbed} of ${all.length} measurements` : "calm";
  return `${said}: others took ${shares} % of the processors`;
}

function goalsOf(size: number, measured: Rounds): Parameters<typeof showGoals>[0] {
  const goals = [...measured].map(([state, rounds]) => {
    const faster = median(rounds.map((round) => timesFaster(round, size)));
    const text = `${state}: ${faster.toFixed(1)} times faster than the loop, at least ${leastFaster}`;
    return { text, met: faster >= leastFaster };
  });
  const mib = Math.max(...[...measured.values()].flat().map((round) => round.mib));
  const rewritten = Math.max(0, ...(measured.get("unchanged") ?? []).map(writesOf));
  return [
    ...(size >= 1_000 ? goals : []),
    { text: `${mib.toFixed(0)} MiB, at most ${mostMiB.toFixed(0)}`, met: mib <= mostMiB },
    { text: `${rewritten} writes where nothing was left to do`, met: rewritten === 0 },
  ];
}

interface Flags {
  readonly seed: string;
  readonly rounds: number;
  readonly wanted: readonly Case[];
}

function flag(name: string, usual: string): string {
  const start = `--${name}=`;
  return process.argv.find((word) => word.startsWith(start))?.slice(start.length) ?? usual;
}

async function main(): Promise<void> {
  const seed = flag("seed", randomBytes(4).toString("hex"));
  const asked = flag("cases", "absent,changed,unchanged").split(",");
  const wanted = cases.filter((state) => asked.includes(state));
  const rounds = Number(flag("rounds", "5"));
  console.log(`seed ${seed}, ${rounds} rounds`);
  for (const size of flag("sizes", "100,1000").split(",").map(Number)) {
    const measured = await measure(size, { seed, rounds, wanted });
    const goals = goalsOf(size, measured);
    const parts = [
      report(size, measured),
      showRequests(measured),
      showDisturbance(measured),
      showGoals(goals),
    ];
    console.log(`\n${parts.join("\n\n")}`);
    if (goals.some(({ met }) => !met)) process.exitCode = 1;
  }
}

if (require.main === module) {
  main().catch((error: unknown) => {
    logToStderr(error instanceof Error ? error.message : String(error));
    process.exitCode = 1;
  });
}
