/**
 * What a review costs, side by side in one run: engine-webhook, plain Express, a bare https server and
 * a Go webhook, all with the same rules, the others without log and metrics. Reviews are drawn from a seed that is
 * new in every run; `--seed=N` repeats one, `--beside=FILE` measures another build of the webhook too.
 * Run after `npm run build`; exit code 1 when a goal is not met.
 */
import { randomInt } from "node:crypto";
import { logToStderr } from "../control-plane/binaries";
import {
  type Contestant,
  type ContestantName,
  rivalOr,
  startersOf,
  titles,
} from "./admission/contestants";
import type { Exchange } from "./admission/load";
import { Disturbance } from "./admission/process";
import { Mix } from "./admission/reviews";
import { Scene } from "./admission/scene";
import { type Goal, median, quantile, showGoals, spread, table } from "./admission/table";

const kb = 1_024;
const sizes = [
  { title: "5 KB", bytes: 5 * kb, kinds: 400, reviews: 12_000 },
  { title: "40 KB", bytes: 40 * kb, kinds: 200, reviews: 3_000 },
  { title: "1 MB", bytes: kb * kb, kinds: 24, reviews: 96 },
] as const;
const calm = { title: "5 KB at 200/s", perSecond: 200, seconds: 5 };
const rounds = 5;
/** Servers run for weeks: what is measured is code that has been compiled. */
const warmUp = 5_000;

/** Our CPU may be so many times the other's, by what is measured. */
const limits = {
  bare: { "5 KB": 1.9, "40 KB": 1.2, "1 MB": 0.7, start: 1.5 },
  express: { "5 KB": 0.8 },
  go: { "5 KB": 0.75 },
} as const satisfies Partial<Record<ContestantName, Readonly<Record<string, number>>>>;
/** Far below the limit of the pods; V8 collects when it sees fit. */
const mostMiB = 192;

/** What was measured of one contestant: a value for each round, by title. */
type Values = Map<string, number[]>;
type Results = ReadonlyMap<ContestantName, Values>;

/** A contestant, and where its values go. */
interface Measured extends Contestant {
  readonly values: Values;
}

function note(values: Values, title: string, value: number): void {
  values.set(title, [...(values.get(title) ?? []), value]);
}

/** Rounds by turns, so that a busy machine slows all alike. */
async function measure(contestants: readonly Measured[], mix: Mix): Promise<void> {
  const drawn = sizes.map((size) => ({ ...size, exchanges: mix.reviews(size.bytes, size.kinds) }));
  for (const { exchanges, reviews } of drawn) {
    const first = Math.max(reviews, exchanges === drawn[0]?.exchanges ? warmUp : 0);
    for (const { load } of contestants) await load.flood(exchanges, first);
  }
  for (let round = 0; round < rounds; round += 1) {
    for (const { title, exchanges, reviews } of drawn) {
      for (const contestant of contestants) {
        await costOf(contestant, title, async () => {
          await contestant.load.flood(exchanges, reviews);
          return reviews;
        });
      }
    }
    for (const contestant of contestants) {
      const { load, values } = contestant;
      await costOf(contestant, calm.title, async () => {
        const times = await load.drip(drawn[0]?.exchanges ?? [], calm);
        note(values, "p50", quantile(times, 0.5));
        note(values, "p99", quantile(times, 0.99));
        return times.length;
      });
    }
  }
}

/** Microseconds of the server's processors for each of the reviews. */
async function costOf(
  { server, values }: Measured,
  title: string,
  act: () => Promise<number>,
): Promise<void> {
  const before = server.cpuMs();
  const reviews = await act();
  note(values, title, ((server.cpuMs() - before) * 1_000) / reviews);
}

function report(results: Results): string {
  const costs = [...sizes.map(({ title }) => title), calm.title];
  const heads = [
    "Server",
    ...costs.map((title) => `CPU, ${title}, µs`),
    ...["p50, ms", "p99, ms", "ready after, ms", "resident, MiB", "peak, MiB"],
  ];
  const digits: Readonly<Record<string, number>> = { p50: 2, p99: 2 };
  const columns = [...costs, "p50", "p99", "start", "resident", "peak"];
  const rows = [...results].map(([name, values]) => [
    titles[name],
    ...columns.map((title) => spread(values.get(title) ?? [], digits[title] ?? 0)),
  ]);
  return table(heads, rows);
}

