/**
 * The cluster in memory of every test: what is stored and served, who may do what, and a client
 * whose every call is kept. Objects are frozen, and a list that is given again is loaded once for
 * each worker.
 */
import { randomUUID } from "node:crypto";
import { ApiError } from "../../plugin/domain/base/errors";
import { omit } from "../../plugin/domain/base/values";
import type { KubeObject, Resource } from "../../plugin/domain/kube/objects";
import { defaultNames } from "../../plugin/domain/names/names";
import type { Access, Clock, KubeClient } from "../../plugin/ports/kubernetes";
import { toPlural } from "../../plugin/simulator/api-server/answers";
import { MemoryControlPlane } from "../../plugin/simulator/api-server/control-plane";
import { manageUpdate } from "../../plugin/simulator/api-server/ownership";
import { type Key, Store } from "../../plugin/simulator/api-server/store";
import { findStructure } from "../../plugin/simulator/api-server/structure";
import { rbac } from "../../plugin/simulator/authorization/grants";
import { exampleSource } from "../../plugin/simulator/example";
import { createRegistry } from "../../plugin/simulator/kinds/registry";
import type { Source } from "../../plugin/simulator/source/completion";
import type { Admission, KindDefinition, Registry, User } from "../../plugin/simulator/model";
import { ManualClock, testTime } from "./manual-clock";
import { KeptCluster } from "./kept-cluster";
import { ServedWebhooks, type WebhookServer } from "./served-webhooks";

export const admin: User = { name: "admin", groups: ["system:masters", "system:authenticated"] };

const nothing: readonly KubeObject[] = [];

const lenient: Admission = { admit: () => Promise.resolve([]) };

/** What may differ from an empty cluster whose administrator works in `engine`. */
export interface WorldWish {
  readonly objects?: readonly KubeObject[];
  /** One that passes by hand where none is given. */
  readonly clock?: Clock;
  /** Everything passes where neither this nor a server is given. */
  readonly admission?: Admission;
  /** The servers that the webhook configurations of the cluster reach, by `namespace/name`. */
  readonly servers?: Readonly<Record<string, WebhookServer>>;
  /** Custom resources that are served without a definition. */
  readonly served?: readonly Resource[];
}

export class World {
  readonly namespace = "engine";
  readonly clock: Clock;
  readonly controlPlane: MemoryControlPlane;
  /** The administrator's; its calls are kept. */
  readonly cluster: KeptCluster;
  readonly servers: Map<string, WebhookServer>;
  /** Custom resources of any fields that are served without a definition. */
  readonly served: Resource[];
  /** What nobody may do, whatever their roles say. */
  lacks: (access: Access) => boolean = () => false;
  /** What the schema of a resource in `served` says against an object. */
  schema: (object: KubeObject) => string | undefined = () => undefined;

  readonly #store: Store;
  readonly #defined: Registry;
  /** By kind: tests name no version. */
  readonly #known = new Map<string, KindDefinition>();

  constructor({ objects = nothing, clock, admission, servers, served = [] }: WorldWish) {
    this.clock = clock ?? new ManualClock();
    this.served = [...served];
    this.servers = new Map(Object.entries(servers ?? {}));
    const { store, registry } = loaded(objects, this.clock);
    this.#store = store.fork();
    this.#defined = registry.fork();
    this.controlPlane = new MemoryControlPlane(
      {
        clock: this.clock,
        registry: this.#open(this.#defined),
        access: { ...rbac, allows: (...asked) => !this.lacks(asked[1]) && rbac.allows(...asked) },
        admission:
          admission ?? (servers === undefined ? lenient : new ServedWebhooks(this.servers)),
      },
      this.#store,
    );
    this.cluster = new KeptCluster(
      (latency) => this.connect(admin, latency),
      this.clock instanceof ManualClock ? this.clock : new ManualClock(),
    );
  }

  connect(user: User = admin, latency = (): void => {}): KubeClient {
    const { namespace } = this;
    return this.controlPlane.connect({
      ...{ user, namespace, latency },
      server: "https://127.0.0.1:6443",
    });
  }

  /** Stores an object as another client would; no call. */
  put(object: KubeObject, manager = "kubectl-create"): KubeObject {
    const definition = this.#definitionOf(object);
    const { name = "", namespace } = object.metadata;
    const key: Key = { kind: toPlural(definition), name, namespace };
    const before = this.#store.get(key.kind, name, namespace);
    const uid = before?.metadata.uid ?? randomUUID();
    const metadata = omit({ ...object.metadata, uid }, "managedFields");
    const given = asStored(definition, { ...object, metadata });
    const managing = { before, object: given, manager, subresource: undefined };
    const kept = { structure: findStructure(definition), empty: { metadata: {} }, time: "" };
    return this.#store.put(key, manageUpdate({ ...managing, ...kept }, { status: false }));
  }

