/** Who may ask for a judgement, where callers have to show a certificate. */
import { readFileSync } from "node:fs";
import { TLSSocket } from "node:tls";
import { X509Certificate } from "node:crypto";
import type { Duplex } from "node:stream";
import { at } from "../plugin/domain/values";

/** What callers are known by. */
export interface CallerOptions {
  /** PEM: the CA that their certificates come from. */
  readonly ca: string;
  /** Common names; empty: any of the CA. */
  readonly subjects: readonly string[];
}

/** Judges a caller by the certificate of its connection; probes are never asked for one. */
export class Callers {
  readonly ca: string;
  private readonly problems = new WeakMap<Duplex, { readonly problem: string | undefined }>();

  constructor(private readonly options: CallerOptions) {
    this.ca = options.ca;
  }

  /** Why the caller may not ask; undefined when it may. A connection is judged once. */
  problem(socket: Duplex): string | undefined {
    const judged = this.problems.get(socket) ?? { problem: this.judge(socket) };
    this.problems.set(socket, judged);
    return judged.problem;
  }

  private judge(socket: Duplex): string | undefined {
    const { subjects } = this.options;
    const isVerified = socket instanceof TLSSocket && socket.authorized;
    // a session that is taken up again counts as authorized, and may have come without a certificate
    const certificate = isVerified ? socket.getPeerX509Certificate() : undefined;
    if (certificate === undefined) {
      return "a client certificate of the configured CA is needed";
    }
    const name = at(certificate.toLegacyObject(), ["subject", "CN"]);
    const known = subjects.length === 0 || subjects.some((subject) => subject === name);
    return known ? undefined : "the client certificate is for somebody else";
  }
}

/** The CA's file; throws what is wrong with it. */
export function readClientCa(file: string): string {
  const pem = readFileSync(file, "utf8");
  try {
    new X509Certificate(pem);
  } catch {
    throw new Error("holds no PEM certificate");
  }
  return pem;
}
