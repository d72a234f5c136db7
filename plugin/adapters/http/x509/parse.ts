/**
 * Certificates as Go's crypto/x509 parses them (Go 1.23 to 1.26): what it refuses is refused here,
 * in its words, whatever OpenSSL makes of it.
 */
import { createPublicKey } from "node:crypto";
import { isIP } from "node:net";
import { constructTag, context, DerReader, type Element, Malformed, tags } from "./der";
import { type Extension, type Extensions, readExtensions } from "./extensions";

/** What the public key is; `type` is undefined for an algorithm that Go does not know. */
export interface PublicKey {
  readonly type: "rsa" | "ec" | "ed25519" | "dsa" | undefined;
  /** Of an RSA key. */
  readonly bits?: number;
  readonly exponent?: bigint;
  /** Of an EC key, by NIST's name. */
  readonly curve?: string;
}

/** One certificate. */
export interface ParsedCertificate extends Extensions {
  readonly raw: Buffer;
  /** The part that is signed. */
  readonly tbs: Buffer;
  readonly version: number;
  readonly serial: bigint;
  /** DER of the names: Go compares bytes. */
  readonly issuer: Buffer;
  readonly subject: Buffer;
  /** The common name, else the first organization, else "". */
  readonly label: string;
  readonly commonName: string;
  /** Milliseconds since 1970. */
  readonly notBefore: number;
  readonly notAfter: number;
  /** DER of the public key with its algorithm. */
  readonly spki: Buffer;
  readonly key: PublicKey;
  readonly signature: SignatureParts;
}

/** A signature with its algorithm. */
export interface SignatureParts {
  readonly oid: string;
  /** DER of the parameters, empty where there are none. */
  readonly parameters: Buffer;
  readonly value: Buffer;
}

/** Throws Malformed, with the words of Go. */
export function parseCertificate(der: Buffer): ParsedCertificate {
  const outer = new DerReader(der);
  const whole = outer.element(tags.sequence, "x509: malformed certificate");
  if (!outer.isEmpty) throw new Malformed("x509: trailing data");
  const input = new DerReader(whole.content);
  const tbs = input.element(tags.sequence, "x509: malformed tbs certificate");
  const fields = new DerReader(tbs.content);
  const { version, serial } = readVersion(fields);
  const algorithm = readAlgorithm(fields, input);
  const issuer = fields.element(tags.sequence, "x509: malformed issuer").whole;
  readName(issuer);
  const validity = fields.inside(tags.sequence, "x509: malformed validity");
  const [notBefore, notAfter] = [readTime(validity), readTime(validity)];
  const subject = fields.element(tags.sequence, "x509: malformed issuer").whole;
  const { commonName, organization } = readName(subject);
  const spki = fields.element(tags.sequence, "x509: malformed spki");
  const key = readKey(spki);
  const extensions = readExtensions(extensionsIn(fields, version));
  const value = input.bitString("x509: malformed signature").bytes;
  return {
    ...{ raw: whole.whole, tbs: tbs.whole, version, serial, issuer, subject, commonName },
    ...{ label: commonName || organization, notBefore, notAfter, spki: spki.whole, key },
    ...{ ...extensions, signature: { ...algorithm, value } },
  };
}

function readVersion(fields: DerReader): { readonly version: number; readonly serial: bigint } {
  const problem = "x509: malformed version";
  const given = fields.optional(constructTag(0), problem);
  const number = given === undefined ? 0n : new DerReader(given).integer(problem);
  if (number < 0n) throw new Malformed(problem);
  if (number > 2n) throw new Malformed("x509: invalid version");
  const serial = fields.integer("x509: malformed serial number");
  if (serial < 0n) throw new Malformed("x509: negative serial number");
  return { version: Number(number) + 1, serial };
}

/** It stands twice, within what is signed and beside it. */
function readAlgorithm(
  fields: DerReader,
  input: DerReader,
): { readonly oid: string; readonly parameters: Buffer } {
  const inner = fields.content(tags.sequence, "x509: malformed signature algorithm identifier");
  const outer = input.content(tags.sequence, "x509: malformed algorithm identifier");
  if (!inner.equals(outer)) {
    throw new Malformed("x509: inner and outer signature algorithm identifiers don't match");
  }
  return algorithmIn(inner);
}

function algorithmIn(content: Buffer): { readonly oid: string; readonly parameters: Buffer } {
  const reader = new DerReader(content);
  const oid = reader.oid("x509: malformed OID");
  const parameters = reader.isEmpty ? Buffer.of() : reader.any("x509: malformed parameters").whole;
  return { oid, parameters };
}

