/** One temporary folder for a whole run: workers and the programs that they start inherit it. */
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Called once, before the workers start; the name is short, since paths of sockets are limited to 107 bytes. */
export default function openTemporaryFolder(): void {
  process.env["TMPDIR"] = mkdtempSync(join(tmpdir(), "jest-"));
}