  /** Takes an object away as another client would; no call. */
  drop(kind: string, name: string, namespace?: string): void {
    const known = this.#known.get(kind);
    if (known !== undefined) this.#store.remove({ kind: toPlural(known), name, namespace });
  }

  /** A stored object, undefined when there is none; no call. */
  stored(kind: string, name: string, namespace?: string): KubeObject | undefined {
    const known = this.#known.get(kind);
    return known && this.#store.get(toPlural(known), name, namespace);
  }

  /** The defined kinds, what tests let be served, and what they put without saying so. */
  #open(defined: Registry): Registry {
    const custom = () => this.served.map((resource) => this.#custom(resource));
    return {
      byKind: (apiVersion, kind) => {
        const own = custom().find(({ resource }) => isOf(resource, apiVersion, kind));
        const found = defined.byKind(apiVersion, kind) ?? own;
        if (found !== undefined) this.#known.set(kind, found);
        return found;
      },
      byPlural: (wanted) =>
        defined.byPlural(wanted) ??
        [...custom(), ...this.#known.values()].find(
          ({ resource: { group, plural } }) => group === wanted.group && plural === wanted.plural,
        ),
      served: (group, version) => [
        ...defined.served(group, version),
        ...custom().filter((one) => isOf(one.resource, `${group}/${version}`)),
      ],
      define: (name, definition) => {
        defined.define(name, definition);
        if (definition !== undefined) return;
        const gone = [...this.#known].filter(
          ([, { resource }]) => `${resource.plural}.${resource.group}` === name,
        );
        for (const [kind] of gone) this.#known.delete(kind);
      },
      fork: () => this.#open(defined.fork()),
    };
  }

  #definitionOf({ apiVersion, kind }: KubeObject): KindDefinition {
    const [group = "", version = ""] = apiVersion.split("/");
    const resource = { group, version, kind, plural: `${kind.toLowerCase()}s` };
    const found = this.#open(this.#defined).byKind(apiVersion, kind) ?? this.#custom(resource);
    this.#known.set(kind, found);
    return found;
  }

  /** A namespaced kind of any fields, judged by the test's own schema. */
  #custom(resource: Resource): KindDefinition {
    return {
      ...{ resource, namespaced: true, custom: true, hasStatus: false, counted: true },
      structure: { open: true },
      prepare: (object) => {
        const unfit = this.schema(object);
        if (unfit === undefined) return { object, warnings: [] };
        const name = object.metadata.name ?? "";
        throw new ApiError(`${object.kind} "${name}" is invalid: ${unfit}`, { status: 422 });
      },
    };
  }
}

export function makeWorld(wish: WorldWish = {}): World {
  return new World(wish);
}

let example: Promise<Source> | undefined;

/** The example's cluster at the time of tests, frozen. */
export function exampleOnce(): Promise<Source> {
  return (example ??= exampleSource(defaultNames, testTime).then(freeze));
}

interface Loaded {
  readonly store: Store;
  readonly registry: Registry;
}

/** By the list that was given; of the usual time, which objects are as old as. */
const once = new WeakMap<readonly KubeObject[], Loaded>();

function loaded(objects: readonly KubeObject[], clock: Clock): Loaded {
  const known = once.get(objects);
  if (known !== undefined && clock.now() === testTime) return known;
  const store = Store.empty();
  const registry = createRegistry();
  new MemoryControlPlane({ clock, registry, access: rbac, admission: lenient }, store).load(
    freeze(objects),
  );
  if (clock.now() === testTime) once.set(objects, { store, registry });
  return { store, registry };
}

/** With all that is in it. */
function freeze<T>(value: T): T {
  if (typeof value !== "object" || value === null || Object.isFrozen(value)) return value;
  Object.values(value).forEach(freeze);
  return Object.freeze(value);
}

/** With what the API server fills in; what only an older one would take stays as it is. */
function asStored(definition: KindDefinition, object: KubeObject): KubeObject {
  if (definition.custom) return object;
  try {
    return definition.prepare(object, undefined).object;
  } catch (error) {
    if (error instanceof ApiError) return object;
    throw error;
  }
}

function isOf({ group, version, kind }: Resource, apiVersion: string, ofKind = kind): boolean {
  return (group === "" ? version : `${group}/${version}`) === apiVersion && kind === ofKind;
}
