import { linkSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";

export interface LockOptions {
  /** True as soon as the work needs no more doing, because another process did it. */
  readonly finished: () => boolean;
  readonly log: (line: string) => void;
}

/**
 * Lets one process do a long piece of work while others wait for its result. The lock is a file
 * that holds the owner's process id; one whose owner is gone is taken away. The lock only saves
 * double work: correctness rests on the rename at the end of the build.
 */
export async function underLock(
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
