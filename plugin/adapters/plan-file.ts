/** Keeps a plan in a file: whole or not at all, readable by its owner alone. */
import { randomBytes } from "node:crypto";
import { rename, rm, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { UsageError } from "../domain/errors";
import { getOwn } from "../domain/values";
import { fileProblem } from "./files";

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
