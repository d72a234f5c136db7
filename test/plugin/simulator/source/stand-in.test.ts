import {
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
  readSecretCertificate,
} from "../../../../plugin/adapters/certificate";
import { judgeServed, rootsIn } from "../../../../plugin/adapters/http/x509/judge";
import { certificateBlocks } from "../../../../plugin/adapters/http/x509/pem";
import { privateKeys } from "../../../../plugin/adapters/private-keys";
import { judgeCertificate } from "../../../../plugin/domain/certificate/certificate";
import { defaultNames } from "../../../../plugin/domain/names/names";
import { getPath } from "../../../../plugin/domain/base/values";
import { KeyRing } from "../../../../plugin/simulator/source/reissue";
import { disarm, standIn, type StandIn } from "../../../../plugin/simulator/source/stand-in";
import type { KubeObject } from "../../../../plugin/ports/kubernetes";
import { readGoVerdicts } from "../../../support/go-verdicts";
import { pooledKey } from "../../../support/key-pool";
import { rsaKeys } from "../../../support/tls";
import { now } from "./dumps";

const names = defaultNames;
const base64 = (text: string): string => Buffer.from(text, "latin1").toString("base64");
const decoded = (value: unknown): string => Buffer.from(String(value), "base64").toString("latin1");
const keys = new KeyRing();

let pair: KeyPair;
let stranger: KeyPair;
let chain: readonly KeyPair[];

beforeAll(async () => {
  [pair, stranger] = await Promise.all([
    generatePair({ namespace: "engine", names, now }),
    generatePair({ namespace: "engine", names, now, years: 1 }),
  ]);
  chain = issuedChain();
  privateKeys.make = (plan) => Promise.resolve(pooledKey(plan, "stand-in"));
});

function secretOf(data: unknown, changes: Partial<KubeObject> = {}): KubeObject {
  return {
    apiVersion: "v1",
    kind: "Secret",
    metadata: { name: names.webhook.secret, namespace: "engine" },
    type: "Opaque",
    data,
    ...changes,
  };
}

const holding = (certPem: string, keyPem: string): KubeObject =>
  secretOf({ cert: base64(certPem), privateKey: base64(keyPem) });

/** A leaf, and the CA that issued it. */
function issuedChain(): readonly KeyPair[] {
  const ca = certificateWith({ ca: true });
  const leaf = certificateWith({ issuer: ca });
  return [leaf, ca];
}

interface Parts {
  readonly ca?: boolean;
  readonly issuer?: KeyPair;
  readonly bits?: number;
  readonly digest?: md.MessageDigest;
  readonly notBefore?: number;
  readonly notAfter?: number;
  readonly name?: string;
}

const day = 24 * 60 * 60_000;

function certificateWith(parts: Parts): KeyPair {
  const { publicKey, privateKey } = rsaKeys(parts.bits);
  const certificate = pki.createCertificate();
  certificate.publicKey = pki.publicKeyFromPem(publicKey);
  certificate.serialNumber = "0a";
  certificate.validity.notBefore = new Date(now + (parts.notBefore ?? -day));
  certificate.validity.notAfter = new Date(now + (parts.notAfter ?? 300 * day));
  const subject = [{ name: "commonName", value: parts.ca === true ? "ca" : "leaf äöü" }];
  certificate.setSubject(subject);
  certificate.setIssuer(
    parts.issuer === undefined ? subject : [{ name: "commonName", value: "ca" }],
  );
  const host = parts.name ?? "admission.engine.svc";
  certificate.setExtensions([
    { name: "basicConstraints", cA: parts.ca === true, critical: true },
    {
      name: "subjectAltName",
      altNames: [
        { type: 2, value: host },
        { type: 7, ip: "10.0.0.1" },
      ],
    },
  ]);
  const signer = pki.privateKeyFromPem(parts.issuer?.keyPem ?? privateKey);
  certificate.sign(signer, parts.digest ?? md.sha256.create());
  return { certPem: pki.certificateToPem(certificate), keyPem: privateKey };
}

