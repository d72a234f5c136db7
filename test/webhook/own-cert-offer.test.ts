import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { UsageError } from "../../plugin/domain/errors";
import { defaultNames } from "../../plugin/domain/names";
import { type Pair, provenPair, ServedCertificate } from "../../webhook/certificate/served";
import { parseConfig } from "../../webhook/config";
import { startChecks } from "../../webhook/program";
import { aPair, type PemPair } from "../support/tls";
import { anEc } from "./fake-clusters";
import { FakeLog } from "./fake-log";
import { TlsFolder } from "./tls-folder";

const files = defaultNames.webhook;
const first = aPair({ commonName: "first" });
const second = aPair({ commonName: "second" });
const third = aPair({ commonName: "third" });
const expired = aPair({ notBefore: new Date(2020, 0), notAfter: new Date(2021, 0) });
const folders: TlsFolder[] = [];

afterAll(() => {
  for (const folder of folders) folder.remove();
});

const proven = ({ certPem: cert, keyPem: key }: PemPair): Pair => provenPair({ cert, key }, files);

function serving(content?: PemPair, trusted?: () => ReadonlySet<string> | undefined) {
  const folder = new TlsFolder(content);
  folders.push(folder);
  const served: string[] = [];
  const certificate = new ServedCertificate({
    folder: folder.dir,
    names: files,
    serverName: "localhost",
    log: new FakeLog(),
    serve: ({ leaf }) => served.push(leaf.subject),
    ...(trusted && { trusted }),
  });
  return { folder, certificate, served };
}

test("a pair that is offered is served where the folder is empty", async () => {
  const { certificate, served } = serving();
  await certificate.refresh();
  await certificate.offer(proven(first));
  expect(served).toEqual(["CN=first"]);
  expect(certificate.loaded()).toBe(true);
  expect(certificate.state()).not.toHaveProperty("problem");
});

test("it stays in service while the folder lags behind, and the folder is then found to match", async () => {
  const { folder, certificate, served } = serving(first);
  await certificate.refresh();
  await certificate.offer(proven(second));
  await certificate.refresh();
  expect(served).toEqual(["CN=first", "CN=second"]);
  expect(certificate.state().matchesFolder).toBe(false);
  folder.swap(second);
  await certificate.refresh();
  expect(certificate.state().matchesFolder).toBe(true);
  expect(served).toEqual(["CN=first", "CN=second"]);
});

test("the folder wins when it changes to something else", async () => {
  const { folder, certificate, served } = serving(first);
  await certificate.offer(proven(second));
  folder.swap(third);
  await certificate.refresh();
  expect(served).toEqual(["CN=second", "CN=third"]);
  expect(certificate.state().matchesFolder).toBe(true);
});

test("what the folder has already is no change", async () => {
  const { certificate, served } = serving(first);
  await certificate.refresh();
  await certificate.offer(proven(first));
  expect(served).toEqual(["CN=first"]);
  expect(certificate.state().matchesFolder).toBe(true);
});

test("an unfit pair that is offered displaces nothing", async () => {
  const { certificate, served } = serving(first);
  await certificate.refresh();
  await certificate.offer(proven(expired));
  expect(served).toEqual(["CN=first"]);
});

test.each([
  ["holds it", (sha256: string) => new Set([sha256]), true],
  ["holds others", () => new Set(["0"]), false],
  ["is not known", () => undefined, undefined],
])("readiness tells when the registration %s", async (_name, trusted, told) => {
  const sha256 = proven(first).leaf.fingerprint256.replaceAll(":", "").toLowerCase();
  const { certificate } = serving(first, () => trusted(sha256));
  expect(certificate.state()).not.toHaveProperty("inCaBundle");
  await certificate.refresh();
  expect(certificate.state().inCaBundle).toBe(told);
});

test("an own certificate needs a way to the API server, also where the ECs come from a file", () => {
  const { folder } = serving(first);
  const ecs = join(folder.dir, "ecs.json");
  writeFileSync(ecs, JSON.stringify(anEc({})));
  const env = {
    ENGINE_WEBHOOK_TLS_DIR: folder.dir,
    ENGINE_WEBHOOK_CLUSTERS: `file:${ecs}`,
    ENGINE_WEBHOOK_OWN_CERT: "true",
  };
  expect(() => parseConfig(env, startChecks(env))).toThrow(
    new UsageError([
      "ENGINE_WEBHOOK_OWN_CERT: no way to the API server: KUBECONFIG is not set and this is not a pod",
    ]),
  );
});
