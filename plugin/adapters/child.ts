/** Programs that are started: how one is run to its end, and what it says of a failure, fit for an error. */
import { type ChildProcess, spawn } from "node:child_process";
import { stripVTControlCharacters } from "node:util";
import { conceal, publicText } from "../domain/base/redact";
import { type Clock, deadline } from "../ports/kubernetes";
import { oneLine } from "./http/answer";
import { countRunning } from "./running";

const mostLines = 10;
const longest = 1000;
/** Of its output only the end is kept. */
const keptBytes = 64 * 1024;

const credentials = [
  /\beyJ[\w-]+\.[\w-]+(?:\.[\w-]*)*/g,
  /(?<=\b(?:bearer|basic)\s+)[^\s"']{8,}/gi,
  /(?<=(?:token|password|passwd|secret|credential|api[-_]?key)["']?\s*[:=]\s*["']?)[^\s"',;]+/gi,
];

/** Collects the end of a program's standard error. */
export class LastWords {
  private bytes = Buffer.alloc(0);

  readonly add = (chunk: Buffer): void => {
    this.bytes = Buffer.concat([this.bytes, chunk]).subarray(-keptBytes);
  };

  get isEmpty(): boolean {
    return this.bytes.length === 0;
  }

  /** The last lines on one line, without control characters and credentials; "" where it said nothing. */
  describe(known: readonly string[] = []): string {
    const lines = stripVTControlCharacters(this.bytes.toString("utf8"))
      .split(/[\r\n]+/)
      .map((line) => line.trim())
      .filter((line) => line !== "");
    const said = conceal(lines.slice(-mostLines).join("\n"), known);
    const without = credentials.reduce((left, pattern) => left.replaceAll(pattern, "…"), said);
    return oneLine(publicText(without).slice(-longest), longest);
  }
}

/** How a program is run that is never left in the middle of its work. */
interface ChildRun {
  readonly env: NodeJS.ProcessEnv;
  readonly clock: Pick<Clock, "alarm">;
  /** Its abort asks the program to end. */
  readonly signal: AbortSignal;
  /** Longest time; then the program is asked to end. */
  readonly limitMs: number;
  /** What a run that is given up says of it. */
  readonly name: string;
  readonly look?: string | undefined;
}

/** How a program has ended, and what it printed. */
export interface ChildEnd {
  /** Its exit code; the signal that ended it; or why it could not be started, as `ENOENT`. */
  readonly code: number | string;
  readonly stdout: string;
  readonly stderr: string;
  /** It took longer than its limit. */
  readonly isLate: boolean;
  /** It did not end when it was asked to, and was killed. */
  readonly isKilled: boolean;
}

/** What a program gets to end in order once it was asked to. */
export const endingMs = 10_000;
const mostBytes = 64 * 1024 * 1024;

/**
 * Runs it and waits for its end, whatever happens: an abort and the limit ask it to end (SIGINT), and one
 * that does not is killed. It has a process group of its own: what a terminal sends when it is closed, or
 * for Ctrl-C, would end it at once, and goes to this program alone.
 */
export function runToEnd(
  file: string,
  words: readonly string[],
  { env, clock, signal, limitMs, name, look }: ChildRun,
): Promise<ChildEnd> {
  signal.throwIfAborted();
  const child = spawn(file, words, {
    env,
    stdio: ["ignore", "pipe", "pipe"],
    detached: process.platform !== "win32",
    windowsHide: true,
  });
  const [stdout, stderr] = [child.stdout, child.stderr].map((stream) => collect(stream, child));
  closeAtExit(child);
  const { pid } = child;
  const hasEnded = pid === undefined ? undefined : countRunning({ name, pid, look });
  const state = { isLate: false, isKilled: false };
  let cannotRun: string | undefined;
  let enough: (() => void) | undefined;
  const ask = (): void => {
    child.kill("SIGINT");
    enough ??= deadline(clock, endingMs, () => {
      state.isKilled = true;
      kill(child);
    });
  };
  const inTime = deadline(clock, limitMs, () => {
    state.isLate = true;
    ask();
  });
  signal.addEventListener("abort", ask);
  return new Promise((resolve) => {
    child.once("error", ({ code = "UNKNOWN" }: NodeJS.ErrnoException) => {
      cannotRun = code;
    });
    child.once("close", (code, by) => {
      signal.removeEventListener("abort", ask);
      hasEnded?.();
      inTime();
      enough?.();
      const [out = "", err = ""] = [stdout?.(), stderr?.()];
      resolve({ ...state, code: cannotRun ?? code ?? by ?? "UNKNOWN", stdout: out, stderr: err });
    });
  });
}

/** What it has started itself may hold its output open: it has ended when it exits and what it printed is read. */
export function closeAtExit(child: ChildProcess): void {
  const streams = [child.stdout, child.stderr].filter((stream) => stream !== null);
  let [chunks, isSilent] = [0, true];
  for (const stream of streams) stream.on("data", () => (chunks += 1));
  child.stdout?.on("data", () => (isSilent = false));
  // all that it printed is in its pipes: they are read when a whole turn of the event loop brings nothing more
  const drain = (): void => {
    const before = chunks;
    setImmediate(() =>
      setImmediate(() => {
        if (chunks > before) drain();
        else for (const stream of streams) stream.destroy();
      }),
    );
  };
  child.once("exit", (code) => {
    // a shell may leave it to a program that it has started to print the answer
    if (code === 0 && isSilent) child.stdout?.once("data", drain).once("end", drain);
    else drain();
  });
}

/** How long a program has to end when it was asked to, before it is killed. */
const askedMs = 1_000;

/** Ends it and, where it has a process group of its own, what it has started; nobody waits for their output. */
export function endGroup(child: ChildProcess, clock: Pick<Clock, "alarm">): void {
  for (const stream of [child.stdout, child.stderr]) stream?.destroy();
  child.unref();
  if (child.exitCode !== null || child.signalCode !== null) return;
  if (!signalGroup(child, "SIGTERM")) return;
  const inTime = deadline(clock, askedMs, () => signalGroup(child, "SIGKILL"));
  child.once("exit", () => {
    if (!signalGroup(child, 0)) inTime();
  });
}

/** False where nothing of it is left. */
function signalGroup(child: ChildProcess, signal: NodeJS.Signals | 0): boolean {
  try {
    return child.pid !== undefined && process.kill(-child.pid, signal);
  } catch {
    return child.kill(signal);
  }
}

/** Ends it at once; what it has started itself may hold its output open, which nobody waits for. */
function kill(child: ChildProcess): void {
  child.kill("SIGKILL");
  child.stdout?.destroy();
  child.stderr?.destroy();
}

/** All that comes, as text; a program that never stops talking is ended. */
function collect(stream: NodeJS.ReadableStream | null, child: ChildProcess): () => string {
  const chunks: Buffer[] = [];
  let size = 0;
  stream?.on("data", (chunk: Buffer) => {
    size += chunk.length;
    if (size > mostBytes) kill(child);
    else chunks.push(chunk);
  });
  return () => Buffer.concat(chunks).toString("utf8");
}
