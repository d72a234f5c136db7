/** Certificates of every kind, odd ones too, written as DER: libraries refuse to make most of them. */
import { generateKeyPairSync, type KeyObject, sign } from "node:crypto";

/** A pair of keys and how it signs. */
export interface Signer {
  readonly publicKey: KeyObject;
  readonly privateKey: KeyObject;
}

/** An extension as it is to stand in the certificate. */
export interface ExtensionParts {
  readonly oid: string;
  readonly critical?: boolean;
  /** DER of the value. */
  readonly value: Buffer;
}

/** Parts of a certificate; everything but what a case is about stays as operators make it. */
export interface CertificateParts {
  readonly subject?: Buffer;
  readonly issuer?: Buffer;
  readonly signer?: Signer;
  readonly keys?: Signer;
  /** DER of the public key instead of that of the keys. */
  readonly spki?: Buffer;
  /** 3 unless given. */
  readonly version?: 1 | 2 | 3 | 4;
  /** Content of the INTEGER. */
  readonly serial?: Buffer;
  /** UTCTime; or a whole element. */
  readonly from?: string;
  readonly until?: string | Buffer;
  readonly extensions?: readonly ExtensionParts[];
  readonly algorithm?: SignatureName;
  /** The algorithm beside the signature, where it differs. */
  readonly outer?: SignatureName;
  readonly spoiled?: boolean;
  /** Bytes behind the certificate. */
  readonly behind?: Buffer;
}

const algorithms = {
  md5: ["1.2.840.113549.1.1.4", "md5"],
  sha1: ["1.2.840.113549.1.1.5", "sha1"],
  sha256: ["1.2.840.113549.1.1.11", "sha256"],
  sha512: ["1.2.840.113549.1.1.13", "sha512"],
  ecdsaSha1: ["1.2.840.10045.4.1", "sha1"],
  ecdsaSha256: ["1.2.840.10045.4.3.2", "sha256"],
  ecdsaSha384: ["1.2.840.10045.4.3.3", "sha384"],
  ed25519: ["1.3.101.112", undefined],
  dsaSha256: ["2.16.840.1.101.3.4.3.2", "sha256"],
  sha224: ["1.2.840.113549.1.1.14", "sha224"],
} as const;
export type SignatureName = keyof typeof algorithms;

/** One element. */
export function element(tag: number, ...parts: readonly Buffer[]): Buffer {
  const content = Buffer.concat(parts);
  return Buffer.concat([Buffer.of(tag), lengthOf(content.length), content]);
}

function lengthOf(length: number): Buffer {
  if (length < 0x80) return Buffer.of(length);
  const bytes = Buffer.from(
    length.toString(16).padStart(length > 0xffff ? 6 : length > 0xff ? 4 : 2, "0"),
    "hex",
  );
  return Buffer.concat([Buffer.of(0x80 | bytes.length), bytes]);
}

export const sequence = (...parts: readonly Buffer[]): Buffer => element(0x30, ...parts);
export const integer = (content: Buffer): Buffer => element(0x02, content);
export const boolean = (value: boolean): Buffer => element(0x01, Buffer.of(value ? 0xff : 0));
export const bits = (bytes: Buffer, padding = 0): Buffer =>
  element(0x03, Buffer.of(padding), bytes);

export function oid(dotted: string): Buffer {
  const [first = 0, second = 0, ...rest] = dotted.split(".").map(Number);
  const bytes = [first * 40 + second, ...rest].flatMap((number) => {
    const septets = [number & 0x7f];
    for (let left = number >> 7; left > 0; left >>= 7) septets.unshift((left & 0x7f) | 0x80);
    return septets;
  });
  return element(0x06, Buffer.from(bytes));
}

/** A name of one common name; the text's tag is UTF8String unless given. */
export function named(commonName: string | Buffer, tag = 0x0c): Buffer {
  const text = element(tag, Buffer.from(commonName));
  return sequence(element(0x31, sequence(oid("2.5.4.3"), text)));
}

/** Alternative names by kind of GeneralName. */
export function alternatives(
  ...names: readonly (readonly [number, string | Buffer])[]
): ExtensionParts {
  const parts = names.map(([kind, name]) => element(0x80 | kind, Buffer.from(name)));
  return { oid: "2.5.29.17", value: sequence(...parts) };
}
export const dnsNames = (...names: readonly string[]): ExtensionParts =>
  alternatives(...names.map((name) => [2, name] as const));

export function basicConstraints(ca: boolean, pathLength?: number): ExtensionParts {
  const length = pathLength === undefined ? [] : [integer(Buffer.of(pathLength & 0xff))];
  return {
    oid: "2.5.29.19",
    critical: true,
    value: sequence(...(ca ? [boolean(true)] : []), ...length),
  };
}

