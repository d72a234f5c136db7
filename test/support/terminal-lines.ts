/** Command lines of stdin, one after the other in this process, which stands on a terminal. */
import { join } from "node:path";
import { systemClock } from "../../plugin/adapters/clock";
import { runProgram } from "../../plugin/program";
import type { Cluster } from "../../plugin/run/ports";

async function main(lines: readonly (readonly string[])[]): Promise<void> {
  for (const argv of lines) {
    const code = await runProgram({
      argv,
      executable: join(__dirname, "../../dist/kubectl-engine"),
      env: { ...process.env, TERM: "xterm" },
      streams: { in: process.stdin, out: process.stdout, err: process.stderr },
      clock: systemClock,
      signal: new AbortController().signal,
      crashed: new Promise<never>(() => undefined),
      connect: () => Promise.reject<Cluster>(new Error("there is no cluster in this test")),
    });
    process.stdout.write(`\n>>> ended with ${code}\n`);
  }
}

void main(JSON.parse(process.argv[2] ?? "[]") as readonly (readonly string[])[]);
