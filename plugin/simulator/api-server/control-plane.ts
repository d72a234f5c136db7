/** An API server in memory: what it serves, what it stores, and who connects to it. */
import { randomUUID } from "node:crypto";
import { UsageError } from "../../domain/base/errors";
import { kinds } from "../../domain/kube/kinds";
import type { KubeObject, Ref } from "../../domain/kube/objects";
import type { CustomResourceDefinition } from "../../domain/kube/models";
import { isKind } from "../../domain/kube/typed";
import type { Clock, KubeClient, Lacks, Misfits } from "../../ports/kubernetes";
import type { ControlPlaneParts, KindDefinition, StateView, User } from "../model";
import { notFound, toPlural } from "./answers";
import { countInQuotas } from "./quotas";
import { type StoreChange, Store } from "./store";
import { MemoryCluster } from "./connection";
import { timestamp } from "./request";

/** Who connects. */
export interface ConnectOptions {
  readonly user: User;
  /** Where objects are that name no namespace. */
  readonly namespace: string;
  /** Of a copy: what it holds nothing of. */
  readonly lacks?: Lacks | undefined;
  /** Of a copy: why objects of it are not as they were stored. */
  readonly misfits?: Misfits | undefined;
  /** What the server is called in reports. */
  readonly server?: string;
  /** Called as each request arrives: the place to let time pass, or to fail. */
  readonly latency?: () => void;
}

export class MemoryControlPlane {
  constructor(
    private readonly parts: ControlPlaneParts,
    private readonly store: Store = Store.empty(),
  ) {
    this.onChange((change) => {
      this.follow(change);
    });
  }

  /** The stored objects, to look at. */
  get state(): StateView {
    return this.store;
  }

  /**
   * Stores objects as etcd would hold them, without any judgment; what they lack of an identity is
   * filled in. Their definitions are known first.
   */
  load(objects: Iterable<KubeObject>): void {
    const all = [...objects];
    for (const object of all.filter(isDefinition)) {
      this.parts.registry.define(object.metadata.name ?? "", object);
    }
    const unserved = new Set<string>();
    for (const object of all) {
      const definition = this.parts.registry.byKind(object.apiVersion, object.kind);
      if (definition === undefined) unserved.add(`${object.kind} in ${object.apiVersion}`);
      else this.keep(object, definition);
    }
    if (unserved.size === 0) return;
    throw new UsageError([...unserved].map((kind) => `no definition serves ${kind}`));
  }

  /** The port of one user. */
  connect(options: ConnectOptions): KubeClient {
    const { server = "https://memory", latency = ignore, lacks, misfits, ...who } = options;
    const { parts, store } = this;
    return new MemoryCluster({ parts, store }, { ...who, server, latency, lacks, misfits });
  }

  /** A control plane of its own with the same objects. */
  fork(clock: Clock = this.parts.clock): MemoryControlPlane {
    const registry = this.parts.registry.fork();
    return new MemoryControlPlane({ ...this.parts, clock, registry }, this.store.fork());
  }

  /** Writes the status of a stored object as its controller would; nobody is asked. */
  setStatus({ resource, name, namespace }: Ref, status: unknown): void {
    const before = this.store.get(resource, name, namespace);
    if (before === undefined) throw notFound(resource, name);
    this.store.put({ kind: resource, name, namespace }, { ...before, status });
  }

  /** Tells of every change that is stored, until the returned function is called. */
  onChange(listener: (change: StoreChange) => void): () => void {
    return this.store.log.listen(listener);
  }

  private keep(object: KubeObject, definition: KindDefinition): void {
    const { metadata } = object;
    const { name = "", namespace } = metadata;
    const filled = {
      creationTimestamp: timestamp(this.parts),
      uid: metadata.uid ?? randomUUID(),
      resourceVersion: metadata.resourceVersion ?? String(this.store.version + 1),
      ...(definition.counted && { generation: 1 }),
    };
    const key = { kind: toPlural(definition), name, namespace };
    this.store.keep(key, { ...object, metadata: { ...filled, ...metadata } });
  }

  private count({ type, object }: StoreChange): void {
    const definition = this.parts.registry.byKind(object.apiVersion, object.kind);
    if (definition === undefined || type === "MODIFIED") return;
    countInQuotas(this.store, definition, { object, by: type === "ADDED" ? 1 : -1 });
  }

  /** What is served follows the stored definitions; the objects of a removed one go with it. */
  private follow({ type, object }: StoreChange): void {
    this.count({ type, object });
    if (!isDefinition(object)) return;
    const name = object.metadata.name ?? "";
    this.parts.registry.define(name, type === "DELETED" ? undefined : object);
    if (type !== "DELETED") return;
    const group = object.spec?.group ?? "";
    const plural = object.spec?.names?.plural ?? "";
    for (const { metadata } of this.store.list({ group, plural })) {
      const key = { name: metadata.name ?? "", namespace: metadata.namespace };
      this.store.remove({ kind: { group, plural }, ...key });
    }
  }
}

function isDefinition(object: KubeObject): object is KubeObject & CustomResourceDefinition {
  const { kind, group } = kinds.definition;
  return isKind(object, kind) && object.apiVersion.startsWith(`${group}/`);
}

function ignore(): void {
  // time does not pass by itself
}
