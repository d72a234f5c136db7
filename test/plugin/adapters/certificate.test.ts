import {
  createHash,
  createPrivateKey,
  generateKeyPairSync,
  type KeyObject,
  sign,
  X509Certificate,
} from "node:crypto";
import { asn1, md, pki } from "node-forge";
import {
  certificateOfPem,
  generatePair,
  type KeyPair,
  readPemCertificate,
  readSecretCertificate,
} from "../../../plugin/adapters/certificate";
import {
  type CertificateFacts,
  judgeCertificate,
} from "../../../plugin/domain/certificate/certificate";
import { compareTrust } from "../../../plugin/domain/admission/configuration";
import { liveBundles } from "../../../plugin/domain/admission/injector";
import { defaultNames } from "../../../plugin/domain/names/names";
import type { ValidatingWebhookConfiguration } from "../../../plugin/domain/kube/models";
import type { KubeObject } from "../../../plugin/domain/kube/objects";
import { certify, rsaKeys } from "../../support/tls";

const now = Date.parse("2026-06-15T12:00:00Z");
const names = defaultNames;

let pair: KeyPair;
let other: KeyPair;

beforeAll(async () => {
  [pair, other] = await Promise.all([
    generatePair({ namespace: "engine", names, now }),
    generatePair({ namespace: "engine", names, now, years: 1 }),
  ]);
});

const base64 = (text: string): string => Buffer.from(text).toString("base64");

function secretOf(data: unknown, changes: Partial<KubeObject> = {}): KubeObject {
  return {
    apiVersion: "v1",
    kind: "Secret",
    metadata: { name: "admission-tls", namespace: "engine" },
    type: "Opaque",
    data,
    ...changes,
  };
}

const read = (secret: KubeObject): CertificateFacts => readSecretCertificate(secret, names);
const pairData = ({ certPem, keyPem }: KeyPair) => ({
  cert: base64(certPem),
  privateKey: base64(keyPem),
});

function codes(facts: CertificateFacts): readonly string[] {
  return judgeCertificate(facts, { namespace: "engine", now, names }).map(({ code }) => code);
}

/** A self-signed certificate with one thing changed; no one else needs such a one. */
function madeWith(change: (certificate: pki.Certificate) => void, bits = 1024) {
  const keys = rsaKeys(bits);
  const certificate = pki.createCertificate();
  certificate.publicKey = pki.publicKeyFromPem(keys.publicKey);
  certificate.serialNumber = "01";
  certificate.validity.notBefore = new Date(now);
  certificate.validity.notAfter = new Date(now + 1000);
  certificate.setSubject([{ name: "commonName", value: "leaf" }]);
  certificate.setIssuer([{ name: "commonName", value: "leaf" }]);
  change(certificate);
  const key = pki.privateKeyFromPem(keys.privateKey);
  if (certificate.signature === null) certificate.sign(key, md.sha256.create());
  return { certPem: pki.certificateToPem(certificate), keyPem: keys.privateKey, key };
}

/** node-forge signs with RSA alone: its to-be-signed part gets another key and Node's signature. */
function pairSignedBy(
  keys: { readonly publicKey: KeyObject; readonly privateKey: KeyObject },
  { oid, hash }: { readonly oid: string; readonly hash: string | null },
) {
  const certificate = pki.certificateFromPem(pair.certPem);
  const algorithm = asn1.create(asn1.Class.UNIVERSAL, asn1.Type.SEQUENCE, true, [
    asn1.create(asn1.Class.UNIVERSAL, asn1.Type.OID, false, asn1.oidToDer(oid).getBytes()),
  ]);
  const [tbs] = pki.certificateToAsn1(certificate).value as [asn1.Asn1];
  const parts = tbs.value as asn1.Asn1[];
  parts[2] = algorithm;
  const spki = keys.publicKey.export({ type: "spki", format: "der" });
  parts[6] = asn1.fromDer(spki.toString("binary"));
  const signed = Buffer.from(asn1.toDer(tbs).getBytes(), "binary");
  const signature = `\0${sign(hash, signed, keys.privateKey).toString("binary")}`;
  const whole = asn1.create(asn1.Class.UNIVERSAL, asn1.Type.SEQUENCE, true, [
    tbs,
    algorithm,
    asn1.create(asn1.Class.UNIVERSAL, asn1.Type.BITSTRING, false, signature),
  ]);
  const der = Buffer.from(asn1.toDer(whole).getBytes(), "binary");
  return {
    certPem: `-----BEGIN CERTIFICATE-----\n${der.toString("base64")}\n-----END CERTIFICATE-----\n`,
    keyPem: keys.privateKey.export({ type: "pkcs8", format: "pem" }).toString(),
  };
}

