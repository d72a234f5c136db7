/** An API server that holds ECs: lists them in pages, streams their changes, and fails on demand. */
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type ServerResponse,
} from "node:http";
import { createServer as createHttps } from "node:https";
import type { AddressInfo } from "node:net";
import { aPair } from "../support/tls";
import { anEc, type ClusterParts } from "./fake-clusters";

type Ec = ReturnType<typeof anEc>;

/** How a request is answered instead; undefined: as usual. */
export type Fault = (
  url: URL,
) => { readonly status: number; readonly body?: unknown } | "cut" | "hang" | undefined;

export class FakeApiServer {
  readonly requests: string[] = [];
  readonly heads: IncomingHttpHeaders[] = [];
  readonly pair = aPair();
  /** How many there were. */
  connections = 0;
  /** The versions of the definition that are served; none: there is no definition. */
  versions: readonly string[] = ["v1", "v1alpha1"];
  pageSize = 2;
  fault: Fault = () => undefined;
  private readonly ecs = new Map<string, Ec>();
  private readonly watches = new Set<ServerResponse>();
  private revision = 100;
  private waiting: (() => void)[] = [];
  private readonly server;

  constructor(scheme: "http" | "https" = "https") {
    const listener = (request: IncomingMessage, response: ServerResponse) => {
      this.answer(request, response);
    };
    const { certPem: cert, keyPem: key } = this.pair;
    this.server = scheme === "http" ? createServer(listener) : createHttps({ cert, key }, listener);
    this.server.on("connection", () => (this.connections += 1));
  }

  get tokens(): readonly (string | undefined)[] {
    return this.heads.map(({ authorization }) => authorization);
  }

  async start(): Promise<number> {
    await new Promise<void>((resolve) => this.server.listen(0, "127.0.0.1", resolve));
    return this.port;
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  /** Closes what nobody waits on, without a word to the other side. */
  closeIdle(): void {
    this.server.closeIdleConnections();
  }

  async stop(): Promise<void> {
    const closed = new Promise((resolve) => this.server.close(resolve));
    this.server.closeAllConnections();
    await closed;
  }

  put(parts: ClusterParts): void {
    const ec = this.stamp(parts);
    const key = `${ec.metadata.namespace}/${ec.metadata.name}`;
    const type = this.ecs.has(key) ? "MODIFIED" : "ADDED";
    this.ecs.set(key, ec);
    this.tell(JSON.stringify({ type, object: ec }));
  }

  remove(parts: ClusterParts): void {
    const ec = this.stamp(parts);
    this.ecs.delete(`${ec.metadata.namespace}/${ec.metadata.name}`);
    this.tell(JSON.stringify({ type: "DELETED", object: ec }));
  }

  bookmark(): void {
    const metadata = { resourceVersion: String(++this.revision) };
    this.tell(JSON.stringify({ type: "BOOKMARK", object: { metadata } }));
  }

  /** Sends a line to every watch, in pieces, as networks do. */
  tell(line: string): void {
    for (const watch of this.watches) {
      watch.write(line.slice(0, 7));
      watch.write(`${line.slice(7)}\n`);
    }
  }

  /** Ends every watch in order, as at the end of its time. */
  endWatches(): void {
    for (const watch of this.watches) watch.end();
    this.watches.clear();
  }

  breakWatches(): void {
    for (const watch of this.watches) watch.destroy();
    this.watches.clear();
  }

  /** Resolves when so many requests that contain the text have come. */
  async asked(part: string, count = 1): Promise<void> {
    while (this.requests.filter((url) => url.includes(part)).length < count) {
      await new Promise<void>((resolve) => this.waiting.push(resolve));
    }
  }

  private stamp(parts: ClusterParts): Ec {
    return anEc({ ...parts, resourceVersion: String(++this.revision) });
  }

  private answer(request: IncomingMessage, response: ServerResponse): void {
    const url = new URL(request.url ?? "", "https://fake");
    const fault = this.fault(url);
    if (fault === undefined) this.usual(url, response);
    else if (fault === "cut") response.socket?.destroy();
    else if (fault !== "hang") json(response, fault.status, fault.body ?? { kind: "Status" });
    this.requests.push(request.url ?? "");
    this.heads.push(request.headers);
    this.waiting.splice(0).forEach((tell) => {
      tell();
    });
  }

  private usual(url: URL, response: ServerResponse): void {
    const form =
      /\/apis\/app\.engine\.com\/(\w+)(?:\/namespaces\/([^/]+))?\/engineenterpriseclusters(?:\/(.+))?$/;
    const [, version = "", namespace, name] = form.exec(url.pathname) ?? [];
    if (!this.versions.includes(version)) {
      response.writeHead(404).end("404 page not found");
    } else if (name !== undefined) {
      this.one(`${namespace ?? ""}/${name}`, name, response);
    } else if (url.searchParams.has("watch")) {
      response.writeHead(200).flushHeaders();
      this.watches.add(response);
    } else {
      this.list(url, namespace, response);
    }
  }

  private one(key: string, name: string, response: ServerResponse): void {
    const ec = this.ecs.get(key);
    if (ec !== undefined) json(response, 200, ec);
    else json(response, 404, { kind: "Status", reason: "NotFound", details: { name } });
  }

  private list(url: URL, namespace: string | undefined, response: ServerResponse): void {
    const all = [...this.ecs.values()].filter(
      ({ metadata }) => namespace === undefined || metadata.namespace === namespace,
    );
    const from = Number(url.searchParams.get("continue") ?? 0);
    const next = from + this.pageSize;
    const metadata = {
      resourceVersion: String(this.revision),
      ...(next < all.length ? { continue: String(next) } : {}),
    };
    json(response, 200, { kind: "List", metadata, items: all.slice(from, next) });
  }
}

function json(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { "content-type": "application/json" });
  response.end(typeof body === "string" ? body : JSON.stringify(body));
}
