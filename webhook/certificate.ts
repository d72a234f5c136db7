/** The pair that the listener serves: proven before it is used, renewed when the folder changes. */
import { createPrivateKey, type KeyObject, X509Certificate } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { createSecureContext } from "node:tls";
import type { Names } from "../plugin/domain/names";
import { type FolderWatch, watchFolder } from "./folder-watch";
import { errorText, type Log } from "./log";

/** A certificate, perhaps with its chain, and its private key, both PEM. */
export interface Pair {
  readonly cert: string;
  readonly key: string;
  readonly leaf: X509Certificate;
}

/** Why a pair cannot be served. */
export class UnfitPair extends Error {}

type FileNames = Pick<Names["webhook"], "secretCert" | "secretKey">;

/** Reads both files and proves that they belong together; the dates are judged apart. Throws UnfitPair. */
export function readPair(folder: string, { secretCert, secretKey }: FileNames): Pair {
  const cert = readText(join(folder, secretCert));
  const key = readText(join(folder, secretKey));
  const leaf = parse(secretCert, () => new X509Certificate(cert));
  const privateKey: KeyObject = parse(secretKey, () => createPrivateKey(key));
  // Node takes a key of another type silently, and then fails every handshake.
  if (!leaf.checkPrivateKey(privateKey)) {
    throw new UnfitPair(`${secretKey} is not the private key of ${secretCert}`);
  }
  parse(secretCert, () => createSecureContext({ cert, key }));
  return { cert, key, leaf };
}

function readText(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (cause) {
    throw new UnfitPair(`cannot read ${file}`, { cause });
  }
}

/** The causes stay out of the message: a parser may quote what it parses, and this is a key. */
function parse<T>(name: string, read: () => T): T {
  try {
    return read();
  } catch {
    throw new UnfitPair(`${name} is not valid PEM`);
  }
}

/** Why the certificate is not valid at a moment, undefined when it is. */
export function judgeDates({ leaf }: Pair, now: Date): string | undefined {
  if (now < new Date(leaf.validFrom)) return `not valid before ${leaf.validFrom}`;
  return now > new Date(leaf.validTo) ? `expired at ${leaf.validTo}` : undefined;
}

export interface ServedOptions {
  readonly folder: string;
  readonly names: FileNames;
  readonly log: Log;
  /** Puts a pair into service, for new handshakes only. */
  readonly serve: (pair: Pair) => void;
  readonly now?: () => Date;
  readonly pollMs?: number;
}

/** Keeps the last good pair in service, whatever happens to the folder. */
export class ServedCertificate {
  private served: Pair | undefined;
  private valid = false;
  private complaint = "";
  private watch: FolderWatch | undefined;

  constructor(private readonly options: ServedOptions) {}

  /** True once a valid pair was served; it is never taken back. */
  loaded(): boolean {
    return this.valid;
  }

  start(): void {
    const { folder, pollMs = 5_000 } = this.options;
    this.refresh();
    this.watch = watchFolder(folder, {
      pollMs,
      look: () => {
        this.refresh();
      },
    });
  }

  stop(): void {
    this.watch?.stop();
  }

  /** Looks at the folder; a pair that does not fit is named once and tried again at the next look. */
  refresh(): void {
    try {
      this.consider(readPair(this.options.folder, this.options.names));
    } catch (error) {
      this.complain(errorText(error));
    }
  }

  private consider(pair: Pair): void {
    const { now = () => new Date() } = this.options;
    const unfit = judgeDates(pair, now());
    if (unfit === undefined) {
      this.valid = true;
      this.complaint = "";
    } else {
      this.complain(`the certificate is ${unfit}`);
      // With no better one at hand, callers at least learn from the handshake what is wrong.
      if (this.served !== undefined) return;
    }
    if (this.served?.cert === pair.cert && this.served.key === pair.key) return;
    this.options.serve(pair);
    this.served = pair;
    const { fingerprint256: sha256, validTo: notAfter, subjectAltName: names } = pair.leaf;
    this.options.log.info({ sha256, notAfter, names }, "certificate in service");
  }

  private complain(because: string): void {
    if (because === this.complaint) return;
    this.complaint = because;
    const kept = this.served !== undefined;
    this.options.log.error({ because, kept }, "the certificate folder holds no pair to serve");
  }
}
