import { generateKeyPairSync, X509Certificate } from "node:crypto";
import { defaultNames } from "../../plugin/domain/names";
import {
  type Pair,
  readPair,
  ServedCertificate,
  UnfitPair,
} from "../../webhook/certificate/served";
import { aPair } from "../support/tls";
import { FakeLog } from "./fake-log";
import { TlsFolder } from "./tls-folder";

const files = defaultNames.webhook;
const first = aPair({ commonName: "first" });
const second = aPair({ commonName: "second" });
const expired = aPair({ notBefore: new Date(2020, 0), notAfter: new Date(2021, 0) });
const early = aPair({ notBefore: new Date(2120, 0), notAfter: new Date(2121, 0) });
const stranger = aPair({ names: ["admission.elsewhere.svc"] });
const otherType = generateKeyPairSync("ec", {
  namedCurve: "P-256",
  publicKeyEncoding: { type: "spki", format: "pem" },
  privateKeyEncoding: { type: "pkcs8", format: "pem" },
}).privateKey;

const folders: TlsFolder[] = [];

function aFolder(...parts: ConstructorParameters<typeof TlsFolder>): TlsFolder {
  const folder = new TlsFolder(...parts);
  folders.push(folder);
  return folder;
}

afterAll(() => {
  for (const folder of folders) folder.remove();
});

test("a pair that belongs together is read", () => {
  const { cert, key } = readPair(aFolder(first).dir, files);
  expect({ cert, key }).toEqual({ cert: first.certPem, key: first.keyPem });
});

test("a certificate may come with its chain", () => {
  const chain = `${first.certPem}${second.certPem}`;
  const { cert, leaf } = readPair(aFolder({ ...first, certPem: chain }).dir, files);
  expect(cert).toBe(chain);
  expect(leaf.subject).toBe("CN=first");
});

const unfit = [
  ["no files", {}, /has to hold the items cert and privateKey, it holds nothing$/],
  ["a key alone", { keyPem: first.keyPem }, /the items cert and privateKey, it holds privateKey$/],
  [
    "a certificate alone",
    { certPem: first.certPem },
    /the items cert and privateKey, it holds cert$/,
  ],
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
  [
    "a key that is cut",
    { ...first, keyPem: first.keyPem.slice(0, 300) },
    /^privateKey is not valid PEM$/,
  ],
  ["empty files", { certPem: "", keyPem: "" }, /^cert is not valid PEM$/],
] as const;

test.each(unfit)("%s is unfit", (_name, parts, message) => {
  const { dir } = aFolder(parts);
  expect(() => readPair(dir, files)).toThrow(UnfitPair);
  expect(() => readPair(dir, files)).toThrow(message);
});

function serving(folder: TlsFolder, now?: () => Date) {
  const log = new FakeLog();
  const served: string[] = [];
  const serve = ({ leaf }: Pair) => served.push(leaf.subject);
  const options = {
    folder: folder.dir,
    names: files,
    serverName: "localhost",
    log,
    serve,
    pollMs: 60_000,
  };
  return { log, served, certificate: new ServedCertificate({ ...options, ...(now && { now }) }) };
}

test("a good pair is served once, and again when it changes, however often", async () => {
  const folder = aFolder(first);
  const { certificate, served } = serving(folder);
  expect(certificate.loaded()).toBe(false);
  for (const pair of [first, first, second, first]) {
    folder.swap(pair);
    await certificate.refresh();
  }
  expect(served).toEqual(["CN=first", "CN=second", "CN=first"]);
  expect(certificate.loaded()).toBe(true);
});

test.each([
  ...unfit.map(([name, parts]) => [name, parts] as const),
  ["an expired pair", expired] as const,
  ["a pair from the future", early] as const,
  ["a pair for another name", stranger] as const,
])("%s does not displace the last good pair, and is named once", async (_name, parts) => {
  const folder = aFolder(first);
  const { certificate, served, log } = serving(folder);
  await certificate.refresh();
  folder.swap(parts);
  await certificate.refresh();
  await certificate.refresh();
  expect(served).toEqual(["CN=first"]);
  expect(certificate.loaded()).toBe(true);
  const complaints = log.of("the certificate folder holds no pair to serve");
  expect(complaints).toMatchObject([{ level: "error", fields: { kept: true } }]);
  folder.swap(second);
  await certificate.refresh();
  expect(served).toEqual(["CN=first", "CN=second"]);
});

