/**
 * What every command gets from the program, and what it gives back: the seam between the command
 * line (program.ts) and the commands.
 */
import type { UpTo } from "../domain/advisories/age";
import type { Sourced } from "../domain/advisories/row";
import type { StillRunning } from "../adapters/running";
import type { PlayedService } from "../adapters/rest-api/connect";
import type { OnSlow } from "../adapters/http/slow";
import type { ConnectionFlags } from "../adapters/kubernetes/target";
import { type ExitCode, EngineError, exitCodes } from "../domain/base/errors";
import type { Names } from "../domain/names/names";
import type { KubeObject } from "../domain/kube/objects";
import type { Release } from "../domain/release/contents";
import { boundList } from "../domain/base/values";
import type { Clock, KubeClient } from "../ports/kubernetes";
import type { Home } from "../ports/home";
import type { DeclaredNeeds } from "../kernel/needs";
import type { Recorder } from "../kernel/recorder";
import type { Event, Report } from "../kernel/report";
import type { Present } from "../kernel/world";
import type { OptionsOf } from "./flags";
import type { runTable } from "./standard-flags";

/** Name of this run in the document and in its records, sortable by time. */
export type RunIdentity = NonNullable<Report["run"]>;

/** Whether writes are sent, planned, or sent with dryRun=All. */
export type DryRun = GlobalOptions["dryRun"];

/** Who runs us: what printed commands and help begin with. */
export type Prefix = "kubectl engine" | "oc engine";

/** The global flags, judged: every value is usable as it is. */
export interface GlobalOptions extends OptionsOf<typeof runTable> {
  /** What the file of --names holds, laid over the specification's names; absent without a file. */
  readonly names?: Names;
  readonly namespace?: string;
  readonly prefix: Prefix;
  /** Tables have every column. */
  readonly wide?: boolean;
  readonly connection: ConnectionFlags;
  /** The context and namespace flags that were given, unquoted, for printed commands. */
  readonly contextArgs: readonly string[];
}

/** The three streams of the process, as one value. */
export interface Streams {
  readonly in: NodeJS.ReadableStream;
  readonly out: NodeJS.WritableStream;
  readonly err: NodeJS.WritableStream;
}

/** Everything that a command may use of the world around it. */
export interface CommandContext {
  /** Loads the adapter and connects when first called; later calls give the same cluster. */
  readonly connect: () => Promise<KubeClient>;
  /**
   * Where a command that only reads is led, undefined where it stays in the namespace that was asked for. Ends
   * with 3 where that namespace does not exist, and before a write where the operator is in another one. Absent of
   * a command that works anywhere.
   */
  readonly findPlace?: () => Promise<Place | undefined>;
  /** A connection of its own, by a context of the kubeconfig, over which nothing can be written. */
  readonly connectReadOnly: (kubeContext: string) => Promise<KubeClient>;
  readonly clock: Clock;
  /** Hears of a server or a program that does not answer, and without seconds that it does again. */
  readonly onSlow?: OnSlow;
  /** What is known of releases; absent: what ships with the tool. */
  readonly advised?: readonly Sourced[] | undefined;
  /** The newest releases whose notes were read for these; absent: those of what ships with the tool. */
  readonly upTo?: UpTo | undefined;
  /** Where records of runs are kept; touches no disk yet. */
  readonly home: () => Promise<Home>;
  /** The file that is running, for what lies beside it. */
  readonly executable: string;
  readonly names: Names;
  readonly env: NodeJS.ProcessEnv;
  readonly streams: Streams;
  /** Hands an event to the chosen reporter; steps, probes and findings are kept for the document. */
  readonly event: (event: Event) => void;
  /** Aborted on a signal of `endingSignals`, with an InterruptedError as the reason. */
  readonly signal: AbortSignal;
  readonly options: GlobalOptions;
  /** What the run may need in all; absent: its recorder's own. */
  readonly needs?: DeclaredNeeds;
  /** Of the run that this one is a part of: it continues with that record. */
  readonly recorder?: Recorder;
  /** For `Report.run`; made once, so that a failed run's document names the same run. */
  readonly run: RunIdentity;
  /** Asks on a terminal; without one, or with --no-input, throws UsageError unless --yes was given. */
  readonly ask: (question: string) => Promise<boolean>;
  /** Shows findings before the first write; absent where nobody is asked. */
  readonly present?: Present | undefined;
  /** Called where a no ends the run: its text is one line then, if nothing was written before. */
  readonly cancelled?: () => void;
  /** A line that is typed on the terminal, which --yes does not stand for; undefined without one. */
  readonly typed?: (question: string) => Promise<string | undefined>;
  /** The text of a file, or of stdin for "-"; UsageError when it cannot be read. */
  readonly readInput: (path: string) => Promise<string>;
  /** All of stdin, which may be a whole cluster. */
  readonly readDump: () => Promise<string>;
  /** The cluster is a copy in memory: no other program may be sent to the real one. */
  readonly rehearsed?: true;
  /** In a rehearsal: the REST API of an EC, played; it is asked in the place of the real one. */
  readonly playedApi?: (ec: KubeObject) => Promise<PlayedService>;
  /** A release that comes with the tool; `--release` names it by its source. */
  readonly ownRelease?: Release;
}

