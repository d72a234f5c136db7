/** Certificates for servers of tests: an authority and what it signs, made in milliseconds. */
import { generateKeyPairSync } from "node:crypto";
import { md, pki } from "node-forge";

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

const day = 24 * 60 * 60 * 1000;
let serial = 1;

/** A certificate signed by the authority, or by itself when there is none. */
export function certify(wanted: Wanted, authority?: Pair): Pair {
  const { publicKey, privateKey } = generateKeyPairSync("rsa", {
    modulusLength: 2048,
    publicKeyEncoding: { type: "spki", format: "pem" },
    privateKeyEncoding: { type: "pkcs1", format: "pem" },
  });
  const [from, to] = wanted.days ?? [-1, 1];
  const certificate = pki.createCertificate();
  certificate.publicKey = pki.publicKeyFromPem(publicKey);
  certificate.serialNumber = (serial++).toString(16).padStart(2, "0");
  certificate.validity.notBefore = new Date(Date.now() + from * day);
  certificate.validity.notAfter = new Date(Date.now() + to * day);
  const subject = [{ name: "commonName", value: wanted.commonName }];
  certificate.setSubject(subject);
  const signer = authority === undefined ? undefined : pki.certificateFromPem(authority.cert);
  certificate.setIssuer(signer?.subject.attributes ?? subject);
  certificate.setExtensions([
    { name: "basicConstraints", cA: authority === undefined },
    {
      name: "subjectAltName",
      altNames: [
        ...(wanted.dns ?? []).map((value) => ({ type: 2, value })),
        ...(wanted.ips ?? []).map((ip) => ({ type: 7, ip })),
      ],
    },
  ]);
  certificate.sign(pki.privateKeyFromPem(authority?.key ?? privateKey), md.sha256.create());
  return { cert: pki.certificateToPem(certificate), key: privateKey };
}
