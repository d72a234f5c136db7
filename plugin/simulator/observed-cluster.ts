/** A cluster whose every request passes a gate: to be counted, refused, or cut off afterwards. */
import type { KubeObject, Ref } from "../domain/kube/objects";
import type { KubeClient, WriteOptions } from "../ports/kubernetes";
import { withMethods } from "../ports/delegate";

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
export function observe(cluster: KubeClient, gate: Gate): KubeClient {
  return withMethods(cluster, {
    ...observeReads(cluster, gate),
    ...observeWrites(cluster, gate),
  });
}

type Reads = "get" | "list" | "watch" | "logs" | "can" | "whoAmI" | "version" | "serves";

function observeReads(cluster: KubeClient, gate: Gate): Pick<KubeClient, Reads> {
  return {
    get: (ref, options) =>
      gate(read("get", nameSubject(ref), toTarget(ref)), () => cluster.get(ref, options)),
    list: (resource, options) => {
      const { namespace } = options ?? {};
      const target = { ...resource, ...(namespace !== undefined && { namespace }) };
      const call = read("list", `${resource.plural} ${namespace ?? ""}`.trimEnd(), target);
      return gate(call, () => cluster.list(resource, options));
    },
    async *watch(resource, options) {
      yield* await gate(read("watch", resource.plural, resource), () =>
        Promise.resolve(cluster.watch(resource, options)),
      );
    },
    logs: (pod, options) =>
      gate(read("get", `the log of ${nameSubject(pod)}`, toTarget(pod)), async () =>
        cluster.logs?.(pod, options),
      ),
    can: (access) =>
      gate(read("ask", `whether to ${access.verb} ${access.resource}`), () => cluster.can(access)),
    whoAmI: () => gate(read("ask", "for the name of the user"), () => cluster.whoAmI()),
    version: () => gate(read("ask", "for the release of the API server"), () => cluster.version()),
    serves: (group, version) =>
      gate(read("ask", `what ${group}/${version} serves`), () => cluster.serves(group, version)),
  };
}

type Writes = "create" | "update" | "apply" | "patch" | "delete";

function observeWrites(cluster: KubeClient, gate: Gate): Pick<KubeClient, Writes> {
  return {
    create: (object, options) => {
      const call = isReview(object)
        ? read("ask", `for a ${object.kind}`)
        : write("create", ofObject(object), options);
      return gate(call, () => cluster.create(object, options));
    },
    update: (object, options) =>
      gate(write("update", ofObject(object), options), () => cluster.update(object, options)),
    apply: (object, options) =>
      gate(write("apply", ofObject(object), options), () => cluster.apply(object, options)),
    patch: (ref, body, options) =>
      gate(write("patch", ofRef(ref), options), () => cluster.patch(ref, body, options)),
    delete: (ref, preconditions, options) =>
      gate(write("delete", ofRef(ref), options), () => cluster.delete(ref, preconditions, options)),
  };
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
  return { subject: nameSubject(ref), target: toTarget(ref) };
}

function nameSubject({ resource, name, namespace }: Ref): string {
  return `${resource.kind} ${namespace === undefined ? "" : `${namespace}/`}${name}`;
}

function toTarget({ resource, name, namespace }: Ref): CallTarget {
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
