/** Who may ask for a judgment, where callers have to show a certificate. */
import { X509Certificate } from "node:crypto";
import type { Duplex } from "node:stream";
import { TLSSocket } from "node:tls";
import { getPath } from "../../plugin/domain/values";
import { readFileSync } from "node:fs";
import { dirname } from "node:path";
import { type FolderWatch, sha256Of, watchFolder } from "./served";
import { errorText, type Log } from "../log";

interface CallerOptions {
  /** PEM: the CA that their certificates come from; several at once while it is rotated. */
  readonly ca: string;
  /** Common names; empty: any of the CA. */
  readonly subjects: readonly string[];
}

/** What is known of a connection, for as long as the CA is the same. */
interface CheckedCaller {
  readonly under: string;
  readonly problem: string | undefined;
  readonly certificate: X509Certificate | undefined;
}

/** Judges a caller by the certificate of its connection; probes are never asked for one. */
export class Callers {
  private readonly judged = new WeakMap<Duplex, CheckedCaller>();
  private certificates: readonly X509Certificate[] = [];
  private pem = "";

  constructor(private readonly options: CallerOptions) {
    this.trust(options.ca);
  }

  /** PEM. */
  get ca(): string {
    return this.pem;
  }

  get roots(): readonly X509Certificate[] {
    return this.certificates;
  }

  /** From now on another CA: connections that are open are judged by it when they ask again. */
  trust(ca: string): void {
    this.pem = ca;
    this.certificates = certificatesIn(ca);
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
    const name = getPath(certificate.toLegacyObject(), ["subject", "CN"]);
    const known = subjects.length === 0 || subjects.some((subject) => subject === name);
    return known ? undefined : "the client certificate is for someone else";
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

/** The file's certificates as one PEM text; throws what is wrong with it. */
export function readClientCa(file: string): string {
  const text = readFileSync(file, "utf8");
  const blocks = text.match(/-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g) ?? [];
  if (blocks.length === 0) throw new Error("holds no PEM certificate");
  const pem = blocks.map((block) => `${block}\n`).join("");
  const begun = text.split("-----BEGIN CERTIFICATE-----").length - 1;
  try {
    if (certificatesIn(pem).length === begun) return pem;
  } catch {
    // A parser may quote what it parses: its own words stay out.
  }
  throw new Error("holds a PEM certificate that cannot be read");
}

/** The certificates of a text as `readClientCa` gives it. */
export function certificatesIn(pem: string): readonly X509Certificate[] {
  return pem.split(/(?=-----BEGIN)/).map((block) => new X509Certificate(block));
}

interface ClientCaOptions {
  readonly file: string;
  readonly log: Log;
  /** Told of each change that callers are judged by from now on, and of each new complaint. */
  readonly onLook: (outcome: "served" | "refused") => void;
  readonly now?: () => Date;
  readonly pollMs?: number;
}

const soonMs = 30 * 24 * 60 * 60_000;

/** Keeps the last good CA in service, whatever happens to its file. */
export class ClientCa {
  private complaint = "";
  private readonly warned = new Set<string>();
  private watch: FolderWatch | undefined;

  constructor(
    private readonly callers: Callers,
    private readonly options: ClientCaOptions,
  ) {}

  /** The next end of one of its certificates, or the last one where all have ended; RFC 3339. */
  notAfter(): string | undefined {
    const { now = () => new Date() } = this.options;
    const ends = this.callers.roots.map(({ validTo }) => Date.parse(validTo)).sort((a, b) => a - b);
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
      if (pem !== this.callers.ca) this.putIntoService(pem);
    } catch (error) {
      this.complain(errorText(error));
    }
    this.warnOfEnds();
  }

  private putIntoService(pem: string): void {
    const { callers, options } = this;
    callers.trust(pem);
    options.onLook("served");
    const sha256 = callers.roots.map(sha256Of);
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
    for (const certificate of this.callers.roots) {
      const { validTo: notAfter } = certificate;
      const sha256 = sha256Of(certificate);
      if (Date.parse(notAfter) - now().getTime() > soonMs || this.warned.has(sha256)) continue;
      this.warned.add(sha256);
      log.warn({ sha256, notAfter }, "a certificate of the client CA ends within 30 days");
    }
  }
}
