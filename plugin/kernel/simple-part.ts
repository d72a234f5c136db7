/**
 * A part whose writes are all known before the first of them: read, plan, wait or stop, permissions of the writes, dry
 * run; then the act: writes, proof. What does not fit this is a part of its own on the session.
 */
import type { Awaited } from "../domain/base/awaited";
import { exitCodes, BlockedError } from "../domain/base/errors";
import type { Finding } from "../domain/base/findings";
import { objectLabel } from "../domain/kube/objects";
import { requireHome } from "./journal";
import { requirePermissions } from "./permissions";
import type { RunPorts, ActingPorts, World } from "./world";
import type { ChangedError } from "./send";
import type { Pause, StepInfo } from "../domain/kube/planned-write";
import { type Change, listPermissions, type PlannedChange } from "../domain/kube/change";
import { requireExpected, type Outcome, type Part, type Planned } from "./part";
import type { Projection } from "./projection";
import { isSameSpec, Session, type SessionOptions } from "./session";
import { choosePatience, timeIsUp, waitFor } from "./wait";

/** What is to be written, and what stands against it. */
export interface SimplePlan {
  /** In their order; a patch without edits is none. */
  readonly changes: readonly Change[];
  /** Exit 3, before anything is written. */
  readonly blocks?: readonly Finding[];
  readonly warnings?: readonly Finding[];
  /** Stands against it only once earlier parts of a whole upgrade are done. */
  readonly pauses?: Pause | undefined;
  /** May pass by itself, and is waited for. */
  readonly waitsFor?: Awaited | undefined;
  /** Asked before the first write; absent: nobody is. */
  readonly question?: string | undefined;
  /** Told where nothing is to be written. */
  readonly standing?: StepInfo;
}

/** What a part is made of: what is read, what is planned from that, and how its end is seen. */
export interface PartDescription<F, P extends SimplePlan> {
  readonly read: () => Promise<F>;
  /** Throws EngineError where nothing can be planned. */
  readonly plan: (facts: F) => P;
  /** Judges a plan that is waited for no more; throws EngineError. */
  readonly judge?: (plan: P) => Promise<void>;
  /** How the end is seen, in words; absent: what was written is read back. */
  readonly proof?: (plan: P) => Promise<string>;
  /** In the place of a proof, for a dry run that would write nothing. */
  readonly still: string;
  /** The end of a run, in words: what was written or planned, and what its proof says. */
  readonly says: (plan: P, proof: string) => string;
  /** Said beside an error that comes after a write. */
  readonly midway: string;
  /** What it will have brought about. */
  readonly after: (plan: P, writes: readonly PlannedChange[]) => Projection;
}

/** How the runner runs it; times in milliseconds. */
export interface PartRunOptions extends SessionOptions {
  /** For what has to pass before the first write; absent: as long as a stall takes. */
  readonly limitMs?: number;
  readonly stallAfterMs?: number;
}

/** What it does, and how it is run. */
export interface DescribedPart<F, P extends SimplePlan> {
  readonly describe: (ports: RunPorts) => PartDescription<F, P>;
  readonly options: PartRunOptions;
}

/** Makes the part of its description. */
export function makeSimplePart<F, P extends SimplePlan>(
  named: Pick<Part, "command" | "needs">,
  wish: DescribedPart<F, P>,
): Part {
  return { ...named, plan: async (world) => await new SimplePlanning(world, wish).plan() };
}

class SimplePlanning<F, P extends SimplePlan> {
  readonly #part: PartDescription<F, P>;
  readonly #session: Session;

  constructor(
    private readonly world: World,
    private readonly wish: DescribedPart<F, P>,
  ) {
    this.#part = wish.describe(world);
    this.#session = new Session(world, { ...wish.options, dryRun: world.dryRun });
  }

