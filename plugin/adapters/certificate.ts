/** Reads certificates into facts: any input, never a throw, nothing of a private key kept. */
import { createPrivateKey, type KeyObject, X509Certificate } from "node:crypto";
import { asn1, pki } from "node-forge";
import type {
  CertificateFacts,
  LeafFacts,
  PemFacts,
  SecretFacts,
} from "../domain/certificate/certificate";
import type { LiveBundles } from "../domain/admission/injector";
import type { Names } from "../domain/names/names";
import type { KubeObject } from "../domain/kube/objects";
import { findKeeper } from "../domain/certificate/keepers";
import { asArray, asString, getOwn, isObject, type Json } from "../domain/base/values";
import { UsageError } from "../domain/base/errors";
import { judgeOwnRoot, judgeServed, rootsIn } from "./http/x509/judge";
import { parseCertificate } from "./http/x509/parse";
import { certificateBlocks, decodeBase64, mentionsPrivateKey } from "./http/x509/pem";
import { parseDocuments } from "./kubernetes/text/yaml";

export { generatePair, type KeyPair, type PairRequest } from "./certificate-pair";

/** Signature algorithms that node-forge has no name for. */
const signatureNames: Readonly<Record<string, string>> = {
  "1.2.840.10045.4.1": "ecdsa-with-SHA1",
  "1.2.840.10045.4.3.2": "ecdsa-with-SHA256",
  "1.2.840.10045.4.3.3": "ecdsa-with-SHA384",
  "1.2.840.10045.4.3.4": "ecdsa-with-SHA512",
};
const curveBits: Readonly<Record<string, number>> = {
  prime256v1: 256,
  secp384r1: 384,
  secp521r1: 521,
};

/** The items of a Secret of type kubernetes.io/tls, and the CA that cert-manager adds. */
const tls = { secretCert: "tls.crt", secretKey: "tls.key", ca: "ca.crt" };

/**
 * The facts of the webhook's secret; nothing of the private key leaves this function. Where an
 * injector writes the CA, `injected` has the caBundles that it wrote, and a pair may be one that
 * such a controller has issued.
 */
export function readSecretCertificate(
  secret: KubeObject,
  names: Names,
  live?: LiveBundles,
): CertificateFacts {
  const items = decodeItems(secret);
  const { stored, key, ca, isTls } = pairIn(items, names, live?.injected === true);
  const decoded = stored === undefined ? undefined : decodeBase64(stored);
  const pem = decoded?.toString("latin1") ?? "";
  const chain = readChain(pem);
  return {
    ...readPem(pem, chain),
    secret: { ...secretFacts(secret, items, names), ...(isTls && { isTls }) },
    present: stored !== undefined,
    base64: decoded !== undefined,
    matchesPrivateKey: matches(chain[0], key),
    caBundle: ca ?? "",
    ...trustIn(pem, isTls ? ca : undefined, live),
  };
}

function secretFacts(
  secret: KubeObject,
  items: ReadonlyMap<string, string>,
  names: Names,
): SecretFacts {
  const keeper = findKeeper(secret, names);
  return {
    ...(keeper !== undefined && { keeper }),
    name: asString(secret.metadata.name) ?? names.webhook.secret,
    namespace: asString(secret.metadata.namespace) ?? "",
    type: asString(secret["type"]) ?? "Opaque",
    items: [...items.keys()].sort(),
  };
}

interface StoredPair {
  readonly stored: string | undefined;
  readonly key: string | undefined;
  /** What callers shall trust. */
  readonly ca: string | undefined;
  readonly isTls: boolean;
}

/** The pair under the names of the specification, else as a controller has issued it. */
function pairIn(items: ReadonlyMap<string, string>, names: Names, mayBeTls: boolean): StoredPair {
  const { secretCert, secretKey } = names.webhook;
  if (mayBeTls && !items.has(secretCert) && isIssued(items)) {
    const stored = items.get(tls.secretCert);
    const ca = items.get(tls.ca) ?? stored;
    return { stored, key: items.get(tls.secretKey), ca, isTls: true };
  }
  const stored = items.get(secretCert);
  return { stored, key: items.get(secretKey), ca: stored, isTls: false };
}

function isIssued(items: ReadonlyMap<string, string>): boolean {
  return items.has(tls.secretCert) && items.has(tls.secretKey);
}

