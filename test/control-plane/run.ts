import { type ChildProcess, spawn } from "node:child_process";
import { constants } from "node:os";

export interface StartOptions {
  /** Written to standard input, which is otherwise empty. */
  readonly input?: string;
  /** The whole environment of the process; nothing else is inherited. */
  readonly env?: NodeJS.ProcessEnv;
  readonly cwd?: string;
  /** Sees standard error line by line while the process runs. */
  readonly onErrorLine?: (line: string) => void;
}

export interface RunOptions extends StartOptions {
  /** After this time the process is killed and the call rejects. */
  readonly timeoutMs?: number;
}

export interface RunResult {
  /** Exit code; 128 + n after signal n, as a shell would report it. */
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Running {
  readonly process: ChildProcess;
  readonly ended: Promise<RunResult>;
  /** What it has written so far. */
  readonly stdout: () => string;
  readonly stderr: () => string;
}

/** Starts a program from an argument list: no shell ever sees the arguments. */
export function start(
  file: string,
  args: readonly string[],
  { input = "", env, cwd, onErrorLine }: StartOptions = {},
): Running {
  const child = spawn(file, args, { stdio: "pipe", env, cwd });
  let stdout = "";
  let stderr = "";
  let openLine = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => (stdout += text));
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    stderr += text;
    const lines = (openLine + text).split("\n");
    openLine = lines.pop() ?? "";
    lines.forEach((line) => onErrorLine?.(line));
  });
  // A program may end without reading its input; that is its own business, not a failure here.
  child.stdin.on("error", () => undefined);
  child.stdin.end(input);
  const ended = new Promise<RunResult>((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (code, signal) => {
      resolve({ code: code ?? 128 + (signal ? constants.signals[signal] : 0), stdout, stderr });
    });
  });
  return { process: child, ended, stdout: () => stdout, stderr: () => stderr };
}

/** Runs a program to its end. */
export async function run(
  file: string,
  args: readonly string[],
  { timeoutMs = 120_000, ...options }: RunOptions = {},
): Promise<RunResult> {
  const running = start(file, args, options);
  const late = AbortSignal.timeout(timeoutMs);
  late.addEventListener("abort", () => {
    running.process.kill("SIGKILL");
    // What it started may outlive it and hold its output open.
    running.process.stdout?.destroy();
    running.process.stderr?.destroy();
  });
  const result = await running.ended;
  if (!late.aborted) return result;
  throw new Error(`${file} did not end within ${String(timeoutMs)} ms:\n${result.stderr}`);
}
