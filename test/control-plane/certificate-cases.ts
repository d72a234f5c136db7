/** The certificates whose verdicts are recorded: what is served, with which key, and what is trusted. */
import { randomBytes } from "node:crypto";
import {
  alternatives,
  basicConstraints,
  bits,
  boolean,
  certificateDer,
  type CertificateParts,
  dnsNames,
  element,
  type ExtensionParts,
  host,
  integer,
  keys,
  keyUsage,
  nameConstraints,
  named,
  oid,
  sequence,
  type Signer,
  usages,
} from "../support/certificate-der";

export interface CertificateCase {
  readonly title: string;
  /** DER, the server's own first. */
  readonly served: readonly Buffer[];
  readonly key: Signer;
  /** DER of what is trusted; what is served where it is absent. */
  readonly bundle?: readonly Buffer[];
}

const serverAuth = "1.3.6.1.5.5.7.3.1";
const clientAuth = "1.3.6.1.5.5.7.3.2";
const codeSigning = "1.3.6.1.5.5.7.3.3";
const anyUsage = "2.5.29.37.0";

const key = keys.ec("prime256v1");
const rsa = keys.rsa(2048);
const rootKey = keys.ec("prime256v1");
const middleKey = keys.ec("prime256v1");
const rootName = named("root");
const middleName = named("middle");

/** One certificate that is trusted as it is. */
function own(title: string, parts: CertificateParts = {}): CertificateCase {
  const used = parts.keys ?? key;
  return { title, served: [certificateDer({ ...parts, keys: used })], key: used };
}

/** The same with other extensions beside the name. */
const withExtensions = (title: string, ...extensions: readonly ExtensionParts[]): CertificateCase =>
  own(title, { extensions: [dnsNames(host), ...extensions] });

const withNames = (title: string, ...names: readonly ExtensionParts[]): CertificateCase =>
  own(title, { extensions: [basicConstraints(true), ...names] });

const leaf = (parts: CertificateParts = {}): Buffer =>
  certificateDer({
    ...{ keys: key, issuer: rootName, signer: rootKey, extensions: [dnsNames(host)] },
    ...parts,
  });
const root = (parts: CertificateParts = {}): Buffer =>
  certificateDer({
    ...{ keys: rootKey, subject: rootName, extensions: [basicConstraints(true)] },
    ...parts,
  });
const middle = (parts: CertificateParts = {}): Buffer =>
  certificateDer({
    ...{ keys: middleKey, subject: middleName, issuer: rootName, signer: rootKey },
    ...{ extensions: [basicConstraints(true)], ...parts },
  });
const orphan = leaf();
const noAuthority = root({ extensions: [] });
const ofMiddle = leaf({ issuer: middleName, signer: middleKey });

function chain(
  title: string,
  served: readonly Buffer[],
  bundle: readonly Buffer[],
): CertificateCase {
  return { title, served, key, bundle };
}

const unknown = { oid: "1.2.3.4.5", value: element(0x05) };

/** An RSA key that nobody has: what is refused is refused before a signature is asked for. */
function rsaSpki(modulus: Buffer, exponent: Buffer): Buffer {
  const data = sequence(integer(modulus), integer(exponent));
  return sequence(sequence(oid("1.2.840.113549.1.1.1"), element(0x05)), bits(data));
}
const modulusOf = (bytes: number): Buffer => {
  const modulus = randomBytes(bytes);
  modulus.writeUInt8(0x7f, 0);
  modulus.writeUInt8(modulus.readUInt8(bytes - 1) | 1, bytes - 1);
  return modulus;
};

