/**
 * One piece of work that writes, as a command of its own and as a part of `upgrade`: it is planned without a
 * write, over the cluster as earlier parts will leave it, and the plan that was made is what acts.
 */
import type { Awaited } from "../domain/base/awaited";
import { EngineError, UnknownOutcomeError } from "../domain/base/errors";
import type { Finding } from "../domain/base/findings";
import type { Needs } from "../domain/facts/needs";
import { findLive, changeRef, type RehearsedChange } from "../domain/kube/change";
import { kinds } from "../domain/kube/kinds";
import { type KubeObject, objectLabel } from "../domain/kube/objects";
import type { Pause, StepInfo } from "../domain/kube/planned-write";
import { omit, sameJson } from "../domain/base/values";
import type { Names } from "../domain/names/names";
import {
  type AskingPorts,
  requireHome,
  requireNeeds,
  requireYes,
  type RunPorts,
} from "./permissions";
import { predictStored } from "./preview";
import { readDefinedKind, projectCluster, type Projection, unchanged } from "./projected";
import type { ExitReport, Report } from "./report";
import type { AsideRecorder } from "./recorder";
import { type Limit, isAway, makeGivenUpError, waitFor } from "./wait";

/** Made by a factory that closes over its options. */
export interface Part {
  /** The words of its command, or the id of a part that has none. */
  readonly command: string;
  readonly needs: (names: Names) => Needs;
  /** Reads, judges and tries by dry run. Throws EngineError only where nothing can be planned from what was read. */
  readonly plan: (world: World) => Promise<Planned>;
  /** Closes what it holds open beside its cluster, once it is planned and carried out. */
  readonly close?: () => void;
  /** Of a part that is left to someone else: whether it has come about. */
  readonly prove?: (world: World) => Promise<ExitReport>;
}

/** One that may be left to someone else. */
export type ProvablePart = Part & Required<Pick<Part, "prove">>;

/** What a part plans on: its cluster refuses writes. */
export interface World extends RunPorts {
  /** `none`: the plan is carried out at once, and is not tried before. */
  readonly dryRun: "none" | "client" | "server";
  /** What may pass by itself becomes `waitsFor`; otherwise it stops the part. */
  readonly waits: boolean;
  /** Tells each finding once, in the plan and in the act. */
  readonly tell: (findings: readonly Finding[]) => void;
}

/** What a part acts with. */
export interface Acting extends RunPorts {
  readonly tell: (findings: readonly Finding[]) => void;
}

/** How a part ended. */
export interface Outcome extends ExitReport {
  readonly details?: unknown;
}

/** A write that is planned. */
export type PlannedChange = RehearsedChange;

/** A part that is planned; its steps and findings are told to the recorder of its world. */
export interface Planned {
  readonly writes: readonly PlannedChange[];
  /** Requests to other servers and programs, each with its `write`. */
  readonly calls?: readonly StepInfo[];
  /** Why it cannot be carried out; what comes after it is planned all the same. */
  readonly stops?: EngineError;
  /** What will stand against it once the parts before it are done, although nothing does now. */
  readonly pauses?: Pause;
  /** What may pass by itself, and is waited for before it is planned again. */
  readonly waitsFor?: Awaited;
  /** How long it is waited for, and how that ends; absent: as the runner says. */
  readonly limit?: Limit | undefined;
  /** Asked before the first write. */
  readonly questions: readonly string[];
  /** How a dry run of it ends. */
  readonly expects: Outcome;
  /** What it will have brought about, which is more than its writes. */
  readonly after: Projection;
  /** Carries the plan out, with its own session, rollback and proof. Throws EngineError before its first write. */
  readonly act: (ports: Acting) => Promise<Outcome>;
}

/** A plan that stops; what is planned after it is planned over `after`. Throws what nobody expects. */
export function stopped(thrown: unknown, after = unchanged): Planned {
  const error = expected(thrown);
  return {
    writes: [],
    questions: [],
    stops: error,
    expects: { code: error.exitCode, reason: error.message },
    after,
    act: () => Promise.reject(error),
  };
}

/** An expected error as a value; anything else is thrown. */
export function expected(thrown: unknown): EngineError {
  if (thrown instanceof EngineError) return thrown;
  throw thrown;
}

/** How a part that runs alone is run; times in milliseconds. */
export interface PartOptions {
  readonly dryRun: "none" | "client" | "server";
  /** For what has to pass before the first write. */
  readonly limitMs: number;
  /** What may pass by itself is waited for; absent: unless it is a dry run. */
  readonly waits?: boolean;
}

/** Runs a part by itself, planned once; expected ends of every kind come back as a report. */
export async function runPart(
  ports: AskingPorts,
  part: Part,
  options: PartOptions,
): Promise<Report> {
  const { recorder } = ports;
  try {
    await requireNeeds(ports, part.command, part.needs(ports.names));
    const tell = recorder.once();
    const { dryRun, waits = dryRun === "none" } = options;
    const world = { ...ports, tell, dryRun, waits };
    const plan = await planWaited(part, world, options.limitMs);
    if (plan.stops !== undefined) {
      return { ...recorder.failure(plan.stops), ...findDetails(plan.expects) };
    }
    if (dryRun !== "none") return toReport(ports, plan.expects);
    const writes = plan.writes.length + (plan.calls ?? []).length;
    const warnings = await requireHome(ports, writes > 0);
    tell(warnings);
    for (const question of plan.questions) await requireYes(ports, question);
    return toReport(ports, await plan.act({ ...ports, tell }));
  } catch (error) {
    const isCut = ports.signal.aborted && !(error instanceof UnknownOutcomeError);
    return recorder.failure(error, isCut ? { stands: "nothing was written" } : {});
  }
}

