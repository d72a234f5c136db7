/** Archives with the same bytes for the same files: no owner, no time, an order of their own. */
import { createHash } from "node:crypto";
import { buffer } from "node:stream/consumers";
import { createGzip } from "node:zlib";
import { type Zippable, zipSync } from "fflate";
import { pack } from "tar-stream";

/** A file of an archive. */
export interface Entry {
  readonly name: string;
  readonly bytes: Buffer;
  readonly executable?: boolean;
  /** Its path on a Debian system; without one it does not belong there. */
  readonly installed?: string | undefined;
}

/** Of the bytes, hex. */
export const sha256 = (bytes: Buffer): string => createHash("sha256").update(bytes).digest("hex");

const modeOf = ({ executable = false }: Entry): number => (executable ? 0o755 : 0o644);

/** A .tar.gz. */
export function tarGz(entries: readonly Entry[]): Promise<Buffer> {
  const tar = pack();
  for (const entry of entries) {
    tar.entry({ name: entry.name, mode: modeOf(entry), mtime: new Date(0) }, entry.bytes);
  }
  tar.finalize();
  return buffer(tar.pipe(createGzip()));
}

/** A .zip, whose first possible time is read in the time zone of the machine. */
export function zip(entries: readonly Entry[]): Buffer {
  const files: Zippable = {};
  for (const entry of entries) {
    const attrs = (0o100000 | modeOf(entry)) << 16;
    files[entry.name] = [entry.bytes, { mtime: new Date(1980, 0, 1), os: 3, attrs }];
  }
  return Buffer.from(zipSync(files));
}
