import {
  absentSecret,
  certificateCodes,
  type CertificateFacts,
  firstUnfit,
  judgeCertificate,
  type LeafFacts,
  secretObject,
} from "../../../plugin/domain/certificate";
import { defaultNames } from "../../../plugin/domain/names";

const now = Date.parse("2026-06-15T12:00:00Z");
const context = { namespace: "engine", now, names: defaultNames };

const leaf: LeafFacts = {
  sha256: "ab".repeat(32),
  subject: "admission.engine.svc",
  issuer: "admission.engine.svc",
  san: ["admission.engine", "admission.engine.svc", "admission.engine.svc.cluster.local"],
  notBefore: "2026-01-01T00:00:00Z",
  notAfter: "2031-01-01T00:00:00Z",
  ca: true,
  selfSigned: true,
  keyType: "rsa",
  keyBits: 2048,
  signature: "sha256WithRSAEncryption",
};

const secret = {
  name: "admission-tls",
  namespace: "engine",
  type: "Opaque",
  items: ["cert", "privateKey"],
};

function facts(changes: Partial<CertificateFacts> = {}): CertificateFacts {
  return {
    secret,
    present: true,
    base64: true,
    pem: true,
    encodedTwice: false,
    count: 1,
    holdsPrivateKey: false,
    chainOk: true,
    leaf,
    matchesPrivateKey: true,
    caBundle: "LS0t",
    ...changes,
  };
}

const withLeaf = (changes: Partial<LeafFacts>): CertificateFacts =>
  facts({ leaf: { ...leaf, ...changes } });
const withSecret = (changes: Partial<typeof secret>): CertificateFacts =>
  facts({ secret: { ...secret, ...changes } });

const codesOf = (judged: CertificateFacts): readonly string[] =>
  judgeCertificate(judged, context).map(({ code }) => code);

describe("a fit certificate", () => {
  test("that is its own root may have the one before it behind it, and no other", () => {
    expect(codesOf(facts({ count: 2, chainOk: false }))).toEqual([]);
    expect(codesOf(facts({ count: 3, chainOk: false }))).toEqual(["CERT-CHAIN"]);
  });

  test.each<[string, CertificateFacts]>([
    ["the one that operators make", facts()],
    ["a bare PEM file", facts({ secret: undefined, matchesPrivateKey: undefined })],
    ["a name in capitals", withLeaf({ san: ["Admission.Engine.SVC"] })],
    ["a star for the service", withLeaf({ san: ["*.engine.svc"] })],
    ["the first moment of its validity", withLeaf({ notBefore: "2026-06-15T12:00:00Z" })],
    ["thirty days left", withLeaf({ notAfter: "2026-07-15T12:00:00Z" })],
    ["an EC key, which is short", withLeaf({ keyType: "ec", keyBits: 256 })],
    ["an RSA key of unknown length", withLeaf({ keyBits: undefined })],
    ["a hash whose name begins like a broken one", withLeaf({ signature: "sha1024" })],
  ])("has no findings: %s", (_name, judged) => {
    expect(judgeCertificate(judged, context)).toEqual([]);
  });
});

