/** The pair that the listener serves: proven before it is used, renewed when the folder changes. */
import { createPrivateKey, type KeyObject, X509Certificate } from "node:crypto";
import { existsSync, type FSWatcher, readdirSync, readFileSync, watch } from "node:fs";
import { join } from "node:path";
import { createSecureContext } from "node:tls";
import type { Names } from "../../plugin/domain/names/names";
import { plain } from "../../plugin/domain/rules/wording";
import { tlsFloor, tryHandshake } from "./handshake";
import { errorText, type Log } from "../log";

/** A certificate, perhaps with its chain, and its private key, both PEM. */
export interface ServedKeyPair {
  readonly cert: string;
  readonly key: string;
  readonly leaf: X509Certificate;
}

class UnfitPair extends Error {}

type FileNames = Pick<Names["webhook"], "secretCert" | "secretKey">;

/** Reads both files and proves that they belong together; the dates are judged apart. Throws UnfitPair. */
export function readPair(folder: string, names: FileNames): ServedKeyPair {
  expectItems(folder, [names.secretCert, names.secretKey]);
  const cert = readText(join(folder, names.secretCert));
  const key = readText(join(folder, names.secretKey));
  return provenPair({ cert, key }, names);
}

/** The pair of two texts that are called by the names of the items. Throws UnfitPair. */
export function provenPair(
  { cert, key }: Pick<ServedKeyPair, "cert" | "key">,
  { secretCert, secretKey }: FileNames,
): ServedKeyPair {
  const leaf = parse(secretCert, () => new X509Certificate(cert));
  const privateKey: KeyObject = parse(secretKey, () => createPrivateKey(key));
  // Node takes a key of another type silently, and then fails every handshake.
  if (!leaf.checkPrivateKey(privateKey)) {
    throw new UnfitPair(`${secretKey} is not the private key of ${secretCert}`);
  }
  parse(secretCert, () => createSecureContext({ cert, key, ...tlsFloor }));
  return { cert, key, leaf };
}

/** Says what is there instead: the items of other kinds of Secrets have other names. */
function expectItems(folder: string, wanted: readonly string[]): void {
  const isThere = (name: string) => !name.startsWith(".") && existsSync(join(folder, name));
  const files = readdirSync(folder).filter(isThere);
  if (wanted.every((name) => files.includes(name))) return;
  const holds =
    files.length === 0
      ? "nothing"
      : files
          .slice(0, 8)
          .map((name) => plain(name))
          .join(", ");
  throw new UnfitPair(`${folder} has to hold the items ${wanted.join(" and ")}, it holds ${holds}`);
}

function joinPair({ cert, key }: Pick<ServedKeyPair, "cert" | "key">): string {
  return `${cert}${key}`;
}

