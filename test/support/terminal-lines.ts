/** Command lines, or without any all that works on a cluster, in this process, which stands on a terminal. */
import { join } from "node:path";
import { systemClock } from "../../plugin/adapters/clock";
import { runProgram } from "../../plugin/cli/program";
import type { HostProcess } from "../../plugin/cli/context";
import type { KubeClient } from "../../plugin/ports/kubernetes";
import { type Job, jobs } from "../jobs/list";
import { rest } from "../jobs/rest";
import { openedFor, placed } from "../jobs/trial";
import { admin } from "./world";
import { Starts } from "./starts";

async function run(argv: readonly string[], world: Partial<HostProcess> = {}): Promise<number> {
  return await runProgram({
    argv,
    executable: join(__dirname, "../../dist/kubectl-engine"),
    streams: { in: process.stdin, out: process.stdout, err: process.stderr },
    clock: systemClock,
    signal: new AbortController().signal,
    crashed: new Promise<never>(() => undefined),
    connect: () => Promise.reject<KubeClient>(new Error("there is no cluster in this test")),
    ...world,
    env: { ...process.env, TERM: "xterm", ...world.env },
  });
}

function ended(code: number, wanted?: number): void {
  const isWanted = wanted === undefined || code === wanted;
  process.stdout.write(`\n>>> ended with ${code}${isWanted ? "" : `, not with ${wanted}`}\n`);
}

interface Row extends Pick<Job, "open" | "before" | "objects"> {
  readonly words: readonly string[];
  readonly code?: number;
}

/** What changes nothing, on the example's cluster. */
const looks: readonly Row[] = [
  { words: ["status"] },
  { words: ["status", "-A"] },
  { words: ["status", "ec", "-v", "1"] },
  { words: ["check"], code: 3 },
  { words: ["cert", "inspect"] },
  { words: ["recover"] },
  { words: ["version"] },
  { words: ["diff", "upgrade-webhook", "--no-probe"], code: 1 },
  { words: ["diff", "reapply-rbac"] },
  { open: rest.module.open, words: ["modules", "list"] },
  { open: rest.module.open, words: ["modules", "in-use"] },
];

/** Every job, and the looks, each on a cluster in memory of its own. */
async function onClusters(): Promise<void> {
  const starts = new Starts();
  const written = jobs.map((job): Row => {
    return { ...job, words: [...job.words(starts.place), "--yes"] };
  });
  for (const row of [...looks, ...written]) {
    const opened = await openedFor(row, starts);
    const { controlPlane, clock, api } = opened;
    const connect: HostProcess["connect"] = ({ namespace = "engine" }) =>
      Promise.resolve(controlPlane.connect({ user: admin, namespace }));
    const env = starts.newHome();
    ended(await run(placed(row.words, opened), { clock, connect, env }), row.code ?? 0);
    await api?.close();
  }
}

async function main(lines: readonly (readonly string[])[]): Promise<void> {
  for (const argv of lines) ended(await run(argv));
  if (lines.length === 0) await onClusters();
}

void main(JSON.parse(process.argv[2] ?? "[]") as readonly (readonly string[])[]);