const usageCases: readonly CertificateCase[] = [
  own("as operators make it"),
  own("as operators make it, with an RSA key", { keys: rsa }),
  withExtensions("without extended key usages"),
  withExtensions("for clients only", usages(clientAuth)),
  withExtensions("for code signing and clients", usages(codeSigning, clientAuth)),
  withExtensions("for servers and clients", usages(clientAuth, serverAuth)),
  withExtensions("for any usage", usages(anyUsage)),
  withExtensions("for clients and any usage", usages(clientAuth, anyUsage)),
  withExtensions("for an unknown usage", usages("1.2.3.4")),
  withExtensions("with an empty list of usages", usages()),
  withExtensions(
    "an authority whose key may only sign certificates",
    basicConstraints(true),
    keyUsage(0x04),
  ),
  withExtensions("whose key may only encipher", keyUsage(0x20)),
  withExtensions("whose key may do nothing", keyUsage(0x00)),
  withExtensions("whose key may only agree on keys", keyUsage(0x08)),
  withExtensions("with basic constraints of no authority", basicConstraints(false)),
  withExtensions("with path length 0", basicConstraints(true, 0)),
  withExtensions("with a negative path length", basicConstraints(true, -1)),
  withExtensions("with an unknown extension", unknown),
  withExtensions("with an unknown critical extension", { ...unknown, critical: true }),
  withExtensions("with a critical policy extension", {
    ...{ oid: "2.5.29.32", critical: true, value: sequence(sequence(oid("1.2.3.4"))) },
  }),
  withExtensions("with a policy that stands twice", {
    ...{ oid: "2.5.29.32", value: sequence(sequence(oid("1.2.3.4")), sequence(oid("1.2.3.4"))) },
  }),
  withExtensions("with an extension that stands twice", unknown, unknown),
  withExtensions("with a critical subject key identifier", {
    ...{ oid: "2.5.29.14", critical: true, value: element(0x04, Buffer.of(1)) },
  }),
  withExtensions("with a critical authority key identifier", {
    ...{ oid: "2.5.29.35", critical: true, value: sequence(element(0x80, Buffer.of(1))) },
  }),
  withExtensions(
    "with name constraints that exclude its own name",
    basicConstraints(true),
    nameConstraints([], [[2, "svc"]]),
  ),
  withExtensions("with empty name constraints", basicConstraints(true), nameConstraints([])),
];

const serialCases: readonly CertificateCase[] = [
  own("serial number 0", { serial: Buffer.of(0) }),
  own("serial number 1", { serial: Buffer.of(1) }),
  own("a negative serial number", { serial: Buffer.of(0x80, 1) }),
  own("serial number -1", { serial: Buffer.of(0xff) }),
  own("a serial number of 20 bytes", { serial: Buffer.alloc(20, 0x7f) }),
  own("a serial number of 21 bytes", { serial: Buffer.alloc(21, 0x7f) }),
  own("a serial number of 40 bytes", { serial: Buffer.alloc(40, 0x7f) }),
  own("a serial number with a needless zero before it", { serial: Buffer.of(0, 1) }),
  own("an empty serial number", { serial: Buffer.of() }),
];

const keyCases: readonly CertificateCase[] = [
  own("RSA 512", { keys: keys.rsa(512) }),
  own("RSA 768", { keys: keys.rsa(768) }),
  own("RSA 1016", { keys: keys.rsa(1016) }),
  own("RSA 1024", { keys: keys.rsa(1024) }),
  own("RSA 3072", { keys: keys.rsa(3072) }),
  own("RSA 8200", { spki: rsaSpki(modulusOf(1025), Buffer.of(1, 0, 1)) }),
  own("RSA with an even exponent", { keys: rsa, spki: rsaSpki(modulusOf(256), Buffer.of(2)) }),
  own("RSA with exponent 1", { keys: rsa, spki: rsaSpki(modulusOf(256), Buffer.of(1)) }),
  own("RSA with a long exponent", {
    keys: rsa,
    spki: rsaSpki(modulusOf(256), Buffer.of(1, 0, 0, 0, 1)),
  }),
  own("RSA with a negative modulus", { spki: rsaSpki(Buffer.alloc(256, 0xa5), Buffer.of(3)) }),
  own("RSA without parameters", {
    spki: sequence(
      sequence(oid("1.2.840.113549.1.1.1")),
      bits(sequence(integer(Buffer.of(7)), integer(Buffer.of(3)))),
    ),
  }),
  own("curve P-224", { keys: keys.ec("secp224r1") }),
  own("curve P-384", { keys: keys.ec("secp384r1"), algorithm: "ecdsaSha384" }),
  own("curve P-521", { keys: keys.ec("secp521r1"), algorithm: "ecdsaSha384" }),
  own("curve secp256k1", { keys: keys.ec("secp256k1") }),
  own("curve brainpoolP256r1", { keys: keys.ec("brainpoolP256r1") }),
  own("a compressed point of P-256", {
    spki: sequence(
      sequence(oid("1.2.840.10045.2.1"), oid("1.2.840.10045.3.1.7")),
      bits(Buffer.concat([Buffer.of(2), randomBytes(32)])),
    ),
  }),
  own("Ed25519", { keys: keys.ed25519() }),
  own("DSA", { keys: keys.dsa() }),
  own("Ed448, which Go does not know", {
    spki: sequence(sequence(oid("1.3.101.113")), bits(randomBytes(57))),
  }),
];

