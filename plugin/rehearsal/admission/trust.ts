/** Judges a server's certificate as Go's TLS does: same order, same verdicts, same words. */
import { X509Certificate } from "node:crypto";
import { isIP } from "node:net";
import { rootCertificates } from "node:tls";
import { blocksOf, certificateOfPem, decodeBase64 } from "../../adapters/certificate";
import type { LeafFacts } from "../../domain/certificate";
import { ApiError } from "../../domain/errors";

/** Why a webhook gave no verdict; the message is what follows `failed calling webhook "x": `. */
export class CallFailure extends Error {
  override readonly name = "CallFailure";
}

/** A request that was not answered: `why` follows the address. */
export function notAnswered(url: string, why: string): CallFailure {
  return new CallFailure(`failed to call webhook: Post ${JSON.stringify(url)}: ${why}`);
}

/** The refusal of a write because a webhook with failurePolicy Fail gave no verdict. */
export function failedCalling(entry: string, { message }: CallFailure): ApiError {
  const why = `failed calling webhook ${JSON.stringify(entry)}: ${message}`;
  return new ApiError(`Internal error occurred: ${why}`, {
    status: 500,
    reason: "InternalError",
    causes: [{ message: why }],
  });
}

/** What the certificate has to meet. */
export interface Expected {
  readonly name: string;
  readonly roots: readonly X509Certificate[];
  /** Milliseconds since 1970. */
  readonly now: number;
}

let system: readonly X509Certificate[] | undefined;

/** The authorities of a caBundle as stored; those of the system where it is empty. Throws CallFailure. */
export function rootsOf(caBundle: string): readonly X509Certificate[] {
  if (caBundle === "") {
    system ??= rootCertificates.map((pem) => new X509Certificate(pem));
    return system;
  }
  const blocks = blocksOf(decodeBase64(caBundle)?.toString("latin1") ?? "");
  const certificates = blocks.filter(({ label }) => label === "CERTIFICATE");
  const roots = certificates.flatMap(({ der }) => parsed(der));
  if (roots.length > 0) return roots;
  throw new CallFailure(
    `could not get REST client: unable to load root certificates: ${
      certificates.length > 0
        ? "failed to parse certificate: x509: malformed certificate"
        : blocks.length > 0
          ? "no valid certificate authority data seen"
          : "unable to parse bytes as PEM block"
    }`,
  );
}

function parsed(der: Buffer | undefined): readonly X509Certificate[] {
  try {
    return der === undefined ? [] : [new X509Certificate(der)];
  } catch {
    return [];
  }
}

/** What is wrong with the certificate, undefined when nothing is. */
export function judgePeer(peer: X509Certificate, expected: Expected): string | undefined {
  const facts = certificateOfPem(peer.toString()).leaf;
  if (facts === undefined) return "x509: malformed certificate";
  return (
    judgeTime(facts, expected.now) ??
    judgeName(peer, facts, expected.name) ??
    judgeOrigin(peer, expected) ??
    judgeUse(peer)
  );
}

function judgeTime({ notBefore, notAfter }: LeafFacts, now: number): string | undefined {
  const time = `current time ${new Date(now).toISOString().replace(/\.\d+Z$/, "Z")}`;
  const wrong = "x509: certificate has expired or is not yet valid:";
  if (now < Date.parse(notBefore)) return `${wrong} ${time} is before ${notBefore}`;
  return now > Date.parse(notAfter) ? `${wrong} ${time} is after ${notAfter}` : undefined;
}

/** The common name counts for nothing but the complaint. */
function judgeName(peer: X509Certificate, facts: LeafFacts, name: string): string | undefined {
  const isAddress = isIP(name) !== 0;
  const addresses = [...(peer.subjectAltName ?? "").matchAll(/IP Address:([^,]+)/g)];
  const names = isAddress ? addresses.map(([, address = ""]) => address) : facts.san;
  if (names.some((one) => (isAddress ? one === name : fitsName(one, name)))) return undefined;
  if (peer.subjectAltName === undefined && fitsName(facts.subject, name)) {
    return "x509: certificate relies on legacy Common Name field, use SANs instead";
  }
  if (names.length > 0) return `x509: certificate is valid for ${names.join(", ")}, not ${name}`;
  return isAddress
    ? `x509: cannot validate certificate for ${name} because it doesn't contain any IP SANs`
    : `x509: certificate is not valid for any names, but wanted to match ${name}`;
}

