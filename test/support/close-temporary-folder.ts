/** Removes what a run has left in its temporary folder. */
import { rmSync } from "node:fs";
import { tmpdir } from "node:os";

/** Called once, after the last test; the folder is the one that the run has opened. */
export default function closeTemporaryFolder(): void {
  // a program that is just ending may still write there
  rmSync(tmpdir(), { recursive: true, force: true, maxRetries: 5 });
}
