/** Keeps what a run has done and seen, reports the reporter, and makes the document of it. */
import { ClusterApiPermissionError } from "../domain/rest-api/errors";
import { ApiError, EngineError, exitCodes, BlockedError } from "../domain/base/errors";
import { defaultNames, type Names } from "../domain/names/names";
import { conversionFailure } from "../domain/operator/conversion";
import type { Finding } from "../domain/base/findings";
import type { RehearsedChange } from "../domain/kube/change";
import { DeclaredNeeds } from "./needs";
import type { Clock } from "../ports/kubernetes";
import type {
  Event,
  ExitReport,
  PodReport,
  ProbeReport,
  Report,
  StepReport,
  Stretch,
} from "./report";
import type { Result, StepInfo } from "../domain/kube/planned-write";

/** How a run stands that ends by an error after a write. */
interface Midway {
  readonly stands?: string;
  /** Where the error itself names no next step. */
  readonly next?: string;
  /** Tells its findings; absent: as they are. */
  readonly tell?: (findings: readonly Finding[]) => void;
}

/** Where objects cannot be read for a reason that is known, running again helps nobody. */
function explained(error: unknown, { stands }: Midway, names: Names = defaultNames): unknown {
  const found = error instanceof ApiError ? conversionFailure(error.message, names) : undefined;
  const code = stands === undefined ? exitCodes.blocked : exitCodes.failed;
  return found === undefined ? error : new BlockedError(code, [found]);
}

type Parts = Omit<Report, "apiVersion" | "steps" | "probes" | "findings" | "exit">;

const written: ReadonlySet<Result> = new Set<Result>(["created", "changed", "deleted"]);

interface RecorderDeps {
  readonly clock: Clock;
  readonly event: (event: Event) => void;
  /** Absent: the usual ones. */
  readonly names?: Names;
  /** Absent: its own. */
  readonly needs?: DeclaredNeeds | undefined;
}

/** Collects what one run reports; runs that follow one another as its parts continue with the same one. */
export class Recorder {
  /** What the commands of the run may need in all. */
  readonly needs: DeclaredNeeds;
  readonly pods: PodReport[] = [];
  /** The writes that a dry run has planned, each with what the API server would store. */
  readonly writes: RehearsedChange[] = [];
  readonly #steps: StepReport[] = [];
  readonly #probes: ProbeReport[] = [];
  readonly #findings: Finding[] = [];
  readonly #backups: (() => NonNullable<Report["backups"]>)[] = [];
  readonly #began: number;
  #parts: Partial<Parts> = {};
  #partCount = 0;

  constructor(
    private readonly base: Parts,
    private readonly deps: RecorderDeps,
  ) {
    this.needs = deps.needs ?? new DeclaredNeeds();
    this.#began = deps.clock.now();
  }

  /** A stretch between two moments of the clock, from the beginning of the run on. */
  stretch(from: number, to: number): Stretch {
    return { at: Math.max(0, Math.round(from - this.#began)), ms: Math.round(to - from) };
  }

  /** Takes a step; a throw is recorded as failed and continues. */
  async step<T>(
    info: StepInfo,
    act: () => Promise<{ readonly result: Result; readonly value: T; readonly why?: string }>,
  ): Promise<T> {
    const from = this.deps.clock.now();
    try {
      const { result, value, why } = await act();
      this.done({ ...info, why: why ?? info.why }, result, this.deps.clock.now() - from);
      return value;
    } catch (error) {
      this.done(info, "failed", this.deps.clock.now() - from);
      throw error;
    }
  }

  /** Records a step that has been taken, or is only planned. */
  done(info: StepInfo, result: Result, ms = 0): void {
    const now = this.deps.clock.now();
    const time = result === "planned" ? { ms: Math.round(ms) } : this.stretch(now - ms, now);
    const step = { n: this.#steps.length + 1, ...info, result, ...time };
    this.#steps.push(step);
    this.deps.event({ type: "step", step });
  }

  probe(probe: ProbeReport): void {
    this.#probes.push(probe);
    this.deps.event({ type: "probe", probe });
  }

  findings(findings: readonly Finding[]): void {
    for (const finding of findings) {
      this.#findings.push(finding);
      this.deps.event({ type: "finding", finding });
    }
  }

  /** Tells of what no document keeps. */
  tell(event: Event): void {
    this.deps.event(event);
  }

  note(text: string): void {
    this.tell({ type: "note", text });
  }

  waiting(on: string, seconds: number): void {
    this.tell({ type: "waiting", on, seconds: Math.round(seconds) });
  }

  /** Begins another part of the run; its number, from 1 on. */
  beginPart(): number {
    this.#partCount += 1;
    return this.#partCount;
  }

  /** True once a step has changed something. */
  get hasWritten(): boolean {
    return this.#steps.some(({ result }) => written.has(result));
  }

  /** Parts that the report will have; one of the same name takes the place of the one before. */
  keep(parts: Pick<Partial<Parts>, "certificate" | "gap" | "namespaces" | "permissions">): void {
    this.#parts = { ...this.#parts, ...parts };
  }

  backup(backup: NonNullable<Report["backups"]>[number]): void {
    this.backups(() => [backup]);
  }

  /** What the report will have of what was kept: it is asked for at the end. */
  backups(kept: () => NonNullable<Report["backups"]>): void {
    this.#backups.push(kept);
  }

  /** The document for an end. */
  report(exit: ExitReport): Report {
    const backups = this.#backups.flatMap((kept) => kept());
    return {
      apiVersion: "cli.engine.com/v1",
      ...this.base,
      ...this.#parts,
      steps: [...this.#steps],
      ...(this.#probes.length > 0 && { probes: [...this.#probes] }),
      ...(this.pods.length > 0 && { pods: [...this.pods] }),
      findings: [...this.#findings],
      ...(backups.length > 0 && { backups }),
      exit,
    };
  }

  /** Tells each finding once, for a run that judges again. */
  once(): (findings: readonly Finding[]) => void {
    const told = new Set<string>();
    return (findings) => {
      for (const finding of findings) {
        const key = JSON.stringify(finding);
        if (!told.has(key)) this.findings([finding]);
        told.add(key);
      }
    };
  }

  /** The document for an end by an error; what is not an expected error continues. */
  failure(thrown: unknown, midway: Midway = {}): Report {
    return this.report(this.endedBy(thrown, midway));
  }

  /** The end by an error, whose findings are told; what is not an expected error continues. */
  endedBy(thrown: unknown, midway: Midway = {}): ExitReport {
    const error = explained(thrown, midway, this.deps.names);
    if (!(error instanceof EngineError)) throw error;
    const { stands, next = "run the same command again", tell = this.findings.bind(this) } = midway;
    if (error instanceof BlockedError) tell(error.findings);
    const login = error instanceof ClusterApiPermissionError ? error.finding : undefined;
    if (login !== undefined) tell([login]);
    return {
      code: error.exitCode,
      reason: stands === undefined ? error.message : `${error.message}; ${stands}`,
      next: error.hint ?? next,
    };
  }

  /** The document for success. */
  success(reason: string): Report {
    return this.report({ code: exitCodes.ok, reason });
  }
}
