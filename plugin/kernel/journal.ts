/**
 * The record of a run (cli contract, Runs): what is about to be written, what was
 * observed afterwards, and every replaced or deleted object as it was. A run never reads it back.
 */
import { UsageError } from "../domain/base/errors";
import type { Finding } from "../domain/base/findings";
import { objectLabel } from "../domain/kube/objects";
import type { Json } from "../domain/base/values";
import type { BackupReport } from "./report";
import { type Change, keepsValues, findKept, findLive, type PutBack } from "../domain/kube/change";
import type { RunRecord, Home } from "../ports/home";

/** The record of one run as its steps see it: it begins with the first line or object. */
export interface Journal extends Omit<RunRecord, "id"> {
  /** Why nothing could be kept, undefined when it could; writes nothing. */
  problem(): Promise<string | undefined>;
}

/** A home whose records tell `open` what is about to be written, and take it back when its outcome is seen. */
export function watchHome(home: Home, open: Set<string>): Home {
  const nameEntry = ({ action, object }: Json): string => `${String(action)} ${String(object)}`;
  return {
    path: home.path,
    writable: () => home.writable(),
    begin: async (runId) => {
      const record = await home.begin(runId);
      return {
        id: record.id,
        intent: async (line) => {
          await record.intent(line);
          open.add(nameEntry(line));
        },
        outcome: async (line) => {
          open.delete(nameEntry(line));
          await record.outcome(line);
        },
        save: (object, part) => record.save(object, part),
      };
    },
  };
}

/** A journal that makes its folder only when something is to be written; `part` names that of a part. */
export function openJournal(home: Home, runId: string, part?: string): Journal {
  let begun: Promise<RunRecord> | undefined;
  const record = (): Promise<RunRecord> => (begun ??= home.begin(runId));
  return {
    problem: () => home.writable(),
    intent: async (line) => (await record()).intent(line),
    outcome: async (line) => (await record()).outcome(line),
    save: async (object) => (await record()).save(object, part),
  };
}

/** How an object is put back from its file. */
interface RestoreWay {
  readonly verb: PutBack | undefined;
  readonly words: (file: string) => readonly string[];
  readonly holds: string;
}

interface Saved {
  readonly object: string;
  readonly file: string;
  readonly version: string | undefined;
  /** As the last write that came into force, or whose outcome is open, asks for it; absent: none yet. */
  way?: RestoreWay;
  /** As the write that is under way will ask for it. */
  readonly next: RestoreWay;
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
    const kept = findKept(change);
    if (kept === undefined) return;
    const { verb, words, holds } = kept;
    const object = objectLabel(kept.object);
    const key = changeKey(change);
    const before = this.#saved.get(key);
    const version = findLive(change)?.metadata.resourceVersion;
    const file = findFile(before, version) ?? (await this.journal.save(kept.object));
    if (before !== undefined && before.file !== file) this.#leftBehind += 1;
    const way = before?.way && { way: before.way };
    this.#saved.set(key, { object, file, version, ...way, next: { verb, words, holds } });
  }

  /** The write came into force, or may have. */
  noteWritten(change: Change): void {
    const saved = this.#saved.get(changeKey(change));
    if (saved !== undefined) saved.way = saved.next;
  }

  /** One entry an object that was written; one for a folder that holds these alone, to be put back alike. */
  backups(command: (words: readonly string[]) => string): readonly BackupReport[] {
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
      const { words, holds } = first;
      return [{ object, file: folder, command: command(words(folder)), holds }];
    }
    return all.map(({ object, file, words, holds }) => {
      return { object, file, command: command(words(file)), holds };
    });
  }
}

/** Old values alone are put back one by one, each beside what else is kept of the object. */
function changeKey(change: Change): string {
  return [objectLabel(change.object), ...(keepsValues(change) ? [change.id] : [])].join(" ");
}

/** The file that still holds the object as it was before the first write of it. */
function findFile(before: Saved | undefined, version: string | undefined): string | undefined {
  const isSame = version !== undefined && before?.version === version;
  return before !== undefined && (before.way !== undefined || isSame) ? before.file : undefined;
}

/**
 * A run that writes keeps a record, so its folder has to be writable; for one that has nothing to
 * write the problem is a warning, which is returned.
 */
export async function requireHome(
  { journal }: { readonly journal: Pick<Journal, "problem"> },
  writes: boolean,
): Promise<readonly Finding[]> {
  const problem = await journal.problem();
  if (problem === undefined) return [];
  if (writes) {
    throw new UsageError(problem, { hint: "set ENGINE_HOME to a folder that can be written" });
  }
  return [
    {
      code: "HOME-NOT-WRITABLE",
      severity: "warning",
      cause: problem,
      fix: "set ENGINE_HOME to a folder that can be written; a run that writes needs it",
      source: "docs/reference/environment.md",
    },
  ];
}
