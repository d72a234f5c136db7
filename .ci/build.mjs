// Builds the two programs for scripts that run without anything else; needs what `npm ci` has installed.
import console from "node:console";
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import process from "node:process";
import { fileURLToPath, pathToFileURL } from "node:url";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const loader = join(root, "node_modules/tsx/dist/loader.mjs");

/** False when they could not be built; what is wrong is then said. */
export function build() {
  if (!existsSync(loader)) {
    console.error("error: the programs cannot be built, their build tools are not installed");
    console.error("  next: run npm ci, then the same command again");
    return false;
  }
  console.error("building dist/kubectl-engine and dist/engine-webhook");
  const tsx = pathToFileURL(loader).href;
  const { status } = spawnSync(process.execPath, ["--import", tsx, ".ci/bundle.ts"], {
    cwd: root,
    stdio: ["ignore", 2, 2],
  });
  return status === 0;
}
