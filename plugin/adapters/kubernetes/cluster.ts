/** The Cluster port over HTTP. */
import type { Duplex } from "node:stream";
import { ApiError, EngineError, UnavailableError } from "../../domain/base/errors";
import { isKubeObject, type KubeObject, type Ref, type Resource } from "../../domain/kube/objects";
import {
  asArray,
  asString,
  getOwn,
  getPath,
  isObject,
  type Json,
  parseJson,
} from "../../domain/base/values";
import type {
  Access,
  ApplyOptions,
  KubeClient,
  ListOptions,
  Login,
  LogOptions,
  ManagedWrite,
  PatchOptions,
  PatchType,
  PodPort,
  Preconditions,
  WatchEvent,
  WatchOptions,
  WriteOptions,
} from "../../ports/kubernetes";
import type { Client, KubeCall } from "./client";
import { collectionPath, Kinds, nameRef, objectPath } from "./kinds";
import { NoAnswer } from "../http/answer";

const patchTypes: Readonly<Record<PatchType, string>> = {
  merge: "application/merge-patch+json",
  json: "application/json-patch+json",
  strategic: "application/strategic-merge-patch+json",
};

/** Evidence is a few lines: no log is read whole. */
const mostLogBytes = 1024 * 1024;

/** What the cluster is called in reports. */
interface Identity {
  readonly server: string;
  readonly namespace: string;
  readonly login?: Login;
}

/** One API server. Messages of ApiError are the server's own, unchanged. */
export class HttpCluster implements KubeClient {
  readonly server: string;
  readonly namespace: string;
  readonly login: Login | undefined;
  private readonly kinds: Kinds;

  constructor(
    private readonly client: Client,
    { server, namespace, login }: Identity,
  ) {
    this.server = server;
    this.namespace = namespace;
    this.login = login;
    this.kinds = new Kinds(client, namespace);
  }

  async get(ref: Ref, { signal }: { signal?: AbortSignal } = {}): Promise<KubeObject | undefined> {
    const subject = `read ${nameRef(ref)}`;
    const call: KubeCall = { method: "GET", path: objectPath(ref), subject, writes: false, signal };
    const found = await this.client.object(call, "absent");
    return found === undefined ? undefined : this.objectIn(found, subject);
  }

  list(resource: Resource, options: ListOptions = {}): Promise<readonly KubeObject[] | undefined> {
    return listAll(this.client, resource, options);
  }

  watch(resource: Resource, options: WatchOptions): AsyncIterable<WatchEvent> {
    return watchKind(this.client, resource, options);
  }

  async logs(pod: Ref, { container, tailLines, signal }: LogOptions): Promise<string | undefined> {
    const query = { container, tailLines: String(tailLines), limitBytes: String(mostLogBytes) };
    const path = `${objectPath(pod)}/log`;
    const subject = `read the log of ${nameRef(pod)}`;
    const lines: string[] = [];
    try {
      const call = { method: "GET", path, query, subject, writes: false, signal } as const;
      for await (const line of this.client.lines(call)) lines.push(line);
    } catch (error) {
      // a container that has not started, a kubelet that is away, a right that is missing
      if (error instanceof ApiError) return undefined;
      throw error;
    }
    return lines.join("\n");
  }

  async create(object: KubeObject, options: ManagedWrite = {}): Promise<KubeObject> {
    const ref = await this.kinds.findRef(object, options.signal);
    const path = collectionPath(ref.resource, ref.namespace);
    const subject = `create ${nameRef(ref)}`;
    return this.write({ method: "POST", path, body: object, subject }, options);
  }

  async update(object: KubeObject, options: ManagedWrite = {}): Promise<KubeObject> {
    const ref = await this.kinds.findRef(object, options.signal);
    const subject = `update ${nameRef(ref)}`;
    return this.write({ method: "PUT", path: objectPath(ref), body: object, subject }, options);
  }

  async apply(object: KubeObject, options: ApplyOptions): Promise<KubeObject> {
    const ref = await this.kinds.findRef(object, options.signal);
    const contentType = "application/apply-patch+yaml";
    const subject = `apply ${nameRef(ref)}`;
    // an apply refuses fields that it does not know, whatever is asked: looking twice costs the server time
    const query = { fieldValidation: "Ignore", ...(options.force === true && { force: "true" }) };
    const target = { method: "PATCH", path: objectPath(ref), subject } as const;
    return this.write({ ...target, query, body: object, contentType }, options);
  }

  patch(ref: Ref, body: unknown, options: PatchOptions): Promise<KubeObject> {
    const { type, subresource } = options;
    const subject = `patch ${nameRef(ref)}`;
    const contentType = patchTypes[type];
    const path = subresource === undefined ? objectPath(ref) : `${objectPath(ref)}/${subresource}`;
    const target = { method: "PATCH", path, subject } as const;
    return this.write({ ...target, body, contentType }, options);
  }

