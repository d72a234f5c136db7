/**
 * A small Kubernetes API in memory, for tests: it stores objects, records every call, and calls
 * the admission webhooks that its own ValidatingWebhookConfigurations describe.
 */
import { setImmediate as turn } from "node:timers/promises";
import { ApiError } from "../../plugin/domain/errors";
import type {
  Access,
  ApplyOptions,
  Cluster,
  KubeObject,
  ListOptions,
  ManagedWrite,
  PatchType,
  Preconditions,
  Ref,
  Resource,
  WriteOptions,
} from "../../plugin/run/ports";
import {
  getPath,
  isObject,
  asArray,
  getOwn,
  asString,
  type Json,
} from "../../plugin/domain/values";
import { matchesResource } from "../../plugin/domain/webhook/configuration";
import { selects } from "../../plugin/domain/kube/selectors";
import { applyFields, conflictsOf, manage, managersOf, type Ownership } from "./field-owners";
import type { ManualClock } from "./manual-clock";

export type Verb =
  | "get"
  | "list"
  | "create"
  | "update"
  | "apply"
  | "patch"
  | "delete"
  | "can"
  | "whoami"
  | "version"
  | "serves";

/** One call as it came in. */
export interface Call {
  /** Counted from 0. */
  readonly n: number;
  readonly verb: Verb;
  /** `Kind/name` or `Kind/namespace/name`. */
  readonly target: string;
  readonly dryRun: boolean;
  readonly object?: unknown;
  readonly options?: object;
  readonly preconditions?: Preconditions;
}

/** The server behind an admission Service. */
export interface WebhookServer {
  /** The caBundle that trusts it. */
  readonly ca: string;
  /** The reason for a refusal, undefined to allow. */
  readonly judge: (object: KubeObject, call: Call) => string | undefined;
  /** Why it cannot be called, undefined when it can. */
  readonly down?: string;
}

/** An object as it is to be stored, and who then holds its fields. */
interface Change {
  readonly object: KubeObject;
  readonly owners: Ownership;
}

const writing: readonly Verb[] = ["create", "update", "apply", "patch", "delete"];
const configurationKind = "ValidatingWebhookConfiguration";

export class FakeCluster implements Cluster {
  readonly server = "https://127.0.0.1:6443";
  readonly calls: Call[] = [];
  /** Servers behind Services, by `namespace/name`. */
  readonly servers = new Map<string, WebhookServer>();
  /** Custom resources that are served. */
  readonly served: Resource[] = [];
  /** Called before a call takes effect; a throw is its answer. */
  before: (call: Call) => void = () => {};
  /** Called after a call took effect, before its answer: a throw is a cut connection. */
  after: (call: Call) => void = () => {};
  /** Permissions that the user lacks. */
  lacks: (access: Access) => boolean = () => false;
  /** What the schema of a custom resource says against an object. */
  schema: (object: KubeObject) => string | undefined = () => undefined;
  /** Who the user is, undefined when the server does not report. */
  user: string | undefined = "jane";
  /** How long every call takes. */
  latencyMs = 1;
  closed = false;

  readonly #objects = new Map<string, KubeObject>();
  readonly #owners = new Map<string, Ownership>();
  #version = 100;
  #winner = 0;

  constructor(
    private readonly clock: ManualClock,
    readonly namespace = "engine",
  ) {}

  /** Calls that change something: no dry runs, no reviews. */
  get writes(): readonly Call[] {
    return this.calls.filter(({ verb, dryRun }) => writing.includes(verb) && !dryRun);
  }

  /** The writes as `verb target`. */
  get written(): readonly string[] {
    return this.writes.map(({ verb, target }) => `${verb} ${target}`);
  }

