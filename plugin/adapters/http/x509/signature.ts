/** Signatures of certificates, as Go's crypto/x509 checks them. */
import { constants, createPublicKey, type KeyObject, verify } from "node:crypto";
import { DerReader } from "./der";
import type { ParsedCertificate, PublicKey, SignatureParts } from "./parse";

type Hash = "md5" | "sha1" | "sha256" | "sha384" | "sha512";

interface Algorithm {
  /** Go's name of it, as messages give it. */
  readonly name: string;
  readonly key: "rsa" | "ec" | "ed25519";
  /** Undefined for Ed25519, which hashes by itself. */
  readonly hash: Hash | undefined;
  readonly pss?: true;
}

const algorithms: Readonly<Record<string, Algorithm>> = {
  "1.2.840.113549.1.1.4": { name: "MD5-RSA", key: "rsa", hash: "md5" },
  "1.2.840.113549.1.1.5": { name: "SHA1-RSA", key: "rsa", hash: "sha1" },
  "1.3.14.3.2.29": { name: "SHA1-RSA", key: "rsa", hash: "sha1" },
  "1.2.840.113549.1.1.11": { name: "SHA256-RSA", key: "rsa", hash: "sha256" },
  "1.2.840.113549.1.1.12": { name: "SHA384-RSA", key: "rsa", hash: "sha384" },
  "1.2.840.113549.1.1.13": { name: "SHA512-RSA", key: "rsa", hash: "sha512" },
  "1.2.840.10045.4.1": { name: "ECDSA-SHA1", key: "ec", hash: "sha1" },
  "1.2.840.10045.4.3.2": { name: "ECDSA-SHA256", key: "ec", hash: "sha256" },
  "1.2.840.10045.4.3.3": { name: "ECDSA-SHA384", key: "ec", hash: "sha384" },
  "1.2.840.10045.4.3.4": { name: "ECDSA-SHA512", key: "ec", hash: "sha512" },
};

const ed25519 = "1.3.101.112";
const rsaPss = "1.2.840.113549.1.1.10";
/** DER of the parameters that Go takes: one hash for both steps, a salt as long as it, no trailer. */
const pssParameters: Readonly<Record<string, Hash>> = {
  "2.16.840.1.101.3.4.2.1/32": "sha256",
  "2.16.840.1.101.3.4.2.2/48": "sha384",
  "2.16.840.1.101.3.4.2.3/64": "sha512",
};

function findAlgorithm({ oid, parameters }: SignatureParts): Algorithm | undefined {
  if (oid === ed25519) {
    return parameters.length === 0
      ? { name: "Ed25519", key: "ed25519", hash: undefined }
      : undefined;
  }
  if (oid !== rsaPss) return algorithms[oid];
  const hash = readPssHash(parameters);
  return hash && { name: `${hash.toUpperCase()}-RSAPSS`, key: "rsa", hash, pss: true };
}

function readPssHash(parameters: Buffer): Hash | undefined {
  try {
    const wrong = "parameters";
    const parts = new DerReader(parameters).inside(0x30, wrong);
    const hash = parts.inside(0xa0, wrong).inside(0x30, wrong).oid(wrong);
    const mask = parts.inside(0xa1, wrong).inside(0x30, wrong);
    const isMgf1 = mask.oid(wrong) === "1.2.840.113549.1.1.8";
    const maskHash = mask.inside(0x30, wrong).oid(wrong);
    const salt = parts.inside(0xa2, wrong).integer(wrong);
    const isUsual = isMgf1 && maskHash === hash && parts.isEmpty;
    return isUsual ? pssParameters[`${hash}/${salt}`] : undefined;
  } catch {
    return undefined;
  }
}

const goKeys: Readonly<Record<string, string>> = {
  rsa: "*rsa.PublicKey",
  ec: "*ecdsa.PublicKey",
  ed25519: "ed25519.PublicKey",
};
const goAlgorithms = { rsa: "RSA", ec: "ECDSA", ed25519: "Ed25519" } as const;
const failures = {
  rsa: "crypto/rsa: verification error",
  ec: "x509: ECDSA verification failure",
  ed25519: "x509: Ed25519 verification failure",
} as const;

const unsupported = "x509: cannot verify signature: algorithm unimplemented";
const mayNotSign =
  "x509: invalid signature: parent certificate cannot sign this kind of certificate";
const certSign = 1 << 5;

/** Why a certificate does not count as signed by the other, in Go's words; undefined when it does. */
export function signatureProblem(
  child: ParsedCertificate,
  parent: ParsedCertificate,
): string | undefined {
  const { version, basicConstraints, keyUsage, key } = parent;
  const isNoCa = basicConstraints === undefined ? version === 3 : !basicConstraints.ca;
  if (isNoCa || (keyUsage !== 0 && (keyUsage & certSign) === 0)) return mayNotSign;
  const algorithm = findAlgorithm(child.signature);
  if (key.type === undefined || algorithm === undefined) return unsupported;
  const problem = algorithmProblem(algorithm, key) ?? rsaProblem(key);
  if (problem !== undefined) return problem;
  return verifies(child, parent, algorithm) ? undefined : failures[algorithm.key];
}

function algorithmProblem(algorithm: Algorithm, { type }: PublicKey): string | undefined {
  if (algorithm.hash === "md5" || algorithm.hash === "sha1") {
    return `x509: cannot verify signature: insecure algorithm ${algorithm.name}`;
  }
  if (type === "dsa") return unsupported;
  if (algorithm.key === type) return undefined;
  const wanted = goAlgorithms[algorithm.key];
  return `x509: signature algorithm specifies an ${wanted} public key, but have public key of type ${goKeys[type ?? ""] ?? ""}`;
}

/** Why Go refuses to check anything with an RSA key (since Go 1.24 for short ones). */
export function rsaProblem({ type, bits = 0, exponent = 3n }: PublicKey): string | undefined {
  if (type !== "rsa") return undefined;
  if (bits < 1024) {
    return `crypto/rsa: ${bits}-bit keys are insecure (see https://go.dev/pkg/crypto/rsa#hdr-Minimum_key_size)`;
  }
  if (exponent < 2n) return "crypto/rsa: public exponent too small or negative";
  if (exponent > 0x7fffffffn) return "crypto/rsa: public exponent too large";
  return exponent % 2n === 0n ? "crypto/rsa: public exponent is even" : undefined;
}

function verifies(
  { tbs, signature }: ParsedCertificate,
  { spki }: ParsedCertificate,
  { hash, pss }: Algorithm,
): boolean {
  const padding = {
    padding: constants.RSA_PKCS1_PSS_PADDING,
    saltLength: constants.RSA_PSS_SALTLEN_DIGEST,
  };
  try {
    const key: KeyObject = createPublicKey({ key: spki, format: "der", type: "spki" });
    return verify(hash, tbs, pss === true ? { key, ...padding } : key, signature.value);
  } catch {
    return false;
  }
}