  async plan(): Promise<Planned> {
    const { world } = this;
    const plan = await readPlan(this.#part);
    if (plan.waitsFor !== undefined && world.waits) {
      return this.#makePlanned(plan, this.#tellUntried(plan), { waitsFor: plan.waitsFor });
    }
    try {
      await judge(this.#part, plan, { session: this.#session, tell: world.tell });
      await requirePermissions(world, plan.changes.flatMap(listPermissions));
      return this.#makePlanned(plan, await this.#tryWrites(plan));
    } catch (error) {
      return this.#makePlanned(plan, [], { stops: requireExpected(error) });
    }
  }

  /** What is waited for may refuse a dry run; what is confirmed before has to name the writes all the same. */
  #tellUntried({ changes }: P): readonly PlannedChange[] {
    return changes.map((change) =>
      this.world.dryRun === "none" ? { change } : this.#session.tellPlanned(change),
    );
  }

  async #tryWrites({ changes, standing }: P): Promise<readonly PlannedChange[]> {
    const { world } = this;
    if (world.dryRun === "none") return changes.map((change) => ({ change }));
    if (changes.length === 0) {
      world.tell(await requireHome(world, false));
      if (standing !== undefined) world.recorder.addStep(standing, "unchanged");
    }
    const writes: PlannedChange[] = [];
    for (const change of changes) {
      writes.push(await this.#session.planWrite(change));
    }
    return writes;
  }

  #makePlanned(
    plan: P,
    writes: readonly PlannedChange[],
    ends: Pick<Planned, "stops" | "waitsFor"> = {},
  ): Planned {
    const { changes } = plan;
    const isStill = changes.length === 0;
    const reason = isStill
      ? this.#part.says(plan, this.#part.still)
      : describeDryRun(changes.length);
    const planned = writes.length > 0 ? writes : changes.map((change) => ({ change }));
    const { pauses } = plan;
    return {
      ...(pauses !== undefined && { pauses }),
      ...ends,
      writes,
      questions: listQuestions(plan, this.#session),
      expects: { code: exitCodes.ok, reason },
      after: this.#part.after(plan, planned),
      act: async (ports) => await new SimpleAct(ports, this.wish).act(plan),
    };
  }
}

/** Fields are taken only where a person says so, object by object. */
function listQuestions({ changes, question }: SimplePlan, session: Session): readonly string[] {
  const fields = session.taking.takeFields.join(", ");
  const takes = changes.filter((change) => session.findConflicts(change).takes);
  return [
    ...takes.map(({ object }) => `Take ${fields} of ${objectLabel(object)} from its manager?`),
    ...(question === undefined ? [] : [question]),
  ];
}

/** The plan without patches that change nothing. */
async function readPlan<F, P extends SimplePlan>(part: PartDescription<F, P>): Promise<P> {
  const plan = part.plan(await part.read());
  const isSome = (one: Change): boolean => one.verb !== "patch" || one.edits.length > 0;
  return { ...plan, changes: plan.changes.filter(isSome) };
}

/** Throws what stands against a plan, and tells its warnings. */
async function judge<F, P extends SimplePlan>(
  part: PartDescription<F, P>,
  plan: P,
  { session, tell }: { readonly session: Session; readonly tell: World["tell"] },
): Promise<void> {
  const { changes, blocks = [], warnings = [] } = plan;
  if (blocks.length === 0) session.requireStaying(changes);
  await part.judge?.(plan);
  const conflicts = changes.flatMap((change) => session.findConflicts(change).conflicts);
  const code = blocks.length > 0 ? exitCodes.blocked : exitCodes.conflict;
  if (blocks.length + conflicts.length > 0) {
    throw new BlockedError(code, [...blocks, ...conflicts, ...warnings]);
  }
  tell(warnings);
}

class SimpleAct<F, P extends SimplePlan> {
  readonly #part: PartDescription<F, P>;
  readonly #session: Session;

  constructor(
    private readonly ports: ActingPorts,
    private readonly wish: DescribedPart<F, P>,
  ) {
    this.#part = wish.describe(ports);
    this.#session = new Session(ports, { ...wish.options, dryRun: "none" });
  }

  async act(plan: P): Promise<Outcome> {
    const { recorder, tell } = this.ports;
    try {
      return { code: exitCodes.ok, reason: await this.#run(plan) };
    } catch (error) {
      if (this.#session.written === 0) throw error;
      const next = "run the same command again: it continues from the state found";
      return recorder.endByError(error, { stands: this.#part.midway, next, tell });
    }
  }

  async #run(plan: P): Promise<string> {
    const { changes, standing } = plan;
    this.#session.noteConfirmed(changes);
    for (const change of changes) {
      await this.#session.send(change, (error) => this.#planAgain(change, error));
    }
    if (changes.length === 0 && standing !== undefined) {
      this.ports.recorder.addStep(standing, "unchanged");
    }
    return this.#part.says(plan, await (this.#part.proof?.(plan) ?? this.#readBack(plan)));
  }

  /** A status that moved meanwhile is read again; a spec that moved is someone's: 5. */
  async #planAgain(change: Change, error: ChangedError): Promise<Change | undefined> {
    const { changes } = await this.#fitPlan();
    const label = objectLabel(change.object);
    const next = changes.find(
      ({ id, object }) => id === change.id && objectLabel(object) === label,
    );
    if (next !== undefined && !isSameSpec(change.object, next.object)) throw error;
    return next;
  }

  /** A plan that nothing stands against; what may be waited for is waited for. */
  async #fitPlan(): Promise<P> {
    const { ports } = this;
    return await waitFor(ports, {
      look: async () => {
        const plan = await readPlan(this.#part);
        if (plan.waitsFor !== undefined) return { is: "moving", on: plan.waitsFor };
        await judge(this.#part, plan, { session: this.#session, tell: ports.tell });
        return { is: "done", value: plan };
      },
      beforeWrite: true,
      total: { ms: choosePatience(this.wish.options), end: timeIsUp },
    });
  }

  async #readBack({ changes }: P): Promise<string> {
    for (const change of changes) {
      const object = objectLabel(change.object);
      const info = { id: `${change.id}.read`, action: "read", object } as const;
      await this.ports.recorder.step({ ...info, why: "to see what is stored" }, async () => {
        await this.#session.requireStored(change);
        return { result: "done", value: undefined };
      });
    }
    return "";
  }
}

/** The end of a dry run, in words. */
export function describeDryRun(writes: number): string {
  return writes === 0
    ? "dry run: everything is up to date, nothing would be written"
    : `dry run: ${writes} ${writes === 1 ? "write" : "writes"} planned, nothing was changed`;
}
