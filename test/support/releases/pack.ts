/** Archives for tests: good ones, and such as only an attacker makes. */
import { gzipSync } from "node:zlib";
import { type Header, pack } from "tar-stream";

/** An entry; without a type a file. */
export interface Entry {
  readonly name: string;
  readonly text?: string;
  readonly type?: Header["type"];
  readonly linkname?: string;
}

/** The bytes of a .tar.gz, the same for the same entries. */
export async function packFiles(entries: readonly Entry[]): Promise<Buffer> {
  return gzipSync(await tarOf(entries));
}

/** The bytes of a .tar. */
export async function tarOf(entries: readonly Entry[]): Promise<Buffer> {
  const tar = pack();
  for (const { text = "", type = "file", ...header } of entries) {
    tar.entry({ type, mtime: new Date(0), ...header }, text);
  }
  tar.finalize();
  const chunks: Buffer[] = [];
  for await (const chunk of tar as AsyncIterable<Buffer>) chunks.push(chunk);
  return Buffer.concat(chunks);
}