  /** Stores an object as another client would; no call. */
  put(object: KubeObject, manager = "kubectl-create"): KubeObject {
    const key = keyOf(object);
    const before = this.#objects.get(key);
    const owners = manage(this.#owners.get(key), { manager, object });
    return this.#store(key, { object, owners }, before);
  }

  /** Takes an object away as another client would; no call. */
  drop(kind: string, name: string, namespace?: string): void {
    const key = [kind, namespace, name].filter((part) => part !== undefined).join("/");
    this.#objects.delete(key);
    this.#owners.delete(key);
  }

  /** A stored object, undefined when there is none; no call. */
  stored(kind: string, name: string, namespace?: string): KubeObject | undefined {
    return this.#objects.get([kind, namespace, name].filter((p) => p !== undefined).join("/"));
  }

  get(ref: Ref, options: { readonly signal?: AbortSignal } = {}): Promise<KubeObject | undefined> {
    return this.#call({ verb: "get", target: keyOfRef(ref), options }, () =>
      copy(this.#objects.get(keyOfRef(ref))),
    );
  }

  list(resource: Resource, options: ListOptions = {}): Promise<readonly KubeObject[] | undefined> {
    const { namespace, labelSelector, limit } = options;
    const target = [resource.kind, namespace].filter((part) => part !== undefined).join("/");
    return this.#call({ verb: "list", target, options }, () => {
      const [key = "", value] = (labelSelector ?? "").split("=");
      return [...this.#objects.values()]
        .filter(({ kind }) => kind === resource.kind)
        .filter(({ metadata }) => namespace === undefined || metadata.namespace === namespace)
        .filter(({ metadata }) => key === "" || getOwn(metadata.labels, key) === value)
        .slice(0, limit)
        .map(copy);
    });
  }

  watch(): never {
    throw new Error("this fake knows no watch");
  }

