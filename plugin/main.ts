/** The process: arguments, streams, signals and the exit code. Nothing else ends it. */
import {
  type GlobalOptions,
  type Streams,
  AbandonedError,
  InterruptedError,
} from "./cmdutil/context";
import { exitCodes } from "./domain/base/errors";
import { runProgram } from "./cli/program";
import { systemClock } from "./adapters/clock";
import type { ConnectManner } from "./cli/context";
import type { KubeClient } from "./ports/kubernetes";

const interruption = new AbortController();
let crash: (reason: unknown) => void = () => undefined;
const crashed = new Promise<never>((_, reject) => {
  crash = reject;
});
crashed.catch(() => undefined); // heard by the run, once there is one
let ended = false;
/** The run was given up: what it still waits for is not waited for. */
let abandoned = false;

/** For what cannot be given up from here: something that is read before the run begins. */
const patienceMs = 1_000;

/** The first signal asks the command to stop; the next one ends it, whatever is in flight. */
function onSignal(signal: "SIGINT" | "SIGTERM"): void {
  if (ended) {
    leave();
  } else if (interruption.signal.aborted) {
    const end = new AbandonedError(signal, interruption.signal.reason);
    giveUp(end);
    setTimeout(() => {
      process.exitCode = end.exitCode;
      leave();
    }, patienceMs).unref();
  } else {
    interruption.abort(new InterruptedError(signal));
  }
}

/** A failure that nobody waits for: the run ends with it, and stops at its next step. */
function onCrash(error: unknown): void {
  if (ended) fail(error);
  giveUp(error);
  interruption.abort(error);
}

function giveUp(reason: unknown): void {
  abandoned = true;
  crash(reason);
}

/** Ends the process with what was written before; connections and timers may still be open. */
function leave(): void {
  process.stdout.write("", () => {
    // eslint-disable-next-line no-restricted-properties -- exitCode alone waits for what is in flight
    process.stderr.write("", () => process.exit());
  });
}

function fail(error: unknown): void {
  process.exitCode = exitCodes.crashed;
  const message = error instanceof Error ? error.message : String(error);
  process.stderr.write(`error: unexpected failure: ${JSON.stringify(message).slice(1, -1)}\n`);
}

/** A reader that went away (`| head`) is no failure, and must not stop a swap half way. */
function onStreamError(error: NodeJS.ErrnoException): void {
  if (error.code !== "EPIPE" && error.code !== "EIO") process.exitCode = exitCodes.failed;
}

/** Opened only when used: a command that prints its result alone has no use for the others. */
const streams: Streams = {
  get in() {
    return process.stdin;
  },
  get out() {
    return watchStream(process.stdout);
  },
  get err() {
    return watchStream(process.stderr);
  },
};

function watchStream(stream: NodeJS.WriteStream): NodeJS.WriteStream {
  const known = stream.listeners("error").includes(onStreamError);
  return known ? stream : stream.on("error", onStreamError);
}

/** Connects to the cluster that the options name. */
async function connect(
  { connection, output }: GlobalOptions,
  { onRequest, onSlow, warn, readOnly = false, silent = false }: ConnectManner = {},
): Promise<KubeClient> {
  const { sweepLeftovers } = await import("./adapters/files.ts");
  sweepLeftovers(systemClock.now());
  const kubernetes = await import("./adapters/kubernetes/connect.ts");
  return kubernetes.connect(connection, process.env, {
    signal: interruption.signal,
    readOnly,
    silent,
    isDocument: output !== "text",
    onSlow,
    ...(warn && { warn }),
    ...(onRequest && {
      onRequest: ({ method, path, dryRun }) => {
        onRequest(`${method} ${path}${dryRun ? " (dry run)" : ""}`);
      },
    }),
  });
}

async function main(): Promise<void> {
  process.on("SIGINT", onSignal).on("SIGTERM", onSignal);
  process.on("unhandledRejection", onCrash).on("uncaughtException", onCrash);
  try {
    const code = await runProgram({
      argv: process.argv.slice(2),
      executable: process.argv[1] ?? __filename,
      env: process.env,
      streams,
      clock: systemClock,
      signal: interruption.signal,
      crashed,
      connect,
    });
    process.exitCode ??= code; // a stream that could not be written to has set it already
  } catch (error) {
    fail(error);
  } finally {
    ended = true;
    // a shell waits for the end of the process, which a name that is looked up would hold up
    if (abandoned || process.argv[2] === "__complete") leave();
  }
}

void main();