/** What of a context depends on the namespace. */
export type Place = Pick<CommandContext, "connect" | "options">;

/** The context in the namespace that the command works in: the operator's, where it needs one. */
export async function resolveNamespace(context: CommandContext): Promise<CommandContext> {
  return { ...context, ...(await context.findPlace?.()) };
}

/** What a command module exports: context, arguments and its own flags in, the document out. */
export type CommandRun<F> = (
  context: CommandContext,
  args: readonly string[],
  flags: F,
) => Promise<Report>;

/** A command that is rehearsed: what the program made of its own words. */
export interface RehearsedCommand {
  /** The words after the program, as typed or as implied, for people. */
  readonly line: readonly string[];
  readonly path: string;
  /** Running it again changes nothing. */
  readonly settles: boolean;
  /** It writes nothing. */
  readonly reads?: boolean;
  readonly run: (context: CommandContext) => Promise<Report>;
}

/** The signals that end a run in order, with their exit codes. */
export const endingSignals = {
  SIGHUP: exitCodes.hungUp,
  SIGINT: exitCodes.interrupted,
  SIGTERM: exitCodes.terminated,
} as const;

export type EndingSignal = keyof typeof endingSignals;

/** A signal asked the run to end: the reason of the abort signal. */
export class InterruptedError extends EngineError {
  readonly code = "INTERRUPTED";
  readonly exitCode: ExitCode;

  constructor(signal: EndingSignal) {
    super(`interrupted by ${signal}`, {
      hint: "run the same command again: it resumes from the state of the cluster",
    });
    this.exitCode = endingSignals[signal];
  }
}

/** Nobody reads the output of a watch any more (`| head`): it is over, without a word. */
export class OutputClosedError extends EngineError {
  readonly code = "OUTPUT-CLOSED";
  readonly exitCode = exitCodes.ok;

  constructor() {
    super("the program that read the output has ended");
  }
}

/** A second signal: the run is given up where it stands. Its exit code is that of the first. */
export class AbandonedError extends EngineError {
  readonly code = "ABANDONED";
  readonly exitCode: ExitCode;

  /** `open` are the writes without an observed outcome: `patch Role/a/edb-role`. */
  constructor(
    private readonly signal: EndingSignal,
    private readonly first: unknown,
    private readonly running: readonly StillRunning[] = [],
    open: readonly string[] = [],
  ) {
    const told =
      open.length === 0
        ? "the outcome of a write in flight is unknown"
        : `outcome open: ${boundList(open)}`;
    const alive = running.map(({ name, pid }) => `; ${name} still runs as process ${pid}`);
    super(`ended at once by a second signal (${signal}): ${told}${alive.join("")}`, {
      hint: [
        ...running.map(({ pid, look }) => describeWait(pid, look)),
        "run the same command again: it reads what is there and continues from it",
      ].join("; then "),
    });
    this.exitCode = first instanceof InterruptedError ? first.exitCode : exitCodes.interrupted;
  }

  /** The same end, naming the writes that were under way. */
  abandon(open: readonly string[]): AbandonedError {
    return new AbandonedError(this.signal, this.first, this.running, open);
  }
}

function describeWait(pid: number, look: string | undefined): string {
  const wait = `wait until process ${pid} has ended (kill -KILL ${pid} ends it)`;
  return look === undefined ? wait : `${wait} and see what became of its work with ${look}`;
}
