/** The world as a command sees it, made from the process's and the judged flags. */
import { nameAwaited } from "../domain/base/awaited";
import type { OnSlow } from "../adapters/http/slow";
import type {
  CommandContext,
  GlobalOptions,
  Place,
  RunIdentity,
  Streams,
} from "../cmdutil/context";
import { UsageError } from "../domain/base/errors";
import { distinct, type Finding } from "../domain/base/findings";
import { defaultNames } from "../domain/names/names";
import { escape, isTerminal, quoteCommand } from "../output/escape";
import type { RawFlags } from "../cmdutil/flags";
import type { Placed } from "./operator-namespace";
import type { TalkingReporter } from "../output/reporter";
import type { Permission } from "../domain/kube/permissions";
import { DeclaredNeeds } from "../kernel/needs";
import type { Clock, KubeClient } from "../ports/kubernetes";
import type { Remembered } from "../readers/reviews";
import type { Event } from "../kernel/report";

/** What the process hands to the program. */
export interface HostProcess {
  /** As typed; once they are read, with each value bound to its flag. */
  readonly argv: readonly string[];
  /** The file that is running. */
  readonly executable: string;
  readonly env: NodeJS.ProcessEnv;
  readonly streams: Streams;
  readonly clock: Clock;
  /** Aborted with an InterruptedError on a signal, and with an OutputClosedError as `watches` says. */
  readonly signal: AbortSignal;
  /** Called for a watch, which ends when nobody reads its output. */
  readonly watches?: () => void;
  /** Rejects when something failed that nobody waits for; never resolves. */
  readonly crashed: Promise<never>;
  /** How a cluster is reached; tests hand in a fake. */
  readonly connect: (options: GlobalOptions, how?: ConnectManner) => Promise<KubeClient>;
}

/** How a connection is made. */
export interface ConnectManner {
  readonly onRequest?: (line: string) => void;
  readonly onSlow?: OnSlow;
  /** Told of what a person should know although the run goes on. */
  readonly warn?: (text: string) => void;
  /** Refuses to send a write. */
  readonly readOnly?: boolean;
  /** Nobody is asked to log in, and nothing is shown of a login. */
  readonly silent?: boolean;
}

/** A context, and what the program keeps of the run for its end. */
export interface OpenRun {
  /** As the command gets it. */
  readonly context: CommandContext;
  /** The same, in the namespace that was found since. */
  readonly resolved: () => CommandContext;
  readonly events: readonly Event[];
  /** Whether a no has ended the run. */
  readonly isCancelled: () => boolean;
  /** Writes whose outcome was not observed yet: `patch Role/a/edb-role`. */
  readonly open: () => readonly string[];
  /** The cluster, when the command has connected. */
  readonly cluster: () => KubeClient | undefined;
  /** Closes it, and the other clusters that were connected to. */
  readonly close: () => void;
  /** The user's name as the API server knows it: asked for at once where a page is to tell it. */
  readonly user: () => Promise<string | undefined>;
  /** What its commands have declared. */
  readonly needs: DeclaredNeeds;
  /** Permissions that requests were refused for want of. */
  readonly missing: () => Promise<readonly Permission[]>;
}

interface SessionParts {
  readonly reporter: TalkingReporter;
  /** For a command that works in the operator's namespace. */
  readonly placed?: Omit<Placed, "words"> | undefined;
  /** The flags of the command as typed, for the lines that fix its findings. */
  readonly raw?: RawFlags | undefined;
}

