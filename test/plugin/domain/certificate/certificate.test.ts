import {
  absentSecret,
  type CertificateFacts,
  firstUnfit,
  judgeCertificate,
  type LeafFacts,
  secretObject,
} from "../../../../plugin/domain/certificate/certificate";
import { defaultNames } from "../../../../plugin/domain/names/names";

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
    refused: undefined,
    leaf,
    matchesPrivateKey: true,
    caBundle: "LS0t",
    ...changes,
  };
}

const withLeaf = (changes: Partial<LeafFacts>): CertificateFacts =>
  facts({ leaf: { ...leaf, ...changes } });
const withSecret = (changes: Partial<typeof secret>, more: Partial<CertificateFacts> = {}) =>
  facts({ secret: { ...secret, ...changes }, ...more });
const codesOf = (judged: CertificateFacts): readonly string[] =>
  judgeCertificate(judged, context).map(({ code }) => code);

const chain = { count: 2, chainOk: false };

test.each<[string, CertificateFacts]>([
  ["the one that operators make", facts()],
  ["its own root, with the one before it behind it", facts(chain)],
  ["a bare PEM file", facts({ secret: undefined, matchesPrivateKey: undefined })],
  ["a name in capitals", withLeaf({ san: ["Admission.Engine.SVC"] })],
  ["a star for the service", withLeaf({ san: ["*.engine.svc"] })],
  ["the first moment of its validity", withLeaf({ notBefore: "2026-06-15T12:00:00Z" })],
  ["thirty days left", withLeaf({ notAfter: "2026-07-15T12:00:00Z" })],
  ["an EC key, which is short", withLeaf({ keyType: "ec", keyBits: 256 })],
  ["an RSA key of unknown length", withLeaf({ keyBits: undefined })],
  ["a hash whose name begins like a broken one", withLeaf({ signature: "sha1024" })],
])("a fit certificate has no findings: %s", (_name, judged) => {
  expect(judgeCertificate(judged, context)).toEqual([]);
});

const keyUnknown = { matchesPrivateKey: undefined };
const noCert = { present: false, base64: false, pem: false, leaf: undefined };
const san = "the certificate is not made for admission.engine.svc; its DNS names:";
const item = "the certificate item";
const two = "not the two items cert, privateKey";

test.each<[CertificateFacts, string, string, string]>([
  [
    withSecret({ type: "kubernetes.io/tls" }),
    "SECRET-TYPE",
    "type",
    "the secret is of type kubernetes.io/tls, not Opaque",
  ],
  [
    withSecret({ items: ["cert", "extra", "privateKey"] }),
    "SECRET-ITEMS",
    "data",
    `the secret holds 3 items (cert, extra, privateKey), ${two}`,
  ],
  [
    withSecret({ items: ["cert"] }, keyUnknown),
    "SECRET-ITEMS",
    "data",
    `the secret holds 1 item (cert), ${two}`,
  ],
  [
    withSecret({ items: ["cert", "tls.key"] }, keyUnknown),
    "SECRET-ITEMS",
    "data",
    "the secret holds cert, tls.key, not cert, privateKey",
  ],
  [
    withSecret({ items: ["privateKey", "tls.crt"] }, noCert),
    "SECRET-NO-CERT",
    "data.cert",
    "the secret has no item cert, it has privateKey, tls.crt",
  ],
  [
    facts({ base64: false, pem: false, leaf: undefined }),
    "SECRET-NOT-PEM",
    "data.cert",
    `${item} is not base64`,
  ],
  [
    facts({ pem: false, encodedTwice: true, leaf: undefined }),
    "SECRET-NOT-PEM",
    "data.cert",
    `${item} is base64 of base64: the PEM text was encoded twice`,
  ],
  [
    facts({ pem: false, leaf: undefined }),
    "SECRET-NOT-PEM",
    "data.cert",
    `${item} holds no PEM certificate, or one that cannot be parsed`,
  ],
  [
    facts({ holdsPrivateKey: true }),
    "SECRET-PRIVATE-KEY-IN-CERT",
    "data.cert",
    `${item} also holds a private key; copied into caBundle it would be readable for everyone`,
  ],
  [
    facts({ refused: "x509: negative serial number", leaf: { ...leaf, san: [] } }),
    "CERT-REFUSED",
    "data.cert",
    "no API server accepts the certificate: x509: negative serial number",
  ],
  [
    facts({ refused: "x509: negative serial number", leaf: { ...leaf, signature: "sha1WithRSA" } }),
    "CERT-REFUSED",
    "data.cert",
    "no API server accepts the certificate: x509: negative serial number",
  ],
  [
    facts({ caRefuses: "x509: certificate signed by unknown authority" }),
    "SECRET-CA",
    "data.ca.crt",
    "its ca.crt, which callers are made to trust, is not the CA of its tls.crt: x509: certificate signed by unknown authority",
  ],
  [
    facts({ refused: "x509: negative serial number", caRefuses: "x509: negative serial number" }),
    "CERT-REFUSED",
    "data.cert",
    "no API server accepts the certificate: x509: negative serial number",
  ],
  [withLeaf({ san: ["admission.engine"] }), "CERT-SAN", "data.cert", `${san} admission.engine`],
  [withLeaf({ san: [] }), "CERT-SAN", "data.cert", `${san} none`],
  [withLeaf({ san: ["*.svc"] }), "CERT-SAN", "data.cert", `${san} *.svc`],
  [
    withLeaf({ notAfter: "2026-06-15T11:59:59Z" }),
    "CERT-EXPIRED",
    "data.cert",
    "the certificate expired on 2026-06-15T11:59:59Z",
  ],
  [
    withLeaf({ notBefore: "2026-06-15T12:00:01Z" }),
    "CERT-NOT-YET-VALID",
    "data.cert",
    "the certificate is not valid before 2026-06-15T12:00:01Z",
  ],
  [
    facts({ matchesPrivateKey: false }),
    "CERT-KEY-MISMATCH",
    "data.privateKey",
    "the private key is unreadable or is not the certificate's: no connection to the webhook can succeed",
  ],
])("an unfit fact is one error (%#)", (judged, ...[code, field, cause]) => {
  const findings = judgeCertificate(judged, context);
  const object = "Secret/engine/admission-tls";
  expect(findings).toMatchObject([{ code, severity: "error", object, field, cause }]);
  expect(firstUnfit(findings)).toBe(findings[0]);
});