function ecPair(): KeyPair {
  const keys = generateKeyPairSync("ec", { namedCurve: "prime256v1" });
  const made = pairSignedBy(keys, { oid: "1.2.840.10045.4.3.2", hash: "sha256" });
  return { ...made, keyPem: keys.privateKey.export({ type: "sec1", format: "pem" }).toString() };
}

describe("a generated pair", () => {
  test("is what the API server and TLS libraries take", () => {
    const certificate = new X509Certificate(pair.certPem);

    expect(certificate.checkPrivateKey(createPrivateKey(pair.keyPem))).toBe(true);
    expect(certificate.verify(certificate.publicKey)).toBe(true);
    expect(certificate.ca).toBe(true);
    expect(certificate.keyUsage).toEqual(["1.3.6.1.5.5.7.3.1"]);
    expect(certificate.checkHost("admission.engine.svc")).toBe("admission.engine.svc");
    expect(certificate.subject).toBe("CN=admission.engine.svc");
    expect(certificate.serialNumber).toMatch(/^[4-7][0-9A-F]{31}$/);
    expect(pair.certPem).not.toContain("\r");
  });

  test("reports its facts, and has no finding against it", () => {
    const facts = read(secretOf(pairData(pair)));

    expect(facts).toEqual({
      secret: {
        name: "admission-tls",
        namespace: "engine",
        type: "Opaque",
        items: ["cert", "privateKey"],
      },
      present: true,
      base64: true,
      pem: true,
      encodedTwice: false,
      count: 1,
      holdsPrivateKey: false,
      chainOk: true,
      refused: undefined,
      matchesPrivateKey: true,
      caBundle: base64(pair.certPem),
      leaf: {
        sha256: createHash("sha256").update(new X509Certificate(pair.certPem).raw).digest("hex"),
        subject: "admission.engine.svc",
        issuer: "admission.engine.svc",
        san: ["admission.engine", "admission.engine.svc", "admission.engine.svc.cluster.local"],
        notBefore: "2026-06-15T11:00:00Z",
        notAfter: "2031-06-15T12:00:00Z",
        ca: true,
        selfSigned: true,
        keyType: "rsa",
        keyBits: 2048,
        signature: "sha256WithRSAEncryption",
      },
    });
    expect(codes(facts)).toEqual([]);
  });

  test("lasts as many years as asked for, and two have nothing in common", () => {
    expect(certificateOfPem(other.certPem).leaf?.notAfter).toBe("2027-06-15T12:00:00Z");
    expect(new X509Certificate(other.certPem).serialNumber).not.toBe(
      new X509Certificate(pair.certPem).serialNumber,
    );
  });

  test.each([
    ["63 characters, as long as it may be", "n".repeat(63), "admission"],
    ["52 characters, one too long with .svc", "n".repeat(52), `admission.${"n".repeat(52)}`],
    ["50 characters", "n".repeat(50), `admission.${"n".repeat(50)}.svc`],
  ])("has a common name within X.520's bound in a namespace of %s", async (_n, namespace, cn) => {
    const long = await generatePair({ namespace, names, now });

    expect(certificateOfPem(long.certPem).leaf).toMatchObject({
      subject: cn,
      san: expect.arrayContaining([`admission.${namespace}.svc`]) as unknown,
    });
  });
});

describe("an unfit secret of the state table is one finding of severity error", () => {
  test.each<[string, () => KubeObject, string]>([
    [
      "no cert",
      () => secretOf({ "tls.crt": base64(pair.certPem), privateKey: base64(pair.keyPem) }),
      "SECRET-NO-CERT",
    ],
    ["not base64", () => secretOf({ ...pairData(pair), cert: "-----" }), "SECRET-NOT-PEM"],
    ["null", () => secretOf({ ...pairData(pair), cert: null }), "SECRET-NOT-PEM"],
    ["not PEM", () => secretOf({ ...pairData(pair), cert: base64("none") }), "SECRET-NOT-PEM"],
    [
      "DER",
      () =>
        secretOf({
          ...pairData(pair),
          cert: new X509Certificate(pair.certPem).raw.toString("base64"),
        }),
      "SECRET-NOT-PEM",
    ],
    [
      "encoded twice",
      () => secretOf({ ...pairData(pair), cert: base64(base64(pair.certPem)) }),
      "SECRET-NOT-PEM",
    ],
    [
      "private key in cert",
      () => secretOf({ ...pairData(pair), cert: base64(pair.certPem + pair.keyPem) }),
      "SECRET-PRIVATE-KEY-IN-CERT",
    ],
    [
      "private key in cert, cut short",
      () => secretOf({ ...pairData(pair), cert: base64(pair.certPem + pair.keyPem.slice(0, 99)) }),
      "SECRET-PRIVATE-KEY-IN-CERT",
    ],
    [
      "another private key",
      () => secretOf({ ...pairData(pair), privateKey: base64(other.keyPem) }),
      "CERT-KEY-MISMATCH",
    ],
    [
      "an unreadable private key",
      () => secretOf({ ...pairData(pair), privateKey: "?" }),
      "CERT-KEY-MISMATCH",
    ],
  ])("%s", (_name, secret, code) => {
    const facts = read(secret());

    expect(codes(facts)).toEqual([code]);
    expect(JSON.stringify(facts)).not.toContain("PRIVATE KEY");
  });
});