test("an expired pair is served where there is no better one, but is never ready", async () => {
  const { certificate, served, log } = serving(aFolder(expired));
  await certificate.refresh();
  await certificate.refresh();
  expect(served).toEqual(["CN=admission"]);
  expect(certificate.loaded()).toBe(false);
  expect(log.lines.map(({ message }) => message)).toEqual([
    "the certificate folder holds no pair to serve",
    "certificate in service",
  ]);
});

test("a pair from the future becomes ready when its time comes", async () => {
  let now = new Date();
  const { certificate, served } = serving(aFolder(early), () => now);
  await certificate.refresh();
  expect(certificate.loaded()).toBe(false);
  now = new Date(2120, 6);
  await certificate.refresh();
  expect(certificate.loaded()).toBe(true);
  expect(served).toEqual(["CN=admission"]);
});

test("a pair for another name is served where there is no better one, but is never ready", async () => {
  const { certificate, served, log } = serving(aFolder(stranger));
  await certificate.refresh();
  expect(served).toEqual(["CN=admission"]);
  expect(certificate.loaded()).toBe(false);
  expect(log.of("the certificate folder holds no pair to serve")).toMatchObject([
    {
      fields: {
        because: "the certificate is not made for localhost, under which the API server calls",
      },
    },
  ]);
});

test("readiness reports which certificate is served, and whether it is the folder's", async () => {
  const folder = aFolder(first);
  const { certificate } = serving(folder);
  expect(certificate.state()).toEqual({ matchesFolder: false });
  await certificate.refresh();
  const { fingerprint256, validTo } = new X509Certificate(first.certPem);
  const served = {
    sha256: fingerprint256.replaceAll(":", "").toLowerCase(),
    notAfter: new Date(validTo).toISOString(),
  };
  expect(certificate.state()).toEqual({ ...served, matchesFolder: true });
  folder.swap(expired);
  await certificate.refresh();
  expect(certificate.state()).toEqual({
    ...served,
    matchesFolder: false,
    problem: expect.stringMatching(/^the certificate is expired at /) as string,
  });
});

test("the log shows the fingerprint and never the key", async () => {
  const { certificate, log } = serving(aFolder(first));
  await certificate.refresh();
  const [line] = log.of("certificate in service");
  expect(Object.keys(line?.fields ?? {})).toEqual(["sha256", "notAfter", "names"]);
  expect(JSON.stringify(log.lines)).not.toContain("PRIVATE");
});

describe("the watch", () => {
  const once = async (folder: TlsFolder, pollMs: number) => {
    const log = new FakeLog();
    const options = {
      folder: folder.dir,
      names: files,
      serverName: "localhost",
      log,
      serve: () => undefined,
      pollMs,
    };
    const certificate = new ServedCertificate(options);
    certificate.start();
    try {
      await log.seen("certificate in service", 1);
      folder.swap(second);
      await log.seen("certificate in service", 2);
      folder.swap(first);
      await log.seen("certificate in service", 3);
    } finally {
      certificate.stop();
    }
    return log.of("certificate in service").length;
  };

  test("sees two rotations in a row", async () => {
    expect(await once(aFolder(first), 20)).toBe(3);
  });

  test("polls where there is no folder yet", async () => {
    const folder = aFolder(first);
    const log = new FakeLog();
    const missing = `${folder.dir}/not-yet`;
    const options = {
      folder: missing,
      names: files,
      serverName: "localhost",
      log,
      serve: () => undefined,
      pollMs: 5,
    };
    const certificate = new ServedCertificate(options);
    certificate.start();
    await log.seen("the certificate folder holds no pair to serve");
    certificate.stop();
    expect(certificate.loaded()).toBe(false);
  });
});

test("stopping what never started is harmless", () => {
  serving(aFolder(first)).certificate.stop();
});