/** A star stands for the whole of the first part. */
function fitsName(pattern: string, name: string): boolean {
  const wanted = name.toLowerCase().split(".");
  const parts = pattern.toLowerCase().split(".");
  return (
    parts.length === wanted.length &&
    parts.every((part, index) => part === wanted[index] || (index === 0 && part === "*"))
  );
}

function judgeOrigin(peer: X509Certificate, expected: Expected): string | undefined {
  // A certificate that is itself in the bundle needs no issuer.
  if (expected.roots.some(({ raw }) => raw.equals(peer.raw))) return undefined;
  return judgeChain([peer], expected);
}

/**
 * Follows the issuers, roots first. What is told of several problems is Go's choice: the last one
 * of an issuer that did sign, else the first one of those that did not.
 */
function judgeChain(chain: readonly X509Certificate[], expected: Expected): string | undefined {
  const last = chain.at(-1);
  if (last === undefined) return undefined;
  let hint = "";
  let problem: string | undefined;
  for (const { issuer, isRoot } of issuersOf(last, expected.roots)) {
    if (chain.some(({ raw }) => raw.equals(issuer.raw))) continue;
    const unsigned = judgeSignature(last, issuer);
    if (unsigned !== undefined) {
      hint ||= hintAt(issuer, unsigned);
      continue;
    }
    problem = judgeDates(issuer, expected.now);
    if (problem === undefined && !isRoot) problem = judgeChain([...chain, issuer], expected);
    if (problem === undefined) return undefined;
  }
  return problem ?? `x509: certificate signed by unknown authority${hint}`;
}

interface IssuerCandidate {
  readonly issuer: X509Certificate;
  readonly isRoot: boolean;
}

function issuersOf(
  child: X509Certificate,
  roots: readonly X509Certificate[],
): readonly IssuerCandidate[] {
  const sent = child.issuerCertificate;
  return [
    ...roots.map((issuer) => ({ issuer, isRoot: true })),
    ...(sent === undefined ? [] : [{ issuer: sent, isRoot: false }]),
  ].filter(({ issuer }) => issuer.subject === child.issuer);
}

function hintAt({ subject }: X509Certificate, problem: string): string {
  const name = JSON.stringify(/^CN=(.*)$/m.exec(subject)?.[1] ?? "");
  const trying = `while trying to verify candidate authority certificate ${name}`;
  return ` (possibly because of ${JSON.stringify(problem)} ${trying})`;
}

const signatureWords: Readonly<Record<string, string>> = {
  rsa: "crypto/rsa: verification error",
  ec: "x509: ECDSA verification failure",
  ed25519: "x509: Ed25519 verification failure",
};

function judgeSignature(child: X509Certificate, issuer: X509Certificate): string | undefined {
  if (!issuer.ca) {
    return "x509: invalid signature: parent certificate cannot sign this kind of certificate";
  }
  if (child.verify(issuer.publicKey)) return undefined;
  const type = issuer.publicKey.asymmetricKeyType ?? "";
  return signatureWords[type] ?? "x509: cannot verify signature";
}

function judgeDates(certificate: X509Certificate, now: number): string | undefined {
  const facts = certificateOfPem(certificate.toString()).leaf;
  return facts === undefined ? "x509: malformed certificate" : judgeTime(facts, now);
}

const serverAuth = ["1.3.6.1.5.5.7.3.1", "2.5.29.37.0"];

/** Node names the extended key usages `keyUsage`; none at all means any. */
function judgeUse({ keyUsage }: X509Certificate): string | undefined {
  const uses = keyUsage as readonly string[] | undefined;
  if (uses === undefined || uses.some((use) => serverAuth.includes(use))) return undefined;
  return "x509: certificate specifies an incompatible key usage";
}
