/**
 * Runs a command again and again, each time with failures put in, then without until it is done;
 * and judges what became of the cluster, moment by moment.
 */
import { omit } from "../../plugin/domain/base/values";
import { type ExitCode, exitCodes } from "../../plugin/domain/base/errors";
import { type KubeObject, objectLabel } from "../../plugin/domain/kube/objects";
import { configurationResource } from "../../plugin/domain/admission/configuration";
import type { Clock, KubeClient } from "../../plugin/ports/kubernetes";
import { faultyGate, type Met, type Scenario } from "./faults";
import type { MemoryControlPlane } from "../../plugin/simulator/api-server/control-plane";
import { type ObservedCall, observe } from "../../plugin/simulator/observed-cluster";
import type { PlayedClock } from "../../plugin/simulator/operator/controller";
import { VirtualClock } from "../../plugin/ports/virtual-clock";
import { stableJson } from "../../plugin/simulator/operator/acts";

/** How one run of the command ended; `killed` for a process that did not live to say it. */
export type End = { readonly code: ExitCode; readonly reason: string } | "killed";

/** What is needed to run the command over and over. */
export interface FaultWorld {
  /** Never changed: every run gets a copy. */
  readonly start: MemoryControlPlane;
  readonly now: number;
  readonly connect: (controlPlane: MemoryControlPlane, clock: VirtualClock) => KubeClient;
  /** Runs the command once; only what is no expected end is thrown. */
  readonly command: (cluster: KubeClient, clock: Clock) => Promise<End>;
  /** Lets an operator of each run's own play, while someone waits. */
  readonly playAlong: (controlPlane: MemoryControlPlane, clock: VirtualClock) => PlayedClock;
  /** What is wrong with the webhook in this state, undefined when it works. */
  readonly judgeMoment: (controlPlane: MemoryControlPlane) => Promise<string | undefined>;
  readonly signal: AbortSignal;
}

/** The run without failures, which all others are held against. */
export interface BaselineRun {
  readonly calls: readonly ObservedCall[];
  readonly difference: Difference;
  readonly end: End;
}

/** What became of one scenario. */
export interface FaultOutcome {
  readonly scenario: Scenario;
  /** The failures that were met; a run may end before its second one. */
  readonly met: readonly Met[];
  /** The run with the failures, then those without. */
  readonly ends: readonly End[];
  readonly moments: number;
  /** The run with the failures has left something that is neither the start nor the end. */
  readonly halfDone: boolean;
  /** The webhook did not work in at least one of them. */
  readonly brokenMoment: boolean;
  /** What did not go as it has to; absent when all went well. */
  readonly wrong?: string;
}

/** One for each failure, and one more. */
const mostReruns = 3;

/** The run without failures. */
export async function runWithoutFaults(world: FaultWorld): Promise<BaselineRun & FaultOutcome> {
  const played = new FaultRun(world, []);
  const calls = await played.run();
  const wrong = await played.brokenMoment();
  return {
    calls,
    halfDone: false,
    brokenMoment: wrong !== undefined,
    difference: played.changes.difference(),
    end: played.end,
    scenario: [],
    met: [],
    ends: played.ends,
    moments: played.moments,
    ...(wrong !== undefined && { wrong }),
  };
}

/** One scenario to its end. */
export async function playScenario(
  world: FaultWorld,
  wanted: BaselineRun,
  scenario: Scenario,
): Promise<FaultOutcome> {
  const played = new FaultRun(world, scenario);
  await played.run();
  const left = played.changes.difference();
  const halfDone = left.size > 0 && !sameDifference(left, wanted.difference);
  while (played.ends.length <= mostReruns && !played.isAsWanted(wanted)) await played.run();
  const broken = await played.brokenMoment();
  const wrong = broken ?? played.judgeEnd(wanted);
  const { ends, met, moments } = played;
  return {
    scenario,
    met,
    ends,
    moments,
    halfDone,
    brokenMoment: broken !== undefined,
    ...(wrong !== undefined && { wrong }),
  };
}

/** One cluster, and the runs of the command on it. */
class FaultRun {
  readonly changes: Changes;
  readonly ends: End[] = [];
  readonly met: Met[] = [];
  /** Requests of all runs so far. */
  private sent = 0;
  /** What runs that ended with 0 had left. */
  private readonly successes: Difference[] = [];
  private readonly clock: VirtualClock;
  private readonly controlPlane: MemoryControlPlane;
  private readonly played: PlayedClock;
  /** The cluster as it was after each change of a webhook configuration. */
  private readonly states: MemoryControlPlane[] = [];

  constructor(
    private readonly world: FaultWorld,
    private readonly scenario: Scenario,
  ) {
    this.clock = new VirtualClock(world.now);
    this.controlPlane = world.start.fork(this.clock);
    this.played = world.playAlong(this.controlPlane, this.clock);
    this.changes = new Changes(this.controlPlane, (object) => {
      if (isConfiguration(object)) this.states.push(this.controlPlane.fork());
    });
  }

  get end(): End {
    return this.ends.at(-1) ?? "killed";
  }

  get moments(): number {
    return this.states.length;
  }

