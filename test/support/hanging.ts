/** Commands run against an API server that stops answering at one request after the other, in virtual time. */
import { join } from "node:path";
import { defaultNames as names } from "../../plugin/domain/names/names";
import type { KubeObject } from "../../plugin/domain/kube/objects";
import { exampleSource } from "../../plugin/simulator/example";
import {
  type End,
  type FaultWorld,
  metBy,
  type FaultOutcome,
  playScenario,
  runWithoutFaults,
  type BaselineRun,
} from "../jobs/fault-runs";
import { everyFault, faults } from "../jobs/faults";
import type { MemoryControlPlane } from "../../plugin/simulator/api-server/control-plane";
import type { ObservedCall } from "../../plugin/simulator/observed-cluster";
import { playAlong } from "../../plugin/simulator/operator/controller";
import { VirtualClock } from "../../plugin/ports/virtual-clock";
import { type Clock, type KubeClient, requestDeadlineMs } from "../../plugin/ports/kubernetes";
import type { Report } from "../../plugin/kernel/report";
import { admin, makeWorld } from "./world";
import { testTime } from "./manual-clock";
import { typed } from "./program-world";
import { writeRelease } from "./releases/tree";
import { aFolder } from "./a-folder";

const operatorRelease = "8.0.2-2";
/** The release of the cluster that the operator's is for. */
export const target = "8.0.2-17";
const namespace = names.operator.namespace;

/** One command: the words after the program, and what was done before it. */
export interface HangRow {
  readonly words: (place: Place) => readonly string[];
  readonly before?: readonly HangRow["words"][];
  /** What the cluster holds, made of the example's objects. */
  readonly objects?: (example: readonly KubeObject[]) => readonly KubeObject[];
  /** Sampled: all writes, and of the kinds of other requests one of so many, each at its first one. */
  readonly oneIn?: number;
  /** Objects whose names are new in every run: they are not compared. */
  readonly passing?: RegExp;
  /** What is wrong with the cluster after a change of a webhook configuration. */
  readonly judgeMoment?: FaultWorld["judgeMoment"];
}

/** Files that commands are given. */
export interface Place {
  readonly release: string;
}

/** What became of each request that was not answered. */
export interface Hung {
  readonly what: string;
  readonly fault: string;
  readonly call: ObservedCall;
  readonly ends: FaultOutcome["ends"];
  readonly wrong: string | undefined;
  /** Virtual time of the run that met it, beyond that of a run with answers. */
  readonly extraMs: number;
}

/** How long a run may continue when one request gets no answer, or when none does any more. */
export const longest = { one: requestDeadlineMs + 60_000, all: 4 * requestDeadlineMs };

/** Plays every failure at every request. */
export async function hang(
  row: HangRow,
): Promise<{ readonly wanted: BaselineRun; readonly hung: readonly Hung[] }> {
  const folder = aFolder("hanging");
  const runs = new Runs(folder);
  const world = await worldOf(row, runs);
  const wanted = await runWithoutFaults(world);
  const usualMs = runs.times.at(-1) ?? 0;
  const hung: Hung[] = [];
  for (const [index, call] of positions(wanted.calls, row.oneIn)) {
    for (const fault of faults.filter(({ hangs, meets }) => hangs !== undefined && meets(call))) {
      const before = runs.times.length;
      const outcome = await playScenario(world, wanted, [{ call: index + 1, fault }]);
      const extraMs = (runs.times[before] ?? 0) - usualMs;
      const { ends, met } = outcome;
      const wrong = wrongIn(outcome, row.passing);
      // Requests that are sent side by side may change places, so the one that was met is judged.
      for (const { request } of met) {
        hung.push({ what: toldOf(outcome), fault: fault.id, call: request, ends, wrong, extraMs });
      }
    }
  }
  return { wanted, hung };
}

