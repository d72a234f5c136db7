/** What a real API server says of a connection that fails: Node's codes in Go's words. */

/** A connection, or a request on it, that came to no end. */
export interface Broken {
  readonly error: unknown;
  /** The head of the answer had come. */
  readonly answered: boolean;
  readonly signal: AbortSignal;
}

const dialWords: Readonly<Record<string, string>> = {
  ECONNREFUSED: "connection refused",
  ETIMEDOUT: "connection timed out",
  EHOSTUNREACH: "no route to host",
  ENETUNREACH: "network is unreachable",
  EADDRNOTAVAIL: "cannot assign requested address",
};

/** Alerts of the server (crypto/tls, alertText), by the end of the name that OpenSSL has for them. */
const alertWords: Readonly<Record<string, string>> = {
  UNEXPECTED_MESSAGE: "unexpected message",
  BAD_RECORD_MAC: "bad record MAC",
  RECORD_OVERFLOW: "record overflow",
  HANDSHAKE_FAILURE: "handshake failure",
  BAD_CERTIFICATE: "bad certificate",
  UNSUPPORTED_CERTIFICATE: "unsupported certificate",
  CERTIFICATE_REVOKED: "revoked certificate",
  CERTIFICATE_EXPIRED: "expired certificate",
  CERTIFICATE_UNKNOWN: "unknown certificate",
  ILLEGAL_PARAMETER: "illegal parameter",
  UNKNOWN_CA: "unknown certificate authority",
  ACCESS_DENIED: "access denied",
  DECODE_ERROR: "error decoding message",
  DECRYPT_ERROR: "error decrypting message",
  PROTOCOL_VERSION: "protocol version not supported",
  INSUFFICIENT_SECURITY: "insufficient security level",
  INTERNAL_ERROR: "internal error",
  INAPPROPRIATE_FALLBACK: "inappropriate fallback",
  USER_CANCELLED: "user canceled",
  MISSING_EXTENSION: "missing extension",
  UNSUPPORTED_EXTENSION: "unsupported extension",
  UNRECOGNIZED_NAME: "unrecognized name",
  CERTIFICATE_REQUIRED: "certificate required",
  NO_APPLICATION_PROTOCOL: "no application protocol",
};

const noTls = "http: server gave HTTP response to HTTPS client";

/** What this machine's own TLS does not take, by Node's code. */
const tlsWords: Readonly<Record<string, string>> = {
  ERR_SSL_WRONG_VERSION_NUMBER: noTls,
  EPROTO: noTls,
  ERR_SSL_PACKET_LENGTH_TOO_LONG: "tls: oversized record received with length 65535",
  ERR_SSL_UNSUPPORTED_PROTOCOL: "tls: server selected unsupported protocol version 301",
  ERR_SSL_UNKNOWN_CIPHER_RETURNED: "tls: server chose an unconfigured cipher suite",
};

/** By the step at which it is noticed. */
const wrongSignature = /^ERR_SSL_\w*(?:OCTET_INVALID|SIGNATURE|SLEN|SALT)/;

/** The API server's own end of its connections. */
const own = "10.0.0.2:50000";

interface NodeError extends NodeJS.ErrnoException {
  /** What an answer that is no HTTP began with. */
  readonly rawPacket?: Buffer;
}

/** What went wrong; `shown` is the address that was dialled, as it is to be shown. */
export function wordsFor({ error, answered, signal }: Broken, shown: string): string {
  if (signal.aborted) return "context deadline exceeded";
  const failed = error as NodeError;
  const { code = "", syscall, message } = failed;
  if (syscall === "connect") return `dial tcp ${shown}: connect: ${dialWords[code] ?? message}`;
  if (answered) return "unexpected EOF";
  return wordsOfHttp(failed) ?? wordsOfTls(failed) ?? wordsOfSocket(failed, shown);
}

function wordsOfHttp({ code = "", rawPacket }: NodeError): string | undefined {
  if (!code.startsWith("HPE_")) return undefined;
  const broken = "net/http: HTTP/1.x transport connection broken:";
  if (code === "HPE_HEADER_OVERFLOW") {
    return `${broken} net/http: server response headers exceeded 10485760 bytes; aborted`;
  }
  const [line] = String(rawPacket).split(/\r?\n/);
  return `${broken} malformed HTTP response ${JSON.stringify(line)}`;
}

function wordsOfTls({ code = "" }: NodeError): string | undefined {
  if (wrongSignature.test(code)) {
    return "tls: invalid signature by the server certificate: crypto/rsa: verification error";
  }
  const [, end = ""] = /^ERR_SSL_(?:SSLV3|TLSV1|TLSV13)_(?:ALERT_)?(.+)$/.exec(code) ?? [];
  const alert = alertWords[end];
  return alert === undefined ? tlsWords[code] : `remote error: tls: ${alert}`;
}

function wordsOfSocket({ code, syscall, message }: NodeError, shown: string): string {
  const between = `tcp ${own}->${shown}`;
  if (code === "EPIPE") return `write ${between}: write: broken pipe`;
  if (code !== "ECONNRESET") return message;
  return syscall === "read" ? `read ${between}: read: connection reset by peer` : "EOF";
}
