/** A folder with a pair, as the kubelet mounts a secret: files are links through `..data`. */
import { mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import type { PemPair } from "../support/tls";

export class TlsFolder {
  readonly dir = mkdtempSync(join(tmpdir(), "engine-tls-"));

  constructor(pair?: Partial<PemPair>) {
    for (const name of ["cert", "privateKey"])
      symlinkSync(join("..data", name), join(this.dir, name));
    if (pair !== undefined) this.swap(pair);
  }

  /** Replaces both files by one rename; a missing part is a missing file. */
  swap({ certPem, keyPem }: Partial<PemPair>): void {
    const content = mkdtempSync(join(this.dir, "..content-"));
    if (certPem !== undefined) writeFileSync(join(content, "cert"), certPem);
    if (keyPem !== undefined) writeFileSync(join(content, "privateKey"), keyPem);
    symlinkSync(basename(content), join(this.dir, "..new"));
    renameSync(join(this.dir, "..new"), join(this.dir, "..data"));
  }

  remove(): void {
    rmSync(this.dir, { recursive: true, force: true });
  }
}

/** An empty folder of its own. */
export function emptyFolder(): string {
  return mkdtempSync(join(tmpdir(), "engine-webhook-"));
}
