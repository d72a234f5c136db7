/** A client of the cluster in memory whose every call is kept, and between whose calls a test can act. */
import { setImmediate as turn } from "node:timers/promises";
import type { KubeObject, Ref, Resource } from "../../plugin/domain/kube/objects";
import type {
  Access,
  ApplyOptions,
  KubeClient,
  ListOptions,
  ManagedWrite,
  PatchOptions,
  Preconditions,
  WatchEvent,
  WatchOptions,
  WriteOptions,
} from "../../plugin/ports/kubernetes";
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

const writing: readonly Call["verb"][] = ["create", "update", "apply", "patch", "delete"];

export class KeptCluster implements KubeClient {
  readonly server: string;
  readonly namespace: string;
  readonly calls: Call[] = [];
  /** Called before a call takes effect; a throw is its answer. */
  before: (call: Call) => void = () => {};
  /** Called after a call took effect, before its answer: a throw is a cut connection. */
  after: (call: Call) => void = () => {};
  /** Who the user is, undefined when the server does not report. */
  user: string | undefined = "jane";
  /** How long every call takes. */
  latencyMs = 1;
  closed = false;

  readonly #inner: KubeClient;
  /** Calls that were sent and have not come in yet, in their order. */
  readonly #arriving: (() => void)[] = [];

  constructor(
    connect: (latency: () => void) => KubeClient,
    private readonly clock: ManualClock,
  ) {
    this.#inner = connect(() => this.#arriving.shift()?.());
    this.server = this.#inner.server;
    this.namespace = this.#inner.namespace;
  }

  /** Calls that change something: no dry runs, no reviews. */
  get writes(): readonly Call[] {
    return this.calls.filter(({ verb, dryRun }) => writing.includes(verb) && !dryRun);
  }

  /** The writes as `verb target`. */
  get written(): readonly string[] {
    return this.writes.map(({ verb, target }) => `${verb} ${target}`);
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

  watch(resource: Resource, options: WatchOptions): AsyncIterable<WatchEvent> {
    return this.#inner.watch(resource, options);
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
}

function nameOf({ kind, metadata }: KubeObject): string {
  return [kind, metadata.namespace, metadata.name].filter(Boolean).join("/");
}

function targetOf({ resource, name, namespace }: Ref): string {
  return [resource.kind, namespace, name].filter(Boolean).join("/");
}
