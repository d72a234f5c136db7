/**
 * The program of the guardian (see guardian.ts): reads one JSON message a line from standard input
 * until its parent goes away, then ends what the parent left running.
 */
import { rmSync } from "node:fs";
import { createInterface } from "node:readline";

export type GuardianMessage = { readonly watch: number } | { readonly forget: number };

const [dataDir = "", logsDir = ""] = process.argv.slice(2);
const watched = new Set<number>();

// Whatever ends the parent must not end its guardian first.
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
  process.on(signal, () => undefined);
}

createInterface({ input: process.stdin })
  .on("line", (line) => {
    const message = JSON.parse(line) as GuardianMessage;
    if ("watch" in message) {
      watched.add(message.watch);
    } else {
      watched.delete(message.forget);
    }
  })
  .on("close", () => {
    const left = [...watched].filter((pid) => end(pid));
    rmSync(dataDir, { recursive: true, force: true, maxRetries: 5 });
    if (left.length > 0) {
      process.stderr.write(`the control plane was ended with its parent; logs are in ${logsDir}\n`);
    }
  });

function end(pid: number): boolean {
  try {
    process.kill(pid, "SIGKILL");
    return true;
  } catch {
    return false;
  }
}
