import { mkdirSync, mkdtempSync, renameSync, symlinkSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import type { Pair } from "./certificate";

/**
 * Writes a pair the way a kubelet mounts a secret: the files are links through `..data`, and one
 * rename swaps that link, so that a rotation changes both at once. Calling it again rotates; a part
 * that is not given is then no longer there.
 */
export function writeTlsFolder(dir: string, { cert, privateKey }: Partial<Pair>): void {
  mkdirSync(dir, { recursive: true, mode: 0o700 });
  const content = mkdtempSync(join(dir, "..content-"));
  for (const [name, text] of Object.entries({ cert, privateKey })) {
    if (text === undefined) continue;
    writeFileSync(join(content, name), text, { mode: 0o600 });
    linkOnce(join("..data", name), join(dir, name));
  }
  symlinkSync(basename(content), join(dir, "..data.new"));
  renameSync(join(dir, "..data.new"), join(dir, "..data"));
}

function linkOnce(target: string, path: string): void {
  try {
    symlinkSync(target, path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") {
      throw error;
    }
  }
}
