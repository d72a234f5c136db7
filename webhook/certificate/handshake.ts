/**
 * A handshake over loopback with a candidate pair, before it goes into service: what fails here
 * would fail for the API server. Node itself takes most wrong pairs without a word.
 */
import { constants } from "node:crypto";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { connect, createServer } from "node:tls";
import { judgeOwnRoot } from "../../plugin/adapters/http/x509/judge";

interface HandshakePair {
  readonly cert: string;
  readonly key: string;
}

/**
 * TLS 1.2 and 1.3 with suites that authenticate what they encrypt; 1.3 has no others. No session is
 * resumed: it would count as authorized without a certificate, and API servers keep none.
 */
export const tlsFloor = {
  secureOptions: constants.SSL_OP_NO_TICKET,
  minVersion: "TLSv1.2",
  ciphers: [
    "TLS_AES_128_GCM_SHA256",
    "TLS_AES_256_GCM_SHA384",
    "TLS_CHACHA20_POLY1305_SHA256",
    "ECDHE-ECDSA-AES128-GCM-SHA256",
    "ECDHE-RSA-AES128-GCM-SHA256",
    "ECDHE-ECDSA-AES256-GCM-SHA384",
    "ECDHE-RSA-AES256-GCM-SHA384",
    "ECDHE-ECDSA-CHACHA20-POLY1305",
    "ECDHE-RSA-CHACHA20-POLY1305",
  ].join(":"),
} as const;

/** How long a caller may take for its handshake. */
export const handshakeMs = 10_000;

const limitMs = 5_000;

/** What was seen: `failed` pairs cannot serve at all, `unfit` ones are refused by API servers. */
type Handshake =
  | { readonly is: "fit" }
  | { readonly is: "failed"; readonly because: string }
  | { readonly is: "unfit"; readonly because: string };

/**
 * Serves the pair to a client of its own; whether an API server would take it is Go's judgment, not
 * OpenSSL's. Dates are judged by the caller's clock, not here.
 */
export async function tryHandshake(pair: HandshakePair, serverName: string): Promise<Handshake> {
  const server = createServer({ ...pair, ...tlsFloor });
  server.on("tlsClientError", () => undefined); // the client's side tells
  server.listen(0, "127.0.0.1");
  try {
    await once(server, "listening");
    await shake((server.address() as AddressInfo).port);
  } catch (error) {
    return { is: "failed", because: `a handshake with it fails (${readCode(error)})` };
  } finally {
    server.close();
  }
  const problem = judgeOwnRoot(pair.cert, { name: serverName });
  return problem === undefined
    ? { is: "fit" }
    : { is: "unfit", because: `refused by API servers (${problem})` };
}

async function shake(port: number): Promise<void> {
  const socket = connect({
    host: "127.0.0.1",
    port,
    // judged elsewhere: to find out first that it is no IPv6 address takes node 4 ms of its start
    checkServerIdentity: () => undefined,
    rejectUnauthorized: false,
  });
  try {
    await once(socket, "secureConnect", { signal: AbortSignal.timeout(limitMs) });
  } finally {
    socket.destroy();
  }
}

/** The code alone: a message may quote the certificate. */
function readCode(error: unknown): string {
  if (typeof error === "string") return error;
  const code = error instanceof Error ? (error as NodeJS.ErrnoException).code : undefined;
  return code ?? (error instanceof Error ? error.name : "unknown");
}