const wrongName = "x509: invalid RDNSequence";

function readName(der: Buffer): { readonly commonName: string; readonly organization: string } {
  const sets = new DerReader(der).inside(tags.sequence, wrongName);
  let [commonName, organization] = ["", ""];
  while (!sets.isEmpty) {
    const set = sets.inside(tags.set, wrongName);
    while (!set.isEmpty) {
      const attribute = set.inside(tags.sequence, `${wrongName}: invalid attribute`);
      const type = attribute.oid(`${wrongName}: invalid attribute type`);
      const value = attribute.any(`${wrongName}: invalid attribute value`);
      const text = readText(value.tag, value.content);
      if (type === "2.5.4.3") commonName = text;
      if (type === "2.5.4.10") organization ||= text;
    }
  }
  return { commonName, organization };
}

const printable = /^[A-Za-z0-9'()+,\-./ :=?*&]*$/;

/** By tag: what a text of that kind may hold, and its name in Go's words. */
const textKinds: Readonly<
  Record<number, readonly [string, (bytes: Buffer) => string | undefined]>
> = {
  0x0c: ["UTF-8 string", utf8],
  0x12: ["NumericString", (bytes) => readMatching(bytes, /^[0-9 ]*$/)],
  0x13: ["PrintableString", (bytes) => readMatching(bytes, printable)],
  0x14: ["T61String", (bytes) => bytes.toString("latin1")],
  0x16: ["IA5String", (bytes) => readMatching(bytes, /^[\0-\x7f]*$/)],
  0x1e: ["BMPString", bmp],
};

function readText(tag: number, bytes: Buffer): string {
  const wrong = `${wrongName}: invalid attribute value:`;
  const kind = textKinds[tag];
  if (kind === undefined) throw new Malformed(`${wrong} unsupported string type: ${tag}`);
  const [name, read] = kind;
  const text = read(bytes);
  if (text === undefined) throw new Malformed(`${wrong} invalid ${name}`);
  return text;
}

function readMatching(bytes: Buffer, allowed: RegExp): string | undefined {
  const text = bytes.toString("latin1");
  return allowed.test(text) ? text : undefined;
}

function utf8(bytes: Buffer): string | undefined {
  const text = bytes.toString("utf8");
  return Buffer.from(text).equals(bytes) ? text : undefined;
}

/** Two bytes a character, none of them reserved. */
function bmp(bytes: Buffer): string | undefined {
  if (bytes.length % 2 !== 0) return undefined;
  const text = Buffer.from(bytes).swap16().toString("utf16le").replace(/\0$/, "");
  return /[\ud800-\udfff\ufdd0-\ufdef\ufffe\uffff]/.test(text) ? undefined : text;
}

const timeForms: Readonly<Record<number, readonly [string, RegExp]>> = {
  0x17: ["UTCTime", /^(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)?(Z|[+-]\d{4})$/],
  0x18: ["GeneralizedTime", /^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)(Z|[+-]\d{4})$/],
};

/** Milliseconds since 1970. */
function readTime(reader: DerReader): number {
  const { tag, content } = reader.any("x509: unsupported time format");
  const form = timeForms[tag];
  if (form === undefined) throw new Malformed("x509: unsupported time format");
  const [name, pattern] = form;
  const parts = pattern.exec(content.toString("latin1"));
  const time = parts === null ? undefined : toTime(parts);
  if (time === undefined) throw new Malformed(`x509: malformed ${name}`);
  return time;
}

function toTime([, year = "", ...rest]: RegExpExecArray): number | undefined {
  const zone = rest.pop() ?? "Z";
  const [month, day, hour, minute, second] = rest.map((part: string | undefined) =>
    Number(part ?? 0),
  );
  const full = year.length === 4 ? Number(year) : Number(year) + (Number(year) < 50 ? 2000 : 1900);
  const date = new Date(0);
  date.setUTCFullYear(full, Number(month) - 1, day);
  date.setUTCHours(Number(hour), minute, second);
  const given = [Number(month), day, hour, minute, second].join();
  const shown = [
    date.getUTCMonth() + 1,
    date.getUTCDate(),
    date.getUTCHours(),
    date.getUTCMinutes(),
    date.getUTCSeconds(),
  ].join();
  return given === shown && !/^[+-]0000$/.test(zone)
    ? date.getTime() - readOffset(zone) * 60_000
    : undefined;
}

/** Minutes east of Greenwich. */
function readOffset(zone: string): number {
  if (zone === "Z") return 0;
  const minutes = Number(zone.slice(1, 3)) * 60 + Number(zone.slice(3));
  return zone.startsWith("-") ? -minutes : minutes;
}

