/** Makes the pair of the webhook: self-signed and its own trust root, as operators make it. */
import { generateKeyPair, randomBytes } from "node:crypto";
import { promisify } from "node:util";
import { md, pki } from "node-forge";
import type { Names } from "../domain/names";

/** A certificate and its private key, both PEM. */
export interface Pair {
  readonly certPem: string;
  readonly keyPem: string;
}

export interface PairRequest {
  readonly namespace: string;
  readonly names: Names;
  /** Milliseconds since 1970. */
  readonly now: number;
  readonly years?: number;
}

/** Clocks of nodes differ: a certificate that begins this very second would be refused by some. */
const clockSkew = 60 * 60_000;
/** Upper bound of X.520 for a common name. */
const longestCommonName = 64;

/** An RSA-2048 pair for the names of the webhook's Service in a namespace. */
export async function generatePair(request: PairRequest): Promise<Pair> {
  // Node's key generation takes a fraction of the time of one written in JavaScript.
  const keys = await promisify(generateKeyPair)("rsa", {
    modulusLength: 2048,
    publicKeyEncoding: { type: "spki", format: "pem" },
    privateKeyEncoding: { type: "pkcs8", format: "pem" },
  });
  const certificate = pki.createCertificate();
  certificate.publicKey = pki.publicKeyFromPem(keys.publicKey);
  certificate.serialNumber = randomSerial();
  certificate.validity.notBefore = new Date(request.now - clockSkew);
  certificate.validity.notAfter = yearsAfter(request.now, request.years ?? 5);
  describe(certificate, request);
  certificate.sign(pki.privateKeyFromPem(keys.privateKey), md.sha256.create());
  // node-forge ends lines with CRLF; openssl and Go, which others compare with, do not
  const certPem = pki.certificateToPem(certificate).replaceAll("\r\n", "\n");
  return { certPem, keyPem: keys.privateKey };
}

function describe(certificate: pki.Certificate, { namespace, names }: PairRequest): void {
  const { service } = names.webhook;
  const name = `${service}.${namespace}`;
  const host = `${name}.svc`;
  // The common name is for the eye alone, and a long namespace does not fit into it.
  const value = [host, name].find((word) => word.length <= longestCommonName) ?? service;
  const subject = [{ name: "commonName", value }];
  certificate.setSubject(subject);
  certificate.setIssuer(subject);
  certificate.setExtensions([
    { name: "basicConstraints", cA: true, critical: true },
    {
      name: "keyUsage",
      critical: true,
      digitalSignature: true,
      keyEncipherment: true,
      keyCertSign: true,
    },
    { name: "extKeyUsage", serverAuth: true },
    { name: "subjectKeyIdentifier" },
    { name: "subjectAltName", altNames: [name, host, `${host}.cluster.local`].map(dnsName) },
  ]);
}

/** An entry of kind DNS name, as node-forge wants it. */
function dnsName(value: string) {
  return { type: 2, value };
}

/** Positive and of full length: the first byte is 0x40 to 0x7f. */
function randomSerial(): string {
  const bytes = randomBytes(16);
  bytes.writeUInt8((bytes.readUInt8(0) & 0x3f) | 0x40, 0);
  return bytes.toString("hex");
}

function yearsAfter(now: number, years: number): Date {
  const date = new Date(now);
  date.setUTCFullYear(date.getUTCFullYear() + years);
  return date;
}
