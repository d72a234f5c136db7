/** Certificates for servers and clients of tests, made in milliseconds. */
import { createPublicKey } from "node:crypto";
import { isIP } from "node:net";
import { pki } from "node-forge";
import { signCertificate } from "../../plugin/adapters/certificate-pair";
import { pooledKey } from "./key-pool";

/** A certificate and its private key, PEM. */
export interface PemPair {
  readonly certPem: string;
  readonly keyPem: string;
}

/** What a pair says of itself; by default it is valid now, for `localhost` and 127.0.0.1. */
export interface PairParts {
  /** DNS names and addresses. */
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

/** An RSA key of the pool, as PEM (PKCS#1); two that are taken one after the other differ. */
export function rsaKeys(bits = 2048): { readonly publicKey: string; readonly privateKey: string } {
  const key = pooledKey({ type: "rsa", bits });
  return {
    publicKey: createPublicKey(key).export({ type: "spki", format: "pem" }).toString(),
    privateKey: key.export({ type: "pkcs1", format: "pem" }).toString(),
  };
}

/** A pair that is its own root, as operators make it; RSA-2048. */
export function aPair(parts: PairParts = {}): PemPair {
  const { names = ["localhost", "127.0.0.1"], commonName = "admission", bits = 2048 } = parts;
  const { publicKey, privateKey } = rsaKeys(bits);
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
  signCertificate(certificate, signerOf(parts, privateKey));
  return { certPem: pki.certificateToPem(certificate), keyPem: privateKey };
}

function issuerOf({ issuer }: PairParts): pki.CertificateField[] | undefined {
  return issuer && pki.certificateFromPem(issuer.certPem).subject.attributes;
}

function signerOf({ issuer }: PairParts, own: string): string {
  return issuer?.keyPem ?? own;
}

function altName(name: string): object {
  return isIP(name) !== 0 ? { type: 7, ip: name } : { type: 2, value: name };
}

/** A certificate with its key, as PEM. */
export interface Pair {
  readonly cert: string;
  readonly key: string;
}

/** What a certificate is for. */
export interface Wanted {
  readonly commonName: string;
  readonly dns?: readonly string[];
  readonly ips?: readonly string[];
  /** Days from now; the default is from yesterday to tomorrow. */
  readonly days?: readonly [number, number];
}

/** A certificate signed by the authority, or by itself when there is none. */
export function certify(wanted: Wanted, authority?: Pair): Pair {
  const { commonName, dns = [], ips = [], days = [-1, 1] } = wanted;
  const [notBefore, notAfter] = days.map((count) => new Date(Date.now() + count * day));
  const { certPem, keyPem } = aPair({
    ...{ commonName, names: [...dns, ...ips], notBefore, notAfter, clientAuth: true },
    issuer: authority && { certPem: authority.cert, keyPem: authority.key },
  });
  return { cert: certPem, key: keyPem };
}
