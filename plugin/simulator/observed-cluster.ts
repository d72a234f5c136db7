/** A cluster whose every request passes a gate: to be counted, refused, or cut off afterwards. */
import type { KubeObject, Ref, Resource } from "../domain/kube/objects";
import type {
  Access,
  ApplyOptions,
  KubeClient,
  ListOptions,
  LogOptions,
  ManagedWrite,
  PatchOptions,
  Preconditions,
  WatchEvent,
  WatchOptions,
  WriteOptions,
} from "../ports/kubernetes";

/** One request, as a person would name it. */
export interface ObservedCall {
  readonly verb:
    "get" | "list" | "watch" | "create" | "update" | "apply" | "patch" | "delete" | "ask";
  /** `Secret engine/admission-tls`. */
  readonly subject: string;
  /** It may change something: a dry run does not. */
  readonly writes: boolean;
  readonly dryRun: boolean;
  /** What is addressed, where it is one kind's objects. */
  readonly target?: CallTarget;
}

/** Which objects a call is about; a kind that is sent as an object has no plural yet. */
export interface CallTarget {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly plural?: string;
  readonly name?: string;
  readonly namespace?: string;
}

/** Sends a request by `send`, or does something else in its place. */
export type Gate = <T>(call: ObservedCall, send: () => Promise<T>) => Promise<T>;

/** Passes every request of the port through the gate. */
export class ObservedCluster implements KubeClient {
  readonly server: string;
  readonly namespace: string;

  constructor(
    private readonly inner: KubeClient,
    private readonly gate: Gate,
  ) {
    this.server = inner.server;
    this.namespace = inner.namespace;
  }

  get(ref: Ref, options?: { readonly signal?: AbortSignal }): Promise<KubeObject | undefined> {
    return this.gate(read("get", subjectOf(ref), targetOf(ref)), () =>
      this.inner.get(ref, options),
    );
  }

  list(resource: Resource, options?: ListOptions): Promise<readonly KubeObject[] | undefined> {
    const { namespace } = options ?? {};
    const target = { ...resource, ...(namespace !== undefined && { namespace }) };
    const call = read("list", `${resource.plural} ${namespace ?? ""}`.trimEnd(), target);
    return this.gate(call, () => this.inner.list(resource, options));
  }

  async *watch(resource: Resource, options: WatchOptions): AsyncIterable<WatchEvent> {
    yield* await this.gate(read("watch", resource.plural, resource), () =>
      Promise.resolve(this.inner.watch(resource, options)),
    );
  }

  logs(pod: Ref, options: LogOptions): Promise<string | undefined> {
    return this.gate(read("get", `the log of ${subjectOf(pod)}`, targetOf(pod)), async () =>
      this.inner.logs?.(pod, options),
    );
  }

  create(object: KubeObject, options?: ManagedWrite): Promise<KubeObject> {
    const call = isReview(object)
      ? read("ask", `for a ${object.kind}`)
      : write("create", ofObject(object), options);
    return this.gate(call, () => this.inner.create(object, options));
  }

  update(object: KubeObject, options?: ManagedWrite): Promise<KubeObject> {
    return this.gate(write("update", ofObject(object), options), () =>
      this.inner.update(object, options),
    );
  }

  apply(object: KubeObject, options: ApplyOptions): Promise<KubeObject> {
    return this.gate(write("apply", ofObject(object), options), () =>
      this.inner.apply(object, options),
    );
  }

  patch(ref: Ref, body: unknown, options: PatchOptions): Promise<KubeObject> {
    return this.gate(write("patch", ofRef(ref), options), () =>
      this.inner.patch(ref, body, options),
    );
  }

  delete(ref: Ref, preconditions: Preconditions, options?: WriteOptions): Promise<void> {
    return this.gate(write("delete", ofRef(ref), options), () =>
      this.inner.delete(ref, preconditions, options),
    );
  }

  can(access: Access): Promise<boolean> {
    const call = read("ask", `whether to ${access.verb} ${access.resource}`);
    return this.gate(call, () => this.inner.can(access));
  }

  whoAmI(): Promise<string | undefined> {
    return this.gate(read("ask", "for the name of the user"), () => this.inner.whoAmI());
  }

  version(): Promise<string | undefined> {
    return this.gate(read("ask", "for the release of the API server"), () => this.inner.version());
  }

  serves(group: string, version: string): Promise<readonly Resource[] | undefined> {
    const call = read("ask", `what ${group}/${version} serves`);
    return this.gate(call, () => this.inner.serves(group, version));
  }

  close(): void {
    this.inner.close();
  }
}

/** A question that is sent as an object; nothing is stored. */
function isReview({ apiVersion }: KubeObject): boolean {
  return apiVersion.startsWith("authorization.k8s.io/");
}

function read(verb: ObservedCall["verb"], subject: string, target?: CallTarget): ObservedCall {
  return { verb, subject, writes: false, dryRun: false, ...(target !== undefined && { target }) };
}

type CallSubject = Required<Pick<ObservedCall, "subject" | "target">>;

function write(
  verb: ObservedCall["verb"],
  subject: CallSubject,
  options: WriteOptions = {},
): ObservedCall {
  const dryRun = options.dryRun === true;
  return { verb, ...subject, writes: !dryRun, dryRun };
}

function ofRef(ref: Ref): CallSubject {
  return { subject: subjectOf(ref), target: targetOf(ref) };
}

function subjectOf({ resource, name, namespace }: Ref): string {
  return `${resource.kind} ${namespace === undefined ? "" : `${namespace}/`}${name}`;
}

function targetOf({ resource, name, namespace }: Ref): CallTarget {
  return { ...resource, name, ...(namespace !== undefined && { namespace }) };
}

function ofObject({ apiVersion, kind, metadata }: KubeObject): CallSubject {
  const { namespace, name = "" } = metadata;
  const [first = "", version] = apiVersion.split("/");
  const place = { name, ...(namespace !== undefined && { namespace }) };
  return {
    subject: `${kind} ${namespace === undefined ? "" : `${namespace}/`}${name}`,
    target: {
      group: version === undefined ? "" : first,
      version: version ?? first,
      kind,
      ...place,
    },
  };
}
