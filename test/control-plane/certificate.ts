import { createHash, generateKeyPairSync, X509Certificate } from "node:crypto";
import { md, pki } from "node-forge";

/** A certificate and its private key, both PEM, as the secret of the webhook holds them. */
export interface Pair {
  readonly cert: string;
  readonly privateKey: string;
}

export interface CertificateOptions {
  readonly namespace: string;
  /** Subject alternative names; those of the Service `admission` by default, none when empty. */
  readonly names?: readonly string[];
  readonly notBefore?: Date;
  readonly notAfter?: Date;
}

const day = 24 * 60 * 60_000;

/** The names under which the Service of the webhook is called. */
export function serviceNames(namespace: string): readonly string[] {
  const name = `admission.${namespace}`;
  return [name, `${name}.svc`, `${name}.svc.cluster.local`];
}

/**
 * A self-signed pair that is its own trust root, as operators make it. It says that it is an
 * authority, so that a client which is strict about roots takes it as one.
 */
export function makePair({
  namespace,
  names = serviceNames(namespace),
  notBefore = new Date(Date.now() - day),
  notAfter = new Date(notBefore.getTime() + 5 * 365 * day),
}: CertificateOptions): Pair {
  // Node's own key generation takes a fraction of the time that one in JavaScript would.
  const keys = generateKeyPairSync("rsa", {
    modulusLength: 2048,
    publicKeyEncoding: { type: "spki", format: "pem" },
    privateKeyEncoding: { type: "pkcs1", format: "pem" },
  });
  const certificate = pki.createCertificate();
  certificate.publicKey = pki.publicKeyFromPem(keys.publicKey);
  certificate.serialNumber = `01${createHash("sha256").update(keys.publicKey).digest("hex").slice(0, 30)}`;
  certificate.validity.notBefore = notBefore;
  certificate.validity.notAfter = notAfter;
  const subject = [{ name: "commonName", value: `admission.${namespace}.svc` }];
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
    ...(names.length === 0
      ? []
      : [{ name: "subjectAltName", altNames: names.map((value) => ({ type: 2, value })) }]),
  ]);
  certificate.sign(pki.privateKeyFromPem(keys.privateKey), md.sha256.create());
  return { cert: pki.certificateToPem(certificate), privateKey: keys.privateKey };
}

/** SHA-256 of the DER form, the fingerprint that reports show. */
export function fingerprint(pem: string): string {
  return createHash("sha256").update(new X509Certificate(pem).raw).digest("hex");
}

/** What `clientConfig.caBundle` holds: the PEM text in base64. */
export function caBundleOf(pem: string): string {
  return Buffer.from(pem).toString("base64");
}