describe("any input is read without a throw", () => {
  test.each<[string, unknown]>([
    ["no data", undefined],
    ["names of object prototypes", JSON.parse('{"__proto__": "x", "constructor": 1}')],
    ["a certificate block of nothing", { cert: base64("-----BEGIN CERTIFICATE-----") }],
    [
      "an empty block",
      { cert: base64("-----BEGIN CERTIFICATE-----\n-----END CERTIFICATE-----\n") },
    ],
    [
      "headers in the block",
      { cert: base64("-----BEGIN CERTIFICATE-----\na: b\n\nMA==\n-----END CERTIFICATE-----") },
    ],
    ["many beginnings", { cert: base64("\n-----BEGIN CERTIFICATE-----".repeat(20_000)) }],
  ])("%s", (_name, data) => {
    const facts = read(secretOf(data, { metadata: {}, type: undefined }));

    expect(facts).toMatchObject({ pem: false, leaf: undefined });
    expect(facts.secret).toMatchObject({ name: "admission-tls", namespace: "", type: "Opaque" });
    expect(codes(facts)).not.toEqual([]);
  });
});

describe("a certificate item", () => {
  test("counts as one when text stands around the block, as openssl writes it", () => {
    expect(certificateOfPem(`subject=x\n${pair.certPem}bye`)).toMatchObject({
      pem: true,
      count: 1,
    });
  });

  test("does not count when the bytes continue after the certificate", () => {
    const { raw } = new X509Certificate(pair.certPem);
    const longer = Buffer.concat([raw, Buffer.from("more")]).toString("base64");

    expect(
      certificateOfPem(`-----BEGIN CERTIFICATE-----\n${longer}\n-----END CERTIFICATE-----\n`).pem,
    ).toBe(false);
  });

  test("of which one certificate does not parse is not PEM at all", () => {
    const broken = "-----BEGIN CERTIFICATE-----\nMAA=\n-----END CERTIFICATE-----\n";

    expect(certificateOfPem(pair.certPem + broken)).toMatchObject({
      pem: false,
      count: 2,
      chainOk: false,
      leaf: { subject: "admission.engine.svc" },
    });
  });

  test("in stringData, as a person writes it, is read as the API server would store it", () => {
    const stringData = { cert: pair.certPem, privateKey: pair.keyPem };
    const facts = read(secretOf({ cert: "?" }, { stringData }));

    expect(facts.caBundle).toBe(base64(pair.certPem));
    expect(codes(facts)).toEqual([]);
  });

  test("with line breaks in its base64 is left as it is", () => {
    const cert = base64(pair.certPem).replace(/(.{76})/g, "$1\n");

    expect(read(secretOf({ ...pairData(pair), cert }))).toMatchObject({
      pem: true,
      caBundle: cert,
    });
  });

  test("is checked like any other when it comes from a file", () => {
    expect(readPemCertificate(pair.certPem)).toMatchObject({
      secret: undefined,
      matchesPrivateKey: undefined,
      caBundle: base64(pair.certPem),
    });
  });
});

