/** A caller that knows what TLS lets it ask for: a version, a certificate, an earlier session. */
import { connect, type SecureVersion } from "node:tls";
import type { PemPair } from "../support/tls";

/** A review, and the connection that it comes over. */
export interface Visit {
  readonly port: number;
  readonly ca: string;
  readonly body: string;
  readonly path: string;
  readonly version: SecureVersion;
  /** Whose certificate it shows; nobody's without it. */
  readonly as?: PemPair;
  /** Of an earlier connection, to be taken up again. */
  readonly session?: Buffer | undefined;
}

/** What came back. */
export interface Seen {
  /** The status line; empty for a connection that was cut. */
  readonly status: string;
  readonly resumed: boolean;
  readonly session: Buffer | undefined;
}

/** One review over a connection of its own. */
export function visit({ port, ca, body, path, version, as, session }: Visit): Promise<Seen> {
  return new Promise((resolve, reject) => {
    let status = "";
    let given: Buffer | undefined;
    const socket = connect({
      host: "127.0.0.1",
      port,
      ca,
      minVersion: version,
      maxVersion: version,
      ...(as && { cert: as.certPem, key: as.keyPem }),
      ...(session && { session }),
    });
    let resumed = false;
    socket.on("secureConnect", () => (resumed = socket.isSessionReused()));
    socket.on("session", (next: Buffer) => (given = next));
    socket.on("data", (part: Buffer) => (status += part.toString("latin1")));
    socket.on("error", reject);
    socket.on("close", () => {
      resolve({ status: status.slice(0, "HTTP/1.1 200".length), resumed, session: given });
    });
    socket.write(
      `POST ${path} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n` +
        `Content-Length: ${body.length}\r\nConnection: close\r\n\r\n${body}`,
    );
  });
}
