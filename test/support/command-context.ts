/** What a command gets from the program, for tests that call the command itself. */
import { PassThrough } from "node:stream";
import type { CommandContext, GlobalOptions } from "../../plugin/cmdutil/context";
import { defaultNames } from "../../plugin/domain/names/names";
import { MemoryHome } from "../../plugin/simulator/virtual-clock";
import type { Clock, KubeClient } from "../../plugin/ports/kubernetes";

/** Where the command works. */
export interface CommandPlace {
  readonly cluster: KubeClient;
  readonly clock: Clock;
}

/** A context whose person has said yes, with what a test wants otherwise. */
export function aCommandContext(
  { cluster, clock }: CommandPlace,
  options: Partial<GlobalOptions> = {},
  more: Partial<CommandContext> = {},
): CommandContext {
  return {
    connect: () => Promise.resolve(cluster),
    connectReadOnly: () => Promise.reject(new Error("nothing is read here")),
    clock,
    home: () => Promise.resolve(new MemoryHome()),
    executable: "",
    names: defaultNames,
    env: {},
    streams: { in: new PassThrough(), out: new PassThrough(), err: new PassThrough() },
    event: () => undefined,
    signal: new AbortController().signal,
    options: { ...usualOptions, ...options },
    run: { id: "20260801-101530-4F2A1B", startedAt: "2026-08-01T10:15:30.000Z", dryRun: "none" },
    ask: () => Promise.resolve(true),
    readInput: () => Promise.resolve(""),
    readDump: () => Promise.resolve(""),
    ...more,
  };
}

const usualOptions: GlobalOptions = {
  dryRun: "none",
  yes: true,
  noInput: true,
  timeoutMs: 60_000,
  wait: false,
  output: "text",
  concurrency: 1,
  color: "never",
  quiet: false,
  debug: false,
  verbosity: 0,
  prefix: "kubectl engine",
  connection: {},
  contextArgs: ["--context", "my cluster"],
};
