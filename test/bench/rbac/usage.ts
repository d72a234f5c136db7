/** What processes cost, and what others cost meanwhile; Linux alone. */
import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { cpus } from "node:os";

/** USER_HZ, in which the kernel tells CPU time to programs. */
const tickMs = 10;

/** CPU seconds and wall seconds of something. */
export interface Usage {
  readonly seconds: number;
  /** Of the processes that were started and ended. */
  readonly client: number;
  /** Of the servers. */
  readonly servers: number;
  /** Of everybody else on this machine, as a part of all it has. */
  readonly others: number;
}

/** Measures what is done; the processes that it starts have to end within. */
export async function usageOf<T>(
  servers: readonly number[],
  act: () => Promise<T>,
): Promise<Usage & { readonly value: T }> {
  const look = () => ({
    at: performance.now(),
    client: ofChildren(),
    servers: servers.reduce((sum, pid) => sum + ofProcess(pid), 0),
    own: ofProcess(process.pid),
    all: ofMachine(),
  });
  const from = look();
  const value = await act();
  const to = look();
  const ms = to.at - from.at;
  const [client, served, own] = [
    to.client - from.client,
    to.servers - from.servers,
    to.own - from.own,
  ];
  const others = to.all - from.all - client - served - own;
  return {
    value,
    seconds: ms / 1_000,
    client: client / 1_000,
    servers: served / 1_000,
    others: Math.max(0, others) / (ms * cpus().length),
  };
}

/** A program to run to its end. */
export interface Program {
  readonly file: string;
  readonly args: readonly string[];
  readonly env: NodeJS.ProcessEnv;
  /** Exit codes that are no failure; 0 alone by default. */
  readonly codes?: readonly number[];
}

/** Runs it; the most MiB that it held. Throws what it said last when it fails. */
export async function runToEnd({ file, args, env, codes = [0] }: Program): Promise<number> {
  const child = spawn(file, args, { env, stdio: ["ignore", "pipe", "pipe"] });
  let said = "";
  let mib = 0;
  for (const stream of [child.stdout, child.stderr]) {
    stream.on("data", (text: Buffer) => (said = `${said}${text.toString()}`.slice(-2_000)));
  }
  const look = setInterval(() => (mib = Math.max(mib, peakOf(child.pid))), 20);
  const code = await new Promise<number | null>((resolve) => child.on("close", resolve));
  clearInterval(look);
  if (code === null || !codes.includes(code)) {
    throw new Error(`${args.join(" ")} ended with ${String(code)}:\n${said}`);
  }
  return mib;
}

/** The most memory in MiB that a process has held so far; 0 when it has ended. */
function peakOf(pid: number | undefined): number {
  try {
    const status = readFileSync(`/proc/${String(pid)}/status`, "utf8");
    return Number(/VmHWM:\s+(\d+) kB/.exec(status)?.[1] ?? 0) / 1_024;
  } catch {
    return 0;
  }
}

function ofProcess(pid: number): number {
  const fields = statOf(pid);
  return tickMs * (Number(fields[11]) + Number(fields[12]));
}

/** Children that have ended and were waited for. */
function ofChildren(): number {
  const fields = statOf(process.pid);
  return tickMs * (Number(fields[13]) + Number(fields[14]));
}

function statOf(pid: number): readonly string[] {
  const stat = readFileSync(`/proc/${String(pid)}/stat`, "utf8");
  // The program's name in brackets may hold blanks; the state follows it.
  return stat.slice(stat.lastIndexOf(")") + 2).split(" ");
}

/** Everything that the machine was busy with, stolen time included. */
function ofMachine(): number {
  const [line = ""] = readFileSync("/proc/stat", "utf8").split("\n");
  const [, user, nice, system, , , irq, softirq, steal] = line.split(/\s+/).map(Number);
  return [user, nice, system, irq, softirq, steal].reduce<number>(
    (sum, ticks) => sum + tickMs * (ticks ?? 0),
    0,
  );
}
