/** What tests ask of the machine beside the project's own tools. */
import { spawnSync } from "node:child_process";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { hasDebianTools } from "../../.ci/package/debian";

/**
 * Whether it is there. Root of a Debian system gets what is lacking, or the tests fail: where they can
 * run they are not passed over. Others are told in one line what is left out, and why.
 */
export function isAvailable(
  what: string,
  packages: readonly string[],
  present: () => boolean,
): boolean {
  if (present()) return true;
  if (process.getuid?.() !== 0 || !hasDebianTools()) {
    process.stderr.write(`${what}: that takes root, and ${packages.join(" and ")} of Debian\n`);
    return false;
  }
  apt("update");
  const stderr = apt("install", "-y", "--no-install-recommends", ...packages);
  if (present()) return true;
  throw new Error(`${what}: ${packages.join(" and ")} cannot be installed: ${stderr}`);
}

/** What apt said; the processes that run test files side by side take turns. */
function apt(...args: readonly string[]): string {
  const words = [join(tmpdir(), "apt.lock"), "apt-get", "-o", "DPkg::Lock::Timeout=120", ...args];
  return spawnSync("flock", words, { encoding: "utf8" }).stderr;
}

/** Whether a program can be started. */
export const isInstalled = (program: string): boolean =>
  spawnSync(program, ["--version"]).error === undefined;