  /** The server reads no query once there is a body: dryRun is in both, the query for audit logs. */
  async delete(ref: Ref, preconditions: Preconditions, options: WriteOptions = {}): Promise<void> {
    await this.client.object({
      ...transport(options),
      method: "DELETE",
      path: objectPath(ref),
      query: dryRunQuery(options),
      body: {
        apiVersion: "v1",
        kind: "DeleteOptions",
        ...(Object.keys(preconditions).length > 0 && { preconditions }),
        ...(options.dryRun === true && { dryRun: ["All"] }),
      },
      subject: `delete ${nameRef(ref)}`,
      writes: true,
    });
  }

  async can(access: Access): Promise<boolean> {
    const answer = await this.ask(`ask for the permission to ${access.verb} ${access.resource}`, {
      apiVersion: "authorization.k8s.io/v1",
      kind: "SelfSubjectAccessReview",
      spec: { resourceAttributes: access },
    });
    return getPath(answer, ["status", "allowed"]) === true;
  }

  async whoAmI(): Promise<string | undefined> {
    try {
      const answer = await this.ask("ask for the name of the user", {
        apiVersion: "authentication.k8s.io/v1",
        kind: "SelfSubjectReview",
      });
      return asString(getPath(answer, ["status", "userInfo", "username"]));
    } catch (error) {
      // before Kubernetes 1.28 there is no such review; the name is a nicety
      if (error instanceof EngineError) return undefined;
      throw error;
    }
  }

  /** A question about the user of the connection, asked by a review that nobody keeps. */
  private ask(
    subject: string,
    body: { readonly apiVersion: string; readonly kind: string; readonly spec?: object },
  ): Promise<Json> {
    const path = `/apis/${body.apiVersion}/${body.kind.toLowerCase()}s`;
    return this.client.object({ method: "POST", path, body, subject, writes: false });
  }

  async version(): Promise<string | undefined> {
    const subject = "ask for the release of the API server";
    const call: KubeCall = { method: "GET", path: "/version", subject, writes: false };
    return asString(getOwn(await this.client.object(call), "gitVersion"));
  }

  serves(group: string, version: string): Promise<readonly Resource[] | undefined> {
    return this.kinds.served(group, version);
  }

  async forward({ pod, port }: PodPort, signal?: AbortSignal): Promise<Duplex> {
    const subject = `reach port ${port} of ${nameRef(pod)}`;
    const { forwardPort, forwardProtocol } = await import("./port-forward.ts");
    const { namespace = "", name } = pod;
    return forwardPort({ namespace, pod: name, port }, (asked) => {
      const { pathname: path, searchParams } = new URL(asked, "http://any");
      const query = Object.fromEntries(searchParams);
      const call: KubeCall = { method: "GET", path, query, subject, writes: false, signal };
      return this.client.socket(call, forwardProtocol);
    });
  }

  close(): void {
    this.client.close();
  }

  private async write(call: Omit<KubeCall, "writes">, options: ManagedWrite): Promise<KubeObject> {
    const answer = await this.client.object({
      ...transport(options),
      ...call,
      writes: true,
      query: {
        fieldManager: options.fieldManager,
        fieldValidation: "Warn",
        ...call.query,
        ...dryRunQuery(options),
      },
    });
    return this.objectIn(answer, call.subject);
  }

  private objectIn(answer: Json, subject: string): KubeObject {
    if (isKubeObject(answer)) return answer;
    throw new UnavailableError(`the answer of ${this.server} to ${subject} is not the object`);
  }
}

function transport({ fresh, signal, onWarning }: WriteOptions): Partial<KubeCall> {
  return { fresh, signal, onWarning };
}

function dryRunQuery({ dryRun }: WriteOptions): { readonly dryRun?: "All" } {
  return dryRun === true ? { dryRun: "All" } : {};
}

const pageSize = 500;
/** Objects of a whole list's page: at 50 KB each its answer has the size that an answer may have. */
const wholeSize = 5_000;
/** Half a million objects at least; a list that continues beyond them has no end. */
const mostPages = 1_000;

/** What one pass over the pages is made with. */
interface Pass {
  readonly client: Client;
  readonly resource: Resource;
  readonly options: ListOptions;
  /** The most objects of one answer. */
  readonly size: number;
}

/**
 * All objects, at most `limit`; undefined when the kind is not served. When the server forgets the
 * list between two pages (410), all of it is asked for once more, in one answer.
 */