  create(object: KubeObject, options: ManagedWrite = {}): Promise<KubeObject> {
    return this.#write({ verb: "create", object, options }, (key, before) => {
      if (before !== undefined) throw conflict(`${key} already exists`, "AlreadyExists");
      const manager = options.fieldManager ?? "unknown";
      return { object, owners: manage(undefined, { manager, object }) };
    });
  }

  update(object: KubeObject, options: ManagedWrite = {}): Promise<KubeObject> {
    return this.#write({ verb: "update", object, options }, (key, before) => {
      if (before === undefined) throw notFound(key);
      unchanged(key, before, object.metadata);
      const manager = options.fieldManager ?? "unknown";
      return { object, owners: manage(this.#owners.get(key), { manager, object }) };
    });
  }

  apply(object: KubeObject, options: ApplyOptions): Promise<KubeObject> {
    return this.#write({ verb: "apply", object, options }, (key, before) => {
      unchanged(key, before, object.metadata);
      const owners = this.#owners.get(key) ?? new Map<string, Set<string>>();
      const manager = options.fieldManager;
      const causes = conflictsOf({ before, owners, object, manager });
      if (causes.length > 0 && options.force !== true) {
        throw new ApiError(`Apply failed with ${causes.length} conflicts`, {
          status: 409,
          reason: "Conflict",
          causes,
        });
      }
      return applyFields({ before, owners, object, manager });
    });
  }

  patch(
    ref: Ref,
    body: unknown,
    options: ManagedWrite & { readonly type: PatchType },
  ): Promise<KubeObject> {
    const call = { verb: "patch", target: keyOfRef(ref), object: body, options } as const;
    return this.#call(call, () => {
      throw new Error("the fake cluster knows no patch");
    });
  }

  delete(ref: Ref, preconditions: Preconditions, options: WriteOptions = {}): Promise<void> {
    const key = keyOfRef(ref);
    return this.#call({ verb: "delete", target: key, preconditions, options }, () => {
      const before = this.#objects.get(key);
      if (before === undefined) throw notFound(key);
      unchanged(key, before, preconditions);
      if (options.dryRun === true) return;
      this.#objects.delete(key);
      this.#owners.delete(key);
    });
  }

  can(access: Access): Promise<boolean> {
    const target = [access.verb, access.resource, access.name ?? ""].join(" ").trim();
    return this.#call({ verb: "can", target, object: access }, () => !this.lacks(access));
  }

  whoAmI(): Promise<string | undefined> {
    return this.#call({ verb: "whoami", target: "" }, () => this.user);
  }

  version(): Promise<string | undefined> {
    return this.#call({ verb: "version", target: "" }, () => "v1.34.4");
  }

  serves(group: string, version: string): Promise<readonly Resource[] | undefined> {
    return this.#call({ verb: "serves", target: `${group}/${version}` }, () => {
      const found = this.served.filter((item) => item.group === group && item.version === version);
      return found.length === 0 ? undefined : found;
    });
  }

  close(): void {
    this.closed = true;
  }

  async #call<T>(
    from: Omit<Call, "n" | "dryRun"> & { readonly options?: WriteOptions },
    act: (call: Call) => T,
  ): Promise<T> {
    await turn(); // as a request would: whoever probes in a loop must not starve a file's write
    from.options?.signal?.throwIfAborted();
    const call = { n: this.calls.length, dryRun: from.options?.dryRun === true, ...from };
    this.calls.push(call);
    this.clock.advance(this.latencyMs);
    this.before(call);
    const value = act(call);
    this.after(call);
    return value;
  }

  #write(
    from: { readonly verb: Verb; readonly object: KubeObject; readonly options: WriteOptions },
    act: (key: string, before: KubeObject | undefined) => Change,
  ): Promise<KubeObject> {
    const key = keyOf(from.object);
    return this.#call({ ...from, target: key }, (call) => {
      const before = this.#objects.get(key);
      const change = act(key, before);
      this.#admit(call, change.object, before === undefined ? "CREATE" : "UPDATE");
      if (call.dryRun) return copy(this.#finished(change, before));
      return copy(this.#store(key, change, before));
    });
  }

  #store(key: string, change: Change, before: KubeObject | undefined): KubeObject {
    const finished = this.#finished(change, before);
    this.#owners.set(key, change.owners);
    if (before !== undefined && sameButVersion(before, finished)) return before;
    this.#objects.set(key, finished);
    return finished;
  }

  #finished(change: Change, before: KubeObject | undefined): KubeObject {
    const { object, owners } = change;
    this.#version += 1;
    const filled = object.kind === configurationKind ? withDefaults(object) : object;
    return copy({
      ...filled,
      metadata: {
        ...filled.metadata,
        uid: before?.metadata.uid ?? `uid-${this.#version}`,
        resourceVersion: String(this.#version),
        ...(object.kind === configurationKind && { managedFields: managersOf(owners) }),
      },
    });
  }

  /** The schema first, then every webhook that matches; of several refusals any may come first. */
  #admit(call: Call, object: KubeObject, operation: string): void {
    const resource = this.served.find(
      (item) => `${item.group}/${item.version}` === object.apiVersion && item.kind === object.kind,
    );
    if (resource === undefined) {
      if (object.kind === configurationKind || !object.apiVersion.includes("/")) return;
      throw new ApiError("the server could not find the requested resource", { status: 404 });
    }
    const unfit = this.schema(object);
    const name = object.metadata.name ?? "";
    if (unfit !== undefined) {
      throw new ApiError(`${object.kind} "${name}" is invalid: ${unfit}`, { status: 422 });
    }
    const refusals = this.#entries()
      .filter((entry) => matchesResource(entry, { ...resource, operation }))
      .filter((entry) => this.#selected(entry, object))
      .map((entry) => this.#review(entry, object, call))
      .filter((refusal) => refusal !== undefined);
    if (refusals.length > 1) this.#winner += 1;
    const refusal = refusals[this.#winner % Math.max(refusals.length, 1)];
    if (refusal !== undefined) throw refusal;
  }

  #entries(): readonly Json[] {
    return [...this.#objects.values()]
      .filter(({ kind }) => kind === configurationKind)
      .flatMap((configuration) => asArray(getOwn(configuration, "webhooks")).filter(isObject));
  }

  #selected(entry: Json, object: KubeObject): boolean {
    const { labels, namespace } = object.metadata;
    const home = this.stored("Namespace", namespace ?? "");
    return (
      selects(getOwn(entry, "namespaceSelector"), home?.metadata.labels ?? {}) &&
      selects(getOwn(entry, "objectSelector"), labels ?? {})
    );
  }

  #review(entry: Json, object: KubeObject, call: Call): ApiError | undefined {
    const name = asString(getOwn(entry, "name")) ?? "";
    if (call.dryRun && getOwn(entry, "sideEffects") !== "None") {
      const message = `admission webhook "${name}" does not support dry run`;
      return new ApiError(message, { status: 400, reason: "BadRequest" });
    }
    const service = getOwn(getOwn(entry, "clientConfig"), "service");
    const where = `${String(getOwn(service, "namespace"))}/${String(getOwn(service, "name"))}`;
    const server = this.servers.get(where);
    const broken =
      server === undefined
        ? `service "${String(getOwn(service, "name"))}" not found`
        : getPath(entry, ["clientConfig", "caBundle"]) !== server.ca
          ? "tls: failed to verify certificate: x509: certificate signed by unknown authority"
          : server.down;
    if (broken !== undefined) {
      if (getOwn(entry, "failurePolicy") === "Ignore") return undefined;
      const message = `Internal error occurred: failed calling webhook "${name}": ${broken}`;
      return new ApiError(message, { status: 500, reason: "InternalError" });
    }
    const reason = server?.judge(object, call);
    if (reason === undefined) return undefined;
    const message = `admission webhook "${name}" denied the request: ${reason}`;
    return new ApiError(message, { status: 422, reason: "Invalid" });
  }
}

