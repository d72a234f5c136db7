/** What processes cost, and what others cost meanwhile; Linux alone. */
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

/** The most memory in MiB that a process has held so far; 0 when it has ended. */
export function peakOf(pid: number | undefined): number {
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