const signatureCases: readonly CertificateCase[] = [
  own("signed by itself with SHA-1", { keys: rsa, algorithm: "sha1" }),
  own("signed by itself with MD5", { keys: rsa, algorithm: "md5" }),
  own("signed by itself with SHA-512", { keys: rsa, algorithm: "sha512" }),
  own("with a spoiled signature, trusted itself", { keys: rsa, spoiled: true }),
  own("with another algorithm beside the signature", { keys: rsa, outer: "sha512" }),
  own("with bytes behind it", { behind: Buffer.of(0, 0) }),
  chain("signed by a root with SHA-1", [leaf({ algorithm: "ecdsaSha1" })], [root()]),
  chain("signed by a root with a spoiled signature", [leaf({ spoiled: true })], [root()]),
  chain("by a root that signed itself with SHA-1", [leaf()], [root({ algorithm: "ecdsaSha1" })]),
  ...(["md5", "sha1", "sha224", "sha512"] as const).map((algorithm) =>
    chain(
      `signed by an RSA root with ${algorithm}`,
      [leaf({ signer: rsa, algorithm })],
      [root({ keys: rsa })],
    ),
  ),
  chain("signed by an Ed25519 root", ...byRootWith(keys.ed25519())),
  chain("signed by a root on P-224", ...byRootWith(keys.ec("secp224r1"))),
  chain("signed by a root of RSA 768", ...byRootWith(keys.rsa(768))),
  chain("signed by a root of RSA 1024", ...byRootWith(keys.rsa(1024))),
];

function byRootWith(keysOfRoot: Signer): readonly [readonly Buffer[], readonly Buffer[]] {
  return [[leaf({ signer: keysOfRoot })], [root({ keys: keysOfRoot })]];
}

const nameCases: readonly CertificateCase[] = [
  withNames("the name in capitals", dnsNames("ADMISSION.Engine.svc")),
  withNames("the name with a dot behind it", dnsNames(`${host}.`)),
  withNames("a star for the Service", dnsNames("*.engine.svc")),
  withNames("a star for the namespace", dnsNames("admission.*.svc")),
  withNames("a star within the first label", dnsNames("adm*.engine.svc")),
  withNames("a star for two labels", dnsNames("*.svc")),
  withNames("a star before a label that begins with a hyphen", dnsNames("*.-engine.svc")),
  withNames("another Service", dnsNames("other.engine.svc")),
  withNames("the longer name only", dnsNames(`${host}.cluster.local`)),
  withNames("the shorter name only", dnsNames("admission.engine")),
  withNames("the name among others", dnsNames("a", "", host)),
  withNames("a common name only"),
  withNames("the name as an e-mail address", alternatives([1, `a@${host}`])),
  withNames("the name as a URI", alternatives([6, `https://${host}/`])),
  withNames("an address only", alternatives([7, Buffer.of(10, 0, 0, 1)])),
  withNames(
    "an address of five bytes beside the name",
    alternatives([2, host], [7, Buffer.of(1, 2, 3, 4, 5)]),
  ),
  withNames("a name that is not ASCII beside it", alternatives([2, host], [2, "ü"])),
  withNames("a URI that is none beside it", alternatives([2, host], [6, "http://a b/"])),
  withNames("a registered id beside it", alternatives([2, host], [8, Buffer.of(0x2a, 3)])),
  withNames("a Kelvin sign in it", dnsNames("admission.engine.svc\u212a")),
  own("an empty subject", { subject: sequence() }),
  own("a subject in T.61", { subject: named("x", 0x14) }),
  own("a subject in a string that is none of these", { subject: named("x", 0x1a) }),
  own("a subject that is no UTF-8", { subject: named(Buffer.of(0xff)) }),
  own("a subject with an underscore as PrintableString", { subject: named("a_b", 0x13) }),
];

