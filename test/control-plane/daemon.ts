import { type ChildProcess, spawn } from "node:child_process";
import { closeSync, openSync, readFileSync } from "node:fs";
import { once } from "node:events";
import type { Guardian } from "./guardian";
import { GivenUp } from "./until";

export interface DaemonSpec {
  readonly name: string;
  readonly file: string;
  readonly args: readonly string[];
  /** The whole environment: proxies and kubeconfigs of the caller must not leak in. */
  readonly env: NodeJS.ProcessEnv;
  readonly logFile: string;
  readonly guardian: Guardian;
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
  signal(name: NodeJS.Signals): void;
  /** Ends the process; with patience it is asked first (SIGTERM) and killed only after that time. */
  stop(options?: { readonly patienceMs?: number }): Promise<void>;
}

export function startDaemon(spec: DaemonSpec): Daemon {
  const log = openSync(spec.logFile, "a");
  // Its own session: a Ctrl-C in the terminal reaches only this process, which ends them in order.
  const child = spawn(spec.file, spec.args, {
    stdio: ["ignore", log, log],
    detached: true,
    env: spec.env,
  });
  closeSync(log);
  child.unref();
  const { pid } = child;
  let end: string | undefined;
  child.on("error", (error) => (end ??= `could not be started: ${error.message}`));
  child.on("exit", (code, signal) => {
    end ??= signal === null ? `exited with code ${String(code)}` : `was ended by ${signal}`;
    if (pid !== undefined) {
      spec.guardian.forget(pid);
    }
  });
  if (pid !== undefined) {
    spec.guardian.watch(pid);
  }
  return {
    name: spec.name,
    pid,
    logFile: spec.logFile,
    ended: () => end,
    assertRunning: () => {
      if (end !== undefined) {
        throw new GivenUp(`${spec.name} ${end}; the end of its log:\n${logTail(spec.logFile)}`);
      }
    },
    signal: (name) => {
      child.kill(name);
    },
    stop: ({ patienceMs = 0 } = {}) => stop(child, () => end !== undefined, patienceMs),
  };
}

async function stop(child: ChildProcess, gone: () => boolean, patienceMs: number): Promise<void> {
  if (gone()) {
    return;
  }
  // Waiting for a process that was let go would not keep this one alive.
  child.ref();
  const exit = once(child, "exit");
  const timer = setTimeout(() => child.kill("SIGKILL"), patienceMs);
  if (patienceMs > 0) {
    child.kill("SIGTERM");
  }
  await exit;
  clearTimeout(timer);
}

/** The last lines of a log, for the message of a failure. */
export function logTail(file: string, lines = 15): string {
  try {
    return readFileSync(file, "utf8").trimEnd().split("\n").slice(-lines).join("\n");
  } catch {
    return "(no log)";
  }
}
