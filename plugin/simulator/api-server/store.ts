/** The objects of a cluster as etcd holds them: one version each, in the order of their keys. */
import type { KubeObject } from "../../domain/kube/objects";
import type { Stored } from "../../domain/kube/kinds";
import type { Plural, StateView } from "../model";
import { refuseExpired } from "./answers";

/** What was stored, changed or removed. */
export interface StoreChange {
  readonly type: "ADDED" | "MODIFIED" | "DELETED";
  readonly object: KubeObject;
  readonly before?: KubeObject;
}

/** A change and the version that it made. */
export interface LogEntry {
  readonly kind: string;
  readonly version: number;
  readonly change: StoreChange;
}

const mostEntries = 20_000;

/** What happened since a version, as far back as the log reaches. */
class ChangeLog {
  private entries: LogEntry[] = [];
  private readonly waiting = new Set<() => void>();
  private readonly listeners = new Set<(change: StoreChange) => void>();

  /** The log knows all changes after this version. */
  constructor(private start: number) {}

  add(entry: LogEntry): void {
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
  after(version: number): readonly LogEntry[] {
    if (version < this.start) throw refuseExpired(version, this.start);
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
  listen(listener: (change: StoreChange) => void): () => void {
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

/** Where an object is stored. */
export interface Key {
  readonly kind: Plural;
  readonly name: string;
  readonly namespace: string | undefined;
}

/** The objects of one namespace; the order is found again only after a name came or went. */
class Names {
  private sorted: readonly KubeObject[] | undefined;

  constructor(private readonly objects = new Map<string, KubeObject>()) {}

  get(name: string): KubeObject | undefined {
    return this.objects.get(name);
  }

  set(name: string, object: KubeObject): void {
    this.objects.set(name, object);
    this.sorted = undefined;
  }

  delete(name: string): void {
    this.objects.delete(name);
    this.sorted = undefined;
  }

  get all(): readonly KubeObject[] {
    this.sorted ??= inOrder(this.objects, "");
    return this.sorted;
  }

  copy(): Names {
    return new Names(new Map(this.objects));
  }
}

/** Keys are compared with what follows them in etcd: `a-b/` comes before `a/`. */
function inOrder<T>(values: ReadonlyMap<string, T>, end: string): readonly T[] {
  return [...values]
    .map(([key, value]) => [`${key}${end}`, value] as const)
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([, value]) => value);
}

/** Everything stored, with one counter for all versions. */
export class Store implements StateView {
  readonly log: ChangeLog;

  private constructor(
    private readonly kinds: Map<string, Map<string, Names>>,
    private counter: number,
  ) {
    this.log = new ChangeLog(counter);
  }

  static empty(): Store {
    return new Store(new Map(), 0);
  }

  /** The latest version that was given out. */
  get version(): number {
    return this.counter;
  }

  get<R extends Plural>(kind: R, name: string, namespace = ""): Stored<R> | undefined {
    const found = this.kinds.get(pluralKey(kind))?.get(namespace)?.get(name);
    return found as Stored<R> | undefined;
  }

  list<R extends Plural>(kind: R, namespace?: string): readonly Stored<R>[] {
    return this.listAll(kind, namespace) as readonly Stored<R>[];
  }

  private listAll(kind: Plural, namespace: string | undefined): readonly KubeObject[] {
    const namespaces = this.kinds.get(pluralKey(kind));
    if (namespaces === undefined) return [];
    if (namespace !== undefined) return namespaces.get(namespace)?.all ?? [];
    return inOrder(namespaces, "/").flatMap(({ all }) => all);
  }

  /** Stores an object under a new version. */
  put(key: Key, object: KubeObject): KubeObject {
    this.counter += 1;
    const stored = withVersion(object, this.counter);
    const before = this.get(key.kind, key.name, key.namespace);
    this.names(key).set(key.name, stored);
    this.tell(
      key,
      before === undefined ? describeAdded(stored) : { type: "MODIFIED", object: stored, before },
    );
    return stored;
  }

  /** Stores an object as it is, untold; the counter never falls behind its version. */
  keep(key: Key, object: KubeObject): void {
    const version = Number(object.metadata.resourceVersion);
    if (Number.isSafeInteger(version) && version > this.counter) this.counter = version;
    this.names(key).set(key.name, object);
    this.log.startAt(this.counter);
  }

  /** Removes an object; the last state is answered under a new version. */
  remove(key: Key): KubeObject | undefined {
    const before = this.get(key.kind, key.name, key.namespace);
    if (before === undefined) return undefined;
    this.counter += 1;
    this.names(key).delete(key.name);
    const object = withVersion(before, this.counter);
    this.tell(key, { type: "DELETED", object, before });
    return object;
  }

  /** A store of its own with the same objects. */
  fork(): Store {
    const kinds = [...this.kinds].map(([kind, namespaces]) => {
      const copies = [...namespaces].map(([name, names]) => [name, names.copy()] as const);
      return [kind, new Map(copies)] as const;
    });
    return new Store(new Map(kinds), this.counter);
  }

  private tell({ kind }: Key, change: StoreChange): void {
    this.log.add({ kind: pluralKey(kind), version: this.counter, change });
  }

  private names({ kind, namespace = "" }: Key): Names {
    const namespaces = this.kinds.get(pluralKey(kind)) ?? new Map<string, Names>();
    this.kinds.set(pluralKey(kind), namespaces);
    const names = namespaces.get(namespace) ?? new Names();
    namespaces.set(namespace, names);
    return names;
  }
}

/** A kind as it is known in the log. */
export function pluralKey({ group, plural }: Plural): string {
  return `${group}/${plural}`;
}

function withVersion(object: KubeObject, version: number): KubeObject {
  return { ...object, metadata: { ...object.metadata, resourceVersion: String(version) } };
}

function describeAdded(object: KubeObject): StoreChange {
  return { type: "ADDED", object };
}
