import { createServer, type Server } from "node:net";
import { once } from "node:events";

const lowest = 20_000;
const highest = 32_000;

/**
 * Finds ports that nobody listens on. They lie below the range that the system uses for outgoing
 * connections: a port from that range may be taken between this moment and its use.
 */
export async function freePorts(count: number): Promise<readonly number[]> {
  const held: Server[] = [];
  const ports: number[] = [];
  try {
    while (ports.length < count) {
      const port = lowest + Math.floor(Math.random() * (highest - lowest));
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
