// The package.json of the checkout, which is kept while `npm pack` makes a package with another one.
import { copyFileSync, existsSync, mkdirSync, renameSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const kept = join(root, ".cache", "package.json");

export const manifest = join(root, "package.json");

export function keep() {
  // A pack that was interrupted has left the shortened file behind.
  putBack();
  mkdirSync(dirname(kept), { recursive: true });
  copyFileSync(manifest, kept);
}

export function putBack() {
  if (existsSync(kept)) renameSync(kept, manifest);
}
