/** The extensions of a certificate that Go's crypto/x509 knows; what it refuses throws Malformed. */
import { constructTag, context, DerReader, Malformed, tags } from "./der";

/** As it stands in the certificate. */
export interface Extension {
  readonly oid: string;
  readonly critical: boolean;
  readonly value: Buffer;
}

/** Names and addresses, permitted or excluded (RFC 5280, 4.2.1.10). */
export interface Subtrees {
  readonly dns: readonly string[];
  /** Address and mask, one after the other. */
  readonly addresses: readonly Buffer[];
  readonly emails: readonly string[];
  readonly uris: readonly string[];
}

/** What the extensions say; absent ones are undefined or empty. */
export interface Extensions {
  /** DER of the alternative names; undefined without the extension. */
  readonly alternatives: Buffer | undefined;
  readonly dnsNames: readonly string[];
  readonly addresses: readonly Buffer[];
  readonly emails: readonly string[];
  readonly uris: readonly string[];
  readonly basicConstraints: { readonly ca: boolean; readonly pathLength?: bigint } | undefined;
  /** Bits, the first is the lowest; 0 for none. */
  readonly keyUsage: number;
  /** Object identifiers of extended key usages. */
  readonly usages: readonly string[];
  readonly constraints: { readonly permitted: Subtrees; readonly excluded: Subtrees } | undefined;
  readonly subjectKeyId: Buffer;
  readonly authorityKeyId: Buffer;
  /** True where one is marked critical that Go does not handle. */
  readonly hasUnhandledCritical: boolean;
}

type Found = { -readonly [key in keyof Extensions]: Extensions[key] };

/** Reads one extension into what is found; true when it is not handled. */
type Reader = (extension: Extension, found: Found) => boolean;

const readers: Readonly<Record<string, Reader>> = {
  "2.5.29.14": readSubjectKeyId,
  "2.5.29.15": readKeyUsage,
  "2.5.29.17": readAlternatives,
  "2.5.29.19": readBasicConstraints,
  "2.5.29.30": readConstraints,
  "2.5.29.31": (extension) => expectSequence(extension, "x509: invalid CRL distribution points"),
  "2.5.29.32": readPolicies,
  "2.5.29.33": (extension) => expectSequence(extension, "x509: invalid policy mappings extension"),
  "2.5.29.35": readAuthorityKeyId,
  "2.5.29.36": (extension) =>
    expectSequence(extension, "x509: invalid policy constraints extension"),
  "2.5.29.37": readUsages,
  "2.5.29.54": ({ value }) => {
    new DerReader(value).integer("x509: invalid inhibit any policy extension");
    return false;
  },
  "1.3.6.1.5.5.7.1.1": readAuthorityInfo,
};

export function readExtensions(extensions: readonly Extension[]): Extensions {
  const found: Found = {
    ...{ alternatives: undefined, dnsNames: [], addresses: [], emails: [], uris: [] },
    ...{ basicConstraints: undefined, keyUsage: 0, usages: [], constraints: undefined },
    ...{ subjectKeyId: Buffer.of(), authorityKeyId: Buffer.of(), hasUnhandledCritical: false },
  };
  for (const extension of extensions) {
    const unhandled = readers[extension.oid]?.(extension, found) ?? true;
    if (unhandled && extension.critical) found.hasUnhandledCritical = true;
  }
  return found;
}

function expectSequence({ value }: Extension, problem: string): boolean {
  new DerReader(value).inside(tags.sequence, problem);
  return false;
}

function readSubjectKeyId({ critical, value }: Extension, found: Found): boolean {
  if (critical) throw new Malformed("x509: subject key identifier incorrectly marked critical");
  const problem = "x509: invalid subject key identifier";
  found.subjectKeyId = new DerReader(value).content(tags.octetString, problem);
  return false;
}

function readAuthorityKeyId({ critical, value }: Extension, found: Found): boolean {
  if (critical) throw new Malformed("x509: authority key identifier incorrectly marked critical");
  const problem = "x509: invalid authority key identifier";
  const parts = new DerReader(value).inside(tags.sequence, problem);
  found.authorityKeyId = parts.optional(context(0), problem) ?? Buffer.of();
  return false;
}

function readAuthorityInfo({ critical, value }: Extension): boolean {
  if (critical) throw new Malformed("x509: authority info access incorrectly marked critical");
  const problem = "x509: invalid authority info access";
  const list = new DerReader(value).inside(tags.sequence, problem);
  while (!list.isEmpty) list.inside(tags.sequence, problem).oid(problem);
  return false;
}

function readKeyUsage({ value }: Extension, found: Found): boolean {
  const { bytes } = new DerReader(value).bitString("x509: invalid key usage");
  for (let bit = 0; bit < 9; bit++) {
    const byte = bytes[bit >> 3] ?? 0;
    if ((byte & (0x80 >> (bit & 7))) !== 0) found.keyUsage |= 1 << bit;
  }
  return false;
}

function readBasicConstraints({ value }: Extension, found: Found): boolean {
  const problem = "x509: invalid basic constraints";
  const parts = new DerReader(value).inside(tags.sequence, problem);
  const ca = parts.nextIs(tags.boolean) && parts.boolean(problem);
  const pathLength = parts.nextIs(tags.integer) ? parts.integer(problem) : undefined;
  // Go 1.23 still took a negative one
  if (pathLength !== undefined && (pathLength < 0n || pathLength >= 1n << 63n)) {
    throw new Malformed(problem);
  }
  found.basicConstraints = { ca, ...(pathLength !== undefined && { pathLength }) };
  return false;
}

function readUsages({ value }: Extension, found: Found): boolean {
  const problem = "x509: invalid extended key usages";
  const list = new DerReader(value).inside(tags.sequence, problem);
  const usages: string[] = [];
  while (!list.isEmpty) usages.push(list.oid(problem));
  found.usages = usages;
  return false;
}

