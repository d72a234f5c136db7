import { createHash, generateKeyPairSync, X509Certificate } from "node:crypto";
import { md, pki } from "node-forge";
import type { Api, KubeObject } from "./api";
import { chmodSync, mkdirSync, mkdtempSync, renameSync, symlinkSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";

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
  /** What it is for; servers by default. */
  readonly usage?: "serverAuth" | "clientAuth";
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
  usage = "serverAuth",
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
    { name: "extKeyUsage", [usage]: true },
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

export const secretName = "admission-tls";

/** The secret of the webhook as the operator makes it: Opaque, two items. */
export function admissionSecret(namespace: string, pair: Pair): KubeObject {
  return secretOf(namespace, { cert: pair.cert, privateKey: pair.privateKey });
}

export function secretOf(
  namespace: string,
  items: Readonly<Record<string, string>>,
  type = "Opaque",
): KubeObject {
  const data = Object.entries(items).map(([key, value]) => [
    key,
    Buffer.from(value).toString("base64"),
  ]);
  return {
    apiVersion: "v1",
    kind: "Secret",
    metadata: { name: secretName, namespace, labels: { app: "engine-enterprise" } },
    type,
    data: Object.fromEntries(data) as Readonly<Record<string, string>>,
  };
}

/** The pair as it is stored; empty texts where there is none. */
export async function storedPair(
  api: Api,
  namespace: string,
): Promise<Pair & { readonly secret: KubeObject | undefined }> {
  const secret = await api.read(secretOf(namespace, {}));
  const data = (secret?.["data"] ?? {}) as Readonly<Record<string, string>>;
  const text = (key: string): string => Buffer.from(data[key] ?? "", "base64").toString("utf8");
  return { secret, cert: text("cert"), privateKey: text("privateKey") };
}

/** Every way in which the secret can be unfit, each with exactly one thing wrong. */
export const unfitSecrets = {
  "wrong type": (namespace) => {
    const { cert, privateKey } = makePair({ namespace });
    // The TLS type insists on its own two items, so that it cannot be had with ours alone.
    return secretOf(namespace, { cert, privateKey }, "engine.com/admission");
  },
  "three items": (namespace) => secretOf(namespace, { ...makePair({ namespace }), extra: "x" }),
  "one item": (namespace) => secretOf(namespace, { cert: makePair({ namespace }).cert }),
  "no cert": (namespace) => {
    const { cert, privateKey } = makePair({ namespace });
    return secretOf(namespace, { "tls.crt": cert, privateKey });
  },
  "cert is not PEM": (namespace) =>
    secretOf(namespace, { ...makePair({ namespace }), cert: "not a certificate" }),
  "cert holds a private key": (namespace) => {
    const { cert, privateKey } = makePair({ namespace });
    return secretOf(namespace, { cert: `${cert}${privateKey}`, privateKey });
  },
  "no name of the service": (namespace) =>
    admissionSecret(namespace, makePair({ namespace, names: [`admission.${namespace}`] })),
  "no names at all": (namespace) => admissionSecret(namespace, makePair({ namespace, names: [] })),
  "for clients only": (namespace) =>
    admissionSecret(namespace, makePair({ namespace, usage: "clientAuth" })),
  expired: (namespace) =>
    admissionSecret(
      namespace,
      makePair({
        namespace,
        notBefore: new Date(Date.now() - 30 * day),
        notAfter: new Date(Date.now() - day),
      }),
    ),
  "not yet valid": (namespace) =>
    admissionSecret(namespace, makePair({ namespace, notBefore: new Date(Date.now() + day) })),
  "another private key": (namespace) =>
    secretOf(namespace, {
      cert: makePair({ namespace }).cert,
      privateKey: makePair({ namespace }).privateKey,
    }),
} as const satisfies Readonly<Record<string, (namespace: string) => KubeObject>>;

export type UnfitSecret = keyof typeof unfitSecrets;

/**
 * Writes a pair as a mounted Secret, for its owner alone. Calling it again rotates; a part that is
 * not given is then no longer there.
 */
export function writeTlsFolder(dir: string, { cert, privateKey }: Partial<Pair>): void {
  const files = Object.entries({ cert, privateKey }).filter(([, text]) => text !== undefined);
  writeMounted(dir, Object.fromEntries(files) as Readonly<Record<string, string>>, 0o600);
}

/**
 * Writes files the way a kubelet mounts them: they are links through `..data`, and one rename swaps
 * that link, so that all change at once. Whoever may read a file may enter its folder.
 */
export function writeMounted(
  dir: string,
  files: Readonly<Record<string, string | Buffer>>,
  mode: number,
): void {
  const enter = mode | ((mode & 0o444) >> 2);
  mkdirSync(dir, { recursive: true, mode: enter });
  const content = mkdtempSync(join(dir, "..content-"));
  chmodSync(content, enter);
  for (const [name, bytes] of Object.entries(files)) {
    writeFileSync(join(content, name), bytes, { mode });
    linkOnce(join("..data", name), join(dir, name));
  }
  symlinkSync(basename(content), join(dir, "..data.new"));
  renameSync(join(dir, "..data.new"), join(dir, "..data"));
}

function linkOnce(target: string, path: string): void {
  try {
    symlinkSync(target, path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") {
      throw error;
    }
  }
}
