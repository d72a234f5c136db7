/** What a run keeps of objects before it changes them, and the commands that put them back. */
import { objectLabel } from "../../domain/objects";
import type { Journal } from "./journal";
import type { Report } from "../report";
import { type Change, keepsValues, keptOf, liveOf, type PutBack } from "./change";

type Backup = NonNullable<Report["backups"]>[number];

/** How an object is put back from its file. */
interface Way {
  readonly verb: PutBack | undefined;
  readonly words: (file: string) => readonly string[];
}

interface Saved {
  readonly object: string;
  readonly file: string;
  readonly version: string | undefined;
  /** As the last write that came into force, or whose outcome is open, asks for it; absent: none yet. */
  way?: Way;
  /** As the write that is under way will ask for it. */
  readonly next: Way;
}

/** Up to so many are put back one by one. */
const fewObjects = 5;

/** One file for each object, as it was before the run's first write of it. */
export class KeptObjects {
  readonly #saved = new Map<string, Saved>();
  /** Objects that were read once more before their first write: their older file is left behind. */
  #leftBehind = 0;

  constructor(private readonly journal: Pick<Journal, "save">) {}

  /** What is changed first and deleted later is put back as it was at first. */
  async save(change: Change): Promise<void> {
    const kept = keptOf(change);
    if (kept === undefined) return;
    const { verb, words } = kept;
    const object = objectLabel(kept.object);
    const key = keyOf(change);
    const before = this.#saved.get(key);
    const version = liveOf(change)?.metadata.resourceVersion;
    const file = fileOf(before, version) ?? (await this.journal.save(kept.object));
    if (before !== undefined && before.file !== file) this.#leftBehind += 1;
    const way = before?.way && { way: before.way };
    this.#saved.set(key, { object, file, version, ...way, next: { verb, words } });
  }

  /** The write came into force, or may have. */
  written(change: Change): void {
    const saved = this.#saved.get(keyOf(change));
    if (saved !== undefined) saved.way = saved.next;
  }

  /** One entry an object that was written; one for a folder that holds these alone, to be put back alike. */
  backups(command: (words: readonly string[]) => string): readonly Backup[] {
    const all = [...this.#saved.values()].flatMap(({ object, file, way }) =>
      way === undefined ? [] : [{ object, file, ...way }],
    );
    const [first] = all;
    if (first === undefined) return [];
    const folder = first.file.replace(/\/[^/]*$/, "");
    const isAlike = all.every(({ verb }) => verb !== undefined && verb === first.verb);
    const isAlone = this.#leftBehind === 0 && all.length === this.#saved.size;
    if (isAlike && isAlone && all.length > fewObjects && folder !== first.file) {
      const object = `${all.length} objects`;
      return [{ object, file: folder, command: command(first.words(folder)) }];
    }
    return all.map(({ object, file, words }) => ({ object, file, command: command(words(file)) }));
  }
}

/** Old values alone are put back one by one, each beside what else is kept of the object. */
function keyOf(change: Change): string {
  return [objectLabel(change.object), ...(keepsValues(change) ? [change.id] : [])].join(" ");
}

/** The file that still holds the object as it was before the first write of it. */
function fileOf(before: Saved | undefined, version: string | undefined): string | undefined {
  const isSame = version !== undefined && before?.version === version;
  return before !== undefined && (before.way !== undefined || isSame) ? before.file : undefined;
}
