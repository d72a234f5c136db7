/** The Cluster port over HTTP. */
import type { Duplex } from "node:stream";
import { ApiError, EngineError, UnavailableError } from "../../domain/errors";
import type { KubeObject, Ref, Resource } from "../../domain/objects";
import { getPath, type Json, getOwn, asString } from "../../domain/values";
import type {
  Access,
  ApplyOptions,
  Cluster,
  ListOptions,
  LogOptions,
  ManagedWrite,
  PatchOptions,
  PatchType,
  Preconditions,
  WatchEvent,
  WatchOptions,
  WriteOptions,
} from "../../run/ports";
import type { KubeCall, Client } from "./client";
import { collectionPath, isKubeObject, Kinds, nameOf, objectPath } from "./kinds";
import { listAll, watchKind } from "./listing";
import type { PodForwarder, PodPort } from "./port-forward";

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
}

/** One API server. Messages of ApiError are the server's own, unchanged. */
export class HttpCluster implements Cluster, PodForwarder {
  readonly server: string;
  readonly namespace: string;
  private readonly kinds: Kinds;

  constructor(
    private readonly client: Client,
    { server, namespace }: Identity,
  ) {
    this.server = server;
    this.namespace = namespace;
    this.kinds = new Kinds(client, namespace);
  }

  async get(ref: Ref, { signal }: { signal?: AbortSignal } = {}): Promise<KubeObject | undefined> {
    const subject = `read ${nameOf(ref)}`;
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
    const subject = `read the log of ${nameOf(pod)}`;
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
    const ref = await this.kinds.refOf(object, options.signal);
    const path = collectionPath(ref.resource, ref.namespace);
    const subject = `create ${nameOf(ref)}`;
    return this.write({ method: "POST", path, body: object, subject }, options);
  }

  async update(object: KubeObject, options: ManagedWrite = {}): Promise<KubeObject> {
    const ref = await this.kinds.refOf(object, options.signal);
    const subject = `update ${nameOf(ref)}`;
    return this.write({ method: "PUT", path: objectPath(ref), body: object, subject }, options);
  }

  async apply(object: KubeObject, options: ApplyOptions): Promise<KubeObject> {
    const ref = await this.kinds.refOf(object, options.signal);
    const contentType = "application/apply-patch+yaml";
    const subject = `apply ${nameOf(ref)}`;
    const query = { ...(options.force === true && { force: "true" }) };
    const target = { method: "PATCH", path: objectPath(ref), subject } as const;
    return this.write({ ...target, query, body: object, contentType }, options);
  }

  patch(ref: Ref, body: unknown, options: PatchOptions): Promise<KubeObject> {
    const { type, subresource } = options;
    const subject = `patch ${nameOf(ref)}`;
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
      query: dryRunOf(options),
      body: {
        apiVersion: "v1",
        kind: "DeleteOptions",
        ...(Object.keys(preconditions).length > 0 && { preconditions }),
        ...(options.dryRun === true && { dryRun: ["All"] }),
      },
      subject: `delete ${nameOf(ref)}`,
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
    const subject = `reach port ${port} of ${nameOf(pod)}`;
    const path = `${objectPath(pod)}/portforward`;
    const query = { ports: String(port) };
    const call: KubeCall = { method: "GET", path, query, subject, writes: false, signal };
    const { forwardedStream, forwardProtocol } = await import("./port-forward.ts");
    return forwardedStream(await this.client.socket(call, forwardProtocol));
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
        ...call.query,
        fieldManager: options.fieldManager,
        fieldValidation: "Warn",
        ...dryRunOf(options),
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

function dryRunOf({ dryRun }: WriteOptions): { readonly dryRun?: "All" } {
  return dryRun === true ? { dryRun: "All" } : {};
}