export async function listAll(
  client: Client,
  resource: Resource,
  options: ListOptions,
): Promise<readonly KubeObject[] | undefined> {
  try {
    return await pages({
      client,
      resource,
      options,
      size: options.whole === true ? wholeSize : pageSize,
    });
  } catch (error) {
    if (!(error instanceof ApiError) || error.status !== 410) throw error;
    return pages({ client, resource, options, size: Infinity });
  }
}

async function pages(pass: Pass): Promise<readonly KubeObject[] | undefined> {
  const limit = pass.options.limit ?? Infinity;
  const found: KubeObject[] = [];
  let next: string | undefined;
  let count = 0;
  do {
    if (count++ === mostPages) throw endless(pass);
    const page = await pageAfter(next, pass, limit - found.length);
    if (page === undefined) return undefined;
    for (const object of readPage(page, pass.resource)) {
      found.push(pass.options.lean === true ? lean(object) : object);
    }
    next = asString(getPath(page, ["metadata", "continue"]));
  } while (next !== undefined && found.length < limit);
  return found.slice(0, limit);
}

function endless({ resource }: Pass): UnavailableError {
  return new UnavailableError(
    `the list of ${resource.plural} does not end: ${mostPages} pages came, and there is always a next one`,
    { hint: "check whether a proxy answers in the place of the API server, then run again" },
  );
}

function pageAfter(
  token: string | undefined,
  { client, resource, options, size: most }: Pass,
  wanted: number,
): Promise<Json | undefined> {
  const { namespace, labelSelector, fieldSelector, signal } = options;
  const size = Math.min(most, wanted);
  const call = {
    method: "GET",
    path: collectionPath(resource, namespace),
    query: {
      labelSelector,
      fieldSelector,
      limit: Number.isFinite(size) ? String(size) : undefined,
      continue: token,
    },
    subject: `list ${resource.plural}${namespace === undefined ? "" : ` in namespace ${namespace}`}`,
    writes: false,
    signal,
  } as const;
  return client.object(call, "absent");
}

/** Items of built-in kinds carry neither apiVersion nor kind. */
function readPage(page: Json, { group, version, kind }: Resource): readonly KubeObject[] {
  const apiVersion = group === "" ? version : `${group}/${version}`;
  return asArray(getOwn(page, "items"))
    .filter(isObject)
    .map((item) => ({
      ...item,
      apiVersion: asString(getOwn(item, "apiVersion")) ?? apiVersion,
      kind: asString(getOwn(item, "kind")) ?? kind,
      metadata: { ...(getOwn(item, "metadata") as object) },
    }));
}

function lean(object: KubeObject): KubeObject {
  const { managedFields } = object.metadata;
  if (managedFields === undefined) return object;
  const managers = managedFields.map(({ manager }) => (manager === undefined ? {} : { manager }));
  return { ...object, metadata: { ...object.metadata, managedFields: managers } };
}

/** Changes of a kind's objects, as the port describes it. */
async function* watchKind(
  client: Client,
  resource: Resource,
  options: WatchOptions,
): AsyncGenerator<WatchEvent> {
  const { signal } = options;
  const call = buildWatchCall(resource, options);
  try {
    for await (const line of client.lines(call)) {
      const event = parseEvent(line, client, call);
      if (signal.aborted) return;
      yield event;
    }
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}

function buildWatchCall(resource: Resource, options: WatchOptions): KubeCall {
  const { namespace, labelSelector, fieldSelector, resourceVersion, signal } = options;
  const query = { watch: "true", allowWatchBookmarks: "true" };
  return {
    method: "GET",
    path: collectionPath(resource, namespace),
    query: { ...query, labelSelector, fieldSelector, resourceVersion },
    subject: `watch ${resource.plural}${namespace === undefined ? "" : ` in namespace ${namespace}`}`,
    writes: false,
    signal,
  };
}

/** Refusals that come after the stream has begun are events too: 410 for a version too old. */
function parseEvent(line: string, client: Client, call: KubeCall): WatchEvent {
  const event = parseJson(line);
  const type = getOwn(event, "type");
  const object = getOwn(event, "object");
  if (type === "ERROR") {
    const status = Number(getOwn(object, "code") ?? 500);
    throw client.failure({ status, headers: {}, body: JSON.stringify(object) }, call);
  }
  const resourceVersion = asString(getPath(object, ["metadata", "resourceVersion"]));
  if (type === "BOOKMARK" && resourceVersion !== undefined) return { type, resourceVersion };
  if (isChange(type) && isKubeObject(object)) return { type, object };
  throw client.failure(new NoAnswer("BODY_UNREADABLE", { sent: true }), call);
}

function isChange(type: unknown): type is "ADDED" | "MODIFIED" | "DELETED" {
  return type === "ADDED" || type === "MODIFIED" || type === "DELETED";
}
