/** Folders that tests write to. */
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** A new one; it lies in the temporary folder of the run, which is removed at the end of all tests. */
export function aFolder(name = "test"): string {
  return mkdtempSync(join(tmpdir(), `${name}-`));
}