const curves: Readonly<Record<string, string>> = {
  "1.3.132.0.33": "P-224",
  "1.2.840.10045.3.1.7": "P-256",
  "1.3.132.0.34": "P-384",
  "1.3.132.0.35": "P-521",
};

const keyReaders: Readonly<
  Record<string, (parameters: Buffer, data: Buffer, spki: Buffer) => PublicKey>
> = {
  "1.2.840.113549.1.1.1": rsaKey,
  "1.2.840.10045.2.1": ecKey,
  "1.3.101.112": edwardsKey,
  "1.2.840.10040.4.1": () => ({ type: "dsa" }),
};

function readKey({ content, whole }: Element): PublicKey {
  const spki = new DerReader(content);
  const identifier = spki.content(tags.sequence, "x509: malformed public key algorithm identifier");
  const { oid, parameters } = algorithmIn(identifier);
  const { bytes } = spki.bitString("x509: malformed subjectPublicKey");
  return keyReaders[oid]?.(parameters, bytes, whole) ?? { type: undefined };
}

function rsaKey(parameters: Buffer, data: Buffer): PublicKey {
  if (parameters.toString("hex") !== "0500") {
    throw new Malformed("x509: RSA key missing NULL parameters");
  }
  const parts = new DerReader(data).inside(tags.sequence, "x509: invalid RSA public key");
  const modulus = parts.integer("x509: invalid RSA modulus");
  const exponent = parts.integer("x509: invalid RSA public exponent");
  if (modulus <= 0n) throw new Malformed("x509: RSA modulus is not a positive number");
  if (exponent >= 1n << 63n) throw new Malformed("x509: invalid RSA public exponent");
  if (exponent <= 0n) throw new Malformed("x509: RSA public exponent is not a positive number");
  return { type: "rsa", bits: modulus.toString(2).length, exponent };
}

function ecKey(parameters: Buffer, data: Buffer, spki: Buffer): PublicKey {
  const curve = curves[new DerReader(parameters).oid("x509: invalid ECDSA parameters")];
  if (curve === undefined) throw new Malformed("x509: unsupported elliptic curve");
  if (data[0] !== 4 || !isReadable(spki)) {
    throw new Malformed("ecdsa: invalid uncompressed public key");
  }
  return { type: "ec", curve };
}

/** OpenSSL too takes no point that is not on the curve. */
function isReadable(spki: Buffer): boolean {
  try {
    createPublicKey({ key: spki, format: "der", type: "spki" });
    return true;
  } catch {
    return false;
  }
}

function edwardsKey(parameters: Buffer, data: Buffer): PublicKey {
  if (parameters.length > 0) {
    throw new Malformed("x509: Ed25519 key encoded with illegal parameters");
  }
  if (data.length !== 32) throw new Malformed("x509: wrong Ed25519 public key size");
  return { type: "ed25519" };
}

/** Only the third version has any; two of one kind are refused. */
function extensionsIn(fields: DerReader, version: number): readonly Extension[] {
  if (version < 2) return [];
  fields.optional(context(1), "x509: malformed issuerUniqueID");
  fields.optional(context(2), "x509: malformed subjectUniqueID");
  const given = version === 3 && fields.optional(constructTag(3), "x509: malformed extensions");
  if (given === undefined || given === false) return [];
  const list = new DerReader(given).inside(tags.sequence, "x509: malformed extensions");
  const found = new Map<string, Extension>();
  while (!list.isEmpty) {
    const one = readExtension(list.inside(tags.sequence, "x509: malformed extension"));
    if (found.has(one.oid)) {
      throw new Malformed(
        `x509: certificate contains duplicate extension with OID ${JSON.stringify(one.oid)}`,
      );
    }
    found.set(one.oid, one);
  }
  return [...found.values()];
}

function readExtension(reader: DerReader): Extension {
  const oid = reader.oid("x509: malformed extension OID field");
  const critical =
    reader.nextIs(tags.boolean) && reader.boolean("x509: malformed extension critical field");
  const value = reader.content(tags.octetString, "x509: malformed extension value field");
  return { oid, critical, value };
}

/** An address of an alternative name, as text. */
export function renderAddress(bytes: Buffer): string {
  if (bytes.length === 4) return bytes.join(".");
  const groups = bytes.toString("hex").match(/.{4}/g) ?? [];
  const text = groups.join(":");
  return isIP(text) === 6 ? new URL(`http://[${text}]`).hostname.slice(1, -1) : text;
}
