/**
 * The webhook's memory: with 1,000 small ECs and with 5,000 ECs of 1 MB status from a generated API
 * server, over many reviews (`--long`: a million), and the time until it is ready. Run after
 * `npm run build`; exit code 1 when a goal is not met.
 */
import { randomInt } from "node:crypto";
import { anEc } from "../webhook/fake-clusters";
import { logToStderr } from "../control-plane/binaries";
import { type ClusterLoad, startClusterServer } from "./admission/cluster-scene";
import { Load } from "./admission/load";
import type { Memory } from "./admission/process";
import { judgedCluster, Mix } from "./admission/reviews";
import { Scene, type Webhook } from "./admission/scene";
import { type Goal, median, showGoals, spread, table } from "./admission/table";

const isLong = process.argv.includes("--long");
const reviews = isLong ? 1_000_000 : 100_000;
const warmUp = 20_000;
const parts = 20;
const bytes = 4_096;
const starts = 7;

const kb = 1_024;
const few: ClusterLoad = { count: 1_000, statusBytes: 8 * kb, changesPerSecond: 20 };
const large: ClusterLoad = { count: 5_000, statusBytes: kb * kb, changesPerSecond: 5 };
const small: ClusterLoad = { count: 10, statusBytes: 8 * kb, changesPerSecond: 0 };
/** 5 GB have to be sent, encrypted and parsed. */
const listLimitMs = 300_000;
const limits = { few: 120, large: 192, readyMs: 1_000, growth: 1.1 };

/** Milliseconds from start to ready, of each start, with a small list. */
async function measureStarts(scene: Scene): Promise<readonly number[]> {
  const { kubeconfig, server } = await startClusterServer(scene, small);
  const times: number[] = [];
  for (let round = 0; round < starts; round += 1) {
    const webhook = await scene.startWebhook({ KUBECONFIG: kubeconfig });
    times.push(webhook.readyMs);
    await webhook.server.stop();
  }
  await server.stop();
  return times;
}

/** A webhook that knows many ECs, and judged reviews while they changed. */
interface Held {
  readonly readyMs: number;
  readonly listed: Memory;
  /** Resident MiB after each part of the reviews, the warm-up first. */
  readonly resident: readonly number[];
  readonly peak: number;
  readonly cpuUs: number;
}

async function measureHeld(scene: Scene, load: ClusterLoad, total: number): Promise<Held> {
  const { kubeconfig, server } = await startClusterServer(scene, load);
  const webhook = await scene.startWebhook({ KUBECONFIG: kubeconfig }, { limitMs: listLimitMs });
  const listed = webhook.server.memory();
  const resident = await judgeMany(scene, webhook, total);
  const { peak } = webhook.server.memory();
  await webhook.server.stop();
  await server.stop();
  return { readyMs: webhook.readyMs, listed, peak, ...resident };
}

async function judgeMany(
  { ca }: Scene,
  { server, port }: Webhook,
  total: number,
): Promise<Pick<Held, "resident" | "cpuUs">> {
  const load = await Load.open({ port, ca });
  const exchanges = new Mix(randomInt(2 ** 31), [anEc(judgedCluster)]).reviews(bytes, 400);
  await load.flood(exchanges, warmUp);
  const resident = [server.memory().resident];
  const before = server.cpuMs();
  for (let part = 0; part < parts; part += 1) {
    await load.flood(exchanges, total / parts);
    resident.push(server.memory().resident);
  }
  const cpuUs = ((server.cpuMs() - before) * 1_000) / total;
  load.close();
  return { resident, cpuUs };
}

function row(title: string, { readyMs, listed, resident, peak, cpuUs }: Held): readonly string[] {
  const memory = [listed.resident, resident[0], resident.at(-1), Math.max(...resident), peak];
  return [
    title,
    (readyMs / 1_000).toFixed(1),
    ...memory.map((each) => (each ?? NaN).toFixed(0)),
    cpuUs.toFixed(0),
  ];
}

function goalsOf(ready: readonly number[], first: Held, second: Held): readonly Goal[] {
  const [start = NaN, ...later] = first.resident;
  // The highest of the last quarter, so that one collection in the right moment hides nothing.
  const growth = Math.max(...later.slice(-parts / 4)) / start;
  const resident = (held: Held) => Math.max(...held.resident);
  return [
    goal(`resident MiB with ${few.count} ECs`, resident(first), limits.few),
    goal(`resident MiB with ${large.count} ECs of 1 MB status`, resident(second), limits.large),
    goal(`peak MiB with ${large.count} ECs of 1 MB status`, second.peak, limits.large),
    goal("milliseconds from start to ready, 10 ECs", median(ready), limits.readyMs),
    goal(`resident at the end of ${reviews} reviews ÷ after the warm-up`, growth, limits.growth),
  ];
}

function goal(what: string, value: number, limit: number): Goal {
  const digits = limit < 10 ? 2 : 0;
  return { text: `${what}: ${value.toFixed(digits)} (limit ${limit})`, met: value <= limit };
}

async function main(): Promise<void> {
  const scene = new Scene([]);
  try {
    const ready = await measureStarts(scene);
    const first = await measureHeld(scene, few, reviews);
    const second = await measureHeld(scene, large, reviews / 10);
    const heads = [
      "ECs held",
      "ready after, s",
      "RSS then, MiB",
      `after ${warmUp} reviews`,
      "at the end",
      "highest seen",
      "peak (VmHWM)",
      "CPU per review, µs",
    ];
    const rows = [
      row(`${few.count} of 8 KB status, ${reviews} reviews, 20 changes/s`, first),
      row(`${large.count} of 1 MB status, ${reviews / 10} reviews, 5 changes/s`, second),
    ];
    console.log(table(heads, rows));
    console.log(`\nready after, 10 ECs, ${starts} starts: ${spread(ready)} ms`);
    const goals = goalsOf(ready, first, second);
    console.log(`\n${showGoals(goals)}`);
    if (goals.some(({ met }) => !met)) process.exitCode = 1;
  } finally {
    await scene.close();
  }
}

if (require.main === module) {
  main().catch((error: unknown) => {
    logToStderr(error instanceof Error ? error.message : String(error));
    process.exitCode = 1;
  });
}
