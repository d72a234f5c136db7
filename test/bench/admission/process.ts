/** Servers as processes of their own, and what the operating system says of them; Linux alone. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, openSync, readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";

/** What to run; what it says goes into a file, so that nobody has to read it meanwhile. */
export interface Program {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly log: string;
}

/** Memory in MiB: what is resident now, and the most that ever was. */
export interface Memory {
  readonly resident: number;
  readonly peak: number;
}

const stopMs = 10_000;
/** USER_HZ, in which the kernel tells CPU time to programs. */
const ticksPerSecond = 100;

export class ServerProcess {
  private constructor(
    private readonly child: ChildProcess,
    private readonly program: Program,
    readonly startedAt: number,
  ) {}

  static start(program: Program): ServerProcess {
    const log = openSync(program.log, "w");
    const startedAt = performance.now();
    const child = spawn(program.command, program.args, {
      env: { PATH: process.env["PATH"] ?? "", ...program.env },
      stdio: ["ignore", log, log],
    });
    closeSync(log);
    return new ServerProcess(child, program, startedAt);
  }

  /** Asks until the answer is true; the milliseconds since the start. Throws when it ends before. */
  async until(ready: () => Promise<boolean>, limitMs = 30_000): Promise<number> {
    while (!(await ready())) {
      const waited = performance.now() - this.startedAt;
      if (this.ended() || waited > limitMs) throw new Error(this.complaint(waited));
      await sleep(5);
    }
    return performance.now() - this.startedAt;
  }

  /** CPU milliseconds so far, of all threads, in user and in system mode. */
  cpuMs(): number {
    const stat = readFileSync(`/proc/${this.pid()}/stat`, "utf8");
    // The program's name in brackets may hold blanks; the state follows it.
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return ((Number(fields[11]) + Number(fields[12])) * 1_000) / ticksPerSecond;
  }

  memory(): Memory {
    const status = readFileSync(`/proc/${this.pid()}/status`, "utf8");
    const read = (field: string) =>
      Number(new RegExp(`^${field}:\\s+(\\d+) kB$`, "m").exec(status)?.[1]) / 1_024;
    return { resident: read("VmRSS"), peak: read("VmHWM") };
  }

  async stop(): Promise<void> {
    if (this.ended()) return;
    const exit = once(this.child, "exit");
    const timer = setTimeout(() => this.child.kill("SIGKILL"), stopMs);
    this.child.kill("SIGTERM");
    await exit;
    clearTimeout(timer);
  }

  private pid(): number {
    if (this.child.pid === undefined) throw new Error(`${this.program.command} did not start`);
    return this.child.pid;
  }

  private ended(): boolean {
    return this.child.exitCode !== null || this.child.signalCode !== null;
  }

  private complaint(waited: number): string {
    const { command, args, log } = this.program;
    const said = readFileSync(log, "utf8").trim().slice(-2_000);
    const what = this.ended() ? "ended" : "was not ready";
    return `${[command, ...args].join(" ")} ${what} after ${waited.toFixed(0)} ms:\n${said}`;
  }
}

/** Processor time of the whole machine so far, in milliseconds, waiting for a host included. */
function machineMs(): number {
  const [line = ""] = readFileSync("/proc/stat", "utf8").split("\n");
  const [user = 0, nice = 0, system = 0, , , irq = 0, softirq = 0, steal = 0] = line
    .split(/ +/)
    .slice(1)
    .map(Number);
  return ((user + nice + system + irq + softirq + steal) * 1_000) / ticksPerSecond;
}

/** What others have used of the machine's processors while something was measured. */
export class Disturbance {
  private readonly from: { readonly machine: number; readonly own: number; readonly at: number };

  constructor(private readonly servers: readonly ServerProcess[]) {
    this.from = { machine: machineMs(), own: this.ownMs(), at: performance.now() };
  }

  /** What others took, in processors. */
  share(): number {
    const { machine, own, at } = this.from;
    const others = machineMs() - machine - (this.ownMs() - own);
    return Math.max(0, others) / (performance.now() - at);
  }

  /** A line for the report. */
  tell(): string {
    const share = 100 * this.share();
    const said = `other processes took ${share.toFixed(0)} % of one processor`;
    return share < mostShare ? `${said}: undisturbed` : `DISTURBED: ${said}, measure again`;
  }

  private ownMs(): number {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1_000 + this.servers.reduce((sum, each) => sum + each.cpuMs(), 0);
  }
}

/** In percent of one processor: the kernel's own work for the connections is a few. */
const mostShare = 8;

/** A TypeScript file as a program of node, without a process around it. */
export function script(file: string): Pick<Program, "command" | "args"> {
  return { command: process.execPath, args: ["--require", require.resolve("tsx/cjs"), file] };
}
