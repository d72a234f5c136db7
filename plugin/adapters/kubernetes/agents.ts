/** Connections to the API server: kept ones, and ones that are used once. */
import { setMaxListeners } from "node:events";
import http from "node:http";
import https from "node:https";
import type { ConnectionOptions } from "node:tls";
import { hostOf, portOf, type Proxy } from "./proxy";
import type { ClientPair } from "./trust";
import { openTunnel } from "./tunnel";

/** What every connection has in common. */
export interface Route {
  readonly base: URL;
  readonly trust: ConnectionOptions;
  readonly proxy: Proxy | undefined;
}

/** An agent and what to do when the request is over. */
export interface Lease {
  readonly agent: http.Agent;
  readonly done: () => void;
}

/**
 * A kept connection that was silent for longer is not used again: load balancers forget idle
 * connections, and a write that dies on one has an unknown outcome.
 */
const idleMs = 20_000;

/** Makes agents, one per client certificate, and closes all that it made. */
export class Agents {
  private kept: { readonly pair: ClientPair | undefined; readonly agent: http.Agent } | undefined;
  private readonly single = new Set<http.Agent>();
  private readonly ended = new AbortController();

  constructor(private readonly route: Route) {
    setMaxListeners(0, this.ended.signal);
  }

  /** An agent for one request; `done` closes a connection that was its own. */
  of(pair: ClientPair | undefined, fresh: boolean): Lease {
    return fresh ? this.once(pair) : { agent: this.keeping(pair), done: () => undefined };
  }

  close(): void {
    this.ended.abort();
    for (const agent of [this.kept?.agent, ...this.single]) agent?.destroy();
    this.kept = undefined;
    this.single.clear();
  }

  private once(pair: ClientPair | undefined): Lease {
    const agent = this.agent(pair, { keepAlive: false });
    this.single.add(agent);
    const done = (): void => {
      this.single.delete(agent);
      agent.destroy();
    };
    return { agent, done };
  }

  /** A renewed client certificate gets new connections. */
  private keeping(pair: ClientPair | undefined): http.Agent {
    if (this.kept?.pair !== pair) {
      this.kept?.agent.destroy();
      this.kept = undefined;
    }
    this.kept ??= { pair, agent: this.agent(pair, { keepAlive: true, timeout: idleMs }) };
    return this.kept.agent;
  }

  private agent(pair: ClientPair | undefined, options: http.AgentOptions): http.Agent {
    const { base, trust, proxy } = this.route;
    const secure = base.protocol === "https:";
    const agent = secure
      ? new https.Agent({ ...options, ...trust, ...pair })
      : new http.Agent(options);
    return proxy === undefined ? agent : this.through(proxy, agent);
  }

  /** The same agent, its sockets led through a proxy; TLS is spoken inside the tunnel. */
  private through(proxy: Proxy, agent: http.Agent): http.Agent {
    const { base } = this.route;
    const direct = agent.createConnection.bind(agent);
    const end = { host: hostOf(base), port: portOf(base), signal: this.ended.signal };
    agent.createConnection = (options, callback) => {
      const answer = callback as (error: Error | null, socket?: unknown) => void;
      openTunnel(proxy, end).then(
        (socket) => {
          const inside = { ...options, socket };
          answer(null, base.protocol === "https:" ? direct(inside) : socket);
        },
        (error: unknown) => {
          answer(error as Error);
        },
      );
      return undefined;
    };
    return agent;
  }
}
