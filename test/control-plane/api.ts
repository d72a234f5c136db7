import { Agent, request } from "node:https";

export interface ApiAnswer {
  readonly status: number;
  readonly body: unknown;
}

export interface SendOptions {
  readonly body?: object;
  readonly contentType?: string;
}

export interface ApiOptions {
  readonly url: string;
  readonly ca: string;
  readonly token: string;
}

/** The field manager of objects that the harness writes for itself. */
export const harnessManager = "control-plane-harness";

/** The manager under which a person's `kubectl create` leaves its fields. */
export const personsManager = "kubectl-create";

/** Raised for any answer other than the expected ones; carries the status for the caller. */
export class ApiError extends Error {
  override readonly name = "ApiError";
  constructor(
    what: string,
    readonly answer: ApiAnswer,
  ) {
    super(`${what}: ${String(answer.status)} ${messageOf(answer.body)}`);
  }
}

class IdleConnectionError extends Error {
  override readonly name = "IdleConnectionError";
}

/** A few plain REST calls to one API server: the harness must not lean on the client it tests. */
export class Api {
  private readonly agent: Agent;

  constructor(private readonly options: ApiOptions) {
    this.agent = new Agent({ ca: options.ca, keepAlive: true });
  }

  /** One request; any status is an answer, only a failed connection rejects. */
  async send(method: string, path: string, options: SendOptions = {}): Promise<ApiAnswer> {
    try {
      return await this.sendOnce(method, path, options);
    } catch (error) {
      // The API server closed a kept connection that was idle just when the request was written to it.
      if (error instanceof IdleConnectionError) return this.sendOnce(method, path, options);
      throw error;
    }
  }

  private sendOnce(
    method: string,
    path: string,
    { body, contentType }: SendOptions,
  ): Promise<ApiAnswer> {
    const bytes = body === undefined ? undefined : Buffer.from(JSON.stringify(body));
    return new Promise((resolve, reject) => {
      const call = request(
        new URL(path, this.options.url),
        {
          method,
          agent: this.agent,
          timeout: 60_000,
          headers: {
            Authorization: `Bearer ${this.options.token}`,
            Accept: "application/json",
            "User-Agent": harnessManager,
            ...(bytes === undefined
              ? {}
              : {
                  "Content-Type": contentType ?? "application/json",
                  "Content-Length": bytes.length,
                }),
          },
        },
        (response) => {
          const chunks: Buffer[] = [];
          response.on("data", (chunk: Buffer) => chunks.push(chunk));
          response.on("error", reject);
          response.on("end", () => {
            const text = Buffer.concat(chunks).toString("utf8");
            resolve({ status: response.statusCode ?? 0, body: parsed(text) });
          });
        },
      );
      call.on("timeout", () => call.destroy(new Error(`${method} ${path} timed out`)));
      call.on("error", (error: NodeJS.ErrnoException) => {
        const wasIdle = call.reusedSocket && error.code === "ECONNRESET";
        reject(wasIdle ? new IdleConnectionError(error.message) : error);
      });
      call.end(bytes);
    });
  }

  /** The object, or undefined when there is none of that name. */
  async read(ref: Ref): Promise<KubeObject | undefined> {
    const answer = await this.send("GET", pathOf(ref));
    return answer.status === 404 ? undefined : (accepted(ref, "read", answer) as KubeObject);
  }

  /** Creates the object under a field manager of the caller's choice. */
  async create(object: KubeObject, manager = harnessManager): Promise<KubeObject> {
    const path = `${pathOf(object, "collection")}?fieldManager=${encodeURIComponent(manager)}`;
    const answer = await this.send("POST", path, { body: object });
    return accepted(object, "create", answer) as KubeObject;
  }

  /** Server-side apply with force: creates the object or brings it to the given content. */
  async apply(object: KubeObject, manager = harnessManager): Promise<KubeObject> {
    const path = `${pathOf(object)}?force=true&fieldManager=${encodeURIComponent(manager)}`;
    const answer = await this.send("PATCH", path, {
      body: object,
      contentType: "application/apply-patch+yaml",
    });
    return accepted(object, "apply", answer) as KubeObject;
  }