/** A part that is planned aside: nobody hears of it until the plan is used. */
export interface PlannedAside {
  readonly plan: Planned;
  /** How a dry run of it ends, or why it cannot be carried out. */
  readonly exit: ExitReport;
  readonly told: AsideRecorder;
}

/** Plans a part over what earlier parts will leave behind; an expected error is a plan that stops. */
export async function planAhead(
  ports: RunPorts,
  part: Part,
  wish: Pick<World, "dryRun" | "waits"> & { readonly after: Projection },
): Promise<PlannedAside> {
  return await planAside(ports, wish, async (world) => {
    await requireNeeds(world, part.command, part.needs(world.names));
    return await part.plan(world);
  });
}

/** Plans a part on the cluster as it is now, once nothing is waited for any more. */
export async function planAgain(
  ports: RunPorts,
  part: Part,
  limitMs: number,
): Promise<PlannedAside> {
  const wish = { dryRun: "server", waits: true, after: unchanged } as const;
  return await waitFor(ports, {
    look: async () => {
      const aside = await planAside(ports, wish, part.plan);
      const { stops, waitsFor: on, limit } = aside.plan;
      // a server that is away for a moment is no reason to leave half an upgrade behind
      if (isAway(stops)) throw stops;
      return on === undefined ? { is: "done", value: aside } : { is: "moving", on, limit };
    },
    total: { ms: limitMs, end: makeGivenUpError },
  });
}

async function planAside(
  ports: RunPorts,
  { after, ...how }: Pick<World, "dryRun" | "waits"> & { readonly after: Projection },
  work: Part["plan"],
): Promise<PlannedAside> {
  const told = ports.recorder.aside();
  const { recorder } = told;
  const tell = recorder.once();
  const world = overlayWorld({ ...ports, ...how, recorder, tell }, after);
  const plan = await work(world).catch((error: unknown) => stopped(error));
  const { stops, expects } = plan;
  if (stops !== undefined) return { plan, told, exit: recorder.endByError(stops, { tell }) };
  // details are the document's, not its end's
  const { details, ...end } = expects;
  return { plan, told, exit: details === undefined ? expects : end };
}

function toReport({ recorder }: Pick<RunPorts, "recorder">, { details, ...exit }: Outcome): Report {
  return { ...recorder.report(exit), ...findDetails({ details }) };
}

/** A plan that stops says as well what is known by then. */
function findDetails({ details }: Pick<Outcome, "details">): Pick<Report, "details"> {
  return details === undefined ? {} : { details };
}

/** The plan once nothing is waited for any more. */
export async function planWaited(part: Part, world: World, limitMs: number): Promise<Planned> {
  return await waitFor(world, {
    look: async () => {
      const plan = await part.plan(overlayWorld(world, unchanged));
      const { waitsFor: on, limit } = plan;
      return on === undefined ? { is: "done", value: plan } : { is: "moving", on, limit };
    },
    beforeWrite: true,
    total: { ms: limitMs, end: makeGivenUpError },
  });
}

/** The world as a projection leaves it; with none it only refuses writes. */
export function overlayWorld<W extends Pick<RunPorts, "cluster">>(world: W, after: Projection): W {
  return { ...world, cluster: projectCluster(world.cluster, after) };
}

/** What writes leave behind, by their dry runs or, where they were not tried, by what they send. */
export function projectWrites(writes: readonly PlannedChange[]): Projection {
  // an object that is written twice is as the last write leaves it
  const last = new Map(writes.map((write) => [objectLabel(write.change.object), write]));
  const left = [...last.values()].map(({ change, stored }): Projection => {
    if (change.verb === "delete") return { ...unchanged, gone: [changeRef(change)] };
    const live = findLive(change);
    const object = identifyObject(stored ?? predictStored(change), live);
    return { ...unchanged, stored: [object], shades: listShades(object, live) };
  });
  return {
    ...unchanged,
    stored: left.flatMap(({ stored }) => stored),
    gone: left.flatMap(({ gone }) => gone),
    shades: left.flatMap(({ shades }) => shades),
  };
}

const identity = ["uid", "resourceVersion", "generation", "creationTimestamp"];

/** An object that exists keeps its identity, so that a saved plan sees a change; a new one has none yet. */
function identifyObject(object: KubeObject, live: KubeObject | undefined): KubeObject {
  const kept = Object.fromEntries(
    identity.flatMap((name) =>
      live?.metadata[name] === undefined ? [] : [[name, live.metadata[name]]],
    ),
  );
  return { ...object, metadata: { ...omit(object.metadata, ...identity), ...kept } };
}

/** A definition that changes makes dry runs of its kind untriable; one of which only marks change does not. */
function listShades(object: KubeObject, live: KubeObject | undefined): Projection["shades"] {
  if (object.kind !== kinds.definition.kind) return [];
  return sameJson(object["spec"], live?.["spec"]) ? [] : [readDefinedKind(object)];
}
