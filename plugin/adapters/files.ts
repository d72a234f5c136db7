/** Reading local files, with words for what went wrong. */
import {
  accessSync,
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
} from "node:fs";
import { asString, getOwn } from "../domain/base/values";
import { randomBytes } from "node:crypto";
import { chmod, rename, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { InputError, UsageError } from "../domain/base/errors";
import { tmpdir } from "node:os";
import { isDeepStrictEqual } from "node:util";
import { decodeText } from "./kubernetes/text/encoding";

const words: Readonly<Record<string, string>> = {
  ENOENT: "no such file",
  EACCES: "permission denied",
  EPERM: "permission denied",
  EISDIR: "is a folder, not a file",
  ENOTDIR: "part of the path is not a folder",
  EEXIST: "is a file, not a folder",
  EROFS: "read-only file system",
  ENOSPC: "no space left",
};

/** What the file system says of a file, in words: `no such file: PATH`. */
export function fileProblem(file: string, failure: unknown): string {
  const code = asString(getOwn(failure, "code"));
  const other = code === undefined ? "cannot be read" : `cannot be read (${code})`;
  return `${words[code ?? ""] ?? other}: ${file}`;
}

/** Contents of pipes and devices by path: a pipe gives its content once, and a run may ask again. */
const streamed = new Map<string, Buffer>();

/** The bytes of a file; of a pipe those of its first read. Throws as the file system does. */
export function readBytes(file: string): Buffer {
  const known = streamed.get(file);
  if (known !== undefined) return known;
  const descriptor = openSync(file, "r");
  try {
    const bytes = readFileSync(descriptor);
    if (!fstatSync(descriptor).isFile()) streamed.set(file, bytes);
    return bytes;
  } finally {
    closeSync(descriptor);
  }
}

/** True for a pipe or a device that was read: no other program gets that content by its path. */
export function isStreamed(file: string): boolean {
  return streamed.has(file);
}

/** The text of a file, by its byte order mark, or why there is none. */
export function readText(
  file: string,
): { readonly text: string } | { readonly failure: NodeJS.ErrnoException } {
  try {
    return { text: decodeText(readBytes(file)) };
  } catch (failure) {
    return { failure: failure as NodeJS.ErrnoException };
  }
}

/**
 * What is made of files that others renew, made again when they have changed. While they cannot be used,
 * for example because only one of two is written, the last good one stays; the first one has to be good.
 */
export function follow<Text, Made>(read: () => Text, make: (text: Text) => Made): () => Made {
  let known = read();
  let made = make(known);
  return () => {
    try {
      const now = read();
      if (isDeepStrictEqual(now, known)) return made;
      made = make(now);
      known = now;
    } catch (error) {
      if (!(error instanceof InputError)) throw error;
    }
    return made;
  };
}

/** How a file is written, and what is said where that cannot be done. */
interface Writing {
  readonly what: string;
  readonly hint: string;
  readonly mode: number;
  /** The mode is as given, whatever the process's umask. */
  readonly exactMode?: true;
}

/** Writes the text beside the file and moves it there, so that nobody reads half of it; else UsageError. */
export async function replaceFile(
  path: string,
  text: string | Uint8Array,
  writing: Writing,
): Promise<void> {
  const { what, hint, mode, exactMode } = writing;
  const beside = `${path}.${randomBytes(4).toString("hex")}`;
  try {
    await writeFile(beside, text, { mode, flag: "wx" });
    if (exactMode) await chmod(beside, mode);
    await rename(beside, path);
  } catch (error) {
    await rm(beside, { force: true });
    const noFolder = getOwn(error, "code") === "ENOENT";
    const why = noFolder ? `no such folder: ${dirname(path)}` : fileProblem(path, error);
    throw new UsageError(`cannot write the ${what}: ${why}`, { hint });
  }
}

/** Why a file could not be put there, undefined where it can. */
export function unwritable(file: string): string | undefined {
  const folder = dirname(file);
  try {
    accessSync(folder, constants.W_OK | constants.X_OK);
  } catch (error) {
    const noFolder = getOwn(error, "code") === "ENOENT";
    return noFolder ? `no such folder: ${folder}` : fileProblem(folder, error);
  }
  const isFolder = statSync(file, { throwIfNoEntry: false })?.isDirectory() === true;
  return isFolder ? fileProblem(file, { code: "EISDIR" }) : undefined;
}

/** A folder that exists until it is removed, at the latest at the end of the process. */
interface TemporaryFolder {
  readonly path: string;
  readonly remove: () => void;
}

/** Makes a folder below the machine's one for what is temporary, or below the home folder given. */
export function temporaryFolder(home?: string): TemporaryFolder {
  const path = makeFolder(home);
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

function makeFolder(home: string | undefined): string {
  const parent = home ?? tmpdir();
  try {
    if (home !== undefined) mkdirSync(home, { recursive: true, mode: 0o700 });
    return mkdtempSync(join(parent, `kubectl-engine-${process.pid}-`));
  } catch (error) {
    const setting = home === undefined ? "TMPDIR" : "ENGINE_HOME";
    throw new UsageError(`cannot make a temporary folder: ${fileProblem(parent, error)}`, {
      cause: error,
      hint: `set ${setting} to a folder that can be written; in a pod, mount an emptyDir there`,
    });
  }
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