/** With a key that node-forge cannot handle. */
function pairWith(
  keyPair: { readonly publicKey: KeyObject; readonly privateKey: KeyObject },
  { oid, hash }: { readonly oid: string; readonly hash: string | null },
): KeyPair {
  const universal = asn1.Class.UNIVERSAL;
  const algorithm = asn1.create(universal, asn1.Type.SEQUENCE, true, [
    asn1.create(universal, asn1.Type.OID, false, asn1.oidToDer(oid).getBytes()),
  ]);
  const [tbs] = pki.certificateToAsn1(pki.certificateFromPem(pair.certPem)).value as [asn1.Asn1];
  const parts = tbs.value as asn1.Asn1[];
  parts[2] = algorithm;
  const spki = keyPair.publicKey.export({ type: "spki", format: "der" });
  parts[6] = asn1.fromDer(spki.toString("binary"));
  const signed = Buffer.from(asn1.toDer(tbs).getBytes(), "binary");
  const signature = `\0${sign(hash, signed, keyPair.privateKey).toString("binary")}`;
  const whole = asn1.create(universal, asn1.Type.SEQUENCE, true, [
    tbs,
    algorithm,
    asn1.create(universal, asn1.Type.BITSTRING, false, signature),
  ]);
  const der = Buffer.from(asn1.toDer(whole).getBytes(), "binary").toString("base64");
  return {
    certPem: `-----BEGIN CERTIFICATE-----\n${der}\n-----END CERTIFICATE-----\n`,
    keyPem: keyPair.privateKey.export({ type: "pkcs8", format: "pem" }).toString(),
  };
}

const ecPair = (): KeyPair =>
  pairWith(generateKeyPairSync("ec", { namedCurve: "secp384r1" }), {
    oid: "1.2.840.10045.4.3.3",
    hash: "sha384",
  });
const edPair = (): KeyPair =>
  pairWith(generateKeyPairSync("ed25519"), { oid: "1.3.101.112", hash: null });
const pssPair = (): KeyPair =>
  pairWith(generateKeyPairSync("rsa", { modulusLength: 2048 }), {
    oid: "1.2.840.113549.1.1.10",
    hash: "sha256",
  });

function make(secret: KubeObject, mayBeRedacted = false): Promise<StandIn> {
  return standIn(secret, { names, now, keys, authorities: [], mayBeRedacted });
}

/** What a command says about a Secret, and what it shows of it. */
function verdict(secret: KubeObject) {
  const facts = readSecretCertificate(secret, names);
  const findings = judgeCertificate(facts, { namespace: "engine", now, names });
  const leaf = facts.leaf === undefined ? undefined : { ...facts.leaf, sha256: "" };
  return { findings, facts: { ...facts, leaf, caBundle: "" } };
}

const cut = (pem: string): string => pem.slice(0, pem.length / 2);

