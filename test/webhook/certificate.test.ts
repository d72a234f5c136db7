import { createPublicKey, generateKeyPairSync, X509Certificate } from "node:crypto";
import { pemOfKey } from "../../plugin/adapters/private-keys";
import { defaultNames } from "../../plugin/domain/names/names";
import { tryHandshake } from "../../webhook/certificate/handshake";
import {
  type ServedKeyPair,
  provenPair,
  readPair,
  ServedCertificate,
  type ServedOptions,
} from "../../webhook/certificate/served";
import {
  basicConstraints,
  certificateDer,
  dnsNames,
  type ExtensionParts,
  keyUsage,
  named,
  pemOf,
  usages,
} from "../support/certificate-der";
import { pooledKey } from "../support/key-pool";
import { aPair, type PemPair } from "../support/tls";
import { FakeLog } from "./fake-log";
import { TlsFolder } from "./tls-folder";

const files = defaultNames.webhook;
const first = aPair({ commonName: "first" });
const second = aPair({ commonName: "second" });
const third = aPair({ commonName: "third" });
const expired = aPair({ notBefore: new Date(2020, 0), notAfter: new Date(2021, 0) });
const early = aPair({ notBefore: new Date(2120, 0), notAfter: new Date(2121, 0) });
const stranger = aPair({ names: ["admission.elsewhere.svc"] });
const byCommonName = aPair({ commonName: "localhost", names: [] });
const clientsOnly = oddPair([dnsNames("localhost"), usages("1.3.6.1.5.5.7.3.2")]);
const otherType = generateKeyPairSync("ec", {
  namedCurve: "P-256",
  publicKeyEncoding: { type: "spki", format: "pem" },
  privateKeyEncoding: { type: "pkcs8", format: "pem" },
}).privateKey;
/** A pair that has these extensions and no others. */
function oddPair(extensions: readonly ExtensionParts[]): PemPair {
  const privateKey = pooledKey({ type: "rsa" });
  const key = { privateKey, publicKey: createPublicKey(privateKey) };
  return {
    certPem: pemOf(certificateDer({ keys: key, subject: named("odd"), extensions })),
    keyPem: pemOfKey(privateKey),
  };
}

const noPair = "the certificate folder holds no pair to serve";

const folders: TlsFolder[] = [];
afterAll(() => {
  for (const folder of folders) folder.remove();
});

function serving(content?: Partial<PemPair>, more: Partial<ServedOptions> = {}) {
  const folder = new TlsFolder(content);
  folders.push(folder);
  const log = new FakeLog();
  const served: string[] = [];
  const certificate = new ServedCertificate({
    folder: folder.dir,
    names: files,
    serverName: "localhost",
    log,
    serve: ({ leaf }) => served.push(leaf.subject.replace("CN=", "")),
    pollMs: 60_000,
    ...more,
  });
  return { folder, log, served, certificate };
}

const proven = ({ certPem: cert, keyPem: key }: PemPair): ServedKeyPair =>
  provenPair({ cert, key }, files);
const sha256Of = ({ certPem }: PemPair) =>
  new X509Certificate(certPem).fingerprint256.replaceAll(":", "").toLowerCase();

test("a certificate may come with its chain", () => {
  const chain = `${first.certPem}${second.certPem}`;
  const { cert, key, leaf } = readPair(serving({ ...first, certPem: chain }).folder.dir, files);
  expect([cert, key, leaf.subject]).toEqual([chain, first.keyPem, "CN=first"]);
});

test("a good pair is served once, and again when it changes, however often", async () => {
  const { folder, certificate, served } = serving(first);
  expect(certificate.isLoaded()).toBe(false);
  for (const pair of [first, first, second, first]) {
    folder.swap(pair);
    await certificate.refresh();
  }
  expect(served).toEqual(["first", "second", "first"]);
  expect(certificate.isLoaded()).toBe(true);
});

const items = "has to hold the items cert and privateKey, it holds";
test.each<[string, Partial<PemPair>, RegExp]>([
  ["no files", {}, RegExp(`${items} nothing$`)],
  ["a key alone", { keyPem: first.keyPem }, RegExp(`${items} privateKey$`)],
  ["a certificate alone", { certPem: first.certPem }, RegExp(`${items} cert$`)],
  [
    "the key of another",
    { ...first, keyPem: second.keyPem },
    /^privateKey is not the private key of cert$/,
  ],
  [
    "a key of another type",
    { ...first, keyPem: otherType },
    /^privateKey is not the private key of cert$/,
  ],
  [
    "a certificate that is cut",
    { ...first, certPem: first.certPem.slice(0, 300) },
    /^cert is not valid PEM$/,
  ],
  ["a key that is cut", { ...first, keyPem: first.keyPem.slice(0, 300) }, /^privateKey is not val/],
  ["empty files", { certPem: "", keyPem: "" }, /^cert is not valid PEM$/],
  ["an expired pair", expired, /^the certificate is expired at /],
  ["a pair from the future", early, /^the certificate is not valid before /],
  [
    "a pair that bears the name as its common name alone",
    byCommonName,
    /refused by API servers .* relies on legacy Common Name field/,
  ],
  ["a pair for clients only", clientsOnly, /refused by API servers .*incompatible key usage/],
  ["a pair for another name", stranger, /is valid for admission.elsewhere.svc, not localhost/],
])("%s does not displace the last good pair, and is named once", async (_name, parts, because) => {
  const { folder, certificate, served, log } = serving(first);
  await certificate.refresh();
  folder.swap(parts);
  await certificate.refresh();
  await certificate.refresh();
  expect(served).toEqual(["first"]);
  expect(certificate.isLoaded()).toBe(true);
  const fields = { kept: true, because: expect.stringMatching(because) as string };
  expect(log.of(noPair)).toMatchObject([{ level: "error", fields }]);
  folder.swap(second);
  await certificate.refresh();
  expect(served).toEqual(["first", "second"]);
});

