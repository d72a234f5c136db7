/** Broken connections, from Node's codes into Go's words. */

/** A request that came to no end. */
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
};

/** What Node says when the other side's first bytes are no TLS. */
const noTls = ["ERR_SSL_WRONG_VERSION_NUMBER", "EPROTO"];

/** What went wrong; `shown` is the address that was dialled, as it is to be shown. */
export function wordsFor({ error, answered, signal }: Broken, shown: string): string {
  if (signal.aborted) return "context deadline exceeded";
  const { code = "", syscall, message } = error as NodeJS.ErrnoException;
  if (syscall === "connect") return `dial tcp ${shown}: connect: ${dialWords[code] ?? message}`;
  if (answered) return "unexpected EOF";
  if (noTls.includes(code)) return "http: server gave HTTP response to HTTPS client";
  if (code === "EPIPE") return `write tcp ${shown}: write: broken pipe`;
  if (code !== "ECONNRESET") return message;
  return syscall === "read" ? `read tcp ${shown}: read: connection reset by peer` : "EOF";
}