/** How the CA beside the certificate and those of the live bundles stand to it. */
function trustIn(
  pem: string,
  ca: string | undefined,
  live: LiveBundles | undefined,
): Pick<CertificateFacts, "caRefuses" | "trustedBy"> {
  const now = live?.now;
  const caRefuses = ca === undefined ? undefined : refusalBy(ca, pem, now);
  const trustedBy = live?.bundles.filter((bundle) => refusalBy(bundle, pem, now) === undefined);
  return { ...(caRefuses !== undefined && { caRefuses }), ...(trustedBy && { trustedBy }) };
}

/** Why an API server with this caBundle refuses what is served, whatever its own name and dates. */
function refusalBy(caBundle: string, pem: string, now: number | undefined): string | undefined {
  const found = rootsIn(decodeBase64(caBundle)?.toString("latin1") ?? "");
  if ("problem" in found) return found.problem;
  const served = certificateBlocks(pem).map((der) => der ?? Buffer.of());
  const chain = { served, roots: found.roots };
  const refused = judgeServed(chain);
  if (refused !== undefined || now === undefined || !isInDate(served[0], now)) return refused;
  return judgeServed({ ...chain, now });
}

/** False for one whose own dates refuse it, whoever issued it: that is told of the certificate. */
function isInDate(der: Buffer | undefined, now: number): boolean {
  const leaf = der === undefined ? undefined : attempt(() => parseCertificate(der));
  return leaf !== undefined && leaf.notBefore <= now && now <= leaf.notAfter;
}

/** The facts of a PEM text that someone wants to use as the certificate. */
export function readPemCertificate(pem: string): CertificateFacts {
  return {
    ...certificateOfPem(pem),
    secret: undefined,
    present: true,
    base64: true,
    matchesPrivateKey: undefined,
    caBundle: Buffer.from(pem).toString("base64"),
  };
}

/** The facts of the certificates in a PEM text. */
export function certificateOfPem(pem: string): PemFacts {
  return readPem(pem, readChain(pem));
}

function readPem(pem: string, chain: readonly (X509Certificate | undefined)[]): PemFacts {
  const [first] = chain;
  const leaf = first === undefined ? undefined : attempt(() => describeLeaf(first));
  return {
    pem: leaf !== undefined && chain.every((certificate) => certificate !== undefined),
    encodedTwice: decodeBase64(pem.trim())?.includes("-----BEGIN ") ?? false,
    count: chain.length,
    holdsPrivateKey: mentionsPrivateKey(pem),
    chainOk: isChain(chain),
    refused: leaf === undefined ? undefined : judgeOwnRoot(pem),
    leaf,
  };
}

/** Data items as the API server would store them: stringData of a file wins over data. */
export function decodeItems(secret: KubeObject): ReadonlyMap<string, string> {
  const items = new Map<string, string>();
  for (const [name, value] of listEntries(secret["data"])) items.set(name, toText(value));
  for (const [name, value] of listEntries(secret["stringData"])) {
    items.set(name, Buffer.from(toText(value)).toString("base64"));
  }
  return items;
}

function listEntries(value: unknown): readonly [string, unknown][] {
  return isObject(value) ? Object.entries(value) : [];
}

/** What is no string is not base64 either; a null item is an empty one. */
function toText(value: unknown): string {
  if (value === null) return "";
  return typeof value === "string" ? value : "?";
}

/** The certificate blocks in order, undefined for one that does not parse. */
export function readChain(pem: string): readonly (X509Certificate | undefined)[] {
  return certificateBlocks(pem).map(parseDer);
}

/** Bytes after the certificate are tolerated by OpenSSL, not by the API server. */
function parseDer(der: Buffer | undefined): X509Certificate | undefined {
  if (der === undefined) return undefined;
  const certificate = attempt(() => new X509Certificate(der));
  return certificate?.raw.length === der.length ? certificate : undefined;
}

function isChain(chain: readonly (X509Certificate | undefined)[]): boolean {
  return chain.every((certificate, index) => {
    const issuer = chain[index + 1];
    if (index === chain.length - 1) return true;
    return certificate !== undefined && issuer !== undefined && isIssuedBy(certificate, issuer);
  });
}

/** Whether one certificate names the other as its issuer and is signed by it. */
export function isIssuedBy(certificate: X509Certificate, issuer: X509Certificate): boolean {
  const verified = attempt(
    () => certificate.checkIssued(issuer) && certificate.verify(issuer.publicKey),
  );
  return verified ?? false;
}

/** An unreadable or encrypted key is no match: the webhook could not serve with it either. */
function matches(
  certificate: X509Certificate | undefined,
  storedKey: string | undefined,
): boolean | undefined {
  if (certificate === undefined || storedKey === undefined) return undefined;
  const pem = decodeBase64(storedKey) ?? Buffer.of();
  return attempt(() => certificate.checkPrivateKey(createPrivateKey(pem))) ?? false;
}

