/**
 * How many connections there may be. Beyond that the one that was idle for longest makes room, so
 * that whoever opens thousands shuts nobody out, and costs no more memory than the limit.
 */
import { readFileSync } from "node:fs";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Server, Socket } from "node:net";

/** API servers keep at most 25 idle connections each, and open more only for calls under way. */
const usualMost = 1_024;
/** What else the process opens: the metrics port, requests to the API server, files. */
const otherDescriptors = 192;
/** So many there are even where next to nothing may be open. */
const fewest = 64;
/** More that were never used are no dialling ahead: someone opens them to take up room. */
const manyUnused = 256;

/** Beyond the limit of open files connections are reset before they can be told from each other. */
function mostOf(limits: string): number {
  const open = Number(/^Max open files +(\d+)/m.exec(limits)?.[1] ?? Infinity);
  return Math.max(fewest, Math.min(usualMost, open - otherDescriptors));
}

/** Of this process; empty where there is no such file. */
function ownLimits(): string {
  try {
    return readFileSync("/proc/self/limits", "utf8");
  } catch {
    return "";
  }
}

/** One connection; a call touches this and nothing else, since there are many calls to each. */
interface TrackedConnection {
  readonly key: string;
  readonly socket: Socket;
  calls: number;
  used: boolean;
  /**
   * When it was last without a call, in an order without a clock. One that is new comes last: the
   * API server has dialled it for a call that is about to come, and to cut it would fail that call.
   */
  idleSince: number;
}

/** Bounds the connections of a server; each of its requests has to be told to it. */
export class Connections {
  /** By the caller's address: encrypted connections are other objects than those beneath them. */
  private readonly places = new Map<string, TrackedConnection>();
  private readonly known = new WeakMap<Socket, TrackedConnection>();
  private moment = 0;

  constructor(private readonly limit = mostOf(ownLimits())) {}

  /** Counts the connections of a server from now on. */
  watch(server: Server): void {
    server.on("connection", (socket: Socket) => {
      const key = keyOf(socket);
      if (key === undefined) return; // it is gone already
      const place = { key, socket, calls: 0, used: false, idleSince: (this.moment += 1) };
      this.places.set(key, place);
      socket.once("close", () => {
        if (this.places.get(key) === place) this.places.delete(key);
      });
      if (this.places.size > this.limit) this.makeRoom(place);
    });
  }

  /** A connection with a call under way is not idle until it is answered. */
  call({ socket }: IncomingMessage, response: ServerResponse): void {
    const place = this.known.get(socket) ?? this.find(socket);
    if (place === undefined) return;
    place.calls += 1;
    place.used = true;
    response.on("close", () => {
      place.calls -= 1;
      place.idleSince = this.moment += 1;
    });
  }

  private find(socket: Socket): TrackedConnection | undefined {
    const place = this.places.get(keyOf(socket) ?? "");
    if (place !== undefined) this.known.set(socket, place);
    return place;
  }

  /** Cuts the one that can best be spared; with calls on all others it is the newest itself. */
  private makeRoom(newest: TrackedConnection): void {
    const idle = [...this.places.values()].filter(({ calls }) => calls === 0);
    const unused = idle.filter(({ used }) => !used);
    const spared = (unused.length > manyUnused ? unused : idle).reduce(
      (oldest, each) => (each.idleSince < oldest.idleSince ? each : oldest),
      newest,
    );
    this.places.delete(spared.key);
    spared.socket.destroy();
  }
}

function keyOf({ remoteAddress, remotePort }: Socket): string | undefined {
  return remotePort === undefined ? undefined : `${remoteAddress ?? ""} ${remotePort}`;
}
