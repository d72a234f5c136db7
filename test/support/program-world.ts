/** A process in memory: what a command line writes to either stream, and how it ends. */
import { PassThrough } from "node:stream";
import type { ExitCode } from "../../plugin/domain/base/errors";
import { runProgram } from "../../plugin/cli/program";
import { entries } from "../../plugin/cli/commands";
import type { HostProcess } from "../../plugin/cli/context";
import type { CommandEntry } from "../../plugin/cmdutil/entry";
import type { KubeClient } from "../../plugin/ports/kubernetes";

/** A stream that keeps what was written to it. */
export function captured(terminal = false): NodeJS.WritableStream & { text: () => string } {
  const chunks: string[] = [];
  const stream = new PassThrough();
  stream.on("data", (chunk: Buffer) => chunks.push(chunk.toString("utf8")));
  return Object.assign(stream, {
    text: () => chunks.join(""),
    ...(terminal && { isTTY: true, columns: 80 }),
  });
}

/** A stdin that holds a text; as a terminal it is one to ask on. */
export function stdinOf(text: string, terminal = false): NodeJS.ReadableStream {
  const stream = new PassThrough();
  stream.end(text);
  return Object.assign(stream, terminal && { isTTY: true });
}

/** What may differ from a quiet process without a terminal. */
export interface Scene {
  readonly env?: NodeJS.ProcessEnv;
  readonly stdin?: NodeJS.ReadableStream;
  readonly terminal?: boolean;
  readonly signal?: AbortSignal;
  readonly crashed?: Promise<never>;
  readonly connect?: HostProcess["connect"];
  readonly clock?: HostProcess["clock"];
  readonly executable?: string;
}

/** The entry of a command. */
export function commandAt(path: string): CommandEntry {
  const found = entries.find((entry) => entry.path === path);
  if (found === undefined) throw new Error(`there is no command ${path}`);
  return found;
}

/** How a command line ended. */
export interface Ended {
  readonly code: ExitCode;
  readonly out: string;
  readonly err: string;
}

/** Moment that every run in memory starts at. */
export const startOfRun = Date.UTC(2026, 0, 2, 3, 4, 5);

/** The world of a process in memory, with what it has written so far. */
export function worldOf(
  argv: readonly string[],
  scene: Scene = {},
): HostProcess & { written: () => Omit<Ended, "code"> } {
  const out = captured(scene.terminal);
  const err = captured(scene.terminal);
  return {
    argv,
    executable: scene.executable ?? "/nowhere/kubectl-engine",
    env: scene.env ?? {},
    streams: { in: scene.stdin ?? stdinOf(""), out, err },
    clock: scene.clock ?? { now: () => startOfRun, sleep: () => Promise.resolve() },
    signal: scene.signal ?? new AbortController().signal,
    crashed: scene.crashed ?? new Promise<never>(() => {}),
    connect: scene.connect ?? (() => Promise.reject<KubeClient>(new Error("no cluster here"))),
    written: () => ({ out: out.text(), err: err.text() }),
  };
}

/** Runs a command line to its end. */
export async function typed(argv: readonly string[], scene: Scene = {}): Promise<Ended> {
  const world = worldOf(argv, scene);
  const code = await runProgram(world);
  await new Promise(setImmediate); // the streams hand over what was written
  return { code, ...world.written() };
}