describe("keys and signatures", () => {
  test("an EC pair is read and compared too", () => {
    const ec = ecPair();
    const facts = read(secretOf(pairData(ec)));

    expect(facts).toMatchObject({
      matchesPrivateKey: true,
      leaf: { keyType: "ec", keyBits: 256, signature: "ecdsa-with-SHA256", selfSigned: true },
    });
    expect(codes(facts)).toEqual([]);
  });

  test.each([
    ["Ed25519", () => generateKeyPairSync("ed25519"), "1.3.101.112", "ed25519", "EdDSA25519"],
    [
      "a curve and an algorithm that nobody has a name for",
      () => generateKeyPairSync("ec", { namedCurve: "secp256k1" }),
      "1.2.3.4",
      "ec",
      "1.2.3.4",
    ],
  ])("%s: what is unknown is left open", (_name, ...[keys, oid, keyType, signature]) => {
    const made = pairSignedBy(keys(), { oid, hash: keyType === "ec" ? "sha256" : null });

    expect(read(secretOf(pairData(made)))).toMatchObject({
      matchesPrivateKey: true,
      leaf: { keyType, keyBits: undefined, signature },
    });
  });

  test("SHA-1 and a short RSA key are weak", () => {
    const weak = madeWith((certificate) => {
      certificate.setExtensions([
        { name: "subjectAltName", altNames: [{ type: 2, value: "admission.engine.svc" }] },
      ]);
    });
    const resigned = pki.certificateFromPem(weak.certPem);
    resigned.sign(weak.key, md.sha1.create());
    const facts = readPemCertificate(pki.certificateToPem(resigned));

    expect(facts.leaf).toMatchObject({
      keyType: "rsa",
      keyBits: 1024,
      signature: "sha1WithRSAEncryption",
      ca: false,
    });
    expect(codes(facts)).toEqual(["CERT-EXPIRES-SOON", "CERT-WEAK"]);
  });

  test("a chain is one when each certificate is issued by the next", () => {
    const root = pki.certificateFromPem(pair.certPem);
    const leaf = madeWith((certificate) => {
      certificate.setIssuer(root.subject.attributes);
      certificate.sign(pki.privateKeyFromPem(pair.keyPem), md.sha256.create());
    });

    expect(certificateOfPem(leaf.certPem + pair.certPem)).toMatchObject({
      count: 2,
      chainOk: true,
      leaf: { subject: "leaf", issuer: "admission.engine.svc", selfSigned: false },
    });
    expect(certificateOfPem(pair.certPem + leaf.certPem).chainOk).toBe(false);
    expect(certificateOfPem(leaf.certPem + other.certPem).chainOk).toBe(false);
  });
});

describe("names", () => {
  const namesOf = (altNames: readonly object[]) => {
    const { certPem } = madeWith((certificate) => {
      certificate.setSubject([
        { name: "organizationName", value: "Makers" },
        { name: "countryName", value: "CH" },
      ]);
      certificate.setExtensions([{ name: "subjectAltName", altNames }]);
    });
    return certificateOfPem(certPem).leaf;
  };

  test("without a common name the whole subject is shown", () => {
    expect(namesOf([{ type: 2, value: "a" }])).toMatchObject({ subject: "O=Makers, C=CH" });
  });

  test("addresses and links are no DNS names", () => {
    expect(
      namesOf([
        { type: 7, ip: "10.0.0.1" },
        { type: 2, value: "a" },
        { type: 6, value: "https://admission.engine.svc/,DNS:x" },
      ])?.san,
    ).toEqual(["a"]);
  });

  test("of a certificate that Go cannot parse no name is known", () => {
    expect(
      namesOf([
        { type: 2, value: "a" },
        { type: 6, value: "https://a b" },
      ])?.san,
    ).toEqual([]);
  });

  test("a name that pretends to be two is one", () => {
    expect(namesOf([{ type: 2, value: "a, DNS:admission.engine.svc" }])?.san).toEqual([
      "a, DNS:admission.engine.svc",
    ]);
  });
});

describe("a pair that a controller has issued, where an injector writes the CA", () => {
  const elsewhere = Buffer.from("not a certificate").toString("base64");

  test("tls.crt is what is served, ca.crt what is trusted, and bundles are held to it", async () => {
    const { certPem, keyPem } = await generatePair({ namespace: "engine", names, now: Date.now() });
    const [crt, key] = [certPem, keyPem].map((text) => Buffer.from(text).toString("base64"));
    const secret = {
      apiVersion: "v1",
      kind: "Secret",
      metadata: { name: names.webhook.secret, namespace: "engine" },
      type: "kubernetes.io/tls",
      data: { "tls.crt": crt, "tls.key": key, "ca.crt": crt },
    };
    const facts = readSecretCertificate(secret, names, {
      bundles: [String(crt), elsewhere],
      ...{ injected: true, now: Date.now() },
    });
    expect(facts).toMatchObject({ present: true, matchesPrivateKey: true, caBundle: crt });
    expect(facts.trustedBy).toEqual([crt]);
    expect(facts.secret).toMatchObject({ isTls: true, type: "kubernetes.io/tls" });
    // without an injector it is not what the specification wants
    expect(readSecretCertificate(secret, names)).toMatchObject({ present: false, caBundle: "" });
  });
});

