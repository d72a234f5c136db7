/** Finds the files of an unpacked release (S26; domain facts 4.1). */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { UsageError } from "../domain/errors";
import { own } from "../domain/values";

/** The webhook template of a release folder, looked for at each path, and where it was found. */
export async function readWebhookTemplate(
  folder: string,
  paths: readonly string[],
): Promise<{ readonly text: string; readonly source: string }> {
  const found = await readReleaseFile(folder, paths);
  if (found !== undefined) return found;
  throw new UsageError(
    `release ${folder} holds no webhook template, looked for ${paths.join(" and ")}`,
    { hint: "give the folder of an unpacked release, or the file itself with --template" },
  );
}

/** The text of the first of these files that a release folder holds, and where it was found. */
export async function readReleaseFile(
  folder: string,
  paths: readonly string[],
): Promise<{ readonly text: string; readonly source: string } | undefined> {
  for (const path of paths) {
    const source = join(folder, path);
    const text = await readIfThere(source);
    if (text !== undefined) return { text, source };
  }
  return undefined;
}

async function readIfThere(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, "utf8");
  } catch (error) {
    const code = String(own(error, "code"));
    if (code === "ENOENT" || code === "ENOTDIR") return undefined;
    throw new UsageError(`cannot read ${path} (${code})`, { cause: error });
  }
}
