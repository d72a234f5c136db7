/** Opens files of advisories: a file, a folder of them, or an https URL whose digest was given. */
import { readdir, stat } from "node:fs/promises";
import { basename, join } from "node:path";
import type { ConnectionOptions } from "node:tls";
import { advisoryFinding } from "../../domain/advisories/findings";
import { joinUpTo, type UpTo } from "../../domain/advisories/age";
import type { Sourced } from "../../domain/advisories/row";
import { readAdvisories, type RowProblem } from "../../domain/advisories/rows";
import { InputError, UnavailableError, UsageError } from "../../domain/base/errors";
import type { Finding } from "../../domain/base/findings";
import { asArray, getOwn, pick } from "../../domain/base/values";
import { megabytes } from "../../domain/release/archive";
import { type Clock, deadline, requestDeadlineMs } from "../../ports/kubernetes";
import { systemClock } from "../clock";
import { fileProblem, readBytes } from "../files";
import { type OnSlow, SlowAnswers } from "../http/slow";
import { decodeText } from "../kubernetes/text/encoding";
import { folderDigest, hashBytes } from "../release/folder";
import { isUrl, judgeUrl, parseDigest } from "../release/source";
import { atPlace, parsePlaced, type PlacedDocument } from "./text";

/** Bytes of one file; one of more is no list of advisories. */
const mostBytes = 2 ** 20;
/** Files of a folder. */
const mostFiles = 100;
/** Milliseconds for a whole download, however steadily it arrives. */
const longestMs = 5 * 60_000;

/** How files of advisories are opened. */
export interface AdvisoryOptions {
  readonly signal: AbortSignal;
  /** For the proxies that it names. */
  readonly env: NodeJS.ProcessEnv;
  readonly trust?: ConnectionOptions | undefined;
  readonly onSlow?: OnSlow | undefined;
  readonly clock?: Pick<Clock, "now" | "alarm">;
  /** Digests that sources have to have: every address one of them, and each of them one source. */
  readonly sha256?: readonly string[];
  readonly limits?: { readonly silentMs?: number; readonly longestMs?: number };
}

/** A source that was read: its rows, and what is wrong with those that were left out. */
export interface OpenedAdvisories {
  readonly rows: readonly Sourced[];
  readonly findings: readonly Finding[];
  /** Of the file's bytes; of a folder, of what sha256sum prints for its files. */
  readonly digest: string;
  /** The day up to which its knowledge has been kept: the oldest one of a folder. */
  readonly date?: string;
  /** The newest releases whose notes were read for it. */
  readonly upTo?: UpTo;
  /** As it was given, without a query. */
  readonly file: string;
  /** Where a part of one of the rows is. */
  readonly locate: (row: Sourced, path: readonly (string | number)[]) => Location;
}

type Location = NonNullable<Finding["location"]>;

/**
 * The sources in their order. Every digest is compared before anything is parsed; what cannot be read at all is
 * a UsageError with all of its problems, a row that cannot be judged is a finding.
 */
export async function openAdvisories(
  sources: readonly string[],
  options: AdvisoryOptions,
): Promise<readonly OpenedAdvisories[]> {
  const wanted = readDigests(options.sha256 ?? []);
  const places = sources.map(parsePlace);
  const problems = places.flatMap((place) => ("problems" in place ? place.problems : []));
  if (problems.length > 0) throw new UsageError(problems);
  const fetched: Fetched[] = [];
  for (const place of places) if ("shown" in place) fetched.push(await fetchPlace(place, options));
  requireDigests(fetched, wanted);
  return fetched.map(readFetched);
}

type Place =
  { readonly path: string; readonly shown: string } | { readonly url: URL; readonly shown: string };

function parsePlace(source: string): Place | { readonly problems: readonly string[] } {
  if (!isUrl(source)) return { path: source, shown: source };
  const { url, shown, problems } = judgeUrl(source, "file of advisories");
  return url === undefined || problems.length > 0 ? { problems } : { url, shown };
}

function readDigests(given: readonly string[]): readonly string[] {
  const read = given.map(parseDigest);
  if (read.includes(undefined)) {
    throw new UsageError("--advisories-sha256: is not 64 hexadecimal digits");
  }
  return read.flatMap((digest) => digest ?? []);
}

/** The bytes of a source, not looked at yet. */
interface Fetched {
  readonly shown: string;
  readonly digest: string;
  readonly files: readonly { readonly file: string; readonly bytes: Buffer }[];
  readonly isRemote?: true;
}

async function fetchPlace(place: Place, options: AdvisoryOptions): Promise<Fetched> {
  const { shown } = place;
  if ("url" in place) {
    const bytes = await fetchUrl(place, options);
    return { shown, digest: hashBytes(bytes), files: [{ file: shown, bytes }], isRemote: true };
  }
  const paths = await listFolder(place.path);
  if (paths === undefined) {
    const bytes = await readWhole(place.path);
    return { shown, digest: hashBytes(bytes), files: [{ file: shown, bytes }] };
  }
  const files: { readonly file: string; readonly bytes: Buffer }[] = [];
  for (const file of paths) files.push({ file, bytes: await readWhole(file) });
  const digest = folderDigest(new Map(files.map(({ file, bytes }) => [basename(file), bytes])));
  return { shown, digest, files };
}

