/**
 * What becomes of connections that HTTP has given up on. Node cuts one that has sent no request for
 * the time that a head may take; the API server dials ahead and keeps what it did not need, so that
 * such a cut can meet a review that is on its way, which then fails with a 408 for nothing.
 */
import type { Server } from "node:https";
import { Socket } from "node:net";

export interface Patience {
  /** How long an unused connection may stay. */
  readonly idleMs: number;
  /** So many at once; what comes on top is cut. Far more than the API servers of a cluster keep. */
  readonly most?: number;
}

const statuses: Readonly<Record<string, string>> = {
  ERR_HTTP_REQUEST_TIMEOUT: "408 Request Timeout",
  HPE_HEADER_OVERFLOW: "431 Request Header Fields Too Large",
  HPE_CHUNK_EXTENSIONS_OVERFLOW: "413 Payload Too Large",
};

/** Leaves connections alone on which nothing was sent yet; the rest is answered and closed. */
export function spareUnused(server: Server, { idleMs, most = 256 }: Patience): void {
  const unused = new Set<Socket>();
  const spare = (socket: Socket): boolean => {
    if (socket.bytesRead > 0) return false;
    for (const each of unused) if (each.bytesRead > 0) unused.delete(each);
    if (unused.size >= most) return false;
    unused.add(socket);
    socket.once("close", () => unused.delete(socket));
    socket.setTimeout(idleMs); // as after an answer; the head's own time counts from its first byte
    return true;
  };
  server.on("clientError", (error: NodeJS.ErrnoException, stream) => {
    if (!(stream instanceof Socket)) return; // there are no others
    if (error.code === "ERR_HTTP_REQUEST_TIMEOUT" && spare(stream)) return;
    const status = statuses[error.code ?? ""] ?? "400 Bad Request";
    if (stream.writable) stream.write(`HTTP/1.1 ${status}\r\nConnection: close\r\n\r\n`);
    stream.destroySoon();
  });
}
