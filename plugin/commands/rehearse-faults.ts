/** The runs with failures put in: what is chosen, how each ended, and what that says. */
import { eachAtMost } from "../domain/at-most";
import { EngineError } from "../domain/errors";
import { quoteCommand } from "../output/escape";
import { faults, planFaults, type Scenario, spelled } from "../rehearsal/faults";
import {
  type End,
  type FaultWorld,
  metBy,
  type FaultOutcome,
  playScenario,
  runWithoutFaults,
  type BaselineRun,
} from "../rehearsal/fault-runs";
import type { MemoryControlPlane } from "../rehearsal/memory/control-plane";
import { MemoryHome } from "../rehearsal/virtual-clock";
import { judgeMoment } from "../rehearsal/edits";
import { playAlong } from "../rehearsal/operator/play";
import type { Clock, Cluster } from "../run/ports";
import type { FaultSummary, RehearsedFaults } from "./rehearse-text";
import { contextInside, type Staged, type Stages } from "./rehearse-stages";

/** What the runs need beside the rehearsal itself. */
interface FaultWish extends Staged {
  readonly stages: Stages;
  /** The cluster before the first run. */
  readonly start: MemoryControlPlane;
  readonly chosen: string;
}

/** Slow requests make few of them: a proof takes its time, however many fit in. */
const latencyMs = 100;
/** Runs wait for the webhook's answers: several at once use the time. */
const atOnce = 4;

const someone = { name: "system:admin", groups: ["system:masters"] };

/** Plays every chosen scenario. */
export async function rehearseFaults(wish: FaultWish): Promise<RehearsedFaults> {
  const broken = await momentOf(wish, wish.start);
  const world = worldOf(wish, broken === undefined);
  const wanted = await runWithoutFaults(world);
  const scenarios = planFaults(wish.chosen, wanted.calls);
  const outcomes = [wanted, ...(await playAll(wish, { world, wanted, scenarios }))];
  const wrong = outcomes.filter((outcome) => outcome.wrong !== undefined);
  const states = outcomes.reduce((sum, { moments }) => sum + moments, 0);
  return {
    chosen: wish.chosen,
    calls: wanted.calls.length,
    runs: scenarios.length,
    moments:
      broken === undefined
        ? { judged: states, broken: outcomes.filter((one) => one.brokenMoment).length }
        : "not judged",
    summary: summaryOf(outcomes),
    failures: wrong.map((outcome) => failureOf(wish, outcome)),
  };
}

async function momentOf(
  { embedded, context, opened }: FaultWish,
  state: MemoryControlPlane,
): Promise<string | undefined> {
  const { namespace } = opened;
  const cluster = state.connect({ user: someone, namespace });
  const wrong = await judgeMoment(cluster, context.names, namespace);
  return embedded.hasPair ? wrong : "no webhook";
}

function worldOf(wish: FaultWish, judged: boolean): FaultWorld {
  const { context, opened, start, embedded } = wish;
  const { names } = context;
  return {
    start,
    now: embedded.clock.now(),
    connect: (controlPlane, clock) =>
      opened.asUser(
        controlPlane.connect({
          user: opened.user,
          namespace: opened.namespace,
          server: `rehearsal of ${opened.source.described}`,
          latency: () => {
            clock.advance(latencyMs);
          },
        }),
      ),
    command: (cluster, clock) => runOnce(wish, cluster, clock),
    playAlong: (controlPlane, clock) =>
      playAlong({ controlPlane, clock, names, namespace: opened.namespace }),
    judgeMoment: async (state) => (judged ? await momentOf(wish, state) : undefined),
    signal: context.signal,
  };
}

