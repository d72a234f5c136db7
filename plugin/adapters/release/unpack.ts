/** Unpacks an archive in memory; nothing of it ever reaches the disk. */
import { promisify } from "node:util";
import { gunzip } from "node:zlib";
import { extract } from "tar-stream";
import { InputError, UsageError } from "../../domain/base/errors";
import {
  type ArchiveEntry,
  type ArchiveLimits,
  entryPath,
  judgeEntries,
  findLeadingFolder,
  megabytes,
} from "../../domain/release/archive";
import { getOwn } from "../../domain/base/values";
import type { Files } from "./folder";

/** An archive as it was read. */
interface Packed {
  readonly bytes: Buffer;
  /** What messages call it. */
  readonly shown: string;
}

/** How many problems a refusal names. */
const named = 10;

/** Those of the paths that the archive holds, at its root or in the one folder that it packs. */
export async function unpack(
  packed: Packed,
  paths: readonly string[],
  limits: ArchiveLimits,
): Promise<Files> {
  const { entries, kept } = await readEntries(packed, paths, limits);
  const problems = judgeEntries(entries, limits);
  if (problems.length > 0) {
    const rest = problems.length - named;
    throw new UsageError(
      [
        ...problems.slice(0, named).map((problem) => `archive ${packed.shown}: ${problem}`),
        ...(rest > 0 ? [`archive ${packed.shown}: and ${rest} more`] : []),
      ],
      { hint: "get the archive again from where the release is published" },
    );
  }
  const atRoot = pick(kept, paths, "");
  const folder = findLeadingFolder(entries);
  return atRoot.size > 0 || folder === undefined ? atRoot : pick(kept, paths, `${folder}/`);
}

function pick(kept: Files, paths: readonly string[], prefix: string): Files {
  return new Map(
    paths.flatMap((path) => {
      const bytes = kept.get(prefix + path);
      return bytes === undefined ? [] : [[path, bytes]];
    }),
  );
}

interface ReadArchive {
  readonly entries: readonly ArchiveEntry[];
  readonly kept: Files;
}

async function readEntries(
  packed: Packed,
  paths: readonly string[],
  limits: ArchiveLimits,
): Promise<ReadArchive> {
  const entries: ArchiveEntry[] = [];
  const kept = new Map<string, Buffer>();
  const wanted = new Set(paths);
  const tar = extract();
  tar.end(await unzip(packed, limits));
  try {
    for await (const stream of tar) {
      const { name, type } = stream.header;
      const entry = { name, type };
      entries.push(entry);
      if (entries.length > limits.entries) break;
      const path = entryPath(entry);
      if (wanted.has(path) || wanted.has(path.slice(path.indexOf("/") + 1))) {
        kept.set(path, await whole(stream));
      } else stream.resume();
    }
  } catch (error) {
    throw unreadable(packed, error);
  }
  if (entries.length <= limits.entries) return { entries, kept };
  throw new InputError(`archive ${packed.shown} holds more than ${limits.entries} entries`);
}

async function whole(stream: AsyncIterable<unknown>): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

async function unzip(packed: Packed, { unpackedBytes }: ArchiveLimits): Promise<Buffer> {
  try {
    return await promisify(gunzip)(packed.bytes, { maxOutputLength: unpackedBytes });
  } catch (error) {
    if (getOwn(error, "code") !== "ERR_BUFFER_TOO_LARGE") throw unreadable(packed, error);
    throw new UsageError(
      `archive ${packed.shown} unpacks to more than ${megabytes(unpackedBytes)}`,
      { hint: "give the folder of the unpacked release if it really is so large" },
    );
  }
}

function unreadable({ shown }: Packed, cause: unknown): UsageError {
  return new UsageError(`${shown} is not a .tar.gz archive, or it is damaged`, {
    cause,
    hint: "give a folder, or the .tar.gz of a release",
  });
}
