import {
  accessSync,
  constants,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname, isAbsolute, join } from "node:path";
import {
  cacheKey,
  pinnedProgram,
  pinnedTools,
  type ProgramName,
  repositoryRoot,
  type Tool,
  type ToolName,
  toolNames,
} from "./pins";
import { run, type RunResult } from "./run";
import { setTimeout as pause } from "node:timers/promises";

/** Where each program of the control plane lies; `dir` is the folder that holds all of them. */
export interface Binaries extends Readonly<Record<ToolName, string>> {
  readonly dir: string;
}

export type Log = (line: string) => void;

/** Talk belongs on standard error; standard output is for results. */
export const logToStderr: Log = (line) => process.stderr.write(`${line}\n`);

/**
 * Finds etcd, kube-apiserver and kubectl: in the folder that KUBEBUILDER_ASSETS names, else in the
 * project's cache, else by building them from the pinned Go modules.
 */
export async function findBinaries(log: Log = logToStderr): Promise<Binaries> {
  const assets = process.env["KUBEBUILDER_ASSETS"];
  if (assets !== undefined && assets !== "") {
    const missing = missingIn(assets);
    if (missing.length > 0) {
      throw new Error(
        `KUBEBUILDER_ASSETS names ${assets}, which lacks ${missing.join(", ")}: ` +
          "complete that folder, or unset the variable to have them built with Go",
      );
    }
    return binariesIn(assets);
  }
  const tools = pinnedTools();
  const cached = join(repositoryRoot, ".cache", "control-plane", cacheKey(tools));
  if (missingIn(cached).length > 0) {
    await requireGo(toolNames);
    await buildTools({ tools, into: cached, complete: () => missingIn(cached).length === 0, log });
  }
  return binariesIn(cached);
}

/**
 * A program beside those of the control plane: in the folder that KUBEBUILDER_ASSETS names where that
 * has it, else in the project's cache, built there when it is asked for first.
 */
export async function findProgram(name: ProgramName, log: Log = logToStderr): Promise<string> {
  const asset = join(process.env["KUBEBUILDER_ASSETS"] ?? "", name);
  if (isAbsolute(asset) && isExecutable(asset)) return asset;
  const tool = pinnedProgram(name);
  const into = join(repositoryRoot, ".cache", "control-plane", cacheKey([tool]));
  const complete = (): boolean => isExecutable(join(into, tool.name));
  if (!complete()) {
    await requireGo([name]);
    await buildTools({ tools: [tool], into, complete, log });
  }
  return join(into, tool.name);
}

function binariesIn(dir: string): Binaries {
  return {
    dir,
    etcd: join(dir, "etcd"),
    "kube-apiserver": join(dir, "kube-apiserver"),
    kubectl: join(dir, "kubectl"),
  };
}

function missingIn(dir: string): readonly ToolName[] {
  return toolNames.filter((name) => !isExecutable(join(dir, name)));
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

async function requireGo(names: readonly string[]): Promise<void> {
  try {
    await run("go", ["version"], { env: process.env });
  } catch (cause) {
    throw new Error(
      `Go is not installed, and these are missing: ${names.join(", ")}. Set KUBEBUILDER_ASSETS to a ` +
        "folder that holds them, or install Go (1.26 or later) so that they can be built",
      { cause },
    );
  }
}

interface BuildRequest {
  readonly tools: readonly Tool[];
  /** The folder that shall hold the programs; it appears complete or not at all. */
  readonly into: string;
  /** Whether someone else has finished the same build meanwhile. */
  readonly complete: () => boolean;
  readonly log: (line: string) => void;
}

const reportEveryMs = 15_000;
const buildLimitMs = 60 * 60_000;

/** Builds all tools into a temporary folder beside the wanted one and renames it at the end. */
async function buildTools({ tools, into, complete, log }: BuildRequest): Promise<void> {
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

interface LockOptions {
  /** True as soon as the work needs no more doing, because another process did it. */
  readonly finished: () => boolean;
  readonly log: (line: string) => void;
}

/**
 * Lets one process do a long piece of work while others wait for its result. The lock is a file
 * that holds the owner's process id; one whose owner is gone is removed. The lock only saves
 * double work: correctness rests on the rename at the end of the build.
 */
async function underLock(
  file: string,
  { finished, log }: LockOptions,
  work: () => Promise<void>,
): Promise<void> {
  let told = false;
  while (!finished()) {
    if (acquire(file)) {
      try {
        await (finished() ? undefined : work());
      } finally {
        rmSync(file, { force: true });
      }
      return;
    }
    const owner = readOwner(file);
    if (owner !== undefined && !isAlive(owner)) {
      rmSync(file, { force: true });
      continue;
    }
    if (!told) {
      told = true;
      log(`process ${String(owner ?? "?")} is building the same programs; waiting for it`);
    }
    await pause(500);
  }
}

/** A hard link appears with its content, so that nobody ever reads a lock without an owner. */
function acquire(file: string): boolean {
  const mine = `${file}.${String(process.pid)}`;
  writeFileSync(mine, String(process.pid));
  try {
    linkSync(mine, file);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") {
      return false;
    }
    throw error;
  } finally {
    rmSync(mine, { force: true });
  }
}

function readOwner(file: string): number | undefined {
  try {
    const pid = Number(readFileSync(file, "utf8"));
    return Number.isInteger(pid) && pid > 0 ? pid : undefined;
  } catch {
    return undefined;
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}
