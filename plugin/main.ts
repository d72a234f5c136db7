/** The process: arguments, streams, signals and the exit code. Nothing else ends it. */
import {
  type EndingSignal,
  endingSignals,
  type GlobalOptions,
  type Streams,
  AbandonedError,
  InterruptedError,
  OutputClosedError,
} from "./cmdutil/context";
import { closeSync } from "node:fs";
import { exitCodes } from "./domain/base/errors";
import { runProgram } from "./cli/program";
import { systemClock } from "./adapters/clock";
import { listRunning } from "./adapters/running";
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
function onSignal(signal: EndingSignal): void {
  if (ended) {
    leave();
  } else if (interruption.signal.aborted) {
    const end = new AbandonedError(signal, interruption.signal.reason, listRunning());
    giveUp(end);
    setTimeout(() => {
      process.exitCode = end.exitCode;
      leave();
    }, patienceMs).unref();
  } else {
    interruption.abort(new InterruptedError(signal));
  }
}

/** Node aborts at its end where a terminal that it knew is gone; it leaves out what is closed. */
function closeTerminal(): void {
  for (const descriptor of [0, 1, 2]) {
    try {
      closeSync(descriptor);
    } catch {
      // It was closed before.
    }
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

/** Nobody reads stdout any more. */
let outputIsClosed = false;
/** The command watches: without a reader it has nothing to do. */
let endsWithReader = false;

/** A reader that went away (`| head`) or a terminal that was closed is no failure, and must not stop a write half way. */
function onStreamError(this: NodeJS.WriteStream, error: NodeJS.ErrnoException): void {
  const isFailure = error.code !== "EPIPE" && error.code !== "EIO";
  if (isFailure) process.exitCode = exitCodes.failed;
  if (this === process.stdout) {
    if (isFailure && !outputIsClosed) sayUnwritten(error);
    outputIsClosed = true;
  }
  endWithReader();
}

function sayUnwritten({ message }: Error): void {
  streams.err.write(
    `error: cannot write the output: ${message}\n  next: free disk space for stdout, or redirect it elsewhere, then run the same command again\n`,
  );
}

function endWithReader(): void {
  if (outputIsClosed && endsWithReader && !ended) interruption.abort(new OutputClosedError());
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
  { connection, output, timeoutMs: loginTimeoutMs }: GlobalOptions,
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
    loginTimeoutMs,
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
  for (const signal of Object.keys(endingSignals)) process.on(signal, onSignal);
  process.once("SIGHUP", () => process.once("exit", closeTerminal));
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
      watches: () => {
        endsWithReader = true;
        endWithReader();
      },
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
