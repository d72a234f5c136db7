/** Certificates that others have signed. */
import { pki } from "node-forge";
import { signCertificate } from "../../../../plugin/adapters/certificate-pair";
import { rsaKeys } from "../../../support/tls";

export interface Signed {
  readonly certPem: string;
  readonly keyPem: string;
}

/** What a certificate is for; an authority when it has no names. */
export interface Wanted {
  readonly commonName: string;
  readonly names?: readonly string[];
  readonly usage?: "serverAuth" | "clientAuth";
  /** When it ceases to be valid. */
  readonly until?: number;
}

const day = 24 * 60 * 60_000;
let serial = 1;

/** A certificate of the authority, or its own when there is none. */
export function sign({ commonName, names, usage, until }: Wanted, by?: Signed): Signed {
  const { publicKey, privateKey } = rsaKeys();
  const certificate = pki.createCertificate();
  certificate.publicKey = pki.publicKeyFromPem(publicKey);
  certificate.serialNumber = (serial++).toString(16).padStart(2, "0");
  certificate.validity.notBefore = new Date(Date.now() - 2 * day);
  certificate.validity.notAfter = new Date(until ?? Date.now() + day);
  const subject = [{ name: "commonName", value: commonName }];
  certificate.setSubject(subject);
  const issuer = by && pki.certificateFromPem(by.certPem).subject.attributes;
  certificate.setIssuer(issuer ?? subject);
  const altNames = names?.map((value) => ({ type: 2, value }));
  certificate.setExtensions([
    { name: "basicConstraints", cA: names === undefined },
    ...(usage === undefined ? [] : [{ name: "extKeyUsage", [usage]: true }]),
    ...(altNames === undefined ? [] : [{ name: "subjectAltName", altNames }]),
  ]);
  signCertificate(certificate, by?.keyPem ?? privateKey);
  return { certPem: pki.certificateToPem(certificate), keyPem: privateKey };
}