describe("the CA beside the pair that a controller has issued", () => {
  const base64 = (text: string): string => Buffer.from(text).toString("base64");
  const [authority, other] = ["corporate", "other"].map((commonName) => certify({ commonName }));
  const served = certify({ commonName: "x", dns: ["admission.engine.svc"] }, authority);
  const judged = (ca: string) => {
    const caBundle = base64(ca);
    const facts = readSecretCertificate(
      {
        apiVersion: "v1",
        kind: "Secret",
        metadata: { name: names.webhook.secret, namespace: "engine" },
        type: "kubernetes.io/tls",
        data: { "tls.crt": base64(served.cert), "tls.key": base64(served.key), "ca.crt": caBundle },
      },
      names,
      { bundles: [caBundle], injected: true, now: Date.now() },
    );
    const codes = judgeCertificate(facts, { namespace: "engine", now: Date.now(), names });
    const trust = compareTrust({ clientConfig: { caBundle } }, facts);
    return [codes.map(({ code }) => code).filter((code) => code === "SECRET-CA"), trust];
  };

  test.each<[string, string, readonly [readonly string[], string]]>([
    ["the one that issued it", String(authority?.cert), [[], "fit"]],
    ["the certificate itself", served.cert, [[], "fit"]],
    ["another one", String(other?.cert), [["SECRET-CA"], "stale"]],
    ["no certificate", "none", [["SECRET-CA"], "no-pem"]],
  ])("%s", (_title, ca, expected) => {
    expect(judged(ca)).toEqual(expected);
  });
});

describe("what callers trust beside the certificate that is served", () => {
  const base64 = (...pem: readonly string[]): string =>
    Buffer.from(pem.join("")).toString("base64");
  const [authority, other] = ["corporate", "other"].map((commonName) => certify({ commonName }));
  const served = certify({ commonName: "x", dns: ["admission.engine.svc"] }, authority);
  const own = certify({ commonName: "y", dns: ["admission.engine.svc"] });
  const trustIn = (pair: { readonly cert: string; readonly key: string }, caBundle: string) => {
    const secret = {
      apiVersion: "v1",
      kind: "Secret",
      metadata: { name: names.webhook.secret, namespace: "engine" },
      data: { cert: base64(pair.cert), privateKey: base64(pair.key) },
    };
    const { configuration, entry: name } = names.webhook;
    const entry = { name, clientConfig: { caBundle } };
    const holder: ValidatingWebhookConfiguration = {
      apiVersion: "admissionregistration.k8s.io/v1",
      kind: "ValidatingWebhookConfiguration",
      metadata: { name: configuration },
      webhooks: [entry],
    };
    const live = liveBundles([holder], { names, now: Date.now() });
    return compareTrust(entry, readSecretCertificate(secret, names, live));
  };
  const over = certify({ commonName: "corporate 2015", days: [-20, -10] });
  const late = certify({ commonName: "l", dns: ["admission.engine.svc"] }, over);
  const past = certify(
    { commonName: "p", dns: ["admission.engine.svc"], days: [-9, -3] },
    authority,
  );
  const issuer = String(authority?.cert);
  const stranger = String(other?.cert);

  test.each<[string, typeof served, string, string]>([
    ["the CA that issued it, alone", served, base64(issuer), "fit"],
    ["its CA beside another one", served, base64(stranger, issuer), "fit"],
    ["the certificate itself", served, base64(served.cert), "fit"],
    ["the old one and the new one", own, base64(stranger, own.cert), "fit"],
    ["the certificate in other lines", own, base64(own.cert, "\n"), "fit"],
    ["another CA", served, base64(stranger), "stale"],
    [
      "a certificate of the same CA",
      served,
      base64(certify({ commonName: "z" }, authority).cert),
      "stale",
    ],
    ["the CA that issued it, expired, beside a good one", late, base64(over.cert, issuer), "stale"],
    ["an expired CA beside the one that issued it", served, base64(over.cert, issuer), "fit"],
    // its own dates are told of the certificate, not of the CA
    ["a certificate that has itself expired", past, base64(issuer), "fit"],
    ["no certificate", served, base64("none"), "no-pem"],
    ["PEM encoded twice", served, base64(base64(issuer)), "encoded-twice"],
    ["nothing", served, "", "empty"],
  ])("%s", (_title, ...[pair, caBundle, expected]) => {
    expect(trustIn(pair, caBundle)).toBe(expected);
  });
});
