/** TLS connections of one route: kept ones for reads, a new one for every write. */
import { setMaxListeners } from "node:events";
import https from "node:https";
import { isIP } from "node:net";
import { checkServerIdentity, connect, type ConnectionOptions } from "node:tls";
import type { Lease } from "../kubernetes/agents";
import type { Route } from "./route";

/** What the server's certificate has to fit: the pinned CA, or nothing by an explicit switch. */
export type Trust = { readonly ca: string } | { readonly insecure: true };

/** Load balancers forget idle connections; one that was silent for longer is not used again. */
const idleMs = 20_000;
const connectionsAtOnce = 16;

/** Makes agents, one per host, and closes all that it made. */
export class Connections {
  private readonly kept = new Map<string, https.Agent>();
  private readonly single = new Set<https.Agent>();
  private readonly ended = new AbortController();

  constructor(
    private readonly route: Route,
    private readonly trust: Trust,
  ) {
    setMaxListeners(0, this.ended.signal);
  }

  /** An agent for one request; a write that dies on a kept connection has an unknown outcome. */
  to(host: string, fresh: boolean): Lease {
    if (!fresh) {
      const kept = this.kept.get(host) ?? this.agent(host, { keepAlive: true, timeout: idleMs });
      this.kept.set(host, kept);
      return { agent: kept, done: () => undefined };
    }
    const agent = this.agent(host, { keepAlive: false });
    this.single.add(agent);
    const done = (): void => {
      this.single.delete(agent);
      agent.destroy();
    };
    return { agent, done };
  }

  close(): void {
    this.ended.abort();
    for (const agent of [...this.kept.values(), ...this.single]) agent.destroy();
    this.kept.clear();
    this.single.clear();
  }

  private agent(host: string, options: https.AgentOptions): https.Agent {
    const agent = new https.Agent({ ...options, maxSockets: connectionsAtOnce });
    agent.createConnection = (_options, callback) => {
      const answer = callback as (error: Error | null, socket?: unknown) => void;
      this.route.open(host, this.ended.signal).then(
        (raw) => {
          const secure = connect({ ...this.secured(host), socket: raw });
          raw.once("error", (error) => secure.destroy(error));
          answer(null, secure);
        },
        (error: unknown) => {
          answer(error as Error);
        },
      );
      return undefined;
    };
    return agent;
  }

  private secured(host: string): ConnectionOptions {
    const name = host.replace(/:\d+$/, "");
    const servername = isIP(name) === 0 ? { servername: name } : {};
    if ("insecure" in this.trust) return { ...servername, rejectUnauthorized: false };
    const allowed = [name, ...this.route.names];
    return {
      ...servername,
      ca: this.trust.ca,
      rejectUnauthorized: true, // else NODE_TLS_REJECT_UNAUTHORIZED decides
      minVersion: "TLSv1.2",
      checkServerIdentity: (_host, certificate) => {
        const problems = allowed.map((each) => checkServerIdentity(each, certificate));
        return problems.includes(undefined) ? undefined : problems[0];
      },
    };
  }
}
