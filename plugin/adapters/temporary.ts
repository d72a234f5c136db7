/**
 * Folders for what only this run may know: for their owner alone, gone with the process. What a
 * process leaves behind that was killed, a later run removes.
 */
import { lstatSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** A folder that exists until it is removed, at the latest at the end of the process. */
export interface TemporaryFolder {
  readonly path: string;
  readonly remove: () => void;
}

/** Makes a folder below the machine's one for what is temporary, or below another. */
export function temporaryFolder(parent = tmpdir()): TemporaryFolder {
  const path = mkdtempSync(join(parent, `kubectl-engine-${process.pid}-`));
  // a run that is ended at once leaves no credentials behind
  const clear = (): void => {
    rmSync(path, { recursive: true, force: true });
  };
  process.once("exit", clear);
  return {
    path,
    remove: () => {
      clear();
      process.removeListener("exit", clear);
    },
  };
}

/** Processes of another container that shares the folder cannot be seen: theirs are young. */
const leftAfterMs = 10 * 60_000;

/** Removes the folders of this user whose process has ended without removing them; never throws. */
export function sweepLeftovers(now: number, parent = tmpdir()): void {
  try {
    for (const name of readdirSync(parent)) {
      const pid = /^kubectl-engine-(\d+)-\w{6}$/.exec(name)?.[1];
      const path = join(parent, name);
      if (pid === undefined || isAlive(Number(pid)) || !isLeft(path, now)) continue;
      rmSync(path, { recursive: true, force: true });
    }
  } catch {
    // Another run may be sweeping too; what is left is found the next time.
  }
}

function isLeft(path: string, now: number): boolean {
  const found = lstatSync(path);
  const isOurs = found.isDirectory() && found.uid === process.getuid?.();
  return isOurs && now - found.mtimeMs > leftAfterMs;
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    // one that belongs to someone else exists too
    return (error as NodeJS.ErrnoException).code !== "ESRCH";
  }
}