describe("an unfit fact is one finding", () => {
  test.each<[string, CertificateFacts, string, string, string]>([
    [
      "another type",
      withSecret({ type: "kubernetes.io/tls" }),
      "SECRET-TYPE",
      "type",
      "the secret is of type kubernetes.io/tls, not Opaque",
    ],
    [
      "three items",
      withSecret({ items: ["cert", "extra", "privateKey"] }),
      "SECRET-ITEMS",
      "data",
      "the secret holds 3 items (cert, extra, privateKey), not the two items cert, privateKey",
    ],
    [
      "one item",
      { ...withSecret({ items: ["cert"] }), matchesPrivateKey: undefined },
      "SECRET-ITEMS",
      "data",
      "the secret holds 1 items (cert), not the two items cert, privateKey",
    ],
    [
      "two items, none of them the private key",
      { ...withSecret({ items: ["cert", "tls.key"] }), matchesPrivateKey: undefined },
      "SECRET-ITEMS",
      "data",
      "the secret holds cert, tls.key, not cert, privateKey",
    ],
    [
      "no certificate among two items",
      {
        ...withSecret({ items: ["privateKey", "tls.crt"] }),
        present: false,
        base64: false,
        pem: false,
        leaf: undefined,
      },
      "SECRET-NO-CERT",
      "data.cert",
      "the secret has no item cert, it has privateKey, tls.crt",
    ],
    [
      "an item that is not base64",
      facts({ base64: false, pem: false, leaf: undefined }),
      "SECRET-NOT-PEM",
      "data.cert",
      "the certificate item is not base64",
    ],
    [
      "an item encoded twice",
      facts({ pem: false, encodedTwice: true, leaf: undefined }),
      "SECRET-NOT-PEM",
      "data.cert",
      "the certificate item is base64 of base64: the PEM text was encoded twice",
    ],
    [
      "an item that is not a PEM",
      facts({ pem: false, leaf: undefined }),
      "SECRET-NOT-PEM",
      "data.cert",
      "the certificate item holds no PEM certificate, or one that cannot be parsed",
    ],
    [
      "a private key in the certificate item",
      facts({ holdsPrivateKey: true }),
      "SECRET-PRIVATE-KEY-IN-CERT",
      "data.cert",
      "the certificate item also holds a private key; copied into caBundle it would be readable for everyone",
    ],
    [
      "a certificate for the bare name",
      withLeaf({ san: ["admission.engine"] }),
      "CERT-SAN",
      "data.cert",
      "the certificate is not made for admission.engine.svc; its DNS names: admission.engine",
    ],
    [
      "a certificate without names",
      withLeaf({ san: [] }),
      "CERT-SAN",
      "data.cert",
      "the certificate is not made for admission.engine.svc; its DNS names: none",
    ],
    [
      "a star that stands for two labels",
      withLeaf({ san: ["*.svc"] }),
      "CERT-SAN",
      "data.cert",
      "the certificate is not made for admission.engine.svc; its DNS names: *.svc",
    ],
    [
      "expired a second ago",
      withLeaf({ notAfter: "2026-06-15T11:59:59Z" }),
      "CERT-EXPIRED",
      "data.cert",
      "the certificate expired on 2026-06-15T11:59:59Z",
    ],
    [
      "valid from the next second on",
      withLeaf({ notBefore: "2026-06-15T12:00:01Z" }),
      "CERT-NOT-YET-VALID",
      "data.cert",
      "the certificate is not valid before 2026-06-15T12:00:01Z",
    ],
    [
      "another private key",
      facts({ matchesPrivateKey: false }),
      "CERT-KEY-MISMATCH",
      "data.privateKey",
      "the private key is unreadable or is not the certificate's: no connection to the webhook can succeed",
    ],
  ])("of severity error: %s", (_name, ...[judged, code, field, cause]) => {
    const findings = judgeCertificate(judged, context);

    expect(findings).toMatchObject([
      { code, severity: "error", object: "Secret/engine/admission-tls", field, cause },
    ]);
    expect(firstUnfit(findings)).toBe(findings[0]);
  });

  test.each<[string, CertificateFacts, string, string]>([
    [
      "a day left",
      withLeaf({ notAfter: "2026-06-16T12:00:00Z" }),
      "CERT-EXPIRES-SOON",
      "the certificate expires on 2026-06-16T12:00:00Z, days left: 1",
    ],
    [
      "SHA-1",
      withLeaf({ signature: "sha1WithRSAEncryption" }),
      "CERT-WEAK",
      "the certificate is weak: it is signed with sha1WithRSAEncryption",
    ],
    [
      "SHA-1 and a short key",
      withLeaf({ signature: "ecdsa-with-SHA1", keyBits: 1024 }),
      "CERT-WEAK",
      "the certificate is weak: it is signed with ecdsa-with-SHA1 and its RSA key has 1024 bits",
    ],
    [
      "a chain out of order",
      facts({ count: 2, chainOk: false, leaf: { ...leaf, selfSigned: false } }),
      "CERT-CHAIN",
      "the 2 certificates in the item are not a chain, each issued by the next",
    ],
  ])("of severity warning, which stops nothing: %s", (_name, ...[judged, code, cause]) => {
    const findings = judgeCertificate(judged, context);

    expect(findings).toMatchObject([{ code, severity: "warning", cause }]);
    expect(firstUnfit(findings)).toBeUndefined();
  });

  test("a bare PEM file is judged without an object", () => {
    const [finding] = judgeCertificate(
      { ...withLeaf({ san: [] }), secret: undefined, matchesPrivateKey: undefined },
      context,
    );

    expect(finding).not.toHaveProperty("object");
  });

  test("a file without a certificate has no item to list", () => {
    expect(codesOf(facts({ secret: undefined, present: false, leaf: undefined }))).toEqual([
      "SECRET-NO-CERT",
    ]);
  });
});