describe("a stand-in is checked as the original", () => {
  test.each<[name: string, secret: () => KubeObject]>([
    ["fit", () => holding(pair.certPem, pair.keyPem)],
    ["EC", () => holding(ecPair().certPem, ecPair().keyPem)],
    ["Ed25519", () => ((p) => holding(p.certPem, p.keyPem))(edPair())],
    ["a key that does not fit", () => holding(pair.certPem, stranger.keyPem)],
    ["a key that is none", () => holding(pair.certPem, "key")],
    ["no key", () => secretOf({ cert: base64(pair.certPem) })],
    ["no certificate", () => secretOf({ privateKey: base64(pair.keyPem) })],
    ["the names of TLS Secrets", () => secretOf({ "tls.crt": "eA==", "tls.key": "eA==" })],
    ["no items", () => secretOf({})],
    ["no data", () => secretOf(undefined)],
    ["empty items", () => secretOf({ cert: "", privateKey: "" })],
    ["another type", () => holding(pair.certPem, pair.keyPem)],
    [
      "an item more",
      () => secretOf({ cert: base64(pair.certPem), privateKey: "eA==", ca: "eA==" }),
    ],
    ["no base64", () => secretOf({ cert: "%", privateKey: "eA==" })],
    ["a number", () => secretOf({ cert: 7, privateKey: null })],
    ["base64 of base64", () => holding(base64(pair.certPem), pair.keyPem)],
    ["no PEM", () => holding("certificate", pair.keyPem)],
    ["a certificate cut short", () => holding(cut(pair.certPem), pair.keyPem)],
    [
      "a certificate that is none",
      () => holding("-----BEGIN CERTIFICATE-----\neA==\n-----END CERTIFICATE-----\n", pair.keyPem),
    ],
    [
      "a second certificate that is none",
      () =>
        holding(
          `${pair.certPem}-----BEGIN CERTIFICATE-----\neA==\n-----END CERTIFICATE-----\n`,
          pair.keyPem,
        ),
    ],
    ["the key in the certificate", () => holding(pair.certPem + pair.keyPem, pair.keyPem)],
    [
      "a key cut short in the certificate",
      () => holding(pair.certPem + cut(pair.keyPem), pair.keyPem),
    ],
    ["the key alone in the certificate", () => holding(pair.keyPem, pair.keyPem)],
    ["text around", () => holding(`subject: x\n${pair.certPem}\nend`, pair.keyPem)],
    ["text before the block, in its line", () => holding(`x${pair.certPem}`, pair.keyPem)],
    [
      "another host",
      () => ((p) => holding(p.certPem, p.keyPem))(certificateWith({ name: "x.y.svc" })),
    ],
    [
      "expired",
      () =>
        ((p) => holding(p.certPem, p.keyPem))(
          certificateWith({ notBefore: -9 * day, notAfter: -day }),
        ),
    ],
    [
      "not yet valid",
      () => ((p) => holding(p.certPem, p.keyPem))(certificateWith({ notBefore: day })),
    ],
    [
      "expires soon",
      () => ((p) => holding(p.certPem, p.keyPem))(certificateWith({ notAfter: day })),
    ],
    ["a short key", () => ((p) => holding(p.certPem, p.keyPem))(certificateWith({ bits: 1024 }))],
    [
      "SHA-1",
      () => ((p) => holding(p.certPem, p.keyPem))(certificateWith({ digest: md.sha1.create() })),
    ],
    [
      "MD5",
      () => ((p) => holding(p.certPem, p.keyPem))(certificateWith({ digest: md.md5.create() })),
    ],
    ["issued by an unknown CA", () => holding(chain[0]?.certPem ?? "", chain[0]?.keyPem ?? "")],
    [
      "a chain",
      () => holding(chain.map(({ certPem }) => certPem).join(""), chain[0]?.keyPem ?? ""),
    ],
    [
      "a chain in the wrong order",
      () =>
        holding(
          chain
            .map(({ certPem }) => certPem)
            .reverse()
            .join(""),
          chain[1]?.keyPem ?? "",
        ),
    ],
    [
      "two that have nothing to do with each other",
      () => holding(pair.certPem + stranger.certPem, pair.keyPem),
    ],
    ["the same twice, EC", () => ((p) => holding(p.certPem + p.certPem, p.keyPem))(ecPair())],
    ["the same twice", () => holding(pair.certPem + pair.certPem, pair.keyPem)],
  ])("%s", async (name, given) => {
    const secret = name === "another type" ? { ...given(), type: "kubernetes.io/tls" } : given();
    const { secret: made } = await make(secret);

    expect(verdict(made)).toEqual(verdict(secret));
  });

  test("stringData counts as the API server counts it", async () => {
    const secret = secretOf(
      { cert: "eA==" },
      { stringData: { cert: pair.certPem, privateKey: pair.keyPem } },
    );
    const { secret: made } = await make(secret);

    expect(verdict(made)).toEqual(verdict(secret));
    expect(made["stringData"]).toBeUndefined();
  });
});

