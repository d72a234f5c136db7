/** Watches: what exists, then every change in order, as one user's request sees them. */
import { setMaxListeners } from "node:events";
import { setImmediate as turn } from "node:timers/promises";
import type { KubeObject } from "../../domain/objects";
import type { WatchEvent, WatchOptions } from "../../run/ports";
import type { KindDefinition } from "../model";
import { internal, pluralOf } from "./answers";
import type { Change, Entry } from "./change-log";
import { type Selects, selectorOf } from "./selectors";
import { inVersion } from "./request";
import { keyOf, type Store } from "./store";

/** The changes of a kind, until the signal is aborted. */
export async function* watchStore(
  store: Store,
  definition: KindDefinition,
  options: WatchOptions,
): AsyncGenerator<WatchEvent> {
  const { signal, namespace, resourceVersion } = options;
  setMaxListeners(0, signal); // of many watches; node warns from the eleventh on
  const selects = selectorOf(options, definition);
  const kind = keyOf(pluralOf(definition));
  const within = (object: KubeObject): boolean =>
    namespace === undefined || object.metadata.namespace === namespace;
  let seen = resourceVersion === undefined ? store.version : parseVersion(resourceVersion);
  // the entries are held from the start, so that nothing is missed between two events
  store.log.after(seen);
  if (resourceVersion === undefined) {
    for (const object of store.list(pluralOf(definition), namespace).filter(selects)) {
      yield { type: "ADDED", object: inVersion(object, definition) };
      if (isOver(signal)) return;
    }
  }
  while (!signal.aborted) {
    const entries = store.log.after(seen);
    for (const entry of entries) {
      seen = entry.version;
      const event = eventOf(entry, { kind, within, selects });
      if (event === undefined) continue;
      yield { type: event.type, object: inVersion(event.object, definition) };
      if (isOver(signal)) return;
    }
    if (entries.length === 0) await store.log.next(signal);
    await turn();
  }
}

/** Asked anew after every event: whoever took it may have ended the watch. */
function isOver({ aborted }: AbortSignal): boolean {
  return aborted;
}

interface Scope {
  readonly kind: string;
  readonly within: Selects;
  readonly selects: Selects;
}

/** An object that comes to be selected is added for the watcher, one that no longer is, deleted. */
function eventOf({ kind, change }: Entry, scope: Scope): Omit<Change, "before"> | undefined {
  const { type, object, before } = change;
  if (kind !== scope.kind || !scope.within(object)) return undefined;
  const was = before !== undefined && scope.selects(before);
  const is = type !== "DELETED" && scope.selects(object);
  if (!was && !is) return undefined;
  if (was && is) return { type: "MODIFIED", object };
  return is ? { type: "ADDED", object } : { type: "DELETED", object: last(object, before) };
}

/** The state that the watcher knew, under the version at which it left. */
function last(object: KubeObject, before: KubeObject | undefined): KubeObject {
  const { resourceVersion = "" } = object.metadata;
  const known = before ?? object;
  return { ...known, metadata: { ...known.metadata, resourceVersion } };
}

function parseVersion(version: string): number {
  if (/^\d+$/.test(version)) return Number(version);
  throw internal(
    `resourceVersion: Invalid value: "${version}": strconv.ParseUint: parsing "${version}": invalid syntax`,
  );
}
