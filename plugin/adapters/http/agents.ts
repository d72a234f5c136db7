/** Connections to one server: kept ones, and ones that are used once. */
import { setMaxListeners } from "node:events";
import http from "node:http";
import https from "node:https";
import type { Duplex } from "node:stream";
import { type ConnectionOptions, createSecureContext } from "node:tls";

/** A client certificate with its key, as PEM. */
export interface ClientPair {
  readonly cert: string;
  readonly key: string;
}

/** What every connection has in common. */
interface ConnectionRoute {
  /** Asked for each request; another value means new connections. Absent: plain HTTP. */
  readonly tls?: (() => ConnectionOptions) | undefined;
  /** A raw connection, in which TLS is spoken: through a proxy, or to a pod's port. Absent: Node dials. */
  readonly open?: ((signal: AbortSignal) => Promise<Duplex>) | undefined;
  /** Limits of kept connections, beside the usual ones. */
  readonly options?: https.AgentOptions;
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

/** Node reads certificates for every connection, and compares their texts for every request. */
function readOnce({ ca, cert, key, ...others }: ConnectionOptions): ConnectionOptions {
  const certificates = { ...(ca && { ca }), ...(cert && { cert }), ...(key && { key }) };
  return { ...others, secureContext: createSecureContext(certificates) };
}

/** The agent whose connections are kept, and what they were opened with. */
interface KeptAgent {
  readonly pair: ClientPair | undefined;
  readonly tls: ConnectionOptions | undefined;
  readonly agent: http.Agent;
}

/** No new request uses its connections; those that are in flight come to their end. */
function retire(agent: http.Agent): void {
  Reflect.set(agent, "keepAlive", false);
  for (const sockets of Object.values(agent.freeSockets)) {
    for (const socket of sockets ?? []) socket.destroy();
  }
}

/** Makes agents, one per client certificate and trust, and closes all that it made. */
export class Agents {
  private kept: KeptAgent | undefined;
  private readonly single = new Set<http.Agent>();
  private readonly ended = new AbortController();

  constructor(private readonly way: ConnectionRoute) {
    setMaxListeners(0, this.ended.signal);
  }

  /** An agent for one request; `done` closes a connection that was its own. */
  of(pair: ClientPair | undefined, fresh: boolean): Lease {
    return fresh ? this.once(pair) : { agent: this.keep(pair), done: () => undefined };
  }

  close(): void {
    this.ended.abort();
    for (const agent of [this.kept?.agent, ...this.single]) agent?.destroy();
    this.kept = undefined;
    this.single.clear();
  }

  private once(pair: ClientPair | undefined): Lease {
    const agent = this.agent(pair, { keepAlive: false }, this.way.tls?.());
    this.single.add(agent);
    const done = (): void => {
      this.single.delete(agent);
      agent.destroy();
    };
    return { agent, done };
  }

  /** What was renewed, a client certificate or the trust, gets new connections. */
  private keep(pair: ClientPair | undefined): http.Agent {
    const tls = this.way.tls?.();
    const { kept } = this;
    if (kept !== undefined && kept.pair === pair && kept.tls === tls) return kept.agent;
    if (kept !== undefined) {
      retire(kept.agent);
      this.single.add(kept.agent);
    }
    const agent = this.agent(pair, { keepAlive: true, timeout: idleMs }, tls);
    this.kept = { pair, tls, agent };
    return agent;
  }

  private agent(
    pair: ClientPair | undefined,
    keeping: http.AgentOptions,
    tls: ConnectionOptions | undefined,
  ): http.Agent {
    const { open } = this.way;
    const options = { ...keeping, ...this.way.options };
    const agent =
      tls === undefined
        ? new http.Agent(options)
        : new https.Agent({ ...options, ...readOnce({ ...tls, ...pair }) });
    return open === undefined ? agent : this.through(open, agent);
  }

  /** The same agent over connections that are opened in another way. */
  private through(open: NonNullable<ConnectionRoute["open"]>, agent: http.Agent): http.Agent {
    const direct = agent.createConnection.bind(agent);
    agent.createConnection = (options, callback) => {
      const answer = callback as (error: Error | null, socket?: unknown) => void;
      open(this.ended.signal).then(
        (raw) => {
          if (this.way.tls === undefined) {
            answer(null, raw);
            return;
          }
          const secure = direct({ ...options, socket: raw } as http.ClientRequestArgs);
          raw.once("error", (error) => secure?.destroy(error));
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
}
