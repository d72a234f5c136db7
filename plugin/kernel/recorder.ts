/** Keeps what a run has done and seen, tells the reporter of it, and makes the document. */
import { leaveSuperseded } from "../domain/diagnosis/superseded";
import { toDocument } from "../domain/diagnosis/symptom";
import type { Awaited } from "../domain/base/awaited";
import { apiFinding } from "../domain/rest-api/errors";
import {
  ApiError,
  BlockedError,
  CancelledError,
  EngineError,
  exitCodes,
} from "../domain/base/errors";
import { defaultNames, type Names } from "../domain/names/names";
import { conversionFailure } from "../domain/operator/conversion";
import type { Finding } from "../domain/base/findings";
import { DeclaredNeeds } from "./needs";
import type { Clock } from "../ports/kubernetes";
import type {
  BackupReport,
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
function explainError(error: unknown, { stands }: Midway, names: Names = defaultNames): unknown {
  const found = error instanceof ApiError ? conversionFailure(error.message, names) : undefined;
  const code = stands === undefined ? exitCodes.blocked : exitCodes.failed;
  return found === undefined ? error : new BlockedError(code, [found]);
}

type Fields = Omit<Report, "apiVersion" | "steps" | "probes" | "findings" | "exit">;

const onlyLooked: ReadonlySet<Result> = new Set<Result>(["planned", "unchanged", "skipped"]);

const written: ReadonlySet<Result> = new Set<Result>(["created", "changed", "deleted"]);

interface RecorderDeps {
  readonly clock: Clock;
  readonly event: (event: Event) => void;
  /** Absent: the usual ones. */
  readonly names?: Names;
  /** Absent: its own. */
  readonly needs?: DeclaredNeeds | undefined;
  /** Called where a no ends the run. */
  readonly cancelled?: (() => void) | undefined;
}

/** What was recorded for nobody to hear yet, in its order. */
export interface AsideRecorder {
  readonly recorder: Recorder;
  readonly heard: readonly Event[];
}

/** Collects what one run reports; runs that follow one another as its parts continue with the same one. */
export class Recorder {
  /** What the commands of the run may need in all. */
  readonly needs: DeclaredNeeds;
  readonly pods: PodReport[] = [];
  readonly #steps: StepReport[] = [];
  readonly #probes: ProbeReport[] = [];
  readonly #findings: Finding[] = [];
  readonly #backups: (() => readonly BackupReport[])[] = [];
  /** Why what was kept cannot be put back any more, by object and file. */
  readonly #lost = new Map<string, string>();
  /** For how long it can be put back, by object and file. */
  readonly #limits = new Map<string, string>();
  readonly #began: number;
  #fields: Partial<Fields> = {};
  #partCount = 0;

  constructor(
    private readonly base: Fields,
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
      this.addStep({ ...info, why: why ?? info.why }, result, this.deps.clock.now() - from);
      return value;
    } catch (error) {
      this.addStep(info, "failed", this.deps.clock.now() - from);
      throw error;
    }
  }

  /** Records a step that has been taken, or is only planned. */
  addStep(info: StepInfo, result: Result, ms = 0): void {
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

  addFindings(findings: readonly Finding[]): void {
    for (const finding of leaveSuperseded(findings).map(toDocument)) {
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

  /** `last` is what moved last, where an object reports it. */
  noteWaiting(on: Awaited, seconds: number, last?: string): void {
    this.tell({
      ...{ type: "waiting", on, seconds: Math.round(seconds) },
      ...(last !== undefined && { last }),
    });
  }

  /** A recorder that only keeps what it is told, for a plan: `retell` tells it here, where the plan is used. */
  aside(): AsideRecorder {
    const heard: Event[] = [];
    const event = (one: Event): void => {
      // who waits is told at once, whatever becomes of the plan
      if (one.type === "waiting") this.tell(one);
      else heard.push(one);
    };
    const recorder = new Recorder(this.base, { ...this.deps, needs: this.needs, event });
    return { recorder, heard };
  }

  /** Tells what was recorded aside, each finding by `tell`; planned writes, and what needs none, are told by the act. */
  retell({ recorder, heard }: AsideRecorder, tell: (findings: readonly Finding[]) => void): void {
    const later = recorder.#began - this.#began;
    for (const event of heard) {
      if (event.type === "finding") tell([event.finding]);
      else if (event.type === "probe") this.probe(event.probe);
      else if (event.type === "step") this.#retellStep(event.step, later);
      else this.tell(event);
    }
    this.keep(recorder.#fields);
  }

  #retellStep(step: StepReport, later: number): void {
    if (onlyLooked.has(step.result)) return;
    const { at = 0 } = step;
    const own = { ...step, n: this.#steps.length + 1, at: at + later };
    this.#steps.push(own);
    this.deps.event({ type: "step", step: own });
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

  get found(): readonly Finding[] {
    return this.#findings;
  }

  /** With those of namespaces. */
  get everyFinding(): readonly Finding[] {
    const { namespaces = [] } = this.#fields;
    return [...this.#findings, ...namespaces.flatMap(({ findings = [] }) => findings)];
  }

  get steps(): readonly StepReport[] {
    return this.#steps;
  }

  get kept(): Partial<Fields> {
    return this.#fields;
  }

  /** Fields that the report will have; one of the same name takes the place of the one before. */
  keep(fields: Pick<Partial<Fields>, "certificate" | "gap" | "namespaces" | "permissions">): void {
    this.#fields = { ...this.#fields, ...fields };
  }

  backup(backup: BackupReport): void {
    this.backups(() => [backup]);
  }

  /** What the report will have of what was kept, as it was written: it is asked for at the end. */
  backups(kept: () => readonly BackupReport[]): void {
    this.#backups.push(kept);
  }

  /** From here on nothing that was written before is put back, or nothing of one object: it is kept for reference. */
  passNoReturn(because: string, object?: string): void {
    for (const backup of this.#backups.flatMap((kept) => kept())) {
      const key = backupKey(backup);
      const isMeant = object === undefined || backup.object === object;
      if (isMeant && !this.#lost.has(key)) this.#lost.set(key, because);
    }
  }

  /** From here on what was written before is put back only as long as this has not come about. */
  limitReturn(until: string): void {
    for (const backup of this.#backups.flatMap((kept) => kept())) {
      const key = backupKey(backup);
      if (!this.#limits.has(key)) this.#limits.set(key, until);
    }
  }

  /** The last write is the first to be put back. */
  #listBackups(): readonly BackupReport[] {
    const all = this.#backups.flatMap((kept) => kept()).reverse();
    return all.map((backup) => {
      const key = backupKey(backup);
      const [lost, limit] = [this.#lost.get(key), this.#limits.get(key)];
      const { object, file, holds } = backup;
      if (lost !== undefined) return { object, file, lost };
      const isLimited = limit === undefined || holds === undefined || holds.includes("until ");
      return isLimited ? backup : { ...backup, holds: `${holds}, ${limit}` };
    });
  }

  /** The document for an end. */
  report(exit: ExitReport): Report {
    const backups = this.#listBackups();
    return {
      apiVersion: "cli.engine.com/v1",
      ...this.base,
      ...this.#fields,
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
      for (const finding of leaveSuperseded(findings)) {
        const key = JSON.stringify(finding);
        if (!told.has(key)) this.addFindings([finding]);
        told.add(key);
      }
    };
  }

  /** The document for an end by an error; what is not an expected error continues. */
  failure(thrown: unknown, midway: Midway = {}): Report {
    return this.report(this.endByError(thrown, midway));
  }

  /** The end by an error, whose findings are told; what is not an expected error continues. */
  endByError(thrown: unknown, midway: Midway = {}): ExitReport {
    const error = explainError(thrown, midway, this.deps.names);
    if (!(error instanceof EngineError)) throw error;
    if (error instanceof CancelledError) this.deps.cancelled?.();
    const {
      stands,
      next = "run the same command again",
      tell = this.addFindings.bind(this),
    } = midway;
    if (error instanceof BlockedError) tell(error.findings);
    const told = apiFinding(error);
    if (told !== undefined) tell([told]);
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

function backupKey({ object, file }: BackupReport): string {
  return `${object} ${file}`;
}