const dateCases: readonly CertificateCase[] = [
  own("expired", { until: "260601000000Z" }),
  own("not yet valid", { from: "260701000000Z" }),
  own("valid until this very second", { until: "260615120000Z" }),
  own("without seconds", { until: "3101010000Z" }),
  own("with a time zone", { until: "310101000000+0200" }),
  own("on the 31st of February", { until: "310231000000Z" }),
  own("until 2050 as UTCTime, which is 1950", { until: "500101000000Z" }),
  own("until 9999", { until: element(0x18, Buffer.from("99991231235959Z")) }),
  own("until a GeneralizedTime with fractions", {
    until: element(0x18, Buffer.from("20310101000000.5Z")),
  }),
  own("ends before it begins", { from: "260614000000Z", until: "260613000000Z" }),
];

const versionCases: readonly CertificateCase[] = [
  own("version 1 without extensions", { version: 1, extensions: [] }),
  own("version 1 with extensions", { version: 1 }),
  own("version 2 with extensions", { version: 2 }),
  own("version 3 without extensions", { extensions: [] }),
  own("version 4", { version: 4 }),
  withExtensions("with TRUE written as 1", {
    oid: "2.5.29.19",
    value: sequence(element(0x01, Buffer.of(1))),
  }),
  withExtensions("with FALSE written out", { oid: "2.5.29.19", value: sequence(boolean(false)) }),
];

