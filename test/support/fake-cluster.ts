/**
 * The control plane in memory as one test sees it: every call is kept, objects come and go without a
 * call, and the admission webhooks that are configured are answered by functions.
 */
import { randomUUID } from "node:crypto";
import { setImmediate as turn } from "node:timers/promises";
import { ApiError } from "../../plugin/domain/base/errors";
import type { KubeObject, Ref, Resource } from "../../plugin/domain/kube/objects";
import {
  type WebhookEntry,
  entriesOf,
  invocationOf,
  isExempt,
} from "../../plugin/simulator/admission/entries";
import { dryRunUnsupported } from "../../plugin/simulator/admission/response";
import { CallFailure, failedCalling } from "../../plugin/simulator/admission/trust";
import { createRegistry } from "../../plugin/simulator/kinds/registry";
import { pluralOf } from "../../plugin/simulator/api-server/answers";
import { MemoryControlPlane } from "../../plugin/simulator/api-server/control-plane";
import { omit } from "../../plugin/domain/base/values";
import { manageUpdate } from "../../plugin/simulator/api-server/ownership";
import { type Key, Store } from "../../plugin/simulator/api-server/store";
import { structureOf } from "../../plugin/simulator/api-server/structure";
import type { Attempt, KindDefinition, Registry } from "../../plugin/simulator/model";
import type {
  Access,
  ApplyOptions,
  KubeClient,
  ListOptions,
  ManagedWrite,
  PatchOptions,
  Preconditions,
  WriteOptions,
} from "../../plugin/ports/kubernetes";
import { admin } from "../plugin/simulator/memory-cluster";
import type { ManualClock } from "./manual-clock";

/** One call as it came in. */
export interface Call {
  /** Counted from 0. */
  readonly n: number;
  readonly verb:
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
  readonly judge: (object: KubeObject) => string | undefined;
  /** Why it cannot be called, undefined when it can. */
  readonly down?: string;
}

const writing: readonly Call["verb"][] = ["create", "update", "apply", "patch", "delete"];

export class FakeCluster implements KubeClient {
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

  readonly #store = Store.empty();
  readonly #builtIn = createRegistry();
  /** By kind: tests name no version. */
  readonly #known = new Map<string, KindDefinition>();
  readonly #inner: KubeClient;
  /** Calls that were sent and have not come in yet, in their order. */
  readonly #arriving: (() => void)[] = [];
  readonly #winners = new Map<string, number>();

  constructor(
    private readonly clock: ManualClock,
    readonly namespace = "engine",
  ) {
    const plane = new MemoryControlPlane(
      {
        clock,
        registry: this.#registry(),
        access: { allows: (_user, access) => !this.lacks(access), refuseEscalation: () => {} },
        admission: { admit: async (attempt) => await Promise.resolve(this.#admit(attempt)) },
      },
      this.#store,
    );
    const latency = (): void => this.#arriving.shift()?.();
    this.#inner = plane.connect({ user: admin, namespace, server: this.server, latency });
  }

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
    const definition = this.#definitionOf(object);
    const { name = "", namespace } = object.metadata;
    const key: Key = { kind: pluralOf(definition), name, namespace };
    const before = this.#store.get(key.kind, name, namespace);
    const uid = before?.metadata.uid ?? randomUUID();
    const metadata = omit({ ...object.metadata, uid }, "managedFields");
    const given = asStored(definition, { ...object, metadata });
    const managing = { before, object: given, manager, subresource: undefined };
    const kept = { structure: structureOf(definition), empty: { metadata: {} }, time: "" };
    return this.#store.put(key, manageUpdate({ ...managing, ...kept }, { status: false }));
  }

  /** Takes an object away as another client would; no call. */
  drop(kind: string, name: string, namespace?: string): void {
    const known = this.#known.get(kind);
    if (known !== undefined) this.#store.remove({ kind: pluralOf(known), name, namespace });
  }

  /** A stored object, undefined when there is none; no call. */
  stored(kind: string, name: string, namespace?: string): KubeObject | undefined {
    const known = this.#known.get(kind);
    return known && this.#store.get(pluralOf(known), name, namespace);
  }

  get(ref: Ref, options: { readonly signal?: AbortSignal } = {}) {
    return this.#call({ verb: "get", target: targetOf(ref), options }, () =>
      this.#inner.get(ref, options),
    );
  }

  list(resource: Resource, options: ListOptions = {}) {
    const target = [resource.kind, options.namespace].filter(Boolean).join("/");
    return this.#call({ verb: "list", target, options }, () => this.#inner.list(resource, options));
  }

  watch(): never {
    throw new Error("this fake knows no watch");
  }

