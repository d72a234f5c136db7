/**
 * Stands where kube-proxy does: takes connections at the address of a Service, and gives each to a
 * ready replica. A connection stays with its replica, whatever becomes of that one's readiness.
 */
import { once } from "node:events";
import { get } from "node:https";
import { connect, createServer, type Socket } from "node:net";

export interface Address {
  readonly host: string;
  readonly port: number;
}

export interface ForwarderOptions extends Address {
  /** Asked again and again, as a kubelet does; by default `/readyz` over TLS. */
  readonly ready?: (replica: Address) => Promise<boolean>;
  readonly everyMs?: number;
}

export interface Forwarder extends Address {
  /** From now on it is probed, and gets connections while it is ready. */
  add(replica: Address): void;
  /** It gets no more connections; those that it has continue. */
  remove(replica: Address): void;
  /** True while new connections may go there. */
  isReady(replica: Address): boolean;
  /** How many connections each replica got that was ever added; a later one may have an earlier port. */
  given(): readonly number[];
  close(): Promise<void>;
}

interface Replica {
  readonly address: Address;
  ready: boolean;
  given: number;
}

export async function startForwarder({
  host,
  port,
  ready = isReadyOverTls,
  everyMs = 100,
}: ForwarderOptions): Promise<Forwarder> {
  const replicas = new Map<number, Replica>();
  const added: Replica[] = [];
  const sockets = new Set<Socket>();
  const probes = new Set<NodeJS.Timeout>();
  let turn = 0;

  const server = createServer({ allowHalfOpen: true, noDelay: true }, (client) => {
    // In turns, so that no replica is left without a connection by chance.
    const choice = [...replicas.values()].filter((replica) => replica.ready);
    const chosen = choice[turn++ % choice.length];
    if (chosen === undefined) {
      client.resetAndDestroy(); // as an address without endpoints refuses
      return;
    }
    chosen.given += 1;
    join(client, connect({ ...chosen.address, allowHalfOpen: true, noDelay: true }), sockets);
  });
  server.listen(port, host);
  await once(server, "listening");

  const probe = (replica: Replica): void => {
    const isKnown = (): boolean => replicas.get(replica.address.port) === replica;
    const look = async (): Promise<void> => {
      const answer = await ready(replica.address).catch(() => false);
      replica.ready = answer && isKnown();
      if (!isKnown()) return;
      const timer = setTimeout(() => {
        probes.delete(timer);
        void look();
      }, everyMs);
      probes.add(timer);
    };
    void look();
  };
  return {
    host,
    port,
    add: (address) => {
      const replica = { address, ready: false, given: 0 };
      added.push(replica);
      replicas.set(address.port, replica);
      probe(replica);
    },
    remove: ({ port: gone }) => {
      replicas.delete(gone);
    },
    isReady: ({ port: asked }) => replicas.get(asked)?.ready === true,
    given: () => added.map(({ given }) => given),
    close: async () => {
      replicas.clear();
      probes.forEach(clearTimeout);
      server.close();
      sockets.forEach((socket) => socket.destroy());
      await once(server, "close");
    },
  };
}

/** Passes bytes and ends in both directions; what breaks on one side breaks on the other. */
function join(client: Socket, replica: Socket, sockets: Set<Socket>): void {
  for (const [from, to] of [
    [client, replica],
    [replica, client],
  ] as const) {
    sockets.add(from);
    from.pipe(to);
    from.on("error", () => to.resetAndDestroy());
    from.on("close", () => sockets.delete(from));
  }
}

/** Like a kubelet's probe, this one verifies no certificate. */
function isReadyOverTls({ host, port }: Address): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const options = { host, port, path: "/readyz", rejectUnauthorized: false, agent: false };
    // a kubelet needs several failures: one late answer of a busy machine withdraws no endpoint
    const call = get({ ...options, timeout: 20_000 }, (response) => {
      response.resume();
      resolve(response.statusCode === 200);
    });
    call.on("timeout", () => call.destroy(new Error("no answer within 20 s")));
    call.on("error", reject);
  });
}
