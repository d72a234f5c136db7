/** A release in a folder: the files that are looked for, and a digest over them. */
import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { InputError } from "../../domain/base/errors";
import { getOwn } from "../../domain/base/values";
import { fileProblem } from "../files";

/** The bytes of a release's files by their paths inside it. */
export type Files = ReadonlyMap<string, Buffer>;

/** Those of the paths that the folder holds, in the same order. */
export async function readFolder(folder: string, paths: readonly string[]): Promise<Files> {
  const read = await Promise.all(
    paths.map(async (path) => [path, await readIfThere(join(folder, path))] as const),
  );
  return new Map(read.flatMap(([path, bytes]) => (bytes === undefined ? [] : [[path, bytes]])));
}

/**
 * The digest of a folder: of what `sha256sum` prints for its files in the order of their paths, so
 * that a person can compute it too. Files that no release is asked for do not count.
 */
export function folderDigest(files: Files): string {
  const lines = [...files].map(([path, bytes]) => `${hashBytes(bytes)}  ${path}\n`);
  return hashBytes(Buffer.from(lines.join("")));
}

/** SHA-256 in hex. */
export function hashBytes(bytes: Buffer): string {
  return createHash("sha256").update(bytes).digest("hex");
}

async function readIfThere(path: string): Promise<Buffer | undefined> {
  try {
    return await readFile(path);
  } catch (error) {
    const code = String(getOwn(error, "code"));
    if (code === "ENOENT" || code === "ENOTDIR") return undefined;
    throw new InputError(fileProblem(path, error));
  }
}
