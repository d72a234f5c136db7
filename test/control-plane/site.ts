import { spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, mkdirSync, mkdtempSync, openSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Writable } from "node:stream";
import type { Binaries } from "./binaries";
import type { GuardianMessage } from "./guardian-process";
import { GivenUp } from "./until";

export interface ProcessSpec {
  readonly name: string;
  readonly file: string;
  readonly args: readonly string[];
  readonly env?: NodeJS.ProcessEnv;
}

/** The folders of one control plane and the processes that run in them. */
export interface Site {
  readonly binaries: Binaries;
  /** Removed at the end, whatever happens: store, keys, kubeconfigs, home folder. */
  readonly dataDir: string;
  /** Kept after a failure. */
  readonly logsDir: string;
  readonly homeDir: string;
  /** Runs a server that ends with this process at the latest. */
  start(spec: ProcessSpec): Daemon;
  /** All that were started, for what they cost. */
  readonly daemons: readonly Daemon[];
  /** Which server is not running any more, and how it ended; undefined while all run. */
  ended(): string | undefined;
  /** Ends all servers, newest first, and removes the folders. */
  close(options: { readonly keepLogs: boolean }): Promise<void>;
}

export function openSite(binaries: Binaries, parent: string = tmpdir()): Site {
  mkdirSync(parent, { recursive: true });
  const root = mkdtempSync(join(parent, "engine-control-plane-"));
  const dataDir = join(root, "data");
  const logsDir = join(root, "logs");
  const homeDir = join(dataDir, "home");
  mkdirSync(homeDir, { recursive: true, mode: 0o700 });
  mkdirSync(logsDir);
  const guardian = startGuardian(dataDir, logsDir);
  const daemons: Daemon[] = [];
  return {
    binaries,
    dataDir,
    logsDir,
    homeDir,
    start: (spec) => {
      // The whole environment: proxies and kubeconfigs of the caller must not leak in.
      const env = { PATH: process.env["PATH"] ?? "", HOME: homeDir, ...spec.env };
      const daemon = startDaemon({ ...spec, env }, join(logsDir, `${spec.name}.log`), guardian);
      daemons.push(daemon);
      return daemon;
    },
    daemons,
    ended: () => {
      const gone = daemons.find((daemon) => daemon.ended() !== undefined);
      return gone && `${gone.name} ${gone.ended() ?? ""}`;
    },
    close: async ({ keepLogs }) => {
      for (const daemon of [...daemons].reverse()) await daemon.stop();
      rmSync(keepLogs ? dataDir : root, { recursive: true, force: true, maxRetries: 5 });
      guardian.end();
    },
  };
}

/**
 * Makes sure that no server outlives the process that started it, even when that process is killed
 * with SIGKILL and can do nothing itself: a small process holds the other end of a pipe, and when
 * the pipe closes it ends the processes that it was told of and removes the data folder.
 */
function startGuardian(dataDir: string, logsDir: string): Writable {
  const program = join(__dirname, "guardian-process.ts");
  const args = ["--import", require.resolve("tsx"), program, dataDir, logsDir];
  // A session of its own keeps Ctrl-C in the terminal away from it; standard error stays connected
  // because the guardian is the one who tells where the logs are.
  const child = spawn(process.execPath, args, {
    stdio: ["pipe", "ignore", "inherit"],
    detached: true,
    cwd: __dirname,
    env: { PATH: process.env["PATH"] ?? "" },
  });
  child.unref();
  return child.stdin.on("error", () => undefined);
}

/** A server that runs beside this process until it is stopped. */
export interface Daemon {
  readonly name: string;
  readonly pid: number | undefined;
  readonly logFile: string;
  /** How the process ended, or undefined while it runs. */
  ended(): string | undefined;
  /** Throws when the process is gone: for probes that would otherwise wait in vain. */
  assertRunning(): void;
  /** Ends the process; with patience it is asked first (SIGTERM) and killed only after that time. */
  stop(options?: { readonly patienceMs?: number }): Promise<void>;
}

function startDaemon(
  { name, file, args, env }: ProcessSpec,
  logFile: string,
  guardian: Writable,
): Daemon {
  const log = openSync(logFile, "a");
  // Its own session: a Ctrl-C in the terminal reaches only this process, which ends them in order.
  const child = spawn(file, args, { stdio: ["ignore", log, log], detached: true, env });
  closeSync(log);
  child.unref();
  const { pid } = child;
  const tell = (message: GuardianMessage): void => {
    guardian.write(`${JSON.stringify(message)}\n`);
  };
  let end: string | undefined;
  child.on("error", (error) => (end ??= `could not be started: ${error.message}`));
  child.on("exit", (code, signal) => {
    end ??= signal === null ? `exited with code ${String(code)}` : `was ended by ${signal}`;
    if (pid !== undefined) tell({ forget: pid });
  });
  if (pid !== undefined) tell({ watch: pid });
  return {
    name,
    pid,
    logFile,
    ended: () => end,
    assertRunning: () => {
      if (end !== undefined) {
        throw new GivenUp(`${name} ${end}; the end of its log:\n${logTail(logFile)}`);
      }
    },
    stop: async ({ patienceMs = 0 } = {}) => {
      if (end !== undefined) return;
      // Waiting for a process that was let go would not keep this one alive.
      child.ref();
      const exit = once(child, "exit");
      const timer = setTimeout(() => child.kill("SIGKILL"), patienceMs);
      if (patienceMs > 0) child.kill("SIGTERM");
      await exit;
      clearTimeout(timer);
    },
  };
}

/** The last lines of a log, for the message of a failure. */
export function logTail(file: string, lines = 15): string {
  try {
    return readFileSync(file, "utf8").trimEnd().split("\n").slice(-lines).join("\n");
  } catch {
    return "(no log)";
  }
}
