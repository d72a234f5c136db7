/** A command as a process of its own: how long it takes, and what of the processor; Linux alone. */
import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";

/** USER_HZ, in which the kernel tells processor time to programs. */
const msPerTick = 10;

/** Processor milliseconds of every child that has ended, and of its own children. */
export function endedChildrenCpuMs(): number {
  const fields = fieldsOf("self");
  return (Number(fields[13]) + Number(fields[14])) * msPerTick;
}

/** Processor milliseconds of a process that runs, of all its threads. */
export function cpuMsOf(pid: number): number {
  const fields = fieldsOf(String(pid));
  return (Number(fields[11]) + Number(fields[12])) * msPerTick;
}

/** From the state on: the program's name before it may hold blanks. */
function fieldsOf(pid: string): readonly string[] {
  const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
  return stat.slice(stat.lastIndexOf(")") + 2).split(" ");
}

/** How one run went. */
export interface Run {
  readonly ms: number;
  readonly cpuMs: number;
  readonly code: number | null;
  readonly stdout: string;
  /** The end of what it said. */
  readonly stderr: string;
}

/** Runs a command to its end; what it prints is kept. */
export async function timed(
  file: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv = process.env,
): Promise<Run> {
  const cpuBefore = endedChildrenCpuMs();
  const from = performance.now();
  const child = spawn(file, args, { env, stdio: ["ignore", "pipe", "pipe"] });
  const printed: Buffer[] = [];
  let stderr = "";
  child.stdout.on("data", (chunk: Buffer) => printed.push(chunk));
  child.stderr.on(
    "data",
    (chunk: Buffer) => (stderr = `${stderr}${chunk.toString()}`.slice(-2_000)),
  );
  const code = await new Promise<number | null>((resolve, reject) => {
    child.on("error", reject).on("close", resolve);
  });
  const ms = performance.now() - from;
  const stdout = Buffer.concat(printed).toString();
  return { ms, cpuMs: endedChildrenCpuMs() - cpuBefore, code, stdout, stderr };
}

/** Busy and all ticks of the machine, and the ticks of this process with its ended children. */
function ticks(): { readonly busy: number; readonly all: number; readonly own: number } {
  const line = readFileSync("/proc/stat", "utf8").split("\n", 1)[0] ?? "";
  const [user = 0, nice = 0, system = 0, idle = 0, wait = 0, ...irqs] = line
    .split(/\s+/)
    .slice(1, 8)
    .map(Number);
  const busy = [user, nice, system, ...irqs].reduce((sum, each) => sum + each, 0);
  const own = fieldsOf("self")
    .slice(11, 15)
    .reduce((sum, each) => sum + Number(each), 0);
  return { busy, all: busy + idle + wait, own };
}

/** More than this of the machine for others, and figures are not to be trusted. */
const mostOthers = 0.1;

/** Begins to watch; the answer says in words what the rest of the machine did meanwhile. */
export function watchMachine(): (servers?: { readonly cpuMs: number }) => string {
  const before = ticks();
  return ({ cpuMs } = { cpuMs: 0 }) => {
    const now = ticks();
    const others = now.busy - before.busy - (now.own - before.own) - cpuMs / msPerTick;
    const share = Math.max(0, others) / Math.max(1, now.all - before.all);
    const said = `other programs took ${(100 * share).toFixed(0)} % of the machine`;
    return share > mostOthers ? `DISTURBED: ${said}` : said;
  };
}
