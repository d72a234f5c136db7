/** The Cluster port of one user on a control plane in memory. */
import { requireConversion } from "./conversion";
import { setImmediate as turn } from "node:timers/promises";
import { collectionPath, nameRef, objectPath } from "../../adapters/kubernetes/kinds";
import type { KubeObject, Ref, Resource, ServedResource } from "../../domain/kube/objects";
import { answerReview } from "../authorization/reviews";
import type {
  Access,
  ApplyOptions,
  KubeClient,
  Lacks,
  ListOptions,
  ManagedWrite,
  Misfits,
  PatchOptions,
  Preconditions,
  WatchEvent,
  WatchOptions,
  WriteOptions,
} from "../../ports/kubernetes";
import { imitatedVersion, type KindDefinition, type User } from "../model";
import { internal, noSuchPage, refuseUnserved, toPlural, unknownKind } from "./answers";
import { apply, change, create, remove } from "./writing";
import {
  copyBody,
  inVersion,
  type Plane,
  requireAccess,
  requireManager,
  type WriteRequest,
} from "./request";
import { patchObject, requireFormat } from "./patches";
import { readSelectedName, parseSelectors, type Selects } from "./selectors";
import { setMaxListeners } from "node:events";
import { type StoreChange, type LogEntry, pluralKey, type Store } from "./store";

/** Who connects, and what the connection is called in reports. */
export interface Connection {
  readonly user: User;
  readonly namespace: string;
  readonly server: string;
  readonly lacks: Lacks | undefined;
  readonly misfits: Misfits | undefined;
  /** Called as each request arrives. */
  readonly latency: () => void;
}

/** The manager of writes that name none, as the server takes it from the plugin's user agent. */
const userAgent = "kubectl-engine";

/** What a request is about; a collection has no name. */
type Addressed = Omit<Ref, "name"> & {
  readonly name: string | undefined;
  readonly subresource?: string;
};

export class MemoryCluster implements KubeClient {
  readonly server: string;
  readonly namespace: string;
  declare readonly lacks?: Lacks;
  declare readonly misfits?: Misfits;

  constructor(
    private readonly plane: Plane,
    private readonly connection: Connection,
  ) {
    this.server = connection.server;
    this.namespace = connection.namespace;
    if (connection.lacks !== undefined) this.lacks = connection.lacks;
    if (connection.misfits !== undefined) this.misfits = connection.misfits;
  }

  async get(ref: Ref, { signal }: { signal?: AbortSignal } = {}): Promise<KubeObject | undefined> {
    objectPath(ref);
    await this.arrive(signal);
    this.authorize("get", ref);
    const definition = this.findServed(ref);
    if (definition === undefined) return undefined;
    const found = this.plane.store.get(toPlural(definition), ref.name, ref.namespace);
    if (found === undefined) return undefined;
    requireConversion(this.plane, definition);
    return inVersion(found, definition);
  }

  async list(
    resource: Resource,
    options: ListOptions = {},
  ): Promise<readonly KubeObject[] | undefined> {
    const { namespace, limit, signal } = options;
    collectionPath(resource, namespace);
    await this.arrive(signal);
    this.authorizeAll("list", resource, options);
    const definition = this.findListed(resource, namespace);
    if (definition === undefined) return undefined;
    const selects = parseSelectors(options, definition);
    const found = this.plane.store.list(toPlural(definition), namespace).filter(selects);
    if (found.length > 0) requireConversion(this.plane, definition);
    return found.slice(0, limit).map((object) => inVersion(object, definition));
  }

  async *watch(resource: Resource, options: WatchOptions): AsyncGenerator<WatchEvent> {
    collectionPath(resource, options.namespace);
    if (options.signal.aborted) return;
    await this.arrive(undefined);
    this.authorizeAll("watch", resource, options);
    const definition = this.findListed(resource, options.namespace);
    if (definition === undefined) throw this.refuseUnserved(resource, `watch ${resource.plural}`);
    yield* watchStore(this.plane.store, definition, options);
  }

