/** What `npm run package` left in dist/release, unpacked for tests. */
import { createHash } from "node:crypto";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { buffer } from "node:stream/consumers";
import { gunzipSync } from "node:zlib";
import { unzipSync } from "fflate";
import { extract } from "tar-stream";
import { findBinaries } from "../control-plane/binaries";
import { repositoryRoot } from "../control-plane/pins";
import { run, type RunResult } from "../control-plane/run";

export const releaseDir = join(repositoryRoot, "dist/release");

/** A file of the release; without it nothing here can be judged. */
export function released(name: string): string {
  const file = join(releaseDir, name);
  if (existsSync(file)) return file;
  throw new Error(`${file} is missing: run npm run package first`);
}

export const sha256 = (bytes: Buffer | string): string =>
  createHash("sha256").update(bytes).digest("hex");

export interface Unpacked {
  readonly name: string;
  readonly bytes: Buffer;
  /** What the archive tells of it; a .zip tells no owner. */
  readonly mode?: number | undefined;
  readonly seconds?: number | undefined;
  readonly owner?: number | undefined;
}

/** The files of a .tar.gz or a .zip, in its order. */
export async function filesOf(archive: string): Promise<readonly Unpacked[]> {
  const packed = readFileSync(archive);
  if (archive.endsWith(".zip")) {
    return Object.entries(unzipSync(packed)).map(([name, data]) => {
      return { name, bytes: Buffer.from(data) };
    });
  }
  const tar = extract();
  tar.end(gunzipSync(packed));
  const files: Unpacked[] = [];
  for await (const entry of tar) {
    const bytes = await buffer(entry);
    const { name, mode, mtime, uid } = entry.header;
    const seconds = mtime.getTime() / 1000;
    files.push({ name, bytes, mode, seconds, owner: uid });
  }
  return files;
}

/** Unpacks an archive as tar would. */
export async function unpackInto(archive: string, folder: string): Promise<void> {
  for (const { name, bytes, mode } of await filesOf(archive)) {
    const file = join(folder, name);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, bytes);
    if (mode !== undefined) chmodSync(file, mode);
  }
}

/** The architecture of this machine, as the names of archives spell it. */
export const archHere = process.arch === "x64" ? "amd64" : "arm64";

/** A rehearsal by `kubectl engine`, with nothing but kubectl and a folder of plugins on the PATH; `dir` is its home. */
export async function rehearsedWith(plugins: string, dir: string): Promise<RunResult> {
  const only = join(dir, "kubectl-only");
  mkdirSync(only);
  const { kubectl } = await findBinaries();
  symlinkSync(kubectl, join(only, "kubectl"));
  const env = { PATH: [only, plugins].join(delimiter), HOME: dir };
  return await run(join(only, "kubectl"), ["engine", "rehearse"], { env });
}
