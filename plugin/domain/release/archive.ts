/** What an archive may hold: judged by the names and types of its entries, before a file is used. */

/** An entry of an archive as its header has it. */
export interface ArchiveEntry {
  /** As written, not to be trusted. */
  readonly name: string;
  /** `file`, `directory`, or what is refused. */
  readonly type: string;
}

/** What an archive may measure; more than any release needs, and nothing that fills the memory. */
export interface ArchiveLimits {
  /** As it is stored or sent. */
  readonly packedBytes: number;
  /** As it unpacks, with headers and padding. */
  readonly unpackedBytes: number;
  readonly entries: number;
  /** Characters of one path. */
  readonly pathLength: number;
}

/** A tree of a release is about 2 MB in a few hundred files; its archive is a tenth of that. */
export const archiveLimits: ArchiveLimits = {
  packedBytes: 32 * 1024 * 1024,
  unpackedBytes: 128 * 1024 * 1024,
  entries: 10_000,
  pathLength: 255,
};

/** The path of an entry without the parts that mean nothing (`./a//b/` is `a/b`). */
export function entryPath({ name }: ArchiveEntry): string {
  return name
    .split("/")
    .filter((part) => part !== "" && part !== ".")
    .join("/");
}

/** Everything for which an archive is refused: it would mean another file, or no file at all. */
export function judgeEntries(
  entries: readonly ArchiveEntry[],
  { pathLength }: Pick<ArchiveLimits, "pathLength">,
): readonly string[] {
  const seen = new Map<string, string>();
  return entries.flatMap((entry) => {
    const path = entryPath(entry);
    const earlier = seen.get(path);
    seen.set(path, entry.type);
    const problem = typeProblem(entry) ?? nameProblem(entry, pathLength);
    if (problem !== undefined) return [`${renderName(entry)} ${problem}`];
    const twice = earlier !== undefined && !(earlier === "directory" && entry.type === "directory");
    return twice ? [`${renderName(entry)} is there twice`] : [];
  });
}

function typeProblem({ type }: ArchiveEntry): string | undefined {
  if (type === "file" || type === "directory") return undefined;
  return type === "link" || type === "symlink" ? "is a link" : "is neither a file nor a folder";
}

function nameProblem({ name }: ArchiveEntry, pathLength: number): string | undefined {
  if (name.length > pathLength) return `has a path of more than ${pathLength} characters`;
  if (/^\/|^[A-Za-z]:/.test(name)) return "has an absolute path";
  if (/[\\\x00-\x1f\x7f-\x9f]/.test(name)) return "has a path with a control character or \\";
  return name.split("/").includes("..") ? "leads out of the archive" : undefined;
}

/** Short, and with nothing in it that a terminal would obey. */
function renderName({ name }: ArchiveEntry): string {
  const short = name.length > 80 ? `${name.slice(0, 80)}…` : name;
  return JSON.stringify(short.replaceAll(/[\x7f-\x9f\u2028-\u202e\u2066-\u2069]/g, "?"));
}

/** The one folder that every entry is in; undefined where there is none, or a file beside it. */
export function findLeadingFolder(entries: readonly ArchiveEntry[]): string | undefined {
  const paths = entries.map((entry) => ({ entry, parts: entryPath(entry).split("/") }));
  const tops = new Set(paths.map(({ parts }) => parts[0]).filter((top) => top !== ""));
  const [top] = tops;
  const isFile = paths.some(({ entry, parts }) => parts.length === 1 && entry.type === "file");
  return tops.size === 1 && !isFile ? top : undefined;
}

/** A size for people. */
export function megabytes(bytes: number): string {
  return `${Math.round((bytes / 1024 / 1024) * 10) / 10} MiB`;
}
