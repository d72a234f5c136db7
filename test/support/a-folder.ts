/** Folders that tests write to. */
import { createHash } from "node:crypto";
import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

/** A new one; it lies in the temporary folder of the run, which is removed at the end of all tests. */
export function aFolder(name = "test"): string {
  return mkdtempSync(join(tmpdir(), `${name}-`));
}

/** Writes a file of a folder, and gives its path; folders on the way are made. */
export function putFile(folder: string, path: string, content: string | Buffer): string {
  const file = join(folder, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, content);
  return file;
}

/** The digest of what a file holds, in hex. */
export const sha256 = (content: string | Buffer): string =>
  createHash("sha256").update(content).digest("hex");
