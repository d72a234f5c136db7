/** What a run keeps of objects before it changes them, and the commands that put them back. */
import { objectLabel } from "../../domain/objects";
import type { Journal } from "./journal";
import type { Report } from "../report";
import { type Change, keptOf, liveOf, type PutBack } from "./change";

type Backup = NonNullable<Report["backups"]>[number];

interface Saved extends Omit<Backup, "command"> {
  readonly verb?: PutBack;
  readonly words: (file: string) => readonly string[];
  readonly version: string | undefined;
  /** A write came into force after it: what is read from then on is not what was there before. */
  isWritten: boolean;
}

/** Up to so many are put back one by one. */
const fewObjects = 5;

/** One file for each object, as it was before the run's first write of it. */
export class KeptObjects {
  readonly #saved = new Map<string, Saved>();

  constructor(private readonly journal: Pick<Journal, "save">) {}

  /** What is changed first and deleted later is put back as it was at first. */
  async save(change: Change): Promise<void> {
    const kept = keptOf(change);
    if (kept === undefined) return;
    const { verb, words } = kept;
    const object = objectLabel(kept.object);
    const key = verb === undefined ? `${object} ${this.#saved.size}` : object;
    const before = this.#saved.get(key);
    const isWritten = before?.isWritten === true;
    const version = liveOf(change)?.metadata.resourceVersion;
    const isKept = isWritten || (version !== undefined && before?.version === version);
    const file = isKept ? before.file : await this.journal.save(kept.object);
    const saved = { object, file, words, version, isWritten };
    this.#saved.set(key, { ...saved, ...(verb !== undefined && { verb }) });
  }

  /** The write came into force. */
  written({ object }: Change): void {
    const saved = this.#saved.get(objectLabel(object));
    if (saved !== undefined) saved.isWritten = true;
  }

  /** One entry an object; one for a folder where it holds many that are put back alike. */
  backups(command: (words: readonly string[]) => string): readonly Backup[] {
    const all = [...this.#saved.values()];
    const [first] = all;
    const folder = first?.file.replace(/\/[^/]*$/, "");
    const isAlike = all.every(({ verb }) => verb !== undefined && verb === first?.verb);
    if (first === undefined || folder === undefined) return [];
    if (isAlike && all.length > fewObjects && folder !== first.file) {
      const object = `${all.length} objects`;
      return [{ object, file: folder, command: command(first.words(folder)) }];
    }
    return all.map(({ object, file, words }) => ({ object, file, command: command(words(file)) }));
  }
}
