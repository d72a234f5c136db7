/**
 * Certificates like given ones, for keys that we have: every word of the original stays, names,
 * dates and extensions included; its public key and its signature are other ones.
 */
import { createPublicKey, type KeyObject, sign, type X509Certificate } from "node:crypto";
import { asn1 } from "node-forge";
import { isIssuedBy } from "../../adapters/certificate";
import { judgeOwnRoot } from "../../adapters/http/x509/judge";
import { type KeyPlan, pemOfKey, privateKeys, usualBits } from "../../adapters/private-keys";

/** How a certificate is signed: with which type of key, over which hash. */
interface Signing {
  readonly oid: string;
  readonly type: KeyPlan["type"];
  readonly hash: string | null;
}

/** RSA of PKCS#1, ECDSA, Ed25519; the first of a type is the usual one. Weak hashes stay weak. */
const signings: readonly Signing[] = [
  { oid: "1.2.840.113549.1.1.11", type: "rsa", hash: "sha256" },
  { oid: "1.2.840.113549.1.1.12", type: "rsa", hash: "sha384" },
  { oid: "1.2.840.113549.1.1.13", type: "rsa", hash: "sha512" },
  { oid: "1.2.840.113549.1.1.14", type: "rsa", hash: "sha224" },
  { oid: "1.2.840.113549.1.1.5", type: "rsa", hash: "sha1" },
  { oid: "1.2.840.113549.1.1.4", type: "rsa", hash: "md5" },
  { oid: "1.2.840.10045.4.3.2", type: "ec", hash: "sha256" },
  { oid: "1.2.840.10045.4.3.3", type: "ec", hash: "sha384" },
  { oid: "1.2.840.10045.4.3.4", type: "ec", hash: "sha512" },
  { oid: "1.2.840.10045.4.1", type: "ec", hash: "sha1" },
  { oid: "1.3.101.112", type: "ed25519", hash: null },
];

/** OpenSSL makes no shorter RSA key; longer ones take minutes to make, and are judged alike or refused. */
const [fewestBits, mostBits] = [512, 4096];

/** A key as good as the one that belongs to a certificate; RSA for types that are not known. */
function planLike(publicKey: KeyObject | undefined): KeyPlan {
  const { asymmetricKeyType: type, asymmetricKeyDetails: details } = publicKey ?? {};
  if (type === "ec") return { type, curve: details?.namedCurve };
  if (type === "ed25519") return { type };
  if (type !== "rsa") return { type: "rsa", bits: usualBits };
  const bits = details?.modulusLength ?? usualBits;
  return { type, bits: Math.min(Math.max(bits, fewestBits), mostBits) };
}

/** A key that can sign as a certificate's issuer did, who is not known otherwise. */
function planIssuer(certificate: X509Certificate): KeyPlan {
  const { oid } = splitCertificate(certificate);
  return { type: signings.find((signing) => signing.oid === oid)?.type ?? "rsa" };
}

/** The certificate with the public key of `key`, signed by `issuer`; DER. */
function reissue(
  original: X509Certificate,
  { key, issuer }: { readonly key: KeyObject; readonly issuer: KeyObject },
): Buffer {
  const { oid, fields, first } = splitCertificate(original);
  const { hash, ...signing } = chooseSigning(issuer, oid);
  const algorithm = signing.oid === oid ? (fields[first + 1] as asn1.Asn1) : identifier(signing);
  const publicKey = createPublicKey(key).export({ type: "spki", format: "der" });
  const tbs = sequence(
    fields.map((field, index) => {
      if (index === first + 1) return algorithm;
      return index === first + 5 ? parse(publicKey) : field;
    }),
  );
  const signature = `\0${sign(hash, encodeNode(tbs), issuer).toString("binary")}`;
  return encodeNode(sequence([tbs, algorithm, primitive(asn1.Type.BITSTRING, signature)]));
}

/** As the original was signed, where the new key can do that. */
function chooseSigning({ asymmetricKeyType: type }: KeyObject, oid: string): Signing {
  const fit = signings.filter((signing) => signing.type === type);
  const found = fit.find((signing) => signing.oid === oid) ?? fit[0];
  if (found === undefined)
    throw new Error(`no certificate is signed with a key of type ${String(type)}`);
  return found;
}

/** The fields of the part that is signed; `first` is the serial number, a version may precede it. */
function splitCertificate({ raw }: X509Certificate): {
  readonly fields: readonly asn1.Asn1[];
  readonly first: number;
  readonly oid: string;
} {
  const [tbs] = elements(parse(raw));
  const fields = elements(tbs);
  const first = fields[0]?.tagClass === asn1.Class.CONTEXT_SPECIFIC ? 1 : 0;
  const [name] = elements(fields[first + 1]);
  return { fields, first, oid: asn1.derToOid(name?.value as string) };
}