  create(object: KubeObject, options: ManagedWrite = {}) {
    return this.#call({ verb: "create", target: nameOf(object), object, options }, () =>
      this.#inner.create(object, options),
    );
  }

  update(object: KubeObject, options: ManagedWrite = {}) {
    return this.#call({ verb: "update", target: nameOf(object), object, options }, () =>
      this.#inner.update(object, options),
    );
  }

  apply(object: KubeObject, options: ApplyOptions) {
    return this.#call({ verb: "apply", target: nameOf(object), object, options }, () =>
      this.#inner.apply(object, options),
    );
  }

  patch(ref: Ref, object: unknown, options: PatchOptions) {
    return this.#call({ verb: "patch", target: targetOf(ref), object, options }, () =>
      this.#inner.patch(ref, object, options),
    );
  }

  delete(ref: Ref, preconditions: Preconditions, options: WriteOptions = {}) {
    return this.#call({ verb: "delete", target: targetOf(ref), preconditions, options }, () =>
      this.#inner.delete(ref, preconditions, options),
    );
  }

  can(access: Access): Promise<boolean> {
    const target = [access.verb, access.resource, access.name ?? ""].join(" ").trim();
    return this.#call({ verb: "can", target, object: access }, () => this.#inner.can(access));
  }

  whoAmI(): Promise<string | undefined> {
    return this.#call({ verb: "whoami", target: "" }, () =>
      this.#inner.whoAmI().then(() => this.user),
    );
  }

  version(): Promise<string | undefined> {
    return this.#call({ verb: "version", target: "" }, () => this.#inner.version());
  }

  serves(group: string, version: string): Promise<readonly Resource[] | undefined> {
    return this.#call({ verb: "serves", target: `${group}/${version}` }, () =>
      this.#inner.serves(group, version),
    );
  }

  close(): void {
    this.closed = true;
  }

  async #call<T>(
    from: Omit<Call, "n" | "dryRun"> & { readonly options?: WriteOptions },
    send: () => Promise<T>,
  ): Promise<T> {
    let call: Call = { n: -1, dryRun: from.options?.dryRun === true, ...from };
    const arrive = (): void => {
      call = { ...call, n: this.calls.length };
      this.calls.push(call);
      this.clock.advance(this.latencyMs);
      this.before(call);
    };
    this.#arriving.push(arrive);
    const value = await send().catch(async (error: unknown) => {
      if (!this.#arriving.includes(arrive)) throw error;
      // refused on its way, in as much time as any other answer takes: loops starve nobody
      this.#arriving.splice(this.#arriving.indexOf(arrive), 1);
      await turn();
      throw error;
    });
    this.after(call);
    return value;
  }

  /** The built-in kinds, what tests let be served, and what they put without saying so. */
  #registry(): Registry {
    const builtIn = this.#builtIn;
    const custom = () => this.served.map((resource) => this.#custom(resource));
    return {
      byKind: (apiVersion, kind) => {
        const own = custom().find(({ resource }) => isOf(resource, apiVersion, kind));
        const found = builtIn.byKind(apiVersion, kind) ?? own;
        if (found !== undefined) this.#known.set(kind, found);
        return found;
      },
      byPlural: (wanted) =>
        builtIn.byPlural(wanted) ??
        [...custom(), ...this.#known.values()].find(
          ({ resource: { group, plural } }) => group === wanted.group && plural === wanted.plural,
        ),
      served: (group, version) => [
        ...builtIn.served(group, version),
        ...custom().filter((one) => isOf(one.resource, `${group}/${version}`)),
      ],
      define: (name, definition) => {
        builtIn.define(name, definition);
      },
      fork: () => this.#registry(),
    };
  }

  #definitionOf({ apiVersion, kind }: KubeObject): KindDefinition {
    const [group = "", version = ""] = apiVersion.split("/");
    const resource = { group, version, kind, plural: `${kind.toLowerCase()}s` };
    const found = this.#registry().byKind(apiVersion, kind) ?? this.#custom(resource);
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

  /** Of several refusals any may come first. */
  #admit(attempt: Attempt): readonly string[] {
    if (isExempt(attempt.definition)) return [];
    const refusals = entriesOf("validatingwebhookconfigurations", this.#store)
      .filter((entry) => invocationOf(entry, attempt, this.#store) !== undefined)
      .flatMap((entry) => this.#refusal(entry, attempt) ?? []);
    // in turn for each kind and namespace: edits that alternate would always meet the same one
    const edits = `${attempt.definition.resource.plural} ${attempt.namespace ?? ""}`;
    const turn = (this.#winners.get(edits) ?? 0) + (refusals.length > 1 ? 1 : 0);
    this.#winners.set(edits, turn);
    const refusal = refusals[turn % Math.max(refusals.length, 1)];
    if (refusal !== undefined) throw refusal;
    return [];
  }

  #refusal(entry: WebhookEntry, { object, dryRun }: Attempt): ApiError | undefined {
    const { name, callee, failOpen, dryRunSafe } = entry;
    if (dryRun && !dryRunSafe) return dryRunUnsupported(name);
    const at = callee.kind === "url" ? callee.url : `${callee.namespace}/${callee.name}`;
    const server = this.servers.get(at);
    const why = brokenOf(server, entry);
    if (why !== undefined) return failOpen ? undefined : failedCalling(name, new CallFailure(why));
    const reason = object && server?.judge(object);
    if (reason === undefined) return undefined;
    const message = `admission webhook "${name}" denied the request: ${reason}`;
    return new ApiError(message, { status: 422, reason: "Invalid" });
  }
}

/** Why the server cannot be called; undefined where it can. */
function brokenOf(
  server: WebhookServer | undefined,
  { caBundle }: WebhookEntry,
): string | undefined {
  if (server === undefined) return "service not found";
  const unknown =
    "tls: failed to verify certificate: x509: certificate signed by unknown authority";
  return caBundle === server.ca ? server.down : unknown;
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

function nameOf({ kind, metadata }: KubeObject): string {
  return [kind, metadata.namespace, metadata.name].filter(Boolean).join("/");
}

function targetOf({ resource, name, namespace }: Ref): string {
  return [resource.kind, namespace, name].filter(Boolean).join("/");
}
