/** The CA that callers' certificates come from: its file is watched, so that it can be rotated. */
import { X509Certificate } from "node:crypto";
import { readFileSync } from "node:fs";
import { dirname } from "node:path";
import { sha256Of } from "./certificate";
import { type FolderWatch, watchFolder } from "./folder-watch";
import { errorText, type Log } from "./log";

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

export interface ClientCaOptions {
  readonly file: string;
  readonly log: Log;
  /** Puts it into service: for new connections, and for those that are open. */
  readonly take: (pem: string) => void;
  /** Told of each change that is taken, and of each new complaint. */
  readonly onLook: (outcome: "served" | "refused") => void;
  readonly now?: () => Date;
  readonly pollMs?: number;
}

const soonMs = 30 * 24 * 60 * 60_000;

/** Keeps the last good CA in service, whatever happens to its file. */
export class ClientCa {
  private certificates: readonly X509Certificate[] = [];
  private complaint = "";
  private readonly warned = new Set<string>();
  private watch: FolderWatch | undefined;

  constructor(
    private pem: string,
    private readonly options: ClientCaOptions,
  ) {
    this.certificates = certificatesIn(pem);
  }

  /** The next end of one of its certificates, or the last one where all have ended; RFC 3339. */
  notAfter(): string | undefined {
    const { now = () => new Date() } = this.options;
    const ends = this.certificates.map(({ validTo }) => Date.parse(validTo)).sort((a, b) => a - b);
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
      if (pem !== this.pem) this.putIntoService(pem);
    } catch (error) {
      this.complain(errorText(error));
    }
    this.warnOfEnds();
  }

  private putIntoService(pem: string): void {
    const { take, onLook, log } = this.options;
    this.pem = pem;
    this.certificates = certificatesIn(pem);
    take(pem);
    onLook("served");
    const sha256 = this.certificates.map(sha256Of);
    log.info({ sha256, notAfter: this.notAfter() }, "client CA in service");
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
    for (const certificate of this.certificates) {
      const { validTo: notAfter } = certificate;
      const sha256 = sha256Of(certificate);
      if (Date.parse(notAfter) - now().getTime() > soonMs || this.warned.has(sha256)) continue;
      this.warned.add(sha256);
      log.warn({ sha256, notAfter }, "a certificate of the client CA ends within 30 days");
    }
  }
}
