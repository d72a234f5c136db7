/** Reading local files, with words for what went wrong. */
import { readFileSync } from "node:fs";
import { asString, getOwn } from "../domain/values";
import { randomBytes } from "node:crypto";
import { rename, rm, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { UsageError } from "../domain/errors";

const words: Readonly<Record<string, string>> = {
  ENOENT: "no such file",
  EACCES: "permission denied",
  EPERM: "permission denied",
  EISDIR: "is a folder, not a file",
  ENOTDIR: "part of the path is not a folder",
};

/** What the file system says of a file, in words: `no such file: PATH`. */
export function fileProblem(file: string, failure: unknown): string {
  const code = asString(getOwn(failure, "code"));
  const other = code === undefined ? "cannot be read" : `cannot be read (${code})`;
  return `${words[code ?? ""] ?? other}: ${file}`;
}

/** The text of a file, or why there is none. */
export function readText(
  file: string,
): { readonly text: string } | { readonly failure: NodeJS.ErrnoException } {
  try {
    return { text: readFileSync(file, "utf8") };
  } catch (failure) {
    return { failure: failure as NodeJS.ErrnoException };
  }
}

/** Writes the text beside the file and moves it there; UsageError when that cannot be done. */
export async function writePlanFile(path: string, text: string): Promise<void> {
  const beside = `${path}.${randomBytes(4).toString("hex")}`;
  try {
    await writeFile(beside, text, { mode: 0o600, flag: "wx" });
    await rename(beside, path);
  } catch (error) {
    await rm(beside, { force: true });
    const noFolder = getOwn(error, "code") === "ENOENT";
    const why = noFolder ? `no such folder: ${dirname(path)}` : fileProblem(path, error);
    throw new UsageError(`cannot write the plan: ${why}`, {
      hint: "give a file in a folder that can be written",
    });
  }
}