  async create(sent: KubeObject, options: ManagedWrite = {}): Promise<KubeObject> {
    const { definition, ref } = this.findAddressed(sent);
    collectionPath(ref.resource, ref.namespace);
    await this.arrive(options.signal);
    this.authorize("create", { ...ref, name: undefined });
    const object = copyBody(sent) as KubeObject;
    const review = answerReview(object, this.connection.user, this.plane.store);
    if (review !== undefined) return review;
    requireManager("CreateOptions", options.fieldManager);
    const request = this.request(definition, ref, options);
    return create(this.plane, { request, next: () => object, owned: false });
  }

  async update(sent: KubeObject, options: ManagedWrite = {}): Promise<KubeObject> {
    const { object, request } = await this.whole("update", sent, options);
    requireManager("UpdateOptions", options.fieldManager);
    return change(this.plane, { request, next: () => object, owned: false, replaces: true });
  }

  async apply(sent: KubeObject, options: ApplyOptions): Promise<KubeObject> {
    const { object, request } = await this.whole("patch", sent, options);
    requireManager("PatchOptions", options.fieldManager, "apply");
    return apply(this.plane, { ...request, applies: true }, { object, options });
  }

  /** An object that is sent to its own address, by a user who may. */
  private async whole(verb: "update" | "patch", sent: KubeObject, options: ManagedWrite) {
    const { definition, ref } = this.findAddressed(sent);
    objectPath(ref);
    await this.arrive(options.signal);
    this.authorize(verb, ref);
    const object = copyBody(sent) as KubeObject;
    return { object, request: this.request(definition, ref, options) };
  }

  async patch(ref: Ref, sent: unknown, options: PatchOptions): Promise<KubeObject> {
    const { subresource } = options;
    objectPath(ref);
    await this.arrive(options.signal);
    this.authorize("patch", { ...ref, subresource });
    const definition = this.findServed(ref);
    if (definition === undefined) throw this.refuseUnserved(ref.resource, `patch ${nameRef(ref)}`);
    if (subresource !== undefined && !definition.hasStatus) throw refuseUnserved();
    requireFormat(options.type, definition);
    const body = copyBody(sent);
    requireManager("PatchOptions", options.fieldManager);
    const next = (before: KubeObject | undefined): KubeObject =>
      patchObject(before as KubeObject, body, { type: options.type, definition });
    const request = this.request(definition, ref, options);
    return change(this.plane, {
      request: { ...request, subresource },
      next,
      owned: false,
    });
  }

  async delete(ref: Ref, preconditions: Preconditions, options: WriteOptions = {}): Promise<void> {
    objectPath(ref);
    await this.arrive(options.signal);
    this.authorize("delete", ref);
    const definition = this.findServed(ref);
    if (definition === undefined) throw this.refuseUnserved(ref.resource, `delete ${nameRef(ref)}`);
    await remove(this.plane, this.request(definition, ref, options), preconditions);
  }

  async can(access: Access): Promise<boolean> {
    await this.arrive(undefined);
    return this.plane.parts.access.allows(this.connection.user, access, this.plane.store);
  }

  async whoAmI(): Promise<string | undefined> {
    await this.arrive(undefined);
    return this.connection.user.name;
  }

  async version(): Promise<string | undefined> {
    await this.arrive(undefined);
    return this.plane.parts.version ?? imitatedVersion;
  }

  async serves(group: string, version: string): Promise<readonly ServedResource[] | undefined> {
    await this.arrive(undefined);
    const kinds = this.plane.parts.registry.served(group, version);
    return kinds.length === 0
      ? undefined
      : kinds.map(({ resource, namespaced }) => ({ ...resource, namespaced }));
  }

  close(): void {
    // nothing is kept open
  }

  /** As a request would, it lets others continue: a loop of requests must not starve them. */
  private async arrive(signal: AbortSignal | undefined): Promise<void> {
    signal?.throwIfAborted();
    await turn();
    this.connection.latency();
    signal?.throwIfAborted();
  }