const configuration = (caBundle: string, kind = "ValidatingWebhookConfiguration"): KubeObject => ({
  apiVersion: "admissionregistration.k8s.io/v1",
  kind,
  metadata: { name: "c" },
  webhooks: [
    {
      name: "w",
      clientConfig: { caBundle, service: { name: "admission", namespace: "engine" } },
    },
  ],
});

const trusted = (webhook: KubeObject | undefined): string =>
  decoded(getPath((webhook?.["webhooks"] as unknown[])[0], ["clientConfig", "caBundle"]));

describe("an API server takes the stand-in where it takes the original", () => {
  const { name, now: moment, rows } = readGoVerdicts();

  function isTaken(served: string, bundle: string): boolean {
    const found = rootsIn(bundle);
    if ("problem" in found) return false;
    const chain = certificateBlocks(served).map((der) => der ?? Buffer.of());
    return (
      judgeServed({ served: chain, roots: found.roots, name, now: Date.parse(moment) }) ===
      undefined
    );
  }

  test.each(rows)("$title", async ({ served, bundle = served }) => {
    const { objects, pairs } = await disarm([holding(served, ""), configuration(base64(bundle))], {
      names,
      now: Date.parse(moment),
      mayBeRedacted: true,
    });
    const [secret, webhook] = objects;
    const stored = decoded(getPath(secret, ["data", "cert"]));

    expect(isTaken(pairs[0]?.cert ?? stored, trusted(webhook))).toBe(isTaken(served, bundle));
    // what is stored is put into caBundle by upgrade-webhook
    expect(isTaken(stored, stored)).toBe(isTaken(served, served));
  });
});

describe("a stand-in's pair", () => {
  test.each<[name: string, given: () => KeyPair]>([
    ["RSA", () => pair],
    ["EC", ecPair],
    ["Ed25519", edPair],
    ["issued by an unknown CA", () => chain[0] as KeyPair],
  ])("fits together and can be served: %s", async (_name, given) => {
    const { certPem, keyPem } = given();
    const { pair: served, secret } = await make(holding(certPem, keyPem));
    const certificate = new X509Certificate(served?.cert ?? "");

    expect(served?.namespace).toBe("engine");
    expect(certificate.checkPrivateKey(createPrivateKey(served?.key ?? ""))).toBe(true);
    expect(decoded(getPath(secret, ["data", "cert"]))).toContain(served?.cert);
    expect(decoded(getPath(secret, ["data", "privateKey"]))).toBe(served?.key);
  });

  test("fits where the original's did not", async () => {
    const { pair: served, secret } = await make(holding(pair.certPem, stranger.keyPem));
    const certificate = new X509Certificate(served?.cert ?? "");

    expect(certificate.checkPrivateKey(createPrivateKey(served?.key ?? ""))).toBe(true);
    expect(decoded(getPath(secret, ["data", "privateKey"]))).not.toBe(served?.key);
  });

  test.each<[name: string, secret: () => KubeObject]>([
    ["no certificate", () => secretOf({ privateKey: base64(pair.keyPem) })],
    [
      "a first certificate that is none",
      () =>
        holding(
          `-----BEGIN CERTIFICATE-----\neA==\n-----END CERTIFICATE-----\n${pair.certPem}`,
          "",
        ),
    ],
  ])("is absent where there is nothing to serve: %s", async (_name, secret) => {
    expect((await make(secret())).pair).toBeUndefined();
  });
});

