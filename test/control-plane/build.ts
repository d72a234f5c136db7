/**
 * Finds or builds the programs of the control plane, and those named on the command line, before any
 * test waits for them: with cold caches of Go they take minutes, and a hook of a test has two.
 */
import { findBinaries, findProgram } from "./binaries";
import { isProgramName } from "./pins";

async function main(names: readonly string[]): Promise<void> {
  await findBinaries();
  for (const name of names) {
    if (!isProgramName(name)) throw new Error(`no program is called ${name}`);
    await findProgram(name);
  }
}

main(process.argv.slice(2)).catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
});
