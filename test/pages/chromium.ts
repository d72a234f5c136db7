/** Debian's Chromium, driven as it is installed; installed first where it is missing and that can be done. */
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { type Browser, chromium } from "playwright-core";

const executablePath = process.env["CHROMIUM"] ?? "/usr/bin/chromium";

/** A browser without a window. */
export async function aBrowser(): Promise<Browser> {
  if (!existsSync(executablePath)) install();
  const isRoot = process.getuid?.() === 0;
  // the sandbox of Chromium refuses to be root's
  return await chromium.launch({ executablePath, chromiumSandbox: !isRoot });
}

function install(): void {
  const env = { ...process.env, DEBIAN_FRONTEND: "noninteractive" };
  const words = ["install", "-y", "--no-install-recommends", "chromium"];
  if (spawnSync("apt-get", words, { env }).status === 0) return;
  spawnSync("apt-get", ["update"], { env });
  const { status, stderr } = spawnSync("apt-get", words, { env, encoding: "utf8" });
  if (status !== 0)
    throw new Error(`install Debian's chromium, or name one in CHROMIUM: ${stderr}`);
}
