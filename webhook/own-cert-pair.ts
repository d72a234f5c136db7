/** Makes the webhook's own pair: self-signed and its own trust root, as the registration wants it. */
import { generateKeyPair, randomBytes } from "node:crypto";
import { promisify } from "node:util";
import type { pki } from "node-forge";
import type { Names } from "../plugin/domain/names";

/** A certificate and its private key, both PEM. */
export interface MadePair {
  readonly cert: string;
  readonly key: string;
}

export interface PairRequest {
  readonly namespace: string;
  readonly names: Names;
  readonly now: number;
  readonly lifeMs: number;
}

/** Clocks of nodes differ: a certificate that begins this very second would be refused by some. */
const clockSkewMs = 60 * 60_000;
/** Upper bound of X.520 for a common name. */
const longestCommonName = 64;

/** An RSA-2048 pair for the names of the webhook's Service; it ends `lifeMs` from now. */
export async function makeOwnPair(request: PairRequest): Promise<MadePair> {
  // needed every few weeks: no start has to load it
  const { default: forge } = await import("node-forge");
  // Node makes the keys, off the event loop and in a fraction of the time
  const keys = await promisify(generateKeyPair)("rsa", {
    modulusLength: 2048,
    publicKeyEncoding: { type: "spki", format: "pem" },
    privateKeyEncoding: { type: "pkcs8", format: "pem" },
  });
  const certificate = forge.pki.createCertificate();
  certificate.publicKey = forge.pki.publicKeyFromPem(keys.publicKey);
  certificate.serialNumber = randomSerial();
  certificate.validity.notBefore = new Date(request.now - clockSkewMs);
  certificate.validity.notAfter = new Date(request.now + request.lifeMs);
  describe(certificate, request);
  certificate.sign(forge.pki.privateKeyFromPem(keys.privateKey), forge.md.sha256.create());
  const cert = forge.pki.certificateToPem(certificate).replaceAll("\r\n", "\n");
  return { cert, key: keys.privateKey };
}

function describe(certificate: pki.Certificate, { namespace, names }: PairRequest): void {
  const name = `${names.webhook.service}.${namespace}`;
  const host = `${name}.svc`;
  // The common name is for the eye alone, and a long namespace does not fit into it.
  const value = host.length <= longestCommonName ? host : names.webhook.service;
  const subject = [{ name: "commonName", value }];
  certificate.setSubject(subject);
  certificate.setIssuer(subject);
  const altNames = [name, host, `${host}.cluster.local`].map((each) => ({ type: 2, value: each }));
  const usage = { digitalSignature: true, keyEncipherment: true, keyCertSign: true };
  certificate.setExtensions([
    { name: "basicConstraints", cA: true, critical: true },
    { name: "keyUsage", critical: true, ...usage },
    { name: "extKeyUsage", serverAuth: true },
    { name: "subjectKeyIdentifier" },
    { name: "subjectAltName", altNames },
  ]);
}

/** Positive and of full length: the first byte is 0x40 to 0x7f. */
function randomSerial(): string {
  const bytes = randomBytes(16);
  bytes.writeUInt8((bytes.readUInt8(0) & 0x3f) | 0x40, 0);
  return bytes.toString("hex");
}