describe("several unfit facts", () => {
  const worst = facts({
    secret: { ...secret, type: "kubernetes.io/tls", items: ["a", "b", "cert"] },
    holdsPrivateKey: true,
    matchesPrivateKey: false,
    leaf: { ...leaf, san: [], notAfter: "2020-01-01T00:00:00Z" },
  });

  test("are all found, the most fundamental first", () => {
    expect(codesOf(worst)).toEqual([
      "SECRET-TYPE",
      "SECRET-ITEMS",
      "SECRET-PRIVATE-KEY-IN-CERT",
      "CERT-SAN",
      "CERT-EXPIRED",
      "CERT-KEY-MISMATCH",
    ]);
  });

  test("have one cause to name, whatever the order they come in", () => {
    const findings = judgeCertificate(worst, context);

    expect(firstUnfit([...findings].reverse())?.code).toBe("SECRET-TYPE");
    expect(firstUnfit(findings.slice(3))?.code).toBe("CERT-SAN");
  });
});

describe("the catalogue", () => {
  test("has every code once, with cause, fix and source", () => {
    const codes = certificateCodes.map(({ code }) => code);

    expect(codes).toEqual([
      "SECRET-MISSING",
      "SECRET-TYPE",
      "SECRET-ITEMS",
      "SECRET-NO-CERT",
      "SECRET-NOT-PEM",
      "SECRET-PRIVATE-KEY-IN-CERT",
      "CERT-SAN",
      "CERT-EXPIRED",
      "CERT-NOT-YET-VALID",
      "CERT-KEY-MISMATCH",
      "CERT-EXPIRES-SOON",
      "CERT-WEAK",
      "CERT-CHAIN",
    ]);
    for (const { cause, fix, source } of certificateCodes) {
      expect(cause).not.toBe("");
      expect(fix).not.toBe("");
      expect(source).toMatch(/^S\d+$/);
    }
  });

  test("an absent secret is named with its namespace", () => {
    expect(absentSecret("engine", defaultNames)).toMatchObject({
      code: "SECRET-MISSING",
      severity: "error",
      object: secretObject(secret),
      cause: "the secret admission-tls does not exist in namespace engine",
      source: "S27",
    });
  });

  test("the names of a branded operator are used in place of the neutral ones", () => {
    const webhook = { ...defaultNames.webhook, secretCert: "crt", service: "guard" };
    const names = { ...defaultNames, webhook };

    expect(judgeCertificate(facts(), { ...context, names })).toMatchObject([
      {
        code: "CERT-SAN",
        field: "data.crt",
        cause: expect.stringContaining("guard.engine.svc") as unknown,
      },
    ]);
  });
});
