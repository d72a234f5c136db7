/** What Go's crypto/tls said of certificates, as test/control-plane/go-verdicts.test.ts records it. */
import { readFileSync } from "node:fs";
import { join } from "node:path";

/** One handshake: "accepted", or the error of Go's client. */
export interface GoVerdict {
  readonly title: string;
  /** PEM of what is served, the server's own certificate first. */
  readonly served: string;
  /** PEM of what is trusted; what is served where it is absent. */
  readonly bundle?: string;
  /** With the defaults of the Go that recorded it. */
  readonly go: string;
  /** With those of Go 1.23, where they differ. */
  readonly go123?: string;
}

/** The recorded handshakes. */
export interface GoVerdicts {
  readonly go: string;
  /** The name that the client expects, and its time (RFC 3339). */
  readonly name: string;
  readonly now: string;
  readonly rows: readonly GoVerdict[];
}

export const goVerdictsFile = join(__dirname, "go-verdicts.json");

export function readGoVerdicts(): GoVerdicts {
  return JSON.parse(readFileSync(goVerdictsFile, "utf8")) as GoVerdicts;
}