function keyOf({ kind, metadata }: KubeObject): string {
  return [kind, metadata.namespace, metadata.name].filter((part) => part !== undefined).join("/");
}

function keyOfRef({ resource, name, namespace }: Ref): string {
  return [resource.kind, namespace, name].filter((part) => part !== undefined).join("/");
}

function copy<T>(value: T): T {
  return structuredClone(value);
}

function notFound(key: string): ApiError {
  return new ApiError(`${key} not found`, { status: 404, reason: "NotFound" });
}

function conflict(message: string, reason = "Conflict"): ApiError {
  return new ApiError(message, { status: 409, reason });
}

/** The uid and resourceVersion that were sent have to be the stored ones. */
function unchanged(key: string, before: KubeObject | undefined, sent: Preconditions): void {
  const { uid, resourceVersion } = before?.metadata ?? {};
  if (sent.uid !== undefined && sent.uid !== uid) {
    throw conflict(`${key}: the uid in the precondition does not match`);
  }
  if (sent.resourceVersion !== undefined && sent.resourceVersion !== resourceVersion) {
    throw conflict(`${key}: the object has been modified`);
  }
}

function sameButVersion(one: KubeObject, other: KubeObject): boolean {
  const plain = ({ metadata, ...rest }: KubeObject): string =>
    JSON.stringify({ ...rest, metadata: { ...metadata, resourceVersion: "" } });
  return plain(one) === plain(other);
}

/** What the API server fills in. */
function withDefaults(configuration: KubeObject): KubeObject {
  const entries = asArray(configuration["webhooks"]).filter(isObject);
  return {
    ...configuration,
    webhooks: entries.map((entry) => {
      const client = getOwn(entry, "clientConfig");
      const service = getOwn(client, "service");
      return {
        failurePolicy: "Fail",
        matchPolicy: "Equivalent",
        namespaceSelector: {},
        objectSelector: {},
        timeoutSeconds: 10,
        ...entry,
        clientConfig: {
          ...(isObject(client) && client),
          ...(isObject(service) && { service: { port: 443, ...service } }),
        },
        rules: asArray(getOwn(entry, "rules")).map((rule) => ({ scope: "*", ...(rule as Json) })),
      };
    }),
  };
}
