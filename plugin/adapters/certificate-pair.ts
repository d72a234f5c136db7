/** Makes pairs of certificate and key that are self-signed and their own trust root. */
import { createPublicKey, type KeyObject, randomBytes, sign } from "node:crypto";
import { asn1, md, pki } from "node-forge";
import type { Names } from "../domain/names/names";
import { pemOfKey, privateKeys } from "./private-keys";

/** A certificate and its private key, both PEM. */
export interface KeyPair {
  readonly certPem: string;
  readonly keyPem: string;
}

/** Names and times of a pair. */
interface PairWish {
  readonly commonName: string;
  /** DNS names and IPv4 addresses. */
  readonly hosts: readonly string[];
  /** Milliseconds since 1970. */
  readonly notBefore: number;
  readonly notAfter: number;
}

/** The webhook's pair: it lasts some years, or exactly `lifeMs`. */
export interface PairRequest {
  readonly namespace: string;
  readonly names: Names;
  /** Milliseconds since 1970. */
  readonly now: number;
  readonly years?: number;
  readonly lifeMs?: number;
}

/** Clocks of nodes differ: a certificate that begins this very second would be refused by some. */
const clockSkewMs = 60 * 60_000;
/** Upper bound of X.520 for a common name. */
const longestCommonName = 64;

/** A pair for the names of the webhook's Service in a namespace, as operators make it. */
export async function generatePair(request: PairRequest): Promise<KeyPair> {
  const { namespace, names, now, years = 5, lifeMs } = request;
  const { service } = names.webhook;
  const name = `${service}.${namespace}`;
  const host = `${name}.svc`;
  return makePair({
    // The common name is for the eye alone, and a long namespace does not fit into it.
    commonName: [host, name].find((word) => word.length <= longestCommonName) ?? service,
    hosts: [name, host, `${host}.cluster.local`],
    notBefore: now - clockSkewMs,
    notAfter: lifeMs === undefined ? yearsAfter(now, years) : now + lifeMs,
  });
}

/** An RSA-2048 pair. */
export async function makePair({ commonName, hosts, ...valid }: PairWish): Promise<KeyPair> {
  const key = await privateKeys.make({ type: "rsa" });
  const certificate = pki.createCertificate();
  const publicPem = createPublicKey(key).export({ type: "spki", format: "pem" }).toString();
  certificate.publicKey = pki.publicKeyFromPem(publicPem);
  certificate.serialNumber = randomSerial();
  certificate.validity.notBefore = new Date(valid.notBefore);
  certificate.validity.notAfter = new Date(valid.notAfter);
  const subject = [{ name: "commonName", value: commonName.slice(0, longestCommonName) }];
  certificate.setSubject(subject);
  certificate.setIssuer(subject);
  const usage = { digitalSignature: true, keyEncipherment: true, keyCertSign: true };
  certificate.setExtensions([
    { name: "basicConstraints", cA: true, critical: true },
    { name: "keyUsage", critical: true, ...usage },
    { name: "extKeyUsage", serverAuth: true },
    { name: "subjectKeyIdentifier" },
    { name: "subjectAltName", altNames: hosts.map(altName) },
  ]);
  signCertificate(certificate, key);
  // node-forge ends lines with CRLF; openssl and Go, which others compare with, do not
  const certPem = pki.certificateToPem(certificate).replaceAll("\r\n", "\n");
  return { certPem, keyPem: pemOfKey(key) };
}

/** Node signs in a millisecond, node-forge, which is JavaScript alone, in a tenth of a second. */
export function signCertificate(certificate: pki.Certificate, key: KeyObject | string): void {
  const signer: Pick<pki.rsa.PrivateKey, "sign"> = {
    sign: () => {
      const signed = asn1.toDer(certificate.tbsCertificate).getBytes();
      return sign("sha256", Buffer.from(signed, "binary"), key).toString("binary");
    },
  };
  certificate.sign(signer as pki.rsa.PrivateKey, md.sha256.create());
}

/** A DNS name or an address, as node-forge wants it. */
function altName(host: string): object {
  return /^[\d.]+$/.test(host) ? { type: 7, ip: host } : { type: 2, value: host };
}

/** Positive and of full length: the first byte is 0x40 to 0x7f. */
function randomSerial(): string {
  const bytes = randomBytes(16);
  bytes.writeUInt8((bytes.readUInt8(0) & 0x3f) | 0x40, 0);
  return bytes.toString("hex");
}

function yearsAfter(now: number, years: number): number {
  const date = new Date(now);
  return date.setUTCFullYear(date.getUTCFullYear() + years);
}
