/** The service's key pair: self-signed, for the cluster's names and for this machine's. */
import { generateKeyPair, randomBytes } from "node:crypto";
import { promisify } from "node:util";
import { md, pki } from "node-forge";
import type { Pair } from "../../adapters/certificate";

const day = 24 * 3_600_000;

/** Names and times of a pair. */
export interface ServerPairWish {
  readonly hosts: readonly string[];
  /** Milliseconds since 1970. */
  readonly now: number;
  /** It ended the day before. */
  readonly expired?: boolean;
}

/** A pair that is its own authority. */
export async function serverPair({ hosts, now, expired = false }: ServerPairWish): Promise<Pair> {
  const keys = await promisify(generateKeyPair)("rsa", {
    modulusLength: 2048,
    publicKeyEncoding: { type: "spki", format: "pem" },
    privateKeyEncoding: { type: "pkcs8", format: "pem" },
  });
  const certificate = pki.createCertificate();
  certificate.publicKey = pki.publicKeyFromPem(keys.publicKey);
  certificate.serialNumber = `40${randomBytes(15).toString("hex")}`;
  certificate.validity.notBefore = new Date(now - 2 * day);
  certificate.validity.notAfter = new Date(expired ? now - day : now + 365 * day);
  // longer than this does not fit into a common name
  const subject = [{ name: "commonName", value: (hosts[0] ?? "cluster").slice(0, 64) }];
  certificate.setSubject(subject);
  certificate.setIssuer(subject);
  certificate.setExtensions([
    { name: "basicConstraints", cA: true, critical: true },
    { name: "keyUsage", critical: true, digitalSignature: true, keyCertSign: true },
    { name: "extKeyUsage", serverAuth: true },
    { name: "subjectKeyIdentifier" },
    { name: "subjectAltName", altNames: hosts.map(altName) },
  ]);
  certificate.sign(pki.privateKeyFromPem(keys.privateKey), md.sha256.create());
  return { certPem: pki.certificateToPem(certificate), keyPem: keys.privateKey };
}

function altName(host: string): object {
  return /^[\d.]+$/.test(host) ? { type: 7, ip: host } : { type: 2, value: host };
}
