/** Ports for programs that have to be told one; who can, listens on 0 and says which it got. */
import { once } from "node:events";
import { createServer, type Server } from "node:net";

/** Which of the processes that run test files side by side this one is, counted from 0; the last where it runs none. */
export const worker = (Number(process.env["JEST_WORKER_ID"] ?? 8) - 1) % 8;

const span = 1_500;
const lowest = 20_000 + worker * span;

/** Those that were given: who got one may not listen on it yet. */
const given = new Set<number>();

/**
 * Finds ports that nobody listens on. They lie below the range that the system uses for outgoing
 * connections: a port from that range may be taken between this moment and its use. For the same
 * reason each worker has ports of its own.
 */
export async function freePorts(count: number): Promise<readonly number[]> {
  const held: Server[] = [];
  const ports: number[] = [];
  try {
    while (ports.length < count) {
      const port = lowest + Math.floor(Math.random() * span);
      // with so many given, the first have long been taken
      if (given.size > span / 2) given.clear();
      if (given.has(port)) continue;
      given.add(port);
      const server = createServer();
      try {
        server.listen(port, "127.0.0.1");
        await once(server, "listening");
        held.push(server);
        ports.push(port);
      } catch {
        // Taken: the next random number is as good.
      }
    }
    return ports;
  } finally {
    await Promise.all(held.map((server) => new Promise((done) => server.close(done))));
  }
}