/** SHA-256 of the DER form, lower-case hex. */
export function readFingerprint({ fingerprint256 }: X509Certificate): string {
  return fingerprint256.replaceAll(":", "").toLowerCase();
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
export function judgeDates({ leaf }: ServedKeyPair, now: Date): string | undefined {
  if (now < new Date(leaf.validFrom)) return `not valid before ${leaf.validFrom}`;
  return now > new Date(leaf.validTo) ? `expired at ${leaf.validTo}` : undefined;
}

export interface ServedOptions {
  readonly folder: string;
  readonly names: FileNames;
  /** The name under which the API server calls and verifies. */
  readonly serverName: string;
  readonly log: Log;
  /** Puts a pair into service, for new handshakes only. */
  readonly serve: (pair: ServedKeyPair) => void;
  /** Told of each pair that is put into service, and of each new complaint. */
  readonly onLook?: (outcome: "served" | "refused") => void;
  /** SHA-256 of what callers trust, as far as it is known. */
  readonly trusted?: () => ReadonlySet<string> | undefined;
  readonly now?: () => Date;
  readonly pollMs?: number;
}

export interface CertificateState {
  /** SHA-256 of the DER certificate, lower-case hex; absent before there is one. */
  readonly sha256?: string;
  /** RFC 3339. */
  readonly notAfter?: string;
  /** False while the folder holds something else than what is served. */
  readonly matchesFolder: boolean;
  /** Whether the webhook configuration trusts it; absent where that cannot be read. */
  readonly inCaBundle?: boolean;
  /** Why the folder's content is not in service, or why what is served is not fit. */
  readonly problem?: string;
}

/** Keeps the last good pair in service, whatever happens to the folder. */
export class ServedCertificate {
  private served: ServedKeyPair | undefined;
  private fit = false;
  private complaint = "";
  private matches = false;
  private offered: { readonly pair: ServedKeyPair; readonly besides: string } | undefined;
  private watch: FolderWatch | undefined;
  private looking: Promise<void> | undefined;
  private again = false;

  constructor(private readonly options: ServedOptions) {}

  /** True once a fit pair was served; it is never taken back. */
  isLoaded(): boolean {
    return this.fit;
  }

  state(): CertificateState {
    const { leaf } = this.served ?? {};
    const trusted = this.options.trusted?.();
    const sha256 = leaf && readFingerprint(leaf);
    return {
      ...(leaf && sha256 && { sha256, notAfter: new Date(leaf.validTo).toISOString() }),
      matchesFolder: this.matches,
      ...(sha256 && trusted && { inCaBundle: trusted.has(sha256) }),
      ...(this.complaint !== "" && { problem: this.complaint }),
    };
  }

  /** Looks from now on; the first look is the caller's. */
  start(): void {
    const { folder, pollMs = 5_000 } = this.options;
    this.watch = watchFolder(folder, {
      pollMs,
      look: () => {
        void this.refresh();
      },
    });
  }

  stop(): void {
    this.watch?.stop();
  }

  /** Serves a pair that is ahead of the folder, until the folder changes: the kubelet needs a while. */
  offer(pair: ServedKeyPair): Promise<void> {
    const besides = this.inFolder();
    this.offered = besides === joinPair(pair) ? undefined : { pair, besides };
    return this.refresh();
  }

  /** Puts the pair that is in service there once more, where what goes with it has changed. */
  serveAgain(): void {
    if (this.served !== undefined) this.options.serve(this.served);
  }

  /** Looks at the folder, one look at a time; a change during a look is looked at after it. */
  refresh(): Promise<void> {
    this.again = true;
    return (this.looking ??= this.lookUntilStill().finally(() => {
      this.looking = undefined;
    }));
  }

  private async lookUntilStill(): Promise<void> {
    while (this.again) {
      this.again = false;
      await this.look();
    }
  }

  /** A pair that does not fit is named once and tried again at the next look. */
  private async look(): Promise<void> {
    try {
      const { folder, names } = this.options;
      if (this.offered?.besides !== this.inFolder()) this.offered = undefined;
      await this.consider(this.offered?.pair ?? readPair(folder, names));
    } catch (error) {
      this.matches = false;
      this.complain(errorText(error));
    }
  }

  private async consider(pair: ServedKeyPair): Promise<void> {
    const same = this.served?.cert === pair.cert && this.served.key === pair.key;
    const unfit = await this.judge(pair, same);
    this.matches = same && this.offered === undefined;
    if (unfit === undefined) {
      this.fit = true;
      this.complaint = "";
    } else {
      this.complain(`the certificate is ${unfit}`);
      // With no better one at hand, callers at least learn from the handshake what is wrong.
      if (this.served !== undefined) return;
    }
    if (!same) this.putIntoService(pair);
  }

  /** Why the pair is not fit, undefined when it is; throws UnfitPair when it cannot serve at all. */
  private async judge(pair: ServedKeyPair, same: boolean): Promise<string | undefined> {
    const { now = () => new Date(), serverName } = this.options;
    const outdated = judgeDates(pair, now());
    // a pair in service has shown that it can shake hands; only its dates can have come or gone
    if (same && this.fit) return outdated;
    const shown = await tryHandshake(pair, serverName);
    if (shown.is === "failed") throw new UnfitPair(shown.because);
    return outdated ?? (shown.is === "unfit" ? shown.because : undefined);
  }

  private putIntoService(pair: ServedKeyPair): void {
    this.options.serve(pair);
    this.options.onLook?.("served");
    this.served = pair;
    this.matches = this.offered === undefined;
    const { fingerprint256: sha256, validTo: notAfter, subjectAltName: names } = pair.leaf;
    this.options.log.info({ sha256, notAfter, names }, "certificate in service");
  }

  /** Both files as they are, for a comparison; empty where they cannot be read. */
  private inFolder(): string {
    const { folder, names } = this.options;
    try {
      const [cert, key] = [names.secretCert, names.secretKey].map((name) =>
        readText(join(folder, name)),
      );
      return joinPair({ cert: cert ?? "", key: key ?? "" });
    } catch {
      return "";
    }
  }

  private complain(because: string): void {
    if (because === this.complaint) return;
    this.complaint = because;
    this.options.onLook?.("refused");
    const kept = this.served !== undefined;
    this.options.log.error({ because, kept }, "the certificate folder holds no pair to serve");
  }
}

export interface FolderWatch {
  stop(): void;
}

interface FileWatchOptions {
  readonly pollMs: number;
  /** Called often and for nothing too: it has to look for itself. */
  readonly look: () => void;
}

export function watchFolder(folder: string, { pollMs, look }: FileWatchOptions): FolderWatch {
  const poll = setInterval(look, pollMs);
  let watcher: FSWatcher | undefined;
  try {
    watcher = watch(folder, look);
    // A folder that is removed ends its watch; the poll continues.
    watcher.on("error", () => watcher?.close());
  } catch {
    // No such folder yet, or no watches left: the poll is enough.
  }
  return {
    stop: () => {
      clearInterval(poll);
      watcher?.close();
    },
  };
}