/** Makes the context of one run. */
export function openRun(
  world: HostProcess,
  options: GlobalOptions,
  { reporter, placed, raw = {} }: SessionParts,
): OpenRun {
  const events: Event[] = [];
  const { streams, signal } = world;
  const event = (one: Event): void => {
    events.push(one);
    reporter.event(one);
  };
  const canAsk = (): boolean =>
    !options.noInput && isTerminal(streams.in) && isTerminal(streams.err);
  const open = new Set<string>();
  const needs = new DeclaredNeeds();
  let place: Place | undefined;
  let remembered: Remembered | undefined;
  const elsewhere: KubeClient[] = [];
  let user: Promise<string | undefined> = Promise.resolve(undefined);
  const reach = once(() => world.connect(options, traced));
  const remember = async (cluster: KubeClient): Promise<KubeClient> => {
    const { rememberRefusals } = await import("../readers/reviews.ts");
    remembered = rememberRefusals(cluster);
    // a page says less without it, and nothing else depends on it
    if (options.report !== undefined) user = remembered.cluster.whoAmI().catch(() => undefined);
    return remembered.cluster;
  };
  const find = async (on: Omit<Placed, "words">): Promise<Place | undefined> => {
    const { optionsAt } = await import("./operator-namespace.ts");
    const there = await optionsAt({ ...on, words: world.argv }, await reach(), context);
    if (there === undefined) return undefined;
    const connect = once(async () => remember(await world.connect(there, traced)));
    place = { options: there, connect };
    return place;
  };
  const onRequest = tracer(world, options, reporter);
  const onSlow: OnSlow = (on, seconds) => {
    if (seconds === undefined) reporter.rest();
    else if (options.output !== "jsonl") {
      reporter.event({ type: "waiting", on: nameAwaited(on, "its answer"), seconds });
    }
  };
  const warn = (text: string): void => {
    event({ type: "warning", text });
  };
  const traced = { onRequest, onSlow, warn };
  let isCancelled = false;
  let known: readonly Finding[] = [];
  const show = async (): Promise<void> => {
    const recorded = events.flatMap((one) => (one.type === "finding" ? one.finding : []));
    const found = distinct([...recorded, ...known]);
    if (found.length === 0) return;
    const { completeFinding } = await import("../cmdutil/kubectl-command.ts");
    reporter.present(found.map(completeFinding({ ...context, ...place }, raw)));
  };
  const present = async (findings: readonly Finding[]): Promise<void> => {
    known = findings;
    if (!options.quiet) await show();
  };
  const ask = async (question: string): Promise<boolean> => {
    if (options.yes) return true;
    await show();
    const placed = withPlace(question, remembered?.cluster);
    if (!canAsk()) throw needsYes(placed, world, options);
    reporter.rest();
    const { askOnTerminal } = await import("./input.ts");
    return askOnTerminal(escape(placed), { in: streams.in, err: streams.err, signal });
  };
  const readTyped = async (question: string): Promise<string | undefined> => {
    if (!canAsk()) return undefined;
    await show();
    reporter.rest();
    const { readTerminal } = await import("./input.ts");
    return readTerminal(escape(withPlace(question, remembered?.cluster)), {
      in: streams.in,
      err: streams.err,
      signal,
    });
  };
  const context: CommandContext = {
    connect: once(async () => remember(await reach())),
    ...(placed !== undefined && { findPlace: once(() => find(placed)) }),
    connectReadOnly: async (kubeContext) => {
      const connection = { ...options.connection, context: kubeContext };
      const found = await world.connect({ ...options, connection }, { ...traced, readOnly: true });
      elsewhere.push(found);
      return found;
    },
    clock: world.clock,
    onSlow,
    home: async () => {
      const { openHome } = await import("../adapters/home.ts");
      const { watchHome } = await import("../kernel/journal.ts");
      return watchHome(openHome(world.env, { clock: world.clock, warn }), open);
    },
    executable: world.executable,
    names: options.names ?? defaultNames,
    env: world.env,
    streams,
    event,
    signal,
    options,
    run: identity(world.clock, options),
    needs,
    ask,
    present,
    cancelled: () => {
      isCancelled = true;
    },
    typed: readTyped,
    readInput: onceFor(async (path) => {
      const { readInput } = await import("./input.ts");
      return readInput(path, streams.in, signal);
    }),
    readDump: async () => (await import("./input.ts")).readDump(streams.in, signal),
  };
  return {
    context,
    resolved: () => ({ ...context, ...place }),
    events,
    isCancelled: () => isCancelled,
    needs,
    open: () => [...open],
    cluster: () => remembered?.cluster,
    close: () => {
      for (const one of [remembered?.cluster, ...elsewhere]) one?.close();
    },
    // a server that does not answer is not waited for at the end of a run that it has ended
    user: () => (signal.aborted ? Promise.race([user, Promise.resolve(undefined)]) : user),
    missing: async () => (await remembered?.missing()) ?? [],
  };
}

/** Does it when first called; later calls give the same. */
function once<T>(act: () => Promise<T>): () => Promise<T> {
  let done: Promise<T> | undefined;
  return () => (done ??= act());
}

/** The same for each key: a pipe gives its content once, and a file may change during a run. */
function onceFor<T>(act: (key: string) => Promise<T>): (key: string) => Promise<T> {
  const done = new Map<string, Promise<T>>();
  return (key) => {
    const known = done.get(key) ?? act(key);
    done.set(key, known);
    return known;
  };
}

/** The run's name: sortable by time, and different for two runs of one second. */
function identity(clock: Clock, { dryRun }: GlobalOptions): RunIdentity {
  const startedAt = new Date(clock.now()).toISOString();
  const time = startedAt.replaceAll(/[-:]|\..*$/g, "").replace("T", "-");
  const different = Math.random().toString(16).slice(2, 8).padEnd(6, "0");
  return { id: `${time}-${different}`, startedAt, dryRun };
}

/** A question begins with where it would be carried out. */
function withPlace(question: string, cluster: KubeClient | undefined): string {
  if (cluster === undefined) return question;
  const { login, server, namespace } = cluster;
  const where = login?.context === undefined ? `Server ${server}` : `Context ${login.context}`;
  return `${where}, namespace ${namespace}: ${question}`;
}

function needsYes(
  question: string,
  { argv }: HostProcess,
  { prefix, noInput }: GlobalOptions,
): UsageError {
  const why = noInput ? "--no-input was given" : "there is no terminal to ask on";
  const again = quoteCommand([...prefix.split(" "), ...argv, "--yes"]);
  return new UsageError(`needs --yes, since ${why}: ${question}`, {
    hint: `if that is intended, run: ${again}`,
  });
}

/** From -v 6 on, requests are shown: method, path and nothing else. */
function tracer(
  { streams }: HostProcess,
  { verbosity }: GlobalOptions,
  reporter: TalkingReporter,
): ((line: string) => void) | undefined {
  if (verbosity < 6) return undefined;
  return (line) => {
    reporter.rest();
    streams.err.write(`${escape(line)}\n`);
  };
}
