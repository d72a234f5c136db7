/**
 * Sends reviews over kept TLS connections with as little work as possible, so that a small machine
 * is left to the server: requests are bytes made before, answers are counted by content-length.
 */
import { once } from "node:events";
import { connect, type TLSSocket } from "node:tls";

/** A request as bytes, and the verdict that has to come back. */
export interface Exchange {
  readonly bytes: Buffer;
  readonly allowed: boolean;
}

/** Where to send. */
export interface Target {
  readonly port: number;
  readonly ca: string;
}

const headEnd = Buffer.from("\r\n\r\n");
const empty = Buffer.alloc(0);

/** One connection: one call at a time, as the API server uses them. */
class Connection {
  private received: Buffer = empty;
  private wanted: Exchange | undefined;
  private done: (failure?: Error) => void = () => {};

  constructor(private readonly socket: TLSSocket) {
    socket.on("data", (chunk: Buffer) => {
      this.take(chunk);
    });
    socket.on("error", (error: Error) => {
      this.done(error);
    });
    socket.on("close", () => {
      this.done(new Error("the server closed the connection"));
    });
  }

  send(exchange: Exchange, done: (failure?: Error) => void): void {
    if (this.socket.destroyed) {
      done(new Error("the server closed an idle connection"));
      return;
    }
    this.wanted = exchange;
    this.done = done;
    this.socket.write(exchange.bytes);
  }

  close(): void {
    this.done = () => {};
    this.socket.destroy();
  }

  private take(chunk: Buffer): void {
    this.received = this.received.length === 0 ? chunk : Buffer.concat([this.received, chunk]);
    const end = this.received.indexOf(headEnd);
    if (end < 0) return;
    const head = this.received.toString("latin1", 0, end);
    const length = Number(/content-length: *(\d+)/i.exec(head)?.[1]);
    const body = this.received.subarray(end + headEnd.length);
    if (body.length < length) return;
    this.received = empty;
    this.done(this.judge(head, body));
  }

  private judge(head: string, body: Buffer): Error | undefined {
    const allowed = this.wanted?.allowed === true;
    const right = head.startsWith("HTTP/1.1 200") && body.includes(`"allowed":${String(allowed)}`);
    return right
      ? undefined
      : new Error(`not the answer that was due:\n${head}\n\n${String(body)}`);
  }
}

/** Kept connections to one server. */
export class Load {
  private constructor(private readonly connections: readonly Connection[]) {}

  static async open({ port, ca }: Target, count = 8): Promise<Load> {
    const connections = Array.from({ length: count }, async () => {
      const socket = connect({ host: "127.0.0.1", port, ca, servername: "localhost" });
      socket.setNoDelay();
      await once(socket, "secureConnect");
      return new Connection(socket);
    });
    return new Load(await Promise.all(connections));
  }

  /** So many reviews as fast as they are answered, one after the other on each connection; seconds. */
  async flood(exchanges: readonly Exchange[], total: number): Promise<number> {
    const start = performance.now();
    let sent = 0;
    const lanes = this.connections.map(
      (connection) =>
        new Promise<void>((resolve, reject) => {
          const next = (failure?: Error): void => {
            const exchange = exchanges[sent % exchanges.length];
            if (failure !== undefined) reject(failure);
            else if (sent >= total || exchange === undefined) resolve();
            else {
              sent += 1;
              connection.send(exchange, next);
            }
          };
          next();
        }),
    );
    await Promise.all(lanes);
    return (performance.now() - start) / 1_000;
  }

  /** So many reviews per second; milliseconds of each, from when it was due to be sent. */
  async drip(exchanges: readonly Exchange[], pace: Pace): Promise<readonly number[]> {
    const total = pace.perSecond * pace.seconds;
    const gap = 1_000 / pace.perSecond;
    const times: number[] = [];
    const idle = [...this.connections];
    const due: number[] = [];
    await new Promise<void>((resolve, reject) => {
      const start = performance.now();
      let sent = 0;
      const finish = (from: number, connection: Connection) => (failure?: Error) => {
        if (failure !== undefined) reject(failure);
        times.push(performance.now() - from);
        idle.push(connection);
        if (times.length === total) resolve();
        else sendDue();
      };
      const sendDue = (): void => {
        while (due.length > 0 && idle.length > 0) {
          const [from = 0, connection] = [due.shift(), idle.shift()];
          const exchange = exchanges[sent % exchanges.length];
          if (connection === undefined || exchange === undefined) return;
          sent += 1;
          connection.send(exchange, finish(from, connection));
        }
      };
      let asked = 0;
      const timer = setInterval(() => {
        // What is due now counts from now: the lateness of this process's timer is not the server's.
        const now = performance.now();
        for (; asked < total && start + asked * gap <= now; asked += 1) due.push(now);
        if (asked === total) clearInterval(timer);
        sendDue();
      }, 1);
    });
    return times;
  }

  close(): void {
    for (const connection of this.connections) connection.close();
  }
}

/** How often, and for how long. */
export interface Pace {
  readonly perSecond: number;
  readonly seconds: number;
}