  private authorize(verb: string, ref: Addressed): void {
    const { resource, name, namespace, subresource } = ref;
    const { group, plural } = resource;
    // a namespace is in itself, as far as access goes
    const isNamespace = group === "" && plural === "namespaces";
    const within = namespace ?? (isNamespace ? name : undefined);
    requireAccess(this.plane, this.connection.user, {
      verb,
      group,
      resource: plural,
      ...{ subresource, name, namespace: within },
    });
  }

  private authorizeAll(verb: string, resource: Resource, options: ListOptions): void {
    const { group, plural } = resource;
    const name = readSelectedName(options.fieldSelector);
    const { namespace } = options;
    requireAccess(this.plane, this.connection.user, {
      ...{ verb, group, resource: plural, name, namespace },
    });
  }

  /** The kind of an address, undefined when the server does not know the address. */
  private findServed({ resource, namespace }: Ref): KindDefinition | undefined {
    const definition = this.plane.parts.registry.byPlural(resource);
    return definition?.namespaced === (namespace !== undefined) ? definition : undefined;
  }

  private findListed(
    resource: Resource,
    namespace: string | undefined,
  ): KindDefinition | undefined {
    const definition = this.plane.parts.registry.byPlural(resource);
    return namespace !== undefined && definition?.namespaced === false ? undefined : definition;
  }

  /** Of a whole group and version that is not served, the answer is a page of its own. */
  private refuseUnserved({ group, version }: Resource, subject: string): Error {
    const known = this.plane.parts.registry.served(group, version).length > 0;
    return known ? refuseUnserved() : noSuchPage(this.server, subject);
  }

  private findAddressed({ apiVersion, kind, metadata }: KubeObject) {
    const definition = this.plane.parts.registry.byKind(apiVersion, kind);
    if (definition === undefined) throw unknownKind(apiVersion, kind);
    const { resource, namespaced } = definition;
    const name = metadata.name ?? "";
    const ref: Ref = namespaced
      ? { resource, name, namespace: metadata.namespace ?? this.namespace }
      : { resource, name };
    return { definition, ref };
  }

  private request(definition: KindDefinition, ref: Ref, options: ManagedWrite): WriteRequest {
    const { fieldManager } = options;
    return {
      definition,
      name: ref.name,
      namespace: ref.namespace,
      user: this.connection.user,
      manager: fieldManager ?? userAgent,
      fieldManager,
      options,
    };
  }
}

/** The changes of a kind, until the signal is aborted. */
async function* watchStore(
  store: Store,
  definition: KindDefinition,
  options: WatchOptions,
): AsyncGenerator<WatchEvent> {
  const { signal, namespace, resourceVersion } = options;
  setMaxListeners(0, signal); // of many watches; node warns from the eleventh on
  const selects = parseSelectors(options, definition);
  const kind = pluralKey(toPlural(definition));
  const within = (object: KubeObject): boolean =>
    namespace === undefined || object.metadata.namespace === namespace;
  let seen = resourceVersion === undefined ? store.version : parseVersion(resourceVersion);
  // the entries are held from the start, so that nothing is missed between two events
  store.log.after(seen);
  if (resourceVersion === undefined) {
    for (const object of store.list(toPlural(definition), namespace).filter(selects)) {
      yield { type: "ADDED", object: inVersion(object, definition) };
      if (isOver(signal)) return;
    }
  }
  while (!signal.aborted) {
    const entries = store.log.after(seen);
    for (const entry of entries) {
      seen = entry.version;
      const event = toEvent(entry, { kind, within, selects });
      if (event === undefined) continue;
      yield { type: event.type, object: inVersion(event.object, definition) };
      if (isOver(signal)) return;
    }
    if (entries.length === 0) await store.log.next(signal);
    await turn();
  }
}

/** Asked again after every event: whoever took it may have ended the watch. */
function isOver({ aborted }: AbortSignal): boolean {
  return aborted;
}

interface Scope {
  readonly kind: string;
  readonly within: Selects;
  readonly selects: Selects;
}

/** An object that comes to be selected is added for the watcher, one that no longer is, deleted. */
function toEvent(
  { kind, change }: LogEntry,
  scope: Scope,
): Omit<StoreChange, "before"> | undefined {
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
