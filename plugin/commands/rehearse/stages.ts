/** Plays the stages of a rehearsal: the command itself, in a world where nothing is real. */
import { EngineError, UsageError } from "../../domain/base/errors";
import { quoteCommand } from "../../output/escape";
import type { Release } from "../../domain/release/contents";
import type { Embedded } from "../../simulator/simulate";
import { inTurn, MemoryHome } from "../../simulator/virtual-clock";
import { type Gate, observe } from "../../simulator/observed-cluster";
import type { PlayedApis } from "../../simulator/rest-apis";
import type { Clock, KubeClient } from "../../ports/kubernetes";
import type { Event, Report } from "../../kernel/report";
import type { RehearseFlags } from "./flags";
import { tellBriefly } from "../../cmdutil/brief";
import type { CommandContext, DryRun, RehearsedCommand } from "../../cmdutil/context";
import type { RehearsedStage } from "./text";
import type { Opened } from "./source";

/** What a rehearsal is made of, once everything stands. */
export interface Staged {
  readonly context: CommandContext;
  readonly flags: RehearseFlags;
  readonly opened: Opened;
  readonly embedded: Embedded;
}

/** What all stages have in common. */
export interface Stages {
  readonly context: CommandContext;
  readonly command: RehearsedCommand;
  /** Flags that a command for the real cluster needs. */
  readonly contextArgs: readonly string[];
  /** The same input for every stage: a pipe can be read only once. */
  readonly readInput: (path: string) => Promise<string>;
  /** The release of the built-in example, where that is what is rehearsed on. */
  readonly ownRelease?: Release;
}

/** One stage: on which cluster, at which time, and how. */
export interface StageWish {
  readonly title: string;
  readonly dryRun: DryRun;
  readonly cluster: KubeClient;
  readonly clock: Clock;
  readonly event: (event: Event) => void;
  readonly apis: PlayedApis;
}

/** Runs the command once, and keeps what it did beside its report. */
export async function playStage(stages: Stages, wish: StageWish): Promise<RehearsedStage> {
  const asked: string[] = [];
  const home = new MemoryHome();
  const turn = inTurn();
  const before = wish.apis.writes; // the played APIs count on from stage to stage
  let writes = 0;
  const count: Gate = (call, send) => {
    if (call.writes) writes += 1;
    return turn(send);
  };
  const inside: Inside = {
    ...wish,
    event: tellBriefly(stages.context, wish.event),
    cluster: observe(wish.cluster, count),
    home,
    ask: (question) => {
      const { options } = stages.context;
      if (options.yes) return Promise.resolve(true);
      asked.push(question);
      // the text of the stage says it below
      if (options.output !== "text") {
        wish.event({ type: "note", text: `would ask: ${question}` });
      }
      return Promise.resolve(true);
    },
  };
  wish.event({ type: "note", text: `rehearsal: ${wish.title}` });
  const { backups, ...report } = await stages.command
    .run(contextInside(stages, inside))
    .catch((error: unknown) => reportFailure(error, stages));
  return {
    title: wish.title,
    command: renderCommand(stages, wish.dryRun),
    report,
    writes: writes + wish.apis.writes - before,
    ...(asked.length > 0 && { asked }),
    // the files are those of a real run: here there are none, so none is named
    saved: backups?.map(({ object }) => object),
  };
}

interface Inside extends Omit<StageWish, "title"> {
  readonly home: MemoryHome;
  readonly ask: (question: string) => Promise<boolean>;
}

/** The world of the command: what reaches the outside of the person's is left out. */
function contextInside(
  { context, contextArgs, readInput, ownRelease }: Stages,
  inside: Inside,
): CommandContext {
  const { options, run, names, env, streams, signal, executable } = context;
  const { dryRun, home, cluster, clock, event, ask, apis } = inside;
  return {
    connect: () => Promise.resolve(cluster),
    connectReadOnly: () => Promise.reject(new Error("a rehearsed command reaches no cluster")),
    clock,
    home: () => Promise.resolve(home),
    executable,
    names,
    env,
    streams,
    event,
    signal,
    options: {
      ...options,
      dryRun,
      yes: true,
      contextArgs: [...contextArgs, ...options.contextArgs],
    },
    run: { ...run, dryRun },
    ask,
    readInput,
    readDump: () => readInput("-"),
    rehearsed: true,
    playedApi: (ec) => apis.of(ec),
    ownRelease,
  };
}

/** An end that the command throws is the end of its stage; wrong usage is that of the whole line. */
function reportFailure(error: unknown, { context }: Stages): Report {
  context.signal.throwIfAborted();
  if (!(error instanceof EngineError) || error instanceof UsageError) throw error;
  return {
    apiVersion: "cli.engine.com/v1",
    kind: "Rehearsal",
    exit: { code: error.exitCode, reason: error.message, next: error.hint },
  };
}

const aboutTheForm = /^--(output|report|dry-run|color|quiet|debug|v)(=|$)/;

/** The command as it would be typed, without the form of the output. */
function renderCommand({ context, command, contextArgs }: Stages, dryRun: DryRun): string {
  const given = command.line.filter((word) => !aboutTheForm.test(word));
  const mode = dryRun === "none" ? [] : [`--dry-run=${dryRun}`];
  return quoteCommand([...context.options.prefix.split(" "), ...given, ...contextArgs, ...mode]);
}

/** Reads each input once, however often it is asked for. */
export function readOnce(
  read: (path: string) => Promise<string>,
  taken: string | undefined,
): (path: string) => Promise<string> {
  const known = new Map<string, Promise<string>>();
  return (path) => {
    if (path === "-" && taken === "-") {
      return Promise.reject(
        new UsageError("standard input cannot be both --from and another input"),
      );
    }
    const text = known.get(path) ?? read(path);
    known.set(path, text);
    return text;
  };
}
