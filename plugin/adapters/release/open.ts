/** Opens a release: a folder, a .tar.gz, or an https URL (S15, S26). */
import { stat } from "node:fs/promises";
import { join } from "node:path";
import type { ConnectionOptions } from "node:tls";
import { InputError, UsageError } from "../../domain/base/errors";
import type { Names } from "../../domain/names/names";
import { archiveLimits, type ArchiveLimits, megabytes } from "../../domain/release/archive";
import { type Release, type ReleaseFile, releasePaths } from "../../domain/release/contents";
import { getOwn } from "../../domain/base/values";
import { type Clock, requestDeadlineMs } from "../../ports/kubernetes";
import { decodeText } from "../kubernetes/text/encoding";
import { fileProblem, readBytes } from "../files";
import { systemClock } from "../clock";
import { type OnSlow, SlowAnswers } from "../http/slow";
import { type Files, folderDigest, readFolder, hashBytes } from "./folder";
import { isUrl, judgeUrl, parseDigest } from "./source";
import { parseReleaseTag } from "../../domain/base/versions";

/** How a release is opened; without `sha256` nothing is compared. */
export interface OpenOptions extends ReleaseRequest {
  readonly names: Names;
  readonly signal: AbortSignal;
  /** For the proxies that it names. */
  readonly env: NodeJS.ProcessEnv;
  readonly trust?: ConnectionOptions | undefined;
  readonly onSlow?: OnSlow | undefined;
  /** By which a download is slow; absent: the machine's. */
  readonly clock?: Pick<Clock, "now" | "alarm">;
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
    return toRelease(
      source.shown,
      sha256,
      reader(files, (path) => join(source.path, path)),
    );
  }
  const limits = { ...archiveLimits, ...options.limits };
  const bytes = await archiveBytes(source, options, limits);
  const sha256 = hashBytes(bytes);
  requireDigest(source, sha256, options);
  const { unpack } = await import("./unpack.ts");
  const files = await unpack({ bytes, shown: source.shown }, paths, limits);
  return toRelease(
    source.shown,
    sha256,
    reader(files, (path) => `${path} in ${source.shown}`),
  );
}

function toRelease(source: string, sha256: string, file: Release["file"]): Release {
  return { source, sha256, file };
}

/** The texts behind the paths; a file that is not a text is only refused when it is asked for. */
function reader(files: Files, sourceOf: (path: string) => string): Release["file"] {
  const texts = new Map<string, ReleaseFile>();
  return (paths) => {
    const found = paths.find((path) => files.has(path));
    const bytes = found === undefined ? undefined : files.get(found);
    if (found === undefined || bytes === undefined) return undefined;
    const text = texts.get(found) ?? readText(bytes, sourceOf(found));
    texts.set(found, text);
    return text;
  };
}

function readText(bytes: Buffer, source: string): ReleaseFile {
  try {
    return { text: decodeText(bytes, true), source };
  } catch {
    throw new InputError(`${source} is not text in UTF-8`);
  }
}

function requireDigest({ shown }: Source, found: string, { sha256 }: ReleaseRequest): void {
  if (sha256 === undefined || parseDigest(sha256) === found) return;
  throw new UsageError(
    `release ${shown} is not the one that was pinned: its SHA-256 is ${found}, expected ${String(parseDigest(sha256))}`,
    { hint: "find out what changed before you use it" },
  );
}

async function isFolder(path: string): Promise<boolean> {
  try {
    return (await stat(path)).isDirectory();
  } catch (error) {
    throw explainMissing(path, error);
  }
}

function explainMissing(path: string, error: unknown): UsageError {
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
    const slow = new SlowAnswers(options.clock ?? systemClock, source.shown, options.onSlow);
    return await slow.during(
      download(source.url, { ...options, what: "archive", packedBytes, silentMs }),
    );
  }
  const { size } = await stat(source.path);
  const bytes = size > packedBytes ? undefined : readBytes(source.path);
  if (bytes !== undefined && bytes.length <= packedBytes) return bytes;
  throw new InputError(`archive ${source.shown} is larger than ${megabytes(packedBytes)}`);
}

/** A place to read a release from; `shown` is it for people, without credentials. */
export type Source =
  | { readonly is: "path"; readonly path: string; readonly shown: string }
  | { readonly is: "url"; readonly url: URL; readonly shown: string };

/** What may be said beside the place. */
interface ReleaseRequest {
  /** The release that is asked for: fills `{tag}`. */
  readonly target?: string | undefined;
  /** SHA-256 in hex that the release has to have. */
  readonly sha256?: string | undefined;
}

const tagHole = "{tag}";

/** The source, `{tag}` filled in; UsageError with every problem of what was given. */
function parseSource(given: string, { target, sha256 }: ReleaseRequest): Source {
  const problems = [...tagProblems(given, target), ...digestProblems(sha256)];
  const filled = given.replaceAll(tagHole, target ?? tagHole);
  const judged = isUrl(filled) ? judgeUrl(filled, "release") : undefined;
  problems.push(...(judged?.problems ?? []));
  if (problems.length > 0) throw new UsageError(problems);
  return judged?.url === undefined
    ? { is: "path", path: filled, shown: filled }
    : { is: "url", url: judged.url, shown: judged.shown };
}

function tagProblems(given: string, target: string | undefined): string[] {
  const needed = given.includes(tagHole) && target === undefined;
  return [
    ...(needed ? ["the release's address has a {tag}: --target has to say which"] : []),
    ...(target !== undefined && parseReleaseTag(target) === undefined
      ? [`${JSON.stringify(target)} is not the tag of a release such as 7.22.0-7`]
      : []),
  ];
}

function digestProblems(sha256: string | undefined): readonly string[] {
  if (sha256 === undefined || parseDigest(sha256) !== undefined) return [];
  return ["the SHA-256 of the release is not 64 hexadecimal digits"];
}