const chainCases: readonly CertificateCase[] = [
  chain("signed by the root that is trusted", [leaf()], [root()]),
  chain("signed by a root that is not trusted", [leaf(), root()], [middle()]),
  chain("through an intermediate that is sent along", [ofMiddle, middle()], [root()]),
  chain("through an intermediate that is not sent along", [ofMiddle], [root()]),
  chain("through an intermediate that is trusted", [ofMiddle], [middle()]),
  chain("the intermediate first", [middle(), ofMiddle], [root()]),
  chain("root and intermediate in the wrong order", [ofMiddle, root(), middle()], [root()]),
  chain(
    "with a certificate that has nothing to do with it",
    [ofMiddle, certificateDer({ keys: rsa }), middle()],
    [root()],
  ),
  chain(
    "with one behind it that Go cannot parse",
    [leaf(), middle({ serial: Buffer.of(0x80) })],
    [root()],
  ),
  chain(
    "with one behind it whose RSA key is too long",
    [leaf(), root({ spki: rsaSpki(modulusOf(1025), Buffer.of(3)) })],
    [root()],
  ),
  chain(
    "one bad certificate in the bundle beside the good one",
    [leaf()],
    [middle({ serial: Buffer.of(0x80) }), root()],
  ),
  chain("nothing in the bundle that Go can parse", [leaf()], [root({ serial: Buffer.of(0x80) })]),
  chain("itself trusted, its issuer nobody's", [orphan], [orphan]),
  chain(
    "itself trusted beside its issuer, which is no authority",
    [orphan, noAuthority],
    [orphan, noAuthority],
  ),
  chain("its issuer no authority", [leaf()], [root({ extensions: [basicConstraints(false)] })]),
  chain("its issuer without basic constraints", [leaf()], [root({ extensions: [] })]),
  chain("its issuer of version 1", [leaf()], [root({ version: 1, extensions: [] })]),
  chain(
    "its issuer may not sign certificates",
    [leaf()],
    [root({ extensions: [basicConstraints(true), keyUsage(0x80)] })],
  ),
  chain(
    "its issuer may sign certificates",
    [leaf()],
    [root({ extensions: [basicConstraints(true), keyUsage(0x04)] })],
  ),
  chain("its issuer has expired", [leaf()], [root({ until: "260601000000Z" })]),
  chain("its intermediate has expired", [ofMiddle, middle({ until: "260601000000Z" })], [root()]),
  chain(
    "its intermediate of version 1",
    [ofMiddle, middle({ version: 1, extensions: [] })],
    [root()],
  ),
  chain(
    "its root for clients only",
    [leaf()],
    [root({ extensions: [basicConstraints(true), usages(clientAuth)] })],
  ),
  chain(
    "its intermediate for clients only",
    [ofMiddle, middle({ extensions: [basicConstraints(true), usages(clientAuth)] })],
    [root()],
  ),
  chain(
    "the root allows no intermediate",
    [ofMiddle, middle()],
    [root({ extensions: [basicConstraints(true, 0)] })],
  ),
  chain(
    "the root allows one intermediate",
    [ofMiddle, middle()],
    [root({ extensions: [basicConstraints(true, 1)] })],
  ),
  chain(
    "the intermediate allows none below it",
    [ofMiddle, middle({ extensions: [basicConstraints(true, 0)] })],
    [root()],
  ),
  chain(
    "an unknown critical extension in the root",
    [leaf()],
    [root({ extensions: [basicConstraints(true), { ...unknown, critical: true }] })],
  ),
  chain("by another root of the same name", [leaf()], [root({ keys: middleKey })]),
  chain("by one of two roots of the same name", [leaf()], [root({ keys: middleKey }), root()]),
  chain("no issuer of that name, nobody's", [leaf({ issuer: named("nobody") })], [root()]),
  chain("the root allows names below svc", [leaf()], [constrained([[2, "svc"]])]),
  chain("the root allows other names only", [leaf()], [constrained([[2, "example.com"]])]),
  chain("the root allows names with a dot before", [leaf()], [constrained([[2, ".engine.svc"]])]),
  chain("the root excludes the name", [leaf()], [constrained([], [[2, "engine.svc"]])]),
  chain("the root excludes another name", [leaf()], [constrained([], [[2, "gine.svc"]])]),
  chain(
    "the root allows addresses only",
    [leaf()],
    [constrained([[7, Buffer.of(10, 0, 0, 0, 255, 0, 0, 0)]])],
  ),
  chain(
    "an address beside the name that the root does not allow",
    [leaf({ extensions: [alternatives([2, host], [7, Buffer.of(11, 0, 0, 1)])] })],
    [constrained([[7, Buffer.of(10, 0, 0, 0, 255, 0, 0, 0)]])],
  ),
  chain(
    "an e-mail address beside the name that the root does not allow",
    [leaf({ extensions: [alternatives([2, host], [1, "a@b.c"])] })],
    [constrained([[1, "example.com"]])],
  ),
  chain(
    "the root with a mask that is none",
    [leaf()],
    [constrained([[7, Buffer.of(10, 0, 0, 0, 255, 0, 255, 0)]]), middle()],
  ),
  chain(
    "the root constrains directory names, critically",
    [leaf()],
    [constrained([[4, named("x")]])],
  ),
];

function constrained(...[permitted, excluded]: Parameters<typeof nameConstraints>): Buffer {
  return root({ extensions: [basicConstraints(true), nameConstraints(permitted, excluded)] });
}

export const certificateCases: readonly CertificateCase[] = [
  ...usageCases,
  ...serialCases,
  ...keyCases,
  ...signatureCases,
  ...nameCases,
  ...dateCases,
  ...versionCases,
  ...chainCases,
];
