/**
 * What a connection trusts: the roots of this machine unless a CA is given for it; on the way through a
 * proxy both, since the proxy is often another's.
 */
import { X509Certificate } from "node:crypto";
import { readText } from "../files";
import { certificateBlocks } from "./x509/pem";

const bundles = [
  "/etc/ssl/certs/ca-certificates.crt",
  "/etc/pki/tls/certs/ca-bundle.crt",
  "/etc/ssl/ca-bundle.pem",
  "/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem",
  "/etc/ssl/cert.pem",
];

type Warn = (text: string) => void;

/**
 * The roots of this machine: those of SSL_CERT_FILE, else of its own bundle, and NODE_EXTRA_CA_CERTS;
 * undefined where there are none, for Node's own list.
 */
export function systemRoots(env: NodeJS.ProcessEnv, warn: Warn = ignore): string | undefined {
  const named = env["SSL_CERT_FILE"] ?? "";
  for (const file of named === "" ? bundles : [named]) {
    const read = readText(file);
    if (!("text" in read)) continue;
    const roots = readableRoots(read.text, file, warn);
    if (roots !== undefined) return joinPems(roots, extraRoots(env, warn));
  }
  return undefined;
}

function extraRoots(env: NodeJS.ProcessEnv, warn: Warn): string | undefined {
  const file = env["NODE_EXTRA_CA_CERTS"] ?? "";
  const read = file === "" ? undefined : readText(file);
  return read !== undefined && "text" in read ? readableRoots(read.text, file, warn) : undefined;
}

/**
 * The certificates of a bundle as PEM, undefined where it holds none. One that cannot be read is a
 * warning: OpenSSL would stop there, and trust nothing that follows it.
 */
export function readableRoots(
  text: string,
  source: string,
  warn: Warn = ignore,
): string | undefined {
  const found = certificateBlocks(text).map((der) =>
    der === undefined ? undefined : encodePem(der),
  );
  const bad = found.flatMap((pem, at) => (pem === undefined ? [at + 1] : []));
  const good = found.filter((pem) => pem !== undefined);
  if (good.length === 0) return undefined;
  if (bad.length > 0) {
    warn(
      `${source}: certificate ${bad.join(", ")} of ${found.length} cannot be read and is not trusted`,
    );
  }
  return good.join("\n");
}

function encodePem(der: Buffer): string | undefined {
  try {
    return new X509Certificate(der).toString();
  } catch {
    return undefined;
  }
}

/** Both, where both are there. */
export function joinPems(one: string | undefined, other: string | undefined): string | undefined {
  const both = [one, other].filter((roots) => roots !== undefined);
  return both.length === 0 ? undefined : both.join("\n");
}

function ignore(): void {
  // Nobody is to be told.
}
