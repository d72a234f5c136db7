/** Who may ask for a judgement, where callers have to show a certificate. */
import type { X509Certificate } from "node:crypto";
import type { Duplex } from "node:stream";
import { TLSSocket } from "node:tls";
import { at } from "../plugin/domain/values";
import { certificatesIn } from "./client-ca";

/** What callers are known by. */
export interface CallerOptions {
  /** PEM: the CA that their certificates come from; several at once while it is rotated. */
  readonly ca: string;
  /** Common names; empty: any of the CA. */
  readonly subjects: readonly string[];
}

/** What is known of a connection, for as long as the CA is the same. */
interface Judged {
  readonly under: string;
  readonly problem: string | undefined;
  readonly certificate: X509Certificate | undefined;
}

/** Judges a caller by the certificate of its connection; probes are never asked for one. */
export class Callers {
  private readonly judged = new WeakMap<Duplex, Judged>();
  private roots: readonly X509Certificate[] = [];
  private pem = "";

  constructor(private readonly options: CallerOptions) {
    this.trust(options.ca);
  }

  /** PEM. */
  get ca(): string {
    return this.pem;
  }

  /** From now on another CA: connections that are open are judged by it when they ask again. */
  trust(ca: string): void {
    this.pem = ca;
    this.roots = certificatesIn(ca);
  }

  /** Why the caller may not ask; undefined when it may. A connection is judged once under each CA. */
  problem(socket: Duplex): string | undefined {
    const before = this.judged.get(socket);
    if (before?.under === this.pem) return before.problem;
    const certificate = before === undefined ? certificateOf(socket) : before.certificate;
    const problem = this.judge(certificate);
    this.judged.set(socket, { under: this.pem, problem, certificate });
    return problem;
  }

  private judge(certificate: X509Certificate | undefined): string | undefined {
    const { subjects } = this.options;
    // the handshake may have been under a CA that is no longer trusted
    if (certificate === undefined || !leadsTo(this.roots, certificate)) {
      return "a client certificate of the configured CA is needed";
    }
    const name = at(certificate.toLegacyObject(), ["subject", "CN"]);
    const known = subjects.length === 0 || subjects.some((subject) => subject === name);
    return known ? undefined : "the client certificate is for somebody else";
  }
}

/** The certificate that the handshake has verified, with those that were sent behind it. */
function certificateOf(socket: Duplex): X509Certificate | undefined {
  const isVerified = socket instanceof TLSSocket && socket.authorized;
  // a session that is taken up again counts as authorized, and may have come without a certificate
  return isVerified ? socket.getPeerX509Certificate() : undefined;
}

/** Whether one of the roots has issued the certificate, or the one that was sent behind it, and so on. */
function leadsTo(roots: readonly X509Certificate[], certificate: X509Certificate): boolean {
  if (roots.some((root) => isIssuedBy(certificate, root))) return true;
  const { issuerCertificate: issuer } = certificate;
  const isLast = issuer === undefined || issuer.fingerprint256 === certificate.fingerprint256;
  return !isLast && isIssuedBy(certificate, issuer) && leadsTo(roots, issuer);
}

function isIssuedBy(certificate: X509Certificate, issuer: X509Certificate): boolean {
  return certificate.checkIssued(issuer) && certificate.verify(issuer.publicKey);
}
