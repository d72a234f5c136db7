/**
 * Tells when a mounted folder may have changed. Secret volumes swap a symlink, after which a file
 * watch stays deaf and a directory watch may miss; so the directory is watched and polled as well.
 */
import { type FSWatcher, watch } from "node:fs";
import { CORE_SCHEMA, loadAll } from "js-yaml";
import { shapeProblem, textProblem } from "../plugin/domain/values";

/** The documents of a text; throws what is wrong with it. */
export function parseYaml(text: string): readonly unknown[] {
  const before = textProblem(text);
  if (before !== undefined) throw new Error(before);
  const documents = loadAll(text, null, { schema: CORE_SCHEMA });
  const problem = shapeProblem(documents, text.length);
  if (problem !== undefined) throw new Error(problem);
  return documents;
}

export interface FolderWatch {
  stop(): void;
}

export interface FileWatchOptions {
  readonly pollMs: number;
  /** Called often and for nothing too: it has to look for itself. */
  readonly look: () => void;
}

export function watchFolder(folder: string, { pollMs, look }: FileWatchOptions): FolderWatch {
  const poll = setInterval(look, pollMs);
  let watcher: FSWatcher | undefined;
  try {
    watcher = watch(folder, look);
    // A folder that is removed ends its watch; the poll continues.
    watcher.on("error", () => watcher?.close());
  } catch {
    // No such folder yet, or no watches left: the poll is enough.
  }
  return {
    stop: () => {
      clearInterval(poll);
      watcher?.close();
    },
  };
}