/** Round by round, so that what slows both does not count. */
function ratios(results: Results, other: ContestantName, title: string): readonly number[] {
  const theirs = results.get(other)?.get(title) ?? [];
  return (results.get("webhook")?.get(title) ?? []).map((value, at) => value / (theirs[at] ?? NaN));
}

function goalsOf(results: Results): readonly Goal[] {
  const compared = (["bare", "express", "go"] as const).flatMap((other) =>
    Object.entries(limits[other]).map(([title, limit]): Goal => {
      const values = ratios(results, other, title);
      const met = median(values) <= limit;
      return { text: `${title}: ${spread(values, 2)} × ${titles[other]}, ≤ ${limit}`, met };
    }),
  );
  const peak = Math.max(...(results.get("webhook")?.get("peak") ?? []));
  const memory = { text: `peak ${peak.toFixed(0)} MiB, < ${mostMiB}`, met: peak < mostMiB };
  return [...compared.filter(({ text }) => !text.includes("NaN")), memory];
}

/** The other build beside ours, without a limit. */
function besideOf(results: Results): string {
  if (!results.has("beside")) return "";
  const shown = [...sizes, calm].map(
    ({ title }) => `${title} ${spread(ratios(results, "beside", title), 3)}`,
  );
  return `\n- engine-webhook ÷ the other build: ${shown.join(", ")}`;
}

interface Run {
  readonly mix: Mix;
  readonly scene: Scene;
  readonly beside: string | undefined;
}

async function measureAll({ mix, scene, beside }: Run): Promise<readonly [Results, string]> {
  const first: readonly Exchange[] = mix.reviews(2 * kb, 100);
  const rival = rivalOr(console.log);
  const starters = startersOf({ scene, first, beside, rival });
  const results: Results = new Map([...starters.keys()].map((name) => [name, new Map()]));
  const begin = async (name: ContestantName): Promise<Measured> => {
    const started = await starters.get(name)?.();
    const values = results.get(name);
    if (started === undefined || values === undefined) throw new Error(name);
    return { ...started, values };
  };
  for (let round = 0; round < rounds; round += 1) {
    for (const name of results.keys()) {
      const { values, readyMs, server, load } = await begin(name);
      note(values, "start", readyMs);
      load.close();
      await server.stop();
    }
  }
  const contestants: Measured[] = [];
  for (const name of results.keys()) contestants.push(await begin(name));
  const disturbance = new Disturbance(contestants.map(({ server }) => server));
  await measure(contestants, mix);
  const disturbed = disturbance.tell();
  for (const { values, server, load } of contestants) {
    const { resident, peak } = server.memory();
    note(values, "resident", resident);
    note(values, "peak", peak);
    load.close();
  }
  return [results, disturbed];
}

function flag(name: string): string | undefined {
  const start = `--${name}=`;
  return process.argv.find((word) => word.startsWith(start))?.slice(start.length);
}

async function main(): Promise<void> {
  const mix = new Mix(Number(flag("seed") ?? randomInt(2 ** 31)));
  const scene = new Scene(mix.clusters);
  try {
    const [results, disturbed] = await measureAll({ mix, scene, beside: flag("beside") });
    console.log(
      `Reviews of EDBs and EAADBs over 8 kept TLS connections, --seed=${mix.seed}, ` +
        `${mix.clusters.length} ECs; CPU of the whole server process by the operating system; ` +
        `${rounds} rounds by turns, median (least–most); engine-webhook logs one line per review ` +
        `to a file and counts, the others do neither; ${disturbed}.\n`,
    );
    console.log(report(results));
    const goals = goalsOf(results);
    console.log(`\n${showGoals(goals)}${besideOf(results)}`);
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