function describeLeaf(certificate: X509Certificate): LeafFacts {
  const key = attempt(() => certificate.publicKey);
  return {
    sha256: certificate.fingerprint256.replaceAll(":", "").toLowerCase(),
    subject: commonName(certificate, "subject"),
    issuer: commonName(certificate, "issuer"),
    san: listNames(certificate),
    notBefore: rfc3339(certificate.validFrom),
    notAfter: rfc3339(certificate.validTo),
    ca: certificate.ca,
    selfSigned: isIssuedBy(certificate, certificate),
    keyType: key?.asymmetricKeyType ?? "unknown",
    keyBits: key === undefined ? undefined : countBits(key),
    signature: readSignature(certificate),
  };
}

/** The common name, or the whole name where it has none. */
function commonName(certificate: X509Certificate, whose: "subject" | "issuer"): string {
  // undefined where it is empty, whatever the type says
  const full = asString(certificate[whose]) ?? "";
  return /^CN=(.*)$/m.exec(full)?.[1] ?? full.replaceAll("\n", ", ");
}

/** None of a certificate that Go cannot read. */
function listNames({ raw }: X509Certificate): readonly string[] {
  return attempt(() => parseCertificate(raw))?.dnsNames ?? [];
}

/** "Oct  2 12:00:00 2030 GMT" as 2030-10-02T12:00:00Z; a certificate without dates is none. */
function rfc3339(openssl: string): string {
  return new Date(openssl).toISOString().replace(".000Z", "Z");
}

function countBits(key: KeyObject): number | undefined {
  const details = key.asymmetricKeyDetails;
  return details?.modulusLength ?? curveBits[details?.namedCurve ?? ""];
}

/** From the second part of the DER form, since X509Certificate of Node 20 does not report it. */
function readSignature({ raw }: X509Certificate): string {
  const oid = attempt(() => {
    const [, algorithm] = listParts(asn1.fromDer(raw.toString("binary")));
    const [identifier] = listParts(algorithm);
    return asn1.derToOid(identifier?.value as string);
  });
  if (oid === undefined) return "unknown";
  return signatureNames[oid] ?? asString(pki.oids[oid]) ?? oid;
}

function listParts(node: asn1.Asn1 | undefined): readonly asn1.Asn1[] {
  return asArray(node?.value) as readonly asn1.Asn1[];
}

/** The libraries throw on what they cannot parse; here that is an ordinary answer. */
function attempt<T>(act: () => T): T | undefined {
  try {
    return act();
  } catch {
    return undefined;
  }
}

/** The Secret or the PEM text of a file; UsageError when it is neither, or several Secrets. */
export function parseCertificateFile(
  content: string,
  names: Names,
): { secret: KubeObject } | { pem: string } {
  const secrets = parseContent(content)
    .flatMap((document) => [document, ...asArray(getOwn(document, "items"))])
    .filter(isObject)
    .filter((document) => getOwn(document, "kind") === "Secret");
  const [only, ...others] = secrets;
  if (only === undefined) return toPem(content);
  if (others.length === 0) return { secret: asObject(only) };
  const named = secrets.filter(
    (secret) => getOwn(getOwn(secret, "metadata"), "name") === names.webhook.secret,
  );
  const [match, ...more] = named;
  if (match === undefined || more.length > 0) {
    throw new UsageError(
      `the file holds ${secrets.length} Secrets, ${named.length} of them named ${names.webhook.secret}`,
      { hint: "give a file with the one Secret to inspect" },
    );
  }
  return { secret: asObject(match) };
}

/** PEM is not a YAML, or only a string of it: what does not parse is looked at as PEM. */
function parseContent(content: string): readonly unknown[] {
  try {
    return parseDocuments(content, "the file");
  } catch {
    return [];
  }
}

function toPem(content: string): { pem: string } {
  if (content.includes("-----BEGIN ")) return { pem: content };
  throw new UsageError("the file is neither a PEM certificate nor a Secret", {
    hint: "give PEM text, or a Secret as YAML or JSON (- reads stdin)",
  });
}

function asObject(secret: Json): KubeObject {
  const metadata = getOwn(secret, "metadata");
  const name = asString(getOwn(metadata, "name"));
  const namespace = asString(getOwn(metadata, "namespace"));
  return {
    ...secret,
    apiVersion: "v1",
    kind: "Secret",
    metadata: { name, namespace },
  };
}
