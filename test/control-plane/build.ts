import { mkdirSync, readdirSync, renameSync, rmSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { underLock } from "./build-lock";
import type { Tool } from "./pins";
import { run, type RunResult } from "./run";

export interface BuildRequest {
  readonly tools: readonly Tool[];
  /** The folder that shall hold the programs; it appears complete or not at all. */
  readonly into: string;
  /** Whether somebody else has finished the same build meanwhile. */
  readonly complete: () => boolean;
  readonly log: (line: string) => void;
}

const reportEveryMs = 15_000;
const buildLimitMs = 60 * 60_000;

/** Builds all tools into a temporary folder beside the wanted one and renames it at the end. */
export async function buildTools({ tools, into, complete, log }: BuildRequest): Promise<void> {
  mkdirSync(dirname(into), { recursive: true });
  await underLock(`${into}.lock`, { finished: complete, log }, async () => {
    removeLeftovers(into);
    const names = tools.map((tool) => `${tool.name} ${tool.version}`).join(", ");
    log(`building ${names} with go: KUBEBUILDER_ASSETS is not set and the cache has none.`);
    log(`This happens once and takes minutes when Go's cache is cold; result: ${into}`);
    const temporary = `${into}.building-${String(process.pid)}`;
    mkdirSync(temporary);
    try {
      for (const [index, tool] of tools.entries()) {
        const position = `[${String(index + 1)}/${String(tools.length)}]`;
        await buildTool(tool, temporary, (line) => {
          log(`${position} ${tool.name} ${tool.version}: ${line}`);
        });
      }
      rmSync(into, { recursive: true, force: true });
      renameSync(temporary, into);
    } finally {
      rmSync(temporary, { recursive: true, force: true });
    }
  });
}

async function buildTool(tool: Tool, dir: string, log: (line: string) => void): Promise<void> {
  const started = Date.now();
  const seconds = (): string => `${String(Math.round((Date.now() - started) / 1000))} s`;
  let phase = "fetching modules";
  log(phase);
  const ticker = setInterval(() => {
    log(`${phase}, ${seconds()}`);
  }, reportEveryMs);
  try {
    const listed = await go(tool, ["list", "-mod=readonly", "-deps", tool.package]);
    const total = listed.stdout.trim().split("\n").length;
    let compiled = 0;
    const describe = (): string =>
      `compiling, ${String(compiled)} of at most ${String(total)} packages`;
    phase = describe();
    // -v names each package as it is compiled; one that Go's cache has is not named.
    const args = ["build", "-v", "-mod=readonly", "-trimpath", "-buildvcs=false"];
    await go(
      tool,
      [...args, "-ldflags", tool.linkerFlags, "-o", join(dir, tool.name), tool.package],
      () => {
        compiled += 1;
        phase = describe();
      },
    );
    log(`built in ${seconds()} (${String(compiled)} packages compiled)`);
  } finally {
    clearInterval(ticker);
  }
}

async function go(
  tool: Tool,
  args: readonly string[],
  onErrorLine: (line: string) => void = () => undefined,
): Promise<RunResult> {
  // A workspace file above the repository or flags of the user's own must not change the result.
  const env = { ...process.env, CGO_ENABLED: "0", GOWORK: "off", GOFLAGS: "" };
  const result = await run("go", args, {
    cwd: tool.moduleDir,
    env,
    timeoutMs: buildLimitMs,
    onErrorLine,
  });
  if (result.code !== 0) {
    const tail = result.stderr.trim().split("\n").slice(-15).join("\n");
    throw new Error(
      `go could not build ${tool.name} ${tool.version} (go ${args[0] ?? ""}):\n${tail}`,
    );
  }
  return result;
}

/** Whoever holds the lock is the only builder, so that any other temporary folder is a dead one's. */
function removeLeftovers(into: string): void {
  const parent = dirname(into);
  for (const entry of readdirSync(parent)) {
    if (entry.startsWith(`${basename(into)}.building-`)) {
      rmSync(join(parent, entry), { recursive: true, force: true });
    }
  }
}
