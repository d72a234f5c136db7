/** Where callers have to show a certificate: the CA that TLS asks for it, and its rotation. */
import type { X509Certificate } from "node:crypto";
import { readFileSync } from "node:fs";
import type { Server } from "node:https";
import { dirname } from "node:path";
import { errorText, type Log } from "../log";
import type { Connections } from "../server";
import { certificatesIn } from "./certificates";
import { handshakeMs } from "./handshake";
import { type FolderWatch, readFingerprint, watchFolder } from "./served";

interface ClientCaOptions {
  readonly file: string;
  readonly log: Log;
  /** Called for each change that is in service from now on, and for each new complaint. */
  readonly onLook: (outcome: "served" | "refused") => void;
  readonly now?: () => Date;
  readonly pollMs?: number;
}

const soonMs = 30 * 24 * 60 * 60_000;

/** Keeps the last good CA in service, whatever happens to its file. */
export class ClientCa {
  private served: string;
  private complaint = "";
  private readonly warned = new Set<string>();
  private watch: FolderWatch | undefined;

  /** Throws what is wrong with the file. */
  constructor(private readonly options: ClientCaOptions) {
    this.served = readClientCa(options.file);
  }

  /** PEM; several certificates while the CA is rotated. */
  get pem(): string {
    return this.served;
  }

  get roots(): readonly X509Certificate[] {
    return certificatesIn(this.served);
  }

  /** The next end of one of its certificates, or the last one where all have ended; RFC 3339. */
  notAfter(): string | undefined {
    const { now = () => new Date() } = this.options;
    const ends = this.roots.map(({ validTo }) => Date.parse(validTo)).sort((a, b) => a - b);
    const next = ends.find((end) => end >= now().getTime()) ?? ends.at(-1);
    return next === undefined ? undefined : new Date(next).toISOString();
  }

  start(): void {
    const { file, pollMs = 5_000 } = this.options;
    this.look();
    // the folder, for a mounted file is replaced by swapping a link beside it
    this.watch = watchFolder(dirname(file), {
      pollMs,
      look: () => {
        this.look();
      },
    });
  }

  stop(): void {
    this.watch?.stop();
  }

  private look(): void {
    try {
      const pem = readClientCa(this.options.file);
      this.complaint = "";
      if (pem !== this.served) this.putIntoService(pem);
    } catch (error) {
      this.complain(errorText(error));
    }
    this.warnOfEnds();
  }

  private putIntoService(pem: string): void {
    const { options } = this;
    this.served = pem;
    options.onLook("served");
    const sha256 = this.roots.map(readFingerprint);
    options.log.info({ sha256, notAfter: this.notAfter() }, "client CA in service");
  }

  private complain(because: string): void {
    if (because === this.complaint) return;
    this.complaint = because;
    this.options.onLook("refused");
    this.options.log.warn({ because, kept: true }, "the file of the client CA is not usable");
  }

  /** Once for each certificate: from its end on its callers are refused. */
  private warnOfEnds(): void {
    const { log, now = () => new Date() } = this.options;
    for (const certificate of this.roots) {
      const { validTo: notAfter } = certificate;
      const sha256 = readFingerprint(certificate);
      if (Date.parse(notAfter) - now().getTime() > soonMs || this.warned.has(sha256)) continue;
      this.warned.add(sha256);
      log.warn({ sha256, notAfter }, "a certificate of the client CA ends within 30 days");
    }
  }
}

/** Logs the handshakes that a server refuses. */
export function logRefusals(server: Server, log: Log): void {
  server.on("tlsClientError", (error: NodeJS.ErrnoException, socket) => {
    // Node sets it to the code of the verification, or to null
    const authorizationError: unknown = socket.authorizationError;
    const because = authorizationError ?? error.code ?? error.name;
    log.info({ because }, "handshake refused");
  });
}

/**
 * Closes the connections whose certificate no root has issued. Twice: a handshake that was begun
 * before the change can still end under the CA that went.
 */
export function closeOthers(connections: Connections, roots: readonly X509Certificate[]): void {
  const close = () => {
    connections.closeWhere((socket) => {
      const certificate = socket.getPeerX509Certificate();
      return certificate === undefined || !leadsTo(roots, certificate);
    });
  };
  close();
  setTimeout(close, handshakeMs).unref();
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

/** The file's certificates as one PEM text; throws what is wrong with it. */
export function readClientCa(file: string): string {
  const text = readFileSync(file, "utf8");
  const begun = text.split("-----BEGIN CERTIFICATE-----").length - 1;
  const certificates = certificatesIn(text);
  if (certificates.length < begun) throw new Error("holds a PEM certificate that cannot be read");
  if (certificates.length === 0) throw new Error("holds no PEM certificate");
  return certificates.map(String).join("");
}