test.each([
  ["an expired pair", expired],
  ["a pair for another name", stranger],
  ["a pair for clients only", clientsOnly],
  ["a pair from the future", early],
])("%s is served where there is no better one, and is ready only in its time", async (...row) => {
  let now = new Date();
  const { certificate, served, log } = serving(row[1], { now: () => now });
  await certificate.refresh();
  await certificate.refresh();
  expect([served.length, certificate.isLoaded()]).toEqual([1, false]);
  expect(log.lines.map(({ message }) => message)).toEqual([noPair, "certificate in service"]);
  now = new Date(2120, 6);
  await certificate.refresh();
  expect([served.length, certificate.isLoaded()]).toEqual([1, row[1] === early]);
});

test.each([
  ["an authority whose key may only sign certificates", [basicConstraints(true), keyUsage(0x04)]],
  ["no authority, whose key may only encipher", [basicConstraints(false), keyUsage(0x20)]],
])("%s is taken, as API servers take it", async (_name, extensions) => {
  const { folder, certificate, served } = serving(first);
  await certificate.refresh();
  folder.swap(oddPair([dnsNames("localhost"), ...extensions]));
  await certificate.refresh();
  expect(served).toEqual(["first", "odd"]);
  expect(certificate.state()).toMatchObject({ matchesFolder: true });
});

test("a pair that cannot shake hands at all is told by the code alone", async () => {
  const pair = { cert: first.certPem, key: otherType };
  expect(await tryHandshake(pair, "localhost")).toEqual({
    is: "failed",
    because: expect.stringMatching(/^a handshake with it fails \(\w+\)$/) as string,
  });
});

test("readiness reports which certificate is served, and whether it is the folder's", async () => {
  const { folder, certificate } = serving(first);
  expect(certificate.state()).toEqual({ matchesFolder: false });
  await certificate.refresh();
  const notAfter = new Date(new X509Certificate(first.certPem).validTo).toISOString();
  const served = { sha256: sha256Of(first), notAfter };
  expect(certificate.state()).toEqual({ ...served, matchesFolder: true });
  folder.swap(expired);
  await certificate.refresh();
  expect(certificate.state()).toEqual({
    ...served,
    matchesFolder: false,
    problem: expect.stringMatching(/^the certificate is expired at /) as string,
  });
});

test.each([
  ["holds it", new Set([sha256Of(first)]), true],
  ["holds others", new Set(["0"]), false],
  ["is not known", undefined, undefined],
])("readiness tells when the registration %s", async (_name, trusted, told) => {
  const { certificate } = serving(first, { trusted: () => trusted });
  expect(certificate.state()).not.toHaveProperty("inCaBundle");
  await certificate.refresh();
  expect(certificate.state().inCaBundle).toBe(told);
});

test("the log shows the fingerprint and never the key", async () => {
  const { certificate, log } = serving(first);
  await certificate.refresh();
  const [line] = log.of("certificate in service");
  expect(Object.keys(line?.fields ?? {})).toEqual(["sha256", "notAfter", "names"]);
  expect(JSON.stringify(log.lines)).not.toContain("PRIVATE");
});

test("the watch sees two rotations in a row", async () => {
  const { folder, certificate, log, served } = serving(first, { pollMs: 20 });
  certificate.start();
  for (const [index, next] of [second, third].entries()) {
    await log.seen("certificate in service", index + 1);
    folder.swap(next);
  }
  await log.seen("certificate in service", 3);
  certificate.stop();
  expect(served).toEqual(["first", "second", "third"]);
});

test("the watch polls where there is no folder yet", async () => {
  const { certificate, log } = serving(first, { folder: "/not-yet", pollMs: 5 });
  certificate.start();
  await log.seen(noPair);
  certificate.stop();
  expect(certificate.isLoaded()).toBe(false);
});

describe("a pair that is offered", () => {
  test("is served where the folder is empty", async () => {
    const { certificate, served } = serving();
    await certificate.refresh();
    await certificate.offer(proven(first));
    expect([served, certificate.isLoaded()]).toEqual([["first"], true]);
    expect(certificate.state()).not.toHaveProperty("problem");
  });

  test("stays while the folder lags behind, which is then found to match or wins", async () => {
    const { folder, certificate, served } = serving(first);
    await certificate.refresh();
    await certificate.offer(proven(second));
    await certificate.refresh();
    expect([served, certificate.state().matchesFolder]).toEqual([["first", "second"], false]);
    folder.swap(second);
    await certificate.refresh();
    expect([served, certificate.state().matchesFolder]).toEqual([["first", "second"], true]);
    await certificate.offer(proven(first));
    folder.swap(third);
    await certificate.refresh();
    expect(served).toEqual(["first", "second", "first", "third"]);
    expect(certificate.state().matchesFolder).toBe(true);
  });

  test.each([
    ["is the folder's already", first],
    ["is unfit", expired],
  ])("and %s displaces nothing", async (_name, pair) => {
    const { certificate, served } = serving(first);
    await certificate.refresh();
    await certificate.offer(proven(pair));
    expect(served).toEqual(["first"]);
    expect(certificate.state().matchesFolder).toBe(pair === first);
  });
});