async function fetchUrl(
  { url, shown }: Extract<Place, { readonly url: URL }>,
  options: AdvisoryOptions,
): Promise<Buffer> {
  const { download } = await import("../release/download.ts");
  const { clock = systemClock, onSlow, limits = {} } = options;
  const slow = new SlowAnswers(clock, shown, onSlow);
  const ended = new AbortController();
  const callOff = deadline(clock, limits.longestMs ?? longestMs, () => {
    ended.abort(
      new UnavailableError(`${shown} did not arrive whole in time`, {
        hint: "download the file of advisories yourself and give the file",
      }),
    );
  });
  try {
    return await slow.during(
      download(url, {
        ...pick(options, "env", "trust"),
        signal: AbortSignal.any([options.signal, ended.signal]),
        what: "file of advisories",
        packedBytes: mostBytes,
        silentMs: limits.silentMs ?? requestDeadlineMs,
      }),
    );
  } finally {
    callOff();
  }
}

/** The files of a folder in the order of their names; undefined for what is no folder. */
async function listFolder(path: string): Promise<readonly string[] | undefined> {
  try {
    if (!(await stat(path)).isDirectory()) return undefined;
    const names = (await readdir(path)).filter((name) => /^[^.].*\.(ya?ml|json)$/i.test(name));
    if (names.length === 0) {
      throw new InputError(`advisories: the folder holds no .yaml, .yml or .json: ${path}`);
    }
    if (names.length > mostFiles) {
      throw new InputError(`advisories: the folder holds more than ${mostFiles} files: ${path}`);
    }
    return names.sort().map((name) => join(path, name));
  } catch (error) {
    throw explainUnread(path, error);
  }
}

async function readWhole(path: string): Promise<Buffer> {
  try {
    const { size } = await stat(path);
    const bytes = size > mostBytes ? undefined : readBytes(path);
    if (bytes !== undefined && bytes.length <= mostBytes) return bytes;
  } catch (error) {
    throw explainUnread(path, error);
  }
  throw new InputError(`file of advisories ${path} is larger than ${megabytes(mostBytes)}`);
}

function explainUnread(path: string, error: unknown): Error {
  if (error instanceof InputError) return error;
  return new InputError(`advisories: ${fileProblem(path, error)}`, {
    hint: "give a file of advisories, a folder of them, or an https URL",
  });
}

/** What was fetched from an address is what the person has seen, and no digest was given for nothing. */
function requireDigests(fetched: readonly Fetched[], wanted: readonly string[]): void {
  const known = new Set(fetched.map(({ digest }) => digest));
  const has = fetched.map(({ shown, digest }) => `${shown} has ${digest}`).join(", ");
  const problems = [
    ...fetched.flatMap(({ shown, digest, isRemote }) =>
      isRemote !== true || wanted.includes(digest)
        ? []
        : [`advisories ${shown} are not pinned: their SHA-256 is ${digest}`],
    ),
    ...wanted
      .filter((digest) => !known.has(digest))
      .map((digest) => `--advisories-sha256: no source has ${digest}: ${has}`),
  ];
  if (problems.length === 0) return;
  throw new UsageError(problems, {
    hint: "read the file, then give its SHA-256 with --advisories-sha256",
  });
}

function readFetched({ shown, digest, files }: Fetched): OpenedAdvisories {
  const read = files.map(({ file, bytes }) => readFile(file, bytes));
  const [date] = read.flatMap((one) => one.date ?? []).sort();
  const upTo = joinUpTo(read.flatMap((one) => one.upTo ?? []));
  const finders = new Map(read.flatMap(({ rows, locate }) => rows.map((row) => [row, locate])));
  return {
    file: shown,
    digest,
    rows: read.flatMap(({ rows }) => rows),
    findings: read.flatMap(({ findings }) => findings),
    locate: (row, path) => finders.get(row)?.(row, path) ?? { file: shown, line: 1, column: 1 },
    ...(date !== undefined && { date }),
    ...(Object.keys(upTo).length > 0 && { upTo }),
  };
}

/** What one file gives. */
type ReadFile = Pick<OpenedAdvisories, "rows" | "findings" | "date" | "upTo" | "locate">;

function readFile(file: string, bytes: Buffer): ReadFile {
  const document = parsePlaced(decode(file, bytes), file);
  const { rows, problems, ...kept } = readAdvisories(document.value, file);
  const ofFile = problems.filter(({ path: [, index] }) => index === undefined);
  if (ofFile.length > 0) {
    throw new InputError(
      ofFile.map(({ path, says }) => `${atPlace(file, document.placeOf(path))} ${says}`),
    );
  }
  return {
    rows,
    findings: problems.map((problem) => brokenRow(problem, file, document)),
    locate: (row, path) => ({ file, ...document.placeOf([...findRow(document, row), ...path]) }),
    ...pick(kept, "date", "upTo"),
  };
}

/** The way to a row in its document: by its id, which is the code in small letters where there is none. */
function findRow({ value }: PlacedDocument, { id }: Sourced): readonly (string | number)[] {
  const ids = asArray(getOwn(value, "advisories")).map((row) => {
    return getOwn(row, "id") ?? String(getOwn(row, "code")).toLowerCase();
  });
  return ["advisories", ids.indexOf(id)];
}

function decode(file: string, bytes: Buffer): string {
  try {
    return decodeText(bytes, true);
  } catch {
    throw new InputError(`file of advisories ${file} is not text in UTF-8`);
  }
}

/** A row that was left out, with the field and the place of what is wrong in it. */
function brokenRow(
  { path, row, says }: RowProblem,
  file: string,
  { placeOf }: PlacedDocument,
): Finding {
  return advisoryFinding("broken", {
    ...(row !== undefined && { object: `Advisory/${row}` }),
    ...(path.length > 2 && { field: renderPath(path.slice(2)) }),
    location: { file, ...placeOf(path) },
    cause: says,
  });
}

function renderPath(path: readonly (string | number)[]): string {
  return path
    .map((key) => (typeof key === "number" ? `[${key}]` : `.${key}`))
    .join("")
    .replace(/^\./, "");
}