  /** One run; a failure is put in where the count of all requests so far has come to its number. */
  async run(): Promise<readonly ObservedCall[]> {
    const { world } = this;
    world.signal.throwIfAborted();
    const cluster = world.connect(this.controlPlane, this.clock);
    const { server } = cluster;
    const place = { server, clock: this.played, before: this.sent };
    const { gate, calls, met, killed } = faultyGate(this.scenario, place);
    try {
      const end = await world.command(observe(cluster, gate), this.played);
      this.ends.push(killed() ? "killed" : end);
    } catch (error) {
      world.signal.throwIfAborted();
      this.ends.push(killed() ? "killed" : unexpected(error));
    }
    await this.played.settle();
    this.sent += calls.length;
    this.met.push(...met);
    this.noteSuccess();
    return calls;
  }

  private noteSuccess(): void {
    const { end } = this;
    if (end !== "killed" && end.code === exitCodes.ok) {
      this.successes.push(this.changes.difference());
    }
  }

  isAsWanted(wanted: BaselineRun): boolean {
    const { end } = this;
    if (end === "killed" || wanted.end === "killed" || end.code !== wanted.end.code) return false;
    return sameDifference(this.changes.difference(), wanted.difference);
  }

  judgeEnd(wanted: BaselineRun): string | undefined {
    const { end } = this;
    const difference = this.changes.difference();
    const failure = this.ends.flatMap(failureOf)[0];
    if (failure !== undefined) return failure;
    const lie = this.successes.find((success) => !sameDifference(success, wanted.difference));
    if (lie !== undefined) {
      const otherwise = disagreement(lie, wanted.difference).join(", ");
      return `a run ended with 0, and the cluster was otherwise than wanted: ${otherwise}`;
    }
    if (this.isAsWanted(wanted)) return undefined;
    const refused = end !== "killed" && end.code !== 0 && difference.size === 0;
    if (refused) return undefined;
    const said = end === "killed" ? "killed" : `exit ${end.code}, ${end.reason}`;
    const otherwise = disagreement(difference, wanted.difference).join(", ");
    const state = otherwise === "" ? "" : `; otherwise than wanted: ${otherwise}`;
    return `after ${this.ends.length - 1} re-runs it still ended otherwise (${said})${state}`;
  }

  async brokenMoment(): Promise<string | undefined> {
    for (const [index, state] of this.states.entries()) {
      const wrong = await this.world.judgeMoment(state);
      if (wrong !== undefined)
        return `after change ${index + 1} of a webhook configuration: ${wrong}`;
    }
    return undefined;
  }
}

/** No failure of a request explains these ends. */
function failureOf(end: End): readonly string[] {
  const fails =
    end !== "killed" && [exitCodes.failed, exitCodes.crashed].some((c) => c === end.code);
  return fails ? [end.reason] : [];
}

function unexpected(error: unknown): End {
  const message = error instanceof Error ? error.message : String(error);
  return { code: exitCodes.crashed, reason: `unexpected failure: ${message}` };
}

function isConfiguration({ apiVersion, kind }: KubeObject): boolean {
  return apiVersion.startsWith(configurationResource.group) && kind === configurationResource.kind;
}

/** For a person: which requests failed, and how. */
export function metBy({ met }: Pick<FaultOutcome, "met">): string {
  return met
    .map(
      ({ call, request, fault }) =>
        `call ${call} (${request.verb} ${request.subject}) ${fault.says}`,
    )
    .join(", and ");
}

/** Objects that are otherwise than at the start, by key, as comparable texts; "" for one that is gone. */
export type Difference = ReadonlyMap<string, string>;

/** Follows one control plane from the moment on that it is made. */
export class Changes {
  private readonly before = new Map<string, string>();
  private readonly now = new Map<string, string>();
  /** How many changes were stored. */
  count = 0;

  constructor(controlPlane: MemoryControlPlane, onChange: (object: KubeObject) => void = ignore) {
    controlPlane.onChange(({ type, object, before }) => {
      const key = objectLabel(object);
      this.count += 1;
      if (!this.before.has(key)) this.before.set(key, type === "ADDED" ? "" : comparable(before));
      this.now.set(key, type === "DELETED" ? "" : comparable(object));
      onChange(object);
    });
  }

  /** What is otherwise than at the start; pods have names of their own in every run. */
  difference(): Difference {
    const lasting = [...this.now].filter(([key]) => !key.startsWith("Pod/"));
    return new Map(lasting.filter(([key, text]) => text !== this.before.get(key)));
  }
}

/** Whether two runs have left the same. */
export function sameDifference(left: Difference, right: Difference): boolean {
  return disagreement(left, right).length === 0;
}

/** The keys that two differences disagree about. */
export function disagreement(left: Difference, right: Difference): readonly string[] {
  const keys = new Set([...left.keys(), ...right.keys()]);
  return [...keys].filter((key) => left.get(key) !== right.get(key));
}

function ignore(): void {
  // nobody listens
}

/** The object as text, without what differs between two runs that did the same. */
function comparable(object: KubeObject | undefined): string {
  if (object === undefined) return "";
  const metadata = omit(object.metadata, ...ofEachRun);
  const owners = (object.metadata.managedFields ?? []).map((owner) => omit(owner, "time"));
  const secret = object.kind === "Secret" ? { data: Object.keys(object["data"] ?? {}) } : {};
  return stableJson(
    { ...object, metadata: { ...metadata, managedFields: owners }, ...secret },
    ofEachMoment,
  );
}

const ofEachRun = ["uid", "resourceVersion", "creationTimestamp", "generation"];

/** Times, and identities of other objects, wherever they are written. */
const ofEachMoment = new Set([
  ...["uid", "lastTransitionTime", "lastUpdateTime", "lastProbeTime", "startTime"],
  ...["completionTime", "startedAt", "finishedAt", "firstTimestamp", "lastTimestamp"],
]);