/** Plays every failure of every sort at every request; how often, how many moments were judged, and what was wrong. */
export async function failEverywhere(row: HangRow) {
  const runs = new Runs(aFolder("failing"));
  const world = await worldOf(row, runs);
  const wanted = await runWithoutFaults(world);
  const outcomes: FaultOutcome[] = [wanted];
  for (const scenario of everyFault(wanted.calls)) {
    outcomes.push(await playScenario(world, wanted, scenario));
  }
  const wrong = outcomes.filter((outcome) => outcome.wrong !== undefined);
  return {
    runs: outcomes.length,
    moments: outcomes.reduce((sum, { moments }) => sum + moments, 0),
    wrong: wrong.map((outcome) => `${toldOf(outcome)}: ${String(outcome.wrong)}`),
  };
}

/** Runs of the program, and how long each took in virtual time. */
class Runs {
  readonly times: number[] = [];
  private readonly place: Place;

  constructor(private readonly folder: string) {
    this.place = { release: writeRelease(join(folder, "release"), operatorRelease) };
  }

  async run(words: HangRow["words"], cluster: KubeClient, clock: Clock): Promise<End> {
    const from = clock.now();
    const argv = [...words(this.place), "-n", namespace, "-o", "json", "--yes"];
    const env = { ENGINE_HOME: join(this.folder, "home") };
    const connect = (): Promise<KubeClient> => Promise.resolve(cluster);
    const { code, out } = await typed(argv, { connect, clock, env });
    this.times.push(clock.now() - from);
    const { exit, findings = [] } = JSON.parse(out) as Report;
    const causes = findings.map(({ cause }) => cause);
    return { code, reason: [exit.reason, ...causes].join("; ") };
  }
}

async function worldOf(row: HangRow, runs: Runs): Promise<FaultWorld> {
  const { objects, before = [], words, judgeMoment = () => Promise.resolve(undefined) } = row;
  const example = (await exampleSource(names, testTime)).objects;
  const start = makeWorld({
    objects: objects === undefined ? example : objects(example),
  }).controlPlane;
  for (const each of before) await prepared(start, each, runs);
  return {
    start,
    now: testTime + 86_400_000,
    connect: (controlPlane) => controlPlane.connect({ user: admin, namespace }),
    command: (cluster, clock) => runs.run(words, cluster, clock),
    playAlong: (controlPlane, clock) => playAlong({ controlPlane, clock, names, namespace }),
    judgeMoment,
    signal: new AbortController().signal,
  };
}

function toldOf(outcome: FaultOutcome): string {
  const [end] = outcome.ends;
  const told = end === undefined || end === "killed" ? "" : `${String(end.code)} ${end.reason}`;
  return `${metBy(outcome)}: ${told}`;
}

/** Undefined where nothing but what is not compared is otherwise than wanted. */
function wrongIn({ wrong }: FaultOutcome, passing?: RegExp): string | undefined {
  if (wrong === undefined || passing === undefined) return wrong;
  const compared = wrong.replace(/^.* than wanted: /, "").split(", ");
  return compared.every((label) => passing.test(label)) ? undefined : wrong;
}

async function prepared(
  start: MemoryControlPlane,
  words: HangRow["words"],
  runs: Runs,
): Promise<void> {
  const clock = new VirtualClock(testTime);
  const played = playAlong({ controlPlane: start, clock, names, namespace });
  const end = await runs.run(words, start.connect({ user: admin, namespace }), played);
  await played.settle();
  if (end === "killed" || end.code !== 0) throw new Error(JSON.stringify(end));
}

/** All requests; sampled, all writes and the first of one of so many kinds of others. */
function positions(
  calls: readonly ObservedCall[],
  oneIn?: number,
): readonly (readonly [number, ObservedCall])[] {
  const said = calls.map(({ verb, subject, dryRun }) => `${verb} ${subject} ${String(dryRun)}`);
  const kinds = [...new Set(said)].filter((_, index) => index % (oneIn ?? 1) === 0);
  const firsts = new Set(kinds.map((kind) => said.indexOf(kind)));
  return [...calls.entries()].filter(
    ([index, call]) => oneIn === undefined || call.writes || firsts.has(index),
  );
}