/** One run, unheard; only what no command may end with is thrown. */
async function runOnce(
  { stages, context, flags }: FaultWish,
  cluster: Cluster,
  clock: Clock,
): Promise<End> {
  const inside = contextInside(stages, {
    cluster,
    clock,
    dryRun: "none",
    event: () => undefined,
    home: new MemoryHome(),
    ask: () => Promise.resolve(true),
  });
  // a signal of its own: the listeners of thousands of probes go away with their run
  const own = new AbortController();
  const abort = (): void => {
    own.abort(context.signal.reason);
  };
  context.signal.addEventListener("abort", abort);
  try {
    const { exit } = await flags.command.run({ ...inside, signal: own.signal });
    return { code: exit.code, reason: exit.reason };
  } catch (error) {
    if (!(error instanceof EngineError)) throw error;
    return { code: error.exitCode, reason: error.message };
  } finally {
    context.signal.removeEventListener("abort", abort);
  }
}

interface FaultResult {
  readonly world: FaultWorld;
  readonly wanted: BaselineRun;
  readonly scenarios: readonly Scenario[];
}

async function playAll(
  { context }: FaultWish,
  { world, wanted, scenarios }: FaultResult,
): Promise<readonly FaultOutcome[]> {
  const outcomes: FaultOutcome[] = [];
  let begun = 0;
  const from = Date.now();
  await eachAtMost(atOnce, [...scenarios.entries()], async ([index, scenario]) => {
    begun += 1;
    outcomes[index] = await playScenario(world, wanted, scenario);
    const share = Math.floor((10 * begun) / scenarios.length);
    const on = `${scenarios.length} runs with failures, ${share * 10}% done`;
    context.event({ type: "waiting", on, seconds: (Date.now() - from) / 1000 });
  });
  context.signal.throwIfAborted();
  return outcomes;
}

/** By the first failure of each run. */
function summaryOf(outcomes: readonly FaultOutcome[]): readonly FaultSummary[] {
  return faults.flatMap((fault) => {
    const met = outcomes.filter((outcome) => outcome.met[0]?.fault === fault);
    const [worst] = [...met].sort((one, other) => gravityOf(other) - gravityOf(one));
    if (worst === undefined) return [];
    const ends: Record<string, number> = {};
    for (const {
      ends: [first],
    } of met) {
      const key = first === undefined ? "" : nameOf(first);
      ends[key] = (ends[key] ?? 0) + 1;
    }
    return [
      {
        fault: fault.id,
        says: fault.says,
        runs: met.length,
        ends,
        reruns: Math.max(...met.map((one) => one.ends.length - 1)),
        worst: toldOf(worst),
      },
    ];
  });
}

function nameOf(end: End): string {
  return end === "killed" ? "killed" : String(end.code);
}

/** Ends of a run, the worst last: exit codes, and the death of the process. */
export const gravity = ["0", "2", "3", "4", "5", "124", "69", "killed", "6", "7", "8", "1", "70"];

/** More re-runs, then something half done, then the graver first end. */
function gravityOf({ ends, wrong, halfDone }: FaultOutcome): number {
  const [first = "killed"] = ends;
  const weights = [gravity.indexOf(nameOf(first)), halfDone ? 20 : 0, 40 * ends.length];
  return weights.reduce((sum, weight) => sum + weight, wrong === undefined ? 0 : 1000);
}

function toldOf(outcome: FaultOutcome): string {
  const steps = outcome.ends.map((end) =>
    end === "killed" ? "killed" : `exit ${end.code} (${end.reason})`,
  );
  return `${metBy(outcome)}: ${steps.join("; then ")}`;
}

function failureOf(
  { context, flags }: FaultWish,
  outcome: FaultOutcome,
): RehearsedFaults["failures"][number] {
  const { options } = context;
  const words = [
    ...options.prefix.split(" "),
    "rehearse",
    ...flags.command.line,
    ...(flags.from === undefined ? [] : [`--from=${flags.from}`]),
    `--faults=${spelled(outcome.scenario)}`,
  ];
  return {
    what: outcome.met.length === 0 ? "no failure" : metBy(outcome),
    why: outcome.wrong ?? "",
    again: quoteCommand(words),
  };
}
