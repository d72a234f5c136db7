import { spawn } from "node:child_process";
import { constants } from "node:os";

export interface RunOptions {
  /** Written to standard input, which is otherwise empty. */
  readonly input?: string;
  /** The whole environment of the process; nothing else is inherited. */
  readonly env?: NodeJS.ProcessEnv;
  readonly cwd?: string;
  /** After this time the process is killed and the call rejects. */
  readonly timeoutMs?: number;
  /** Sees standard error line by line while the process runs. */
  readonly onErrorLine?: (line: string) => void;
}

export interface RunResult {
  /** Exit code; 128 + n after signal n, as a shell would report it. */
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a program to its end, from an argument list: no shell ever sees the arguments. */
export function run(
  file: string,
  args: readonly string[],
  { input, env, cwd, timeoutMs = 120_000, onErrorLine }: RunOptions = {},
): Promise<RunResult> {
  return new Promise((resolve, reject) => {
    const child = spawn(file, args, {
      stdio: "pipe",
      ...(env === undefined ? {} : { env }),
      ...(cwd === undefined ? {} : { cwd }),
    });
    let stdout = "";
    let stderr = "";
    let openLine = "";
    let late = false;
    const timer = setTimeout(() => {
      late = true;
      child.kill("SIGKILL");
    }, timeoutMs);
    child.stdout.setEncoding("utf8").on("data", (text: string) => (stdout += text));
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      stderr += text;
      const lines = (openLine + text).split("\n");
      openLine = lines.pop() ?? "";
      lines.forEach((line) => onErrorLine?.(line));
    });
    // A program may end without reading its input; that is its own business, not a failure here.
    child.stdin.on("error", () => undefined);
    child.stdin.end(input ?? "");
    child.on("error", (error) => {
      clearTimeout(timer);
      reject(error);
    });
    child.on("close", (code, signal) => {
      clearTimeout(timer);
      if (late) {
        reject(new Error(`${file} did not end within ${String(timeoutMs)} ms:\n${stderr}`));
        return;
      }
      resolve({ code: code ?? 128 + (signal ? constants.signals[signal] : 0), stdout, stderr });
    });
  });
}