/** Two of one kind are refused. */
function readPolicies({ value }: Extension): boolean {
  const problem = "x509: invalid certificate policies";
  const list = new DerReader(value).inside(tags.sequence, problem);
  const seen = new Set<string>();
  while (!list.isEmpty) {
    const oid = list.inside(tags.sequence, problem).content(tags.oid, problem).toString("hex");
    if (seen.has(oid)) throw new Malformed(problem);
    seen.add(oid);
  }
  return false;
}

const ascii = /^[\0-\x7f]*$/;

/** Text of an alternative name. */
function readAscii(bytes: Buffer, kind: string): string {
  const text = bytes.toString("latin1");
  if (!ascii.test(text)) throw new Malformed(`x509: SAN ${kind} is malformed`);
  return text;
}

function readAlternatives({ value }: Extension, found: Found): boolean {
  const list = new DerReader(value).inside(
    tags.sequence,
    "x509: invalid subject alternative names",
  );
  const [dnsNames, emails, uris]: string[][] = [[], [], []];
  const addresses: Buffer[] = [];
  while (!list.isEmpty) {
    const { tag, content } = list.any("x509: invalid subject alternative name");
    if (tag === context(1)) emails?.push(readAscii(content, "rfc822Name"));
    if (tag === context(2)) dnsNames?.push(readAscii(content, "dNSName"));
    if (tag === context(6)) uris?.push(readUri(content));
    if (tag === context(7)) addresses.push(addressIn(content));
  }
  Object.assign(found, { alternatives: value, dnsNames, emails, uris, addresses });
  return [dnsNames, emails, uris, addresses].every((names) => names?.length === 0);
}

function readUri(content: Buffer): string {
  const text = readAscii(content, "uniformResourceIdentifier");
  const host = readUriHost(text);
  if (/[\0-\x20\x7f]|%(?![0-9a-fA-F]{2})/.test(text)) {
    throw new Malformed(`x509: cannot parse URI ${JSON.stringify(text)}: invalid URL`);
  }
  if (!isDomain(host, false)) {
    throw new Malformed(`x509: cannot parse URI ${JSON.stringify(text)}: invalid domain`);
  }
  return text;
}

/** The host of an absolute URI, with its port; "" where it has none. */
export function readUriHost(uri: string): string {
  return /^[a-zA-Z][a-zA-Z0-9+.-]*:\/\/(?:[^/?#]*@)?([^/?#]*)/.exec(uri)?.[1] ?? "";
}

function addressIn(content: Buffer): Buffer {
  if (content.length === 4 || content.length === 16) return content;
  throw new Malformed(`x509: cannot parse IP address of length ${content.length}`);
}

/** As Go 1.26 reads a name that is constrained, or a constraint. */
export function isDomain(name: string, isConstraint: boolean): boolean {
  if (name === "") return true;
  const bare = isConstraint ? name.replace(/^\./, "") : name;
  return bare.split(".").every((label) => /^[\x21-\x7e]+$/.test(label));
}

function readConstraints({ value }: Extension, found: Found): boolean {
  const problem = "x509: invalid NameConstraints extension";
  const outer = new DerReader(value);
  const parts = outer.inside(tags.sequence, problem);
  const permitted = parts.optional(constructTag(0), problem) ?? Buffer.of();
  const excluded = parts.optional(constructTag(1), problem) ?? Buffer.of();
  if (!outer.isEmpty || !parts.isEmpty) throw new Malformed(problem);
  if (permitted.length === 0 && excluded.length === 0) {
    throw new Malformed("x509: empty name constraints extension");
  }
  const [one, other] = [subtreesIn(permitted), subtreesIn(excluded)];
  found.constraints = { permitted: one.subtrees, excluded: other.subtrees };
  return one.unhandled || other.unhandled;
}

function subtreesIn(content: Buffer): { readonly subtrees: Subtrees; readonly unhandled: boolean } {
  const list = new DerReader(content);
  const found = { dns: [], addresses: [], emails: [], uris: [] } as {
    -readonly [kind in keyof Subtrees]: Subtrees[kind][number][];
  };
  let unhandled = false;
  while (!list.isEmpty) {
    const problem = "x509: invalid NameConstraints extension";
    const { tag, content: base } = list.inside(tags.sequence, problem).any(problem);
    if (tag === context(2)) found.dns.push(domainIn(base, "dnsName"));
    else if (tag === context(7)) found.addresses.push(rangeIn(base));
    else if (tag === context(1)) found.emails.push(mailboxIn(base));
    else if (tag === context(6)) found.uris.push(domainIn(base, "URI"));
    else unhandled = true;
  }
  return { subtrees: found, unhandled };
}

function domainIn(base: Buffer, kind: string): string {
  const text = base.toString("latin1");
  if (ascii.test(text) && isDomain(text, true)) return text;
  throw new Malformed(`x509: failed to parse ${kind} constraint ${JSON.stringify(text)}`);
}

function mailboxIn(base: Buffer): string {
  const text = base.toString("latin1");
  return /^[^@\s]+@[^@\s]+$/.test(text) ? text : domainIn(base, "rfc822Name");
}

function rangeIn(base: Buffer): Buffer {
  if (base.length !== 8 && base.length !== 32) {
    throw new Malformed(`x509: IP constraint contained value of length ${base.length}`);
  }
  const mask = base.subarray(base.length / 2);
  const bits = [...mask].map((byte) => byte.toString(2).padStart(8, "0")).join("");
  if (/^1*0*$/.test(bits)) return base;
  throw new Malformed(`x509: IP constraint contained invalid mask ${mask.toString("hex")}`);
}