describe("nothing of the original stays", () => {
  test.each<[name: string, secret: () => KubeObject]>([
    ["fit", () => holding(pair.certPem, pair.keyPem)],
    ["the key in the certificate", () => holding(pair.certPem + pair.keyPem, pair.keyPem)],
    ["the key cut short", () => holding(pair.certPem + cut(pair.keyPem), cut(pair.keyPem))],
    [
      "the key without its marks",
      () =>
        holding(`${pair.certPem}\n${pair.keyPem.split("\n").slice(1, -2).join("\n")}`, pair.keyPem),
    ],
    ["the key in another item", () => secretOf({ "tls.key": base64(pair.keyPem) })],
    ["the key as text", () => secretOf(undefined, { stringData: { privateKey: pair.keyPem } })],
    [
      "the key in the annotation of kubectl apply",
      () => ({
        ...holding(pair.certPem, pair.keyPem),
        metadata: {
          name: names.webhook.secret,
          namespace: "engine",
          annotations: {
            "kubectl.kubernetes.io/last-applied-configuration": pair.keyPem,
            kept: "yes",
          },
        },
      }),
    ],
  ])("%s", async (_name, given) => {
    const original = given();
    const { secret } = await make(original);
    const items = Object.values((secret["data"] ?? {}) as Record<string, string>).map(decoded);
    const all = [JSON.stringify(secret), ...items].join("\n");

    for (const line of pair.keyPem
      .split("\n")
      .filter((text) => text.length > 20 && !text.startsWith("--"))) {
      expect(all).not.toContain(line);
    }
    expect(secret.metadata.annotations).toEqual(
      original.metadata.annotations === undefined ? undefined : { kept: "yes" },
    );
  });
});

describe("a Secret whose values were taken out of the dump", () => {
  test.each<[name: string, data: unknown]>([
    ["no data", undefined],
    ["no items", {}],
    ["empty items", { cert: "", privateKey: "" }],
    ["items that are null", { cert: null, privateKey: null }],
  ])("gets a fit pair, and it is said: %s", async (_name, data) => {
    const { secret, pair: served, warnings } = await make(secretOf(data), true);

    expect(verdict(secret).findings).toEqual([]);
    expect(certificateOfPem(served?.cert ?? "").leaf?.san).toContain("admission.engine.svc");
    expect(warnings).toEqual([
      "Secret engine/admission-tls has no values: its certificate was not rehearsed, a fit one stands in for it",
    ]);
  });

  test("keeps its certificate where only the key was taken out", async () => {
    const secret = secretOf({ cert: base64(pair.certPem), privateKey: "" });
    const { secret: made, warnings } = await make(secret, true);

    expect(verdict(made)).toEqual(verdict(holding(pair.certPem, pair.keyPem)));
    expect(warnings).toEqual([
      "Secret engine/admission-tls has no value of privateKey: taken for a key that fits",
    ]);
  });

  test("keeps the items that it lacks", async () => {
    const { secret } = await make(secretOf({ cert: "", other: "" }), true);

    expect(Object.keys(secret["data"] as object)).toEqual(["cert", "other"]);
    expect(getPath(secret, ["data", "other"])).toBe("");
  });
});

test("a certificate that nothing can imitate is replaced by a fit one, and it is said", async () => {
  class NoKeys extends KeyRing {
    override get = () => Promise.reject(new Error("no such curve"));
  }
  const secret = holding(pair.certPem, pair.keyPem);
  const outcome = standIn(secret, {
    names,
    now,
    keys: new NoKeys(),
    authorities: [],
    mayBeRedacted: false,
  });
  const { secret: made, warnings } = await outcome;

  expect(verdict(made).findings).toEqual([]);
  expect(warnings).toEqual([
    "Secret engine/admission-tls is of a kind that has no stand-in: " +
      "its certificate was not rehearsed, a fit one stands in for it",
  ]);
});

test("a signature algorithm that is not known becomes a usual one", async () => {
  const { certPem, keyPem } = pssPair();
  const { secret } = await make(holding(certPem, keyPem));

  expect(verdict(secret).findings).toEqual([]);
});

