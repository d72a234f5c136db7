/** Reading small local files, with words for what went wrong. */
import { readFileSync } from "node:fs";

const words: Readonly<Record<string, string>> = {
  ENOENT: "there is no such file",
  EACCES: "permission denied",
  EPERM: "permission denied",
  EISDIR: "it is a folder",
  ENOTDIR: "part of the path is no folder",
};

/** What the file system said, in words. */
export function fileProblem({ code }: { readonly code?: string | undefined }): string {
  return words[code ?? ""] ?? code ?? "it cannot be read";
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