  /** Deletes and creates: the way to a state that no earlier owner or field has left a trace in. */
  async replace(object: KubeObject, manager = harnessManager): Promise<KubeObject> {
    await this.remove(object);
    return this.create(object, manager);
  }

  async remove(ref: Ref): Promise<void> {
    const answer = await this.send("DELETE", pathOf(ref));
    if (answer.status !== 404) {
      accepted(ref, "delete", answer);
    }
  }

  /** Merges into the status subresource, as a controller would; none runs here. */
  async writeStatus(ref: Ref, status: object): Promise<void> {
    const answer = await this.send("PATCH", `${pathOf(ref)}/status`, {
      body: { status },
      contentType: "application/merge-patch+json",
    });
    accepted(ref, "write the status of", answer);
  }

  close(): void {
    this.agent.destroy();
  }
}

function accepted(ref: Ref, verb: string, answer: ApiAnswer): unknown {
  if (answer.status >= 400) {
    throw new ApiError(`cannot ${verb} ${ref.kind} ${ref.metadata.name}`, answer);
  }
  return answer.body;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}

function messageOf(body: unknown): string {
  if (typeof body === "object" && body !== null && "message" in body) {
    return String(body.message);
  }
  return String(body);
}

/** A Kubernetes object as far as the harness cares; the rest of it passes through as it is. */
export interface KubeObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: Metadata;
  readonly [field: string]: unknown;
}

export interface Metadata {
  readonly name: string;
  readonly namespace?: string;
  readonly uid?: string;
  readonly resourceVersion?: string;
  readonly generation?: number;
  readonly ownerReferences?: readonly object[];
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
}

/** What it takes to address an object. */
export interface Ref {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string };
}

export const appGroup = "app.engine.com";

/** The plural of each kind that the harness writes; discovery would cost requests for no gain. */
const plurals: Readonly<Record<string, string>> = {
  ClusterRole: "clusterroles",
  ClusterRoleBinding: "clusterrolebindings",
  ClusterServiceVersion: "clusterserviceversions",
  ConfigMap: "configmaps",
  CustomResourceDefinition: "customresourcedefinitions",
  Deployment: "deployments",
  EndpointSlice: "endpointslices",
  EngineEnterpriseActiveActiveDatabase: "engineenterpriseactiveactivedatabases",
  EngineEnterpriseCluster: "engineenterpriseclusters",
  EngineEnterpriseDatabase: "engineenterprisedatabases",
  EngineEnterpriseRemoteCluster: "engineenterpriseremoteclusters",
  Event: "events",
  InstallPlan: "installplans",
  MutatingWebhookConfiguration: "mutatingwebhookconfigurations",
  Namespace: "namespaces",
  NetworkPolicy: "networkpolicies",
  Node: "nodes",
  PersistentVolumeClaim: "persistentvolumeclaims",
  Pod: "pods",
  ResourceQuota: "resourcequotas",
  Role: "roles",
  RoleBinding: "rolebindings",
  Secret: "secrets",
  SecurityContextConstraints: "securitycontextconstraints",
  Service: "services",
  ServiceAccount: "serviceaccounts",
  StatefulSet: "statefulsets",
  Subscription: "subscriptions",
  ValidatingAdmissionPolicy: "validatingadmissionpolicies",
  ValidatingAdmissionPolicyBinding: "validatingadmissionpolicybindings",
  ValidatingWebhookConfiguration: "validatingwebhookconfigurations",
};

/** The URL path of an object, or of the collection that it belongs to. */
export function pathOf(ref: Ref, part: "object" | "collection" = "object"): string {
  const plural = plurals[ref.kind];
  if (plural === undefined) {
    throw new Error(`the harness does not know the plural of ${ref.kind}`);
  }
  const { name, namespace } = ref.metadata;
  const base = ref.apiVersion.includes("/") ? `/apis/${ref.apiVersion}` : `/api/${ref.apiVersion}`;
  const scope = namespace === undefined ? base : `${base}/namespaces/${namespace}`;
  return part === "collection" ? `${scope}/${plural}` : `${scope}/${plural}/${name}`;
}
