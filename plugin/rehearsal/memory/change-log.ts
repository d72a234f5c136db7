/** The latest changes in order, for those who watch. */
import type { KubeObject } from "../../domain/objects";
import { expired } from "./answers";

/** What was stored, changed or removed. */
export interface Change {
  readonly type: "ADDED" | "MODIFIED" | "DELETED";
  readonly object: KubeObject;
  readonly before?: KubeObject;
}

/** A change and the version that it made. */
export interface Entry {
  readonly kind: string;
  readonly version: number;
  readonly change: Change;
}

const mostEntries = 20_000;

/** What happened since a version, as far back as the log reaches. */
export class ChangeLog {
  private entries: Entry[] = [];
  private readonly waiting = new Set<() => void>();
  private readonly listeners = new Set<(change: Change) => void>();

  /** The log knows all changes after this version. */
  constructor(private start: number) {}

  add(entry: Entry): void {
    this.entries.push(entry);
    // in large steps, so that no single write pays for moving the whole log
    if (this.entries.length > 2 * mostEntries) {
      this.start = this.entries[mostEntries - 1]?.version ?? this.start;
      this.entries = this.entries.slice(mostEntries);
    }
    for (const listener of this.listeners) listener(entry.change);
    for (const wake of this.waiting) wake();
  }

  startAt(version: number): void {
    this.entries = [];
    this.start = version;
  }

  /** The entries after a version; throws 410 when some of them are forgotten. */
  after(version: number): readonly Entry[] {
    if (version < this.start) throw expired(version, this.start);
    return this.entries.slice(this.indexAfter(version));
  }

  /** Resolves at the next change, or when the signal is aborted. */
  next(signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const wake = (): void => {
        this.waiting.delete(wake);
        signal.removeEventListener("abort", wake);
        resolve();
      };
      this.waiting.add(wake);
      signal.addEventListener("abort", wake);
      if (signal.aborted) wake();
    });
  }

  /** Tells of every change until the returned function is called. */
  listen(listener: (change: Change) => void): () => void {
    this.listeners.add(listener);
    return () => {
      this.listeners.delete(listener);
    };
  }

  private indexAfter(version: number): number {
    let [low, high] = [0, this.entries.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.entries[middle]?.version ?? Infinity) > version) high = middle;
      else low = middle + 1;
    }
    return low;
  }
}
