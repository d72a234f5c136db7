/**
 * One piece of work that writes, as a command of its own and as a part of `upgrade`: it is planned without a
 * write, over the cluster as earlier parts will leave it, and the plan that was made is what acts.
 */
import type { Awaited } from "../domain/base/awaited";
import { EngineError } from "../domain/base/errors";
import type { Needs } from "../domain/facts/needs";
import type { PlannedChange } from "../domain/kube/change";
import type { Pause, StepInfo } from "../domain/kube/planned-write";
import type { Names } from "../domain/names/names";
import { requireNeeds } from "./permissions";
import type { ActingPorts, World, RunPorts } from "./world";
import { overlayWorld, type Projection, unchanged } from "./projection";
import type { ExitReport } from "./report";
import type { AsideRecorder } from "./recorder";
import { type Limit, isAway, timeIsUp, waitFor } from "./wait";

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

/** How a part ended. */
export interface Outcome extends ExitReport {
  readonly details?: unknown;
}

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
  readonly act: (ports: ActingPorts) => Promise<Outcome>;
}

/** A plan that stops; what is planned after it is planned over `after`. Throws what nobody expects. */
export function makeStopped(thrown: unknown, after = unchanged): Planned {
  const error = requireExpected(thrown);
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
export function requireExpected(thrown: unknown): EngineError {
  if (thrown instanceof EngineError) return thrown;
  throw thrown;
}

/** A part that is planned aside: nobody hears of it until the plan is used. */
export interface PlannedAside {
  readonly plan: Planned;
  /** How a dry run of it ends, or why it cannot be carried out. */
  readonly exit: ExitReport;
  readonly told: AsideRecorder;
}

/**
 * Plans a part over what earlier parts will leave behind, once what it reads may be read; an expected error is a
 * plan that stops.
 */
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
  // what earlier parts have just written may not be ready yet
  const wish = { dryRun: "server", waits: true, after: unchanged } as const;
  return await waitFor(ports, {
    look: async () => {
      const aside = await planAside(ports, wish, part.plan);
      const { stops, waitsFor: on, limit } = aside.plan;
      // a server that is away for a moment is no reason to leave half an upgrade behind
      if (isAway(stops)) throw stops;
      return on === undefined ? { is: "done", value: aside } : { is: "moving", on, limit };
    },
    total: { ms: limitMs, end: timeIsUp },
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
  const plan = await work(world).catch((error: unknown) => makeStopped(error));
  const { stops, expects } = plan;
  if (stops !== undefined) return { plan, told, exit: recorder.endByError(stops, { tell }) };
  // details are the document's, not its end's
  const { details, ...end } = expects;
  return { plan, told, exit: details === undefined ? expects : end };
}
