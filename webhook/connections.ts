/**
 * How many connections there may be. Beyond that the one that was idle for longest makes room, so
 * that whoever opens thousands shuts nobody out, and costs no more memory than the limit.
 */
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Server, Socket } from "node:net";

/** API servers keep at most 25 idle connections each, and open more only for calls under way. */
const most = 1_024;
/** More that were never used are no dialling ahead: somebody opens them to take up room. */
const manyUnused = 256;

/** Bounds the connections of a server; each of its requests has to be told to it. */
export class Connections {
  /** By the caller's address: encrypted connections are other objects than those beneath them. */
  private readonly sockets = new Map<string, Socket>();
  /**
   * The ones without a call under way, by when that began. One that is new comes last: the API server
   * has dialled it for a call that is about to come, and to cut it would fail that call.
   */
  private readonly idle = new Set<string>();
  /** Those of them that never had a call. */
  private readonly unused = new Set<string>();
  private readonly calls = new Map<string, number>();

  constructor(private readonly limit = most) {}

  /** Counts the connections of a server from now on. */
  watch(server: Server): void {
    server.on("connection", (socket: Socket) => {
      const key = keyOf(socket);
      if (key === undefined) return; // it is gone already
      this.sockets.set(key, socket);
      this.idle.add(key);
      this.unused.add(key);
      socket.once("close", () => {
        if (this.sockets.get(key) === socket) this.forget(key);
      });
      if (this.sockets.size > this.limit) this.makeRoom(key);
    });
  }

  /** A connection with a call under way is not idle until it is answered. */
  call({ socket }: IncomingMessage, response: ServerResponse): void {
    const key = keyOf(socket);
    if (key === undefined || !this.sockets.has(key)) return;
    this.idle.delete(key);
    this.unused.delete(key);
    this.calls.set(key, (this.calls.get(key) ?? 0) + 1);
    response.once("close", () => {
      const left = (this.calls.get(key) ?? 1) - 1;
      if (left > 0) this.calls.set(key, left);
      else this.rest(key);
    });
  }

  private rest(key: string): void {
    this.calls.delete(key);
    if (this.sockets.has(key)) this.idle.add(key);
  }

  /** Cuts the one that can best be spared; with calls on all others it is the newest itself. */
  private makeRoom(newest: string): void {
    const [key = newest] = this.unused.size > manyUnused ? this.unused : this.idle;
    const socket = this.sockets.get(key);
    this.forget(key);
    socket?.destroy();
  }

  private forget(key: string): void {
    for (const each of [this.sockets, this.idle, this.unused, this.calls]) each.delete(key);
  }
}

function keyOf({ remoteAddress, remotePort }: Socket): string | undefined {
  return remotePort === undefined ? undefined : `${remoteAddress ?? ""} ${remotePort}`;
}
