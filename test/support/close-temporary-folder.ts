/** Removes what a run has left in its temporary folder. */
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";

/** Called once, after the last test; the folder is the one that the run has opened. */
export default async function closeTemporaryFolder(): Promise<void> {
  // a program that is just ending may still write there
  await rm(tmpdir(), { recursive: true, force: true, maxRetries: 5 });
}