function elements(node: asn1.Asn1 | undefined): readonly asn1.Asn1[] {
  return Array.isArray(node?.value) ? node.value : [];
}

/** RSA's identifier has parameters, an empty one; the others have none. */
function identifier({ oid, type }: Omit<Signing, "hash">): asn1.Asn1 {
  return sequence([
    primitive(asn1.Type.OID, asn1.oidToDer(oid).getBytes()),
    ...(type === "rsa" ? [primitive(asn1.Type.NULL, "")] : []),
  ]);
}

function sequence(parts: readonly asn1.Asn1[]): asn1.Asn1 {
  return asn1.create(asn1.Class.UNIVERSAL, asn1.Type.SEQUENCE, true, [...parts]);
}

function primitive(type: asn1.Type, value: string): asn1.Asn1 {
  return asn1.create(asn1.Class.UNIVERSAL, type, false, value);
}

function parse(der: Buffer): asn1.Asn1 {
  return asn1.fromDer(der.toString("binary"));
}

function encodeNode(node: asn1.Asn1): Buffer {
  return Buffer.from(asn1.toDer(node).getBytes(), "binary");
}

/** Keys by what they are for; the same answer for the same question. */
export class KeyRing {
  private readonly made = new Map<string, Promise<KeyObject>>();

  get(use: string, plan: KeyPlan): Promise<KeyObject> {
    const name = [use, plan.type, plan.bits, plan.curve].join(" ");
    const known = this.made.get(name) ?? privateKeys.make(plan);
    this.made.set(name, known);
    return known;
  }

  /** One that belongs to no certificate. */
  stranger(): Promise<string> {
    return this.get("stranger", { type: "ec" }).then(pemOfKey);
  }
}

/** A certificate that stands in for another, and its key. */
export interface Imitation {
  readonly original: X509Certificate;
  /** What takes the original's place in texts. */
  readonly pem: string;
  /** Signed for `key`: what can be served. */
  readonly served: string;
  readonly key: KeyObject;
}

/** What certificates are signed by: those of caBundles, and keys for the ones that are not at hand. */
export interface Signers {
  readonly authorities: readonly X509Certificate[];
  readonly ring: KeyRing;
}

/**
 * The stand-ins of the certificates and of the authorities above them, each signed by the stand-in
 * of what signed the original, so that a chain holds where it held.
 */
export async function imitate(
  certificates: readonly X509Certificate[],
  { authorities, ring }: Signers,
): Promise<readonly Imitation[]> {
  const all = withIssuers(certificates, authorities);
  const made = all.map(async (original) => {
    const key = await keyFor(original, ring);
    const signer = all.find((one) => isIssuedBy(original, one));
    const issuer =
      signer === undefined
        ? await ring.get(`issuer ${original.issuer}`, planIssuer(original))
        : await keyFor(signer, ring);
    const served = encodePem(reissue(original, { key, issuer }));
    const kept = encodePem(original.raw);
    // API servers refuse keys and encodings that no stand-in can have
    const isKept = judgeOwnRoot(kept) !== undefined && judgeOwnRoot(served) === undefined;
    return { original, key, served, pem: isKept ? kept : served };
  });
  return await Promise.all(made);
}

function withIssuers(
  certificates: readonly X509Certificate[],
  authorities: readonly X509Certificate[],
): readonly X509Certificate[] {
  const found = authorities.filter(
    (one) =>
      !certificates.some(({ raw }) => raw.equals(one.raw)) &&
      certificates.some((certificate) => isIssuedBy(certificate, one)),
  );
  return found.length === 0 ? certificates : withIssuers([...certificates, ...found], authorities);
}

/** The same for every certificate of one public key. */
function keyFor(certificate: X509Certificate, ring: KeyRing): Promise<KeyObject> {
  const publicKey = readPublicKey(certificate);
  const name = publicKey?.export({ type: "spki", format: "der" }) ?? certificate.raw;
  return ring.get(`key of ${name.toString("base64")}`, planLike(publicKey));
}

/** Undefined where OpenSSL does not take it, which no API server does either. */
function readPublicKey(certificate: X509Certificate): KeyObject | undefined {
  try {
    return certificate.publicKey;
  } catch {
    return undefined;
  }
}

function encodePem(der: Buffer): string {
  const lines = der.toString("base64").replaceAll(/.{64}(?=.)/g, "$&\n");
  return `-----BEGIN CERTIFICATE-----\n${lines}\n-----END CERTIFICATE-----`;
}
