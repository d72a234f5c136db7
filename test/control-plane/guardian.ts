import { spawn } from "node:child_process";
import { join } from "node:path";
import type { GuardianMessage } from "./guardian-process";

/**
 * Makes sure that no server outlives the process that started it, even when that process is killed
 * with SIGKILL and can do nothing itself: a small process holds the other end of a pipe, and when
 * the pipe closes it ends the processes that it was told of and removes the data folder.
 */
export interface Guardian {
  watch(pid: number): void;
  forget(pid: number): void;
  close(): void;
}

export function startGuardian(dataDir: string, logsDir: string): Guardian {
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
  child.stdin.on("error", () => undefined);
  const send = (message: GuardianMessage): void => {
    child.stdin.write(`${JSON.stringify(message)}\n`);
  };
  return {
    watch: (pid) => {
      send({ watch: pid });
    },
    forget: (pid) => {
      send({ forget: pid });
    },
    close: () => {
      child.stdin.end();
    },
  };
}