describe("the trust of the webhooks follows", () => {
  async function bundle(secret: KubeObject, webhook: KubeObject) {
    const { objects } = await disarm([secret, webhook], { names, now, mayBeRedacted: true });
    const [made, other] = objects;
    return {
      stored: String(getPath(made, ["data", "cert"])),
      caBundle: String(
        getPath((other?.["webhooks"] as unknown[])[0], ["clientConfig", "caBundle"]),
      ),
    };
  }

  test.each(["ValidatingWebhookConfiguration", "MutatingWebhookConfiguration"])(
    "where a %s repeats the certificate word for word",
    async (kind) => {
      for (const text of [pair.certPem, `subject: x\n${pair.certPem}`]) {
        const { stored, caBundle } = await bundle(
          holding(text, pair.keyPem),
          configuration(base64(text), kind),
        );

        expect(caBundle).toBe(stored);
        expect(caBundle).not.toBe(base64(text));
      }
    },
  );

  test("where a bundle holds it among others, written otherwise", async () => {
    const given = base64(`# mine\n${stranger.certPem}\n\n${pair.certPem}`);
    const { stored, caBundle } = await bundle(
      holding(pair.certPem, pair.keyPem),
      configuration(given),
    );

    expect(decoded(caBundle)).toContain(decoded(stored).trim());
    expect(decoded(caBundle)).toContain(`# mine\n${stranger.certPem}`);
    expect(decoded(caBundle)).not.toContain(pair.certPem.trim());
  });

  test("where a bundle holds the root of the chain alone", async () => {
    const whole = chain.map(({ certPem }) => certPem).join("");
    const { stored, caBundle } = await bundle(
      holding(whole, chain[0]?.keyPem ?? ""),
      configuration(base64(chain[1]?.certPem ?? "")),
    );
    const [leaf, root] = [decoded(stored), decoded(caBundle)].map(
      (pem) => new X509Certificate(pem),
    );

    expect(leaf?.verify((root as X509Certificate).publicKey)).toBe(true);
  });

  test("but not where it trusts another certificate, or nothing that can be read", async () => {
    for (const given of [base64(stranger.certPem), "%", "", base64("nothing")]) {
      const { caBundle } = await bundle(holding(pair.certPem, pair.keyPem), configuration(given));

      expect(caBundle).toBe(given);
    }
  });

  test("where the certificate is made up for the Service that it calls", async () => {
    const given = configuration(base64(stranger.certPem));
    const { stored, caBundle } = await bundle(secretOf(undefined), given);

    expect(caBundle).toBe(stored);
  });

  test("and never carries a private key", async () => {
    const given = base64(stranger.certPem + stranger.keyPem);
    const { caBundle } = await bundle(holding(pair.certPem, pair.keyPem), configuration(given));

    expect(decoded(caBundle)).toContain(stranger.certPem);
    expect(decoded(caBundle)).not.toContain(stranger.keyPem.split("\n")[2]);
  });
});

test("other Secrets keep the names of their items and their type", async () => {
  const secret: KubeObject = {
    apiVersion: "v1",
    kind: "Secret",
    metadata: { name: "login", namespace: "a", labels: { a: "b" } },
    type: "kubernetes.io/basic-auth",
    data: { username: "amFuZQ==", password: "aHVudGVyMg==" },
    stringData: { more: "hunter2" },
  };
  const { objects, pairs, warnings } = await disarm([secret], { names, now, mayBeRedacted: true });

  expect(objects).toEqual([
    {
      apiVersion: "v1",
      kind: "Secret",
      metadata: secret.metadata,
      type: secret["type"],
      data: { username: "", password: "", more: "" },
    },
  ]);
  expect(pairs).toEqual([]);
  expect(warnings).toEqual([
    "the values of 1 Secret were dropped at reading, their names and types are kept",
  ]);
});
