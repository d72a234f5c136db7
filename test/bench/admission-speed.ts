/**
 * What a review costs, side by side in one run: engine-webhook, a bare https server, Express, and a
 * Go webhook with the same rules. Run after `npm run build`; exit code 1 when a goal is not met.
 */
import { readFileSync } from "node:fs";
import { logToStderr } from "../control-plane/binaries";
import {
  type Contestant,
  type ContestantName,
  startContestants,
  titles,
} from "./admission/contestants";
import { mixText, reviewsOf } from "./admission/reviews";
import { Scene } from "./admission/scene";
import { type Goal, median, quantile, showGoals, spread, table } from "./admission/table";

const sizes = [
  { bytes: 4_096, reviews: 6_000 },
  { bytes: 5_120, reviews: 6_000 },
  { bytes: 40_960, reviews: 1_500 },
] as const;
const rounds = 15;
/** Servers run for weeks: what is measured is code that has been compiled. */
const warmUp = 24_000;
const drips = { rounds: 3, perSecond: 200, seconds: 5 };

/** Ours may cost so much of the other's CPU, for the first of the sizes. */
const limits: Readonly<Partial<Record<ContestantName, number>>> = {
  bare: 1.3,
  express: 0.5,
  go: 0.5,
};

/** Every round of one server at one size. */
interface Runs {
  readonly cpuUs: number[];
  readonly perSecond: number[];
}

/** Rounds by turns, so that a busy machine slows all alike. */
async function measureFlood(
  contestants: readonly Contestant[],
  { bytes, reviews }: (typeof sizes)[number],
): Promise<ReadonlyMap<ContestantName, Runs>> {
  const exchanges = reviewsOf(bytes);
  const runs = new Map<ContestantName, Runs>();
  for (const { name, load } of contestants) {
    runs.set(name, { cpuUs: [], perSecond: [] });
    await load.flood(exchanges, Math.min(warmUp, 4 * reviews));
  }
  for (let round = 0; round < rounds; round += 1) {
    for (const { name, server, load } of contestants) {
      const before = server.cpuMs();
      const seconds = await load.flood(exchanges, reviews);
      runs.get(name)?.cpuUs.push(((server.cpuMs() - before) * 1_000) / reviews);
      runs.get(name)?.perSecond.push(reviews / seconds);
    }
  }
  return runs;
}

/** One server at a calm, steady pace. */
interface Calm {
  readonly cpuUs: number[];
  readonly p50: number[];
  readonly p99: number[];
}

async function measureDrip(
  contestants: readonly Contestant[],
): Promise<ReadonlyMap<ContestantName, Calm>> {
  const exchanges = reviewsOf(sizes[0].bytes);
  const calms = new Map<ContestantName, Calm>();
  for (const { name } of contestants) calms.set(name, { cpuUs: [], p50: [], p99: [] });
  for (let round = 0; round < drips.rounds; round += 1) {
    for (const { name, server, load } of contestants) {
      const before = server.cpuMs();
      const times = await load.drip(exchanges, drips);
      const calm = calms.get(name);
      calm?.cpuUs.push(((server.cpuMs() - before) * 1_000) / times.length);
      calm?.p50.push(quantile(times, 0.5));
      calm?.p99.push(quantile(times, 0.99));
    }
  }
  return calms;
}

type Floods = readonly {
  readonly bytes: number;
  readonly runs: ReadonlyMap<ContestantName, Runs>;
}[];

function report(
  contestants: readonly Contestant[],
  floods: Floods,
  calms: ReadonlyMap<ContestantName, Calm>,
): string {
  const heads = [
    "Server",
    ...floods.map(({ bytes }) => `CPU per ${bytes / 1_024} KB review, µs`),
    `reviews/s, ${sizes[0].bytes / 1_024} KB`,
    `at ${drips.perSecond}/s: CPU, µs`,
    "p50, ms",
    "p99, ms",
  ];
  const rows = contestants.map(({ name }) => {
    const calm = calms.get(name);
    return [
      titles[name],
      ...floods.map(({ runs }) => spread(runs.get(name)?.cpuUs ?? [])),
      median(floods[0]?.runs.get(name)?.perSecond ?? []).toFixed(0),
      spread(calm?.cpuUs ?? []),
      median(calm?.p50 ?? []).toFixed(2),
      spread(calm?.p99 ?? [], 2),
    ];
  });
  return table(heads, rows);
}

/** By the medians of the first size; the others are shown, without a limit of their own. */
function goalsOf(floods: Floods): readonly Goal[] {
  const [first] = floods;
  const cost = (name: ContestantName, { runs }: Floods[number]) =>
    median(runs.get(name)?.cpuUs ?? []);
  return (Object.keys(limits) as ContestantName[]).flatMap((name) => {
    const limit = limits[name];
    if (first?.runs.has(name) !== true || limit === undefined) return [];
    const ratios = floods.map((flood) => ({
      size: `${flood.bytes / 1_024} KB`,
      ratio: cost("webhook", flood) / cost(name, flood),
    }));
    const shown = ratios.map(({ size, ratio }) => `${ratio.toFixed(2)} at ${size}`).join(", ");
    const text = `CPU per review ≤ ${limit} × ${titles[name]}: ${shown}`;
    return [{ text, met: (ratios[0]?.ratio ?? Infinity) <= limit }];
  });
}

async function main(): Promise<void> {
  const scene = new Scene();
  try {
    const contestants = await startContestants(scene, (why) => {
      console.log(why);
    });
    const floods = [];
    for (const size of sizes) {
      floods.push({ bytes: size.bytes, runs: await measureFlood(contestants, size) });
    }
    const calms = await measureDrip(contestants);
    for (const { load } of contestants) load.close();
    console.log(
      `Reviews of EDB updates over 8 kept TLS connections (${mixText}); CPU of the whole server ` +
        `process by the operating system; ${rounds} rounds by turns, median (least–most); ` +
        `engine-webhook logs one line per review to a file; load of the machine ${loadAverage()}.\n`,
    );
    console.log(report(contestants, floods, calms));
    const goals = goalsOf(floods);
    const p99 = median(calms.get("webhook")?.p99 ?? []);
    console.log(`\n${showGoals(goals)}`);
    console.log(
      `- measured: p99 at ${drips.perSecond}/s ${p99.toFixed(2)} ms (2 ms on a quiet machine)`,
    );
    if (goals.some(({ met }) => !met)) process.exitCode = 1;
  } finally {
    await scene.close();
  }
}

function loadAverage(): string {
  return readFileSync("/proc/loadavg", "utf8").split(" ")[0] ?? "";
}

if (require.main === module) {
  main().catch((error: unknown) => {
    logToStderr(error instanceof Error ? error.message : String(error));
    process.exitCode = 1;
  });
}
