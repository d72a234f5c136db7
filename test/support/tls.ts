/** Self-signed pairs for servers of tests. */
import { generateKeyPairSync } from "node:crypto";
import { md, pki } from "node-forge";

/** A certificate and its private key, PEM. */
export interface PemPair {
  readonly certPem: string;
  readonly keyPem: string;
}

/** What a pair says of itself; by default it is valid now, for `localhost` and 127.0.0.1. */
export interface PairParts {
  /** DNS names; those that are IPv4 addresses become addresses. */
  readonly names?: readonly string[];
  readonly notBefore?: Date;
  readonly notAfter?: Date;
  readonly commonName?: string;
  /** Good for a client too. */
  readonly clientAuth?: boolean;
  /** Who signs it; itself without one. */
  readonly issuer?: PemPair;
  /** Of the RSA key. */
  readonly bits?: number;
}

const day = 24 * 60 * 60_000;
let serial = 1;

/** A pair that is its own root, as operators make it; RSA-2048. */
export function aPair(parts: PairParts = {}): PemPair {
  const { names = ["localhost", "127.0.0.1"], commonName = "admission", bits = 2048 } = parts;
  // Node's own key generation takes a fraction of the time that one in JavaScript would.
  const { publicKey, privateKey } = generateKeyPairSync("rsa", {
    modulusLength: bits,
    publicKeyEncoding: { type: "spki", format: "pem" },
    privateKeyEncoding: { type: "pkcs1", format: "pem" },
  });
  const certificate = pki.createCertificate();
  certificate.publicKey = pki.publicKeyFromPem(publicKey);
  certificate.serialNumber = (serial++).toString(16).padStart(2, "0");
  certificate.validity.notBefore = parts.notBefore ?? new Date(Date.now() - day);
  certificate.validity.notAfter = parts.notAfter ?? new Date(Date.now() + day);
  const subject = [{ name: "commonName", value: commonName }];
  certificate.setSubject(subject);
  certificate.setIssuer(issuerOf(parts) ?? subject);
  certificate.setExtensions([
    { name: "basicConstraints", cA: true, critical: true },
    { name: "extKeyUsage", serverAuth: true, clientAuth: parts.clientAuth === true },
    ...(names.length === 0 ? [] : [{ name: "subjectAltName", altNames: names.map(altName) }]),
  ]);
  certificate.sign(pki.privateKeyFromPem(signerOf(parts, privateKey)), md.sha256.create());
  return { certPem: pki.certificateToPem(certificate), keyPem: privateKey };
}

function issuerOf({ issuer }: PairParts): pki.CertificateField[] | undefined {
  return issuer && pki.certificateFromPem(issuer.certPem).subject.attributes;
}

function signerOf({ issuer }: PairParts, own: string): string {
  return issuer?.keyPem ?? own;
}

function altName(name: string): object {
  return /^[\d.]+$/.test(name) ? { type: 7, ip: name } : { type: 2, value: name };
}