const weak = "the certificate is weak: it is signed with";

test.each<[CertificateFacts, string, string]>([
  [
    withLeaf({ notAfter: "2026-06-16T12:00:00Z" }),
    "CERT-EXPIRES-SOON",
    "the certificate expires on 2026-06-16T12:00:00Z, days left: 1",
  ],
  [withLeaf({ signature: "sha1WithRSA" }), "CERT-WEAK", `${weak} sha1WithRSA`],
  [
    withLeaf({ signature: "ecdsa-with-SHA1", keyBits: 1024 }),
    "CERT-WEAK",
    `${weak} ecdsa-with-SHA1 and its RSA key has 1024 bits`,
  ],
  [
    facts({ ...chain, leaf: { ...leaf, selfSigned: false } }),
    "CERT-CHAIN",
    "the 2 certificates in the item are not a chain, each issued by the next",
  ],
  [
    facts({ ...chain, count: 3 }),
    "CERT-CHAIN",
    "the 3 certificates in the item are not a chain, each issued by the next",
  ],
])("an unfit fact is one warning, which stops nothing (%#)", (judged, code, cause) => {
  const findings = judgeCertificate(judged, context);
  expect(findings).toMatchObject([{ code, severity: "warning", cause }]);
  expect(firstUnfit(findings)).toBeUndefined();
});

test("a bare PEM file is checked without an object, and without an item to list", () => {
  const bare = { secret: undefined, ...keyUnknown };
  const [finding] = judgeCertificate({ ...withLeaf({ san: [] }), ...bare }, context);
  expect(finding).not.toHaveProperty("object");
  const empty = facts({ secret: undefined, present: false, leaf: undefined });
  expect(codesOf(empty)).toEqual(["SECRET-NO-CERT"]);
});

test("several unfit facts are all found, the most fundamental first, which is the one to name", () => {
  const worst = withSecret(
    { type: "kubernetes.io/tls", items: ["a", "b", "cert"] },
    {
      holdsPrivateKey: true,
      matchesPrivateKey: false,
      leaf: { ...leaf, san: [], notAfter: "2020-01-01T00:00:00Z" },
    },
  );
  expect(codesOf(worst)).toEqual([
    "SECRET-TYPE",
    "SECRET-ITEMS",
    "SECRET-PRIVATE-KEY-IN-CERT",
    "CERT-SAN",
    "CERT-EXPIRED",
    "CERT-KEY-MISMATCH",
  ]);
  const findings = judgeCertificate(worst, context);
  expect(firstUnfit([...findings].reverse())?.code).toBe("SECRET-TYPE");
  expect(firstUnfit(findings.slice(3))?.code).toBe("CERT-SAN");
});

const keeper = { name: "ExternalSecret/pair", way: "renew the pair in its store" };

test.each<[string, CertificateFacts, string]>([
  [
    "one that a new pair would mend",
    withLeaf({ notAfter: "2020-01-01T00:00:00Z" }),
    "renew the pair in its store (ExternalSecret/pair keeps the Secret); then run `upgrade-webhook`",
  ],
  [
    "another",
    withSecret({ items: ["privateKey", "tls.crt"] }, noCert),
    "store the certificate under the name that the specification gives (tls.crt is not read); then renew the pair in its store (ExternalSecret/pair keeps the Secret)",
  ],
])("the way on of a Secret that a controller keeps is the controller's: %s", (...row) => {
  const [, judged, fix] = row;
  const kept = { ...judged, secret: { ...secret, ...judged.secret, keeper } };
  expect(judgeCertificate(kept, context)).toMatchObject([{ fix }]);
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
  const cause: unknown = expect.stringContaining("guard.engine.svc");
  expect(judgeCertificate(facts(), { ...context, names })).toMatchObject([
    { code: "CERT-SAN", field: "data.crt", cause },
  ]);
});
