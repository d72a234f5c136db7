/** Opens a release: a folder, a .tar.gz, or an https URL (S15, S26). */
import { readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import type { ConnectionOptions } from "node:tls";
import { InputError, UsageError } from "../../domain/errors";
import type { Names } from "../../domain/names";
import { archiveLimits, type ArchiveLimits, megabytes } from "../../domain/release/archive";
import { type Release, type ReleaseFile, releasePaths } from "../../domain/release/contents";
import { getOwn } from "../../domain/values";
import { requestDeadlineMs } from "../../run/ports";
import { fileProblem } from "../files";
import { type Files, folderDigest, readFolder, sha256Of } from "./folder";
import { digestOf, parseSource, type Source, type Wanted } from "./source";

/** How a release is opened; without `sha256` nothing is compared. */
export interface OpenOptions extends Wanted {
  readonly names: Names;
  readonly signal: AbortSignal;
  /** For the proxies that it names. */
  readonly env: NodeJS.ProcessEnv;
  readonly trust?: ConnectionOptions | undefined;
  readonly limits?: Partial<ArchiveLimits & { readonly silentMs: number }>;
}

/** Reads all files that a release may be asked for, once; its digest is compared before any is used. */
export async function openRelease(given: string, options: OpenOptions): Promise<Release> {
  const source = parseSource(given, options);
  const paths = releasePaths(options.names);
  const folder = source.is === "path" && (await isFolder(source.path));
  if (folder) {
    const files = await readFolder(source.path, paths);
    const sha256 = folderDigest(files);
    requireDigest(source, sha256, options);
    return releaseOf(
      source.shown,
      sha256,
      reader(files, (path) => join(source.path, path)),
    );
  }
  const limits = { ...archiveLimits, ...options.limits };
  const bytes = await archiveBytes(source, options, limits);
  const sha256 = sha256Of(bytes);
  requireDigest(source, sha256, options);
  const { unpack } = await import("./unpack.ts");
  const files = await unpack({ bytes, shown: source.shown }, paths, limits);
  return releaseOf(
    source.shown,
    sha256,
    reader(files, (path) => `${path} in ${source.shown}`),
  );
}

function releaseOf(source: string, sha256: string, file: Release["file"]): Release {
  return { source, sha256, file };
}

/** The texts behind the paths; a file that is not a text is only refused when it is asked for. */
function reader(files: Files, sourceOf: (path: string) => string): Release["file"] {
  return (paths) => {
    const found = paths.find((path) => files.has(path));
    const bytes = found === undefined ? undefined : files.get(found);
    return found === undefined || bytes === undefined ? undefined : textOf(bytes, sourceOf(found));
  };
}

function textOf(bytes: Buffer, source: string): ReleaseFile {
  try {
    return { text: new TextDecoder("utf-8", { fatal: true }).decode(bytes), source };
  } catch {
    throw new InputError(`${source} is not text in UTF-8`);
  }
}

function requireDigest({ shown }: Source, found: string, { sha256 }: Wanted): void {
  if (sha256 === undefined || digestOf(sha256) === found) return;
  throw new UsageError(
    `release ${shown} is not the one that was pinned: its SHA-256 is ${found}, expected ${String(digestOf(sha256))}`,
    { hint: "find out what changed before you use it" },
  );
}

async function isFolder(path: string): Promise<boolean> {
  try {
    return (await stat(path)).isDirectory();
  } catch (error) {
    throw missing(path, error);
  }
}

function missing(path: string, error: unknown): UsageError {
  const absent = getOwn(error, "code") === "ENOENT";
  const problem = absent ? `no such file or folder: ${path}` : fileProblem(path, error);
  return new UsageError(`release: ${problem}`, {
    hint: "give the folder or the .tar.gz of a release, or its https URL",
  });
}

async function archiveBytes(
  source: Source,
  options: OpenOptions,
  { packedBytes }: ArchiveLimits,
): Promise<Buffer> {
  if (source.is === "url") {
    const { download } = await import("./download.ts");
    const silentMs = options.limits?.silentMs ?? requestDeadlineMs;
    return await download(source.url, { ...options, packedBytes, silentMs });
  }
  const { size } = await stat(source.path);
  if (size > packedBytes) {
    throw new InputError(`archive ${source.shown} is larger than ${megabytes(packedBytes)}`);
  }
  return await readFile(source.path);
}