/** The first byte of the bits: 0x80 digitalSignature, 0x20 keyEncipherment, 0x04 keyCertSign. */
export function keyUsage(first: number): ExtensionParts {
  const padding = first === 0 ? 0 : 31 - Math.clz32(first & -first);
  return { oid: "2.5.29.15", critical: true, value: bits(Buffer.of(first), padding) };
}

export function usages(...oids: readonly string[]): ExtensionParts {
  return { oid: "2.5.29.37", value: sequence(...oids.map(oid)) };
}

/** Subtrees of names by kind of GeneralName, permitted and excluded. */
export function nameConstraints(
  permitted: readonly (readonly [number, string | Buffer])[],
  excluded: readonly (readonly [number, string | Buffer])[] = [],
): ExtensionParts {
  const trees = (tag: number, names: typeof permitted): readonly Buffer[] =>
    names.length === 0
      ? []
      : [
          element(
            tag,
            ...names.map(([kind, name]) => sequence(element(0x80 | kind, Buffer.from(name)))),
          ),
        ];
  const value = sequence(...trees(0xa0, permitted), ...trees(0xa1, excluded));
  return { oid: "2.5.29.30", critical: true, value };
}

export const keys = {
  rsa: (modulusLength: number): Signer => generateKeyPairSync("rsa", { modulusLength }),
  ec: (namedCurve: string): Signer => generateKeyPairSync("ec", { namedCurve }),
  ed25519: (): Signer => generateKeyPairSync("ed25519"),
  dsa: (): Signer => generateKeyPairSync("dsa", { modulusLength: 1024, divisorLength: 160 }),
};

function usualAlgorithm({ privateKey }: Signer): SignatureName {
  const type = privateKey.asymmetricKeyType;
  if (type === "ec") return "ecdsaSha256";
  if (type === "ed25519") return "ed25519";
  return type === "dsa" ? "dsaSha256" : "sha256";
}

function algorithmOf(name: SignatureName): Buffer {
  const [dotted] = algorithms[name];
  const isRsa = dotted.startsWith("1.2.840.113549");
  return sequence(oid(dotted), ...(isRsa ? [element(0x05)] : []));
}

export const host = "admission.engine.svc";
const usual = [basicConstraints(true), usages("1.3.6.1.5.5.7.3.1"), dnsNames(host)];
let serial = 1;

/** DER of a certificate that signs itself unless a signer is given. */
export function certificateDer(given: CertificateParts & { readonly keys: Signer }): Buffer {
  const { signer = given.keys } = given;
  const { algorithm = usualAlgorithm(signer) } = given;
  const tbs = toBeSigned(given, algorithm);
  const [, hash] = algorithms[algorithm];
  const signature = sign(hash, tbs, signer.privateKey);
  if (given.spoiled === true) signature.writeUInt8(signature.readUInt8(9) ^ 1, 9);
  const whole = sequence(tbs, algorithmOf(given.outer ?? algorithm), bits(signature));
  return Buffer.concat([whole, given.behind ?? Buffer.of()]);
}

function toBeSigned(
  given: CertificateParts & { readonly keys: Signer },
  algorithm: SignatureName,
): Buffer {
  const { subject = named(host), version = 3, extensions = usual } = given;
  const { issuer = subject, from = "260101000000Z", until = "310101000000Z" } = given;
  return sequence(
    ...(version === 1 ? [] : [element(0xa0, integer(Buffer.of(version - 1)))]),
    integer(given.serial ?? Buffer.of(0x10, serial++)),
    algorithmOf(algorithm),
    issuer,
    sequence(timeOf(from), timeOf(until)),
    subject,
    given.spki ?? given.keys.publicKey.export({ type: "spki", format: "der" }),
    ...extensionsOf(extensions),
  );
}

function extensionsOf(extensions: readonly ExtensionParts[]): readonly Buffer[] {
  if (extensions.length === 0) return [];
  return [element(0xa3, sequence(...extensions.map(extensionOf)))];
}

const timeOf = (time: string | Buffer): Buffer =>
  typeof time === "string" ? element(0x17, Buffer.from(time)) : time;

function extensionOf({ oid: id, critical, value }: ExtensionParts): Buffer {
  return sequence(oid(id), ...(critical === true ? [boolean(true)] : []), element(0x04, value));
}

export function pemOf(der: Buffer): string {
  const lines = der.toString("base64").match(/.{1,64}/g) ?? [];
  return `-----BEGIN CERTIFICATE-----\n${lines.join("\n")}\n-----END CERTIFICATE-----\n`;
}
