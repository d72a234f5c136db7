/** Reading local files, with words for what went wrong. */
import { readFileSync } from "node:fs";
import { getOwn, asString } from "../domain/values";

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
