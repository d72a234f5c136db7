/**
 * Runs a job whose writes are known before the first of them: permissions, read, plan, wait or stop,
 * dry run or confirmation, writes, proof. What does not fit it is a procedure on the session.
 */
import { exitCodes, BlockedError } from "../domain/base/errors";
import type { Finding } from "../domain/base/findings";
import { objectLabel } from "../domain/kube/objects";
import type { Needs } from "../domain/facts/needs";
import {
  type AskingPorts,
  requireHome,
  requireNeeds,
  requirePermissions,
  requireYes,
} from "./permissions";
import type { ChangedError } from "./send";
import type { StepInfo } from "../domain/kube/planned-write";
import type { Report } from "./report";
import { type Change, permissionsOf } from "../domain/kube/change";
import { isSameSpec, Session, type SessionOptions } from "./session";
import { givenUp, timeIsUp, waitFor } from "./wait";

/** What is to be written, and what stands against it. */
export interface Plan {
  /** In their order; a patch without edits is none. */
  readonly changes: readonly Change[];
  /** Exit 3, before anything is written. */
  readonly blocks?: readonly Finding[];
  readonly warnings?: readonly Finding[];
  /** May pass by itself, and is waited for. */
  readonly waitsFor?: string | undefined;
  /** Asked before the first write; absent: nobody is. */
  readonly question?: string | undefined;
  /** Told where nothing is to be written. */
  readonly standing?: StepInfo;
}

/** A command that writes: what it needs, what it plans from that, and how its end is seen. */
export interface Job<F, P extends Plan> {
  /** The words of the command. */
  readonly command: string;
  readonly needs: Needs;
  readonly read: () => Promise<F>;
  /** Throws EngineError where nothing can be planned. */
  readonly plan: (facts: F) => P;
  /** Judges a plan that is waited for no more; throws EngineError. */
  readonly judge?: (plan: P) => Promise<void>;
  /** How the end is seen, in words; absent: what was written is read back. */
  readonly proof?: (plan: P) => Promise<string>;
  /** The end of a run, in words: what was written or planned, and what its proof says. */
  readonly says: (plan: P, proof: string) => string;
  /** Said beside an error that comes after a write. */
  readonly midway: string;
}

/** How the runner runs it; times in milliseconds. */
export interface JobOptions extends SessionOptions {
  /** For what has to pass before the first write; absent: as long as a stall takes. */
  readonly limitMs?: number;
  readonly stallAfterMs?: number;
}

/** What a job knows beside its own flags. */
export interface JobRun extends JobOptions {
  /** The operator's. */
  readonly namespace: string;
  readonly args: readonly string[];
  /** Wait for what is not ready before the write, instead of stopping. */
  readonly wait: boolean;
}

/** Runs it; expected ends of every kind come back as a report. */
export async function execute<F, P extends Plan>(
  ports: AskingPorts,
  options: JobOptions,
  job: Job<F, P>,
): Promise<Report> {
  const run = new JobExecution(ports, options, job);
  try {
    return ports.recorder.success(await run.run());
  } catch (error) {
    return run.end(error);
  }
}

class JobExecution<F, P extends Plan> {
  readonly #tell: (findings: readonly Finding[]) => void;
  readonly #session: Session;

  constructor(
    private readonly ports: AskingPorts,
    private readonly options: JobOptions,
    private readonly job: Job<F, P>,
  ) {
    this.#tell = ports.recorder.once();
    this.#session = new Session(ports, options);
  }

  async run(): Promise<string> {
    const { ports, options, job } = this;
    await requireNeeds(ports, job.command, job.needs);
    const plan = await this.#fitPlan();
    const { changes, standing } = plan;
    await requirePermissions(ports, changes.flatMap(permissionsOf));
    if (options.dryRun !== "none" && changes.length > 0) {
      for (const change of changes) await this.#session.plan(change);
      return dryRunSays(changes.length);
    }
    if (changes.length > 0) await this.#write(plan);
    else this.#tell(await requireHome(ports, false));
    if (changes.length === 0 && standing !== undefined) ports.recorder.done(standing, "unchanged");
    return job.says(plan, await (job.proof?.(plan) ?? this.#readBack(plan)));
  }

  /** The report for an end by an error; after a write its state is told. */
  end(error: unknown): Report {
    const { recorder } = this.ports;
    if (this.#session.written === 0) return recorder.failure(error);
    const next = "run the same command again: it continues from the state found";
    return recorder.failure(error, { stands: this.job.midway, next, tell: this.#tell });
  }

  /** A plan that nothing stands against; what may be waited for is waited for. */
  async #fitPlan(): Promise<P> {
    const { limitMs, stallAfterMs = 0 } = this.options;
    return await waitFor(this.ports, {
      look: async () => {
        const plan = await this.#plan();
        const { waitsFor: on } = plan;
        if (on !== undefined && this.options.dryRun === "none") return { is: "moving", on };
        return { is: "done", value: await this.#judged(plan) };
      },
      beforeWrite: true,
      total: {
        ms: limitMs ?? stallAfterMs,
        end: this.#session.written === 0 ? givenUp : timeIsUp,
      },
    });
  }

  async #plan(): Promise<P> {
    const plan = this.job.plan(await this.job.read());
    const isSome = (one: Change): boolean => one.verb !== "patch" || one.edits.length > 0;
    return { ...plan, changes: plan.changes.filter(isSome) };
  }

  async #judged(plan: P): Promise<P> {
    const { changes, blocks = [], warnings = [] } = plan;
    if (blocks.length === 0) this.#session.requireStaying(changes);
    await this.job.judge?.(plan);
    const conflicts = changes.flatMap((change) => this.#session.conflictsOf(change).conflicts);
    const code = blocks.length > 0 ? exitCodes.blocked : exitCodes.conflict;
    if (blocks.length + conflicts.length > 0) {
      throw new BlockedError(code, [...blocks, ...conflicts, ...warnings]);
    }
    this.#tell(warnings);
    return plan;
  }

  async #write({ changes, question }: P): Promise<void> {
    const { ports } = this;
    await requireHome(ports, true);
    const takes = changes.filter((change) => this.#session.conflictsOf(change).takes);
    const fields = this.#session.taking.takeFields.join(", ");
    for (const { object } of takes) {
      await requireYes(ports, `Take ${fields} of ${objectLabel(object)} from its manager?`);
    }
    if (question !== undefined) await requireYes(ports, question);
    this.#session.confirm(changes);
    for (const change of changes) {
      await this.#session.send(change, (error) => this.#again(change, error));
    }
  }

  /** A status that moved meanwhile is read again; a spec that moved is someone's: 5. */
  async #again(change: Change, error: ChangedError): Promise<Change | undefined> {
    const { changes } = await this.#fitPlan();
    const label = objectLabel(change.object);
    const next = changes.find(
      ({ id, object }) => id === change.id && objectLabel(object) === label,
    );
    if (next !== undefined && !isSameSpec(change.object, next.object)) throw error;
    return next;
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
export function dryRunSays(writes: number): string {
  return writes === 0
    ? "dry run: everything is up to date, nothing would be written"
    : `dry run: ${writes} ${writes === 1 ? "write" : "writes"} planned, nothing was changed`;
}
