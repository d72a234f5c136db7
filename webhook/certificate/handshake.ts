/**
 * A handshake over loopback with a candidate pair, before it goes into service: what fails here
 * would fail for the API server. Node itself takes most wrong pairs without a word.
 */
import { constants } from "node:crypto";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { connect, createServer, type TLSSocket } from "node:tls";

interface HandshakePair {
  readonly cert: string;
  readonly key: string;
}

/**
 * TLS 1.2 and 1.3 with suites that authenticate what they encrypt; 1.3 has no others. No session is
 * taken up again: it would count as authorized without a certificate, and API servers keep none.
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

const limitMs = 5_000;
/** Dates are judged by the caller's clock, not here. */
const dates = ["CERT_HAS_EXPIRED", "CERT_NOT_YET_VALID"];
/** As Go compares: no common name stands in for a missing alternative one. */
const asGo = { subject: "never", partialWildcards: false } as const;

/** What a handshake has shown: `failed` pairs cannot serve at all, `unfit` ones not under the name. */
type Handshake =
  | { readonly is: "fit" }
  | { readonly is: "failed"; readonly because: string }
  | { readonly is: "unfit"; readonly because: string };

/** Serves the pair to itself: its certificates are the roots, as in a webhook configuration (S28). */
export async function tryHandshake(pair: HandshakePair, serverName: string): Promise<Handshake> {
  const server = createServer({ ...pair, ...tlsFloor });
  server.on("tlsClientError", () => undefined); // the client's side tells
  server.listen(0, "127.0.0.1");
  try {
    await once(server, "listening");
    const { port } = server.address() as AddressInfo;
    return await shake({ port, ca: pair.cert, serverName });
  } catch (error) {
    return { is: "failed", because: `a handshake with it fails (${codeOf(error)})` };
  } finally {
    server.close();
  }
}

interface Dial {
  readonly port: number;
  readonly ca: string;
  readonly serverName: string;
}

async function shake({ port, ca, serverName }: Dial): Promise<Handshake> {
  const socket = connect({
    host: "127.0.0.1",
    port,
    ca,
    // compared below: to find out first that it is no IPv6 address takes node 4 ms of its start
    checkServerIdentity: () => undefined,
    rejectUnauthorized: false,
    // Go takes any certificate of the bundle as a root, not only self-signed ones
    allowPartialTrustChain: true,
  });
  try {
    await once(socket, "secureConnect", { signal: AbortSignal.timeout(limitMs) });
    return judge(socket, serverName);
  } finally {
    socket.destroy();
  }
}

function judge(socket: TLSSocket, serverName: string): Handshake {
  const code = socket.authorized ? undefined : codeOf(socket.authorizationError);
  if (code !== undefined && !dates.includes(code)) {
    return { is: "unfit", because: `not accepted by its own chain (${code})` };
  }
  if (socket.getPeerX509Certificate()?.checkHost(serverName, asGo) !== undefined)
    return { is: "fit" };
  return {
    is: "unfit",
    because: `not made for ${serverName}, under which the API server calls`,
  };
}

/** The code alone: a message may quote the certificate. */
function codeOf(error: unknown): string {
  if (typeof error === "string") return error;
  const code = error instanceof Error ? (error as NodeJS.ErrnoException).code : undefined;
  return code ?? (error instanceof Error ? error.name : "unknown");
}
