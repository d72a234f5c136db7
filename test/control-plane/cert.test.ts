/** `cert create` and `cert inspect`: a pair that the API server and the swap accept. */
import { X509Certificate } from "node:crypto";
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { admissionSecret, fingerprint, makePair, secretName, storedPair } from "./certificate";
import { admissionEndpoints, admissionService, namespaceOf } from "./operator";
import { type PluginOptions, type PluginRun, runPlugin } from "./plugin-run";
import { openSuite, serveScene, type Suite, verdictsOf } from "./suite";
import { applied, clear, runSwap } from "./swap-states";
import { newEntryName } from "./webhook-configurations";

const namespace = "engine-admission";

let suite: Suite;
beforeAll(async () => {
  suite = await openSuite();
  await clear(suite.api, suite.scene);
  await suite.api.create(namespaceOf(namespace));
});
afterAll(() => suite.close());

const cert = (args: readonly string[], options: PluginOptions = {}): Promise<PluginRun> =>
  runPlugin(suite.controlPlane, ["cert", ...args], { namespace, ...options });

const secretRef = { apiVersion: "v1", kind: "Secret", metadata: { name: secretName, namespace } };

const readPair = () => storedPair(suite.api, namespace);

/** Neither as PEM nor as base64 of it, on any stream or in any file of the home. */
function expectKeyHidden(run: PluginRun, privateKey: string): void {
  const home = join(suite.controlPlane.site.homeDir, "engine");
  const files = existsSync(home) ? readdirSync(home, { recursive: true, encoding: "utf8" }) : [];
  const texts = files
    .map((file) => join(home, file))
    .filter((file) => statSync(file).isFile())
    .map((file) => readFileSync(file, "utf8"));
  const everything = [run.stdout, run.stderr, ...texts].join("\n");
  const inner = privateKey.split("\n").slice(1, 4);
  const encoded = Buffer.from(privateKey).toString("base64").slice(60, 200);
  expect(privateKey).toContain("PRIVATE KEY");
  for (const part of [...inner, encoded, "PRIVATE KEY"]) {
    expect(everything).not.toContain(part);
  }
}

test("a dry run creates nothing", async () => {
  for (const mode of ["client", "server"]) {
    const run = await cert(["create", `--dry-run=${mode}`]);
    expect(run.report.exit.code).toBe(0);
    expect(run.writes).toEqual([]);
  }
  expect(await suite.api.read(secretRef)).toBeUndefined();
});

test("create makes the secret of the specification, and never shows the key", async () => {
  const run = await cert(["create", "-v", "9"]);

  expect(run.report.exit.code).toBe(0);
  const { secret, ...pair } = await readPair();
  expect(secret?.["type"]).toBe("Opaque");
  expect(Object.keys(secret?.["data"] as object).sort()).toEqual(["cert", "privateKey"]);
  const certificate = new X509Certificate(pair.cert);
  const name = `admission.${namespace}`;
  expect(certificate.subjectAltName?.split(", ").sort()).toEqual(
    [name, `${name}.svc`, `${name}.svc.cluster.local`].map((entry) => `DNS:${entry}`).sort(),
  );
  const years = Date.parse(certificate.validTo) - Date.now();
  expect(years / (365.25 * 24 * 3_600_000)).toBeCloseTo(5, 1);
  expect(certificate.publicKey.asymmetricKeyDetails?.modulusLength).toBe(2048);
  expect(run.report.certificate).toMatchObject({
    secret: `${namespace}/${secretName}`,
    sha256: fingerprint(pair.cert),
  });
  expectKeyHidden(run, pair.privateKey);
});

test("inspect checks it", async () => {
  const run = await cert(["inspect"]);
  const pair = await readPair();
  expect(run.report.exit.code).toBe(0);
  expect(run.report.certificate?.sha256).toBe(fingerprint(pair.cert));
  expect(run.writes).toEqual([]);
  expectKeyHidden(run, pair.privateKey);
});

test("the swap accepts it, and the API server calls the webhook that serves it", async () => {
  const { controlPlane, api } = suite;
  const service = await api.create(admissionService(namespace));
  await api.create(admissionEndpoints(namespace));
  const { secret, ...pair } = await readPair();
  expect(secret?.["type"]).toBe("Opaque");
  const { clusterIP = "" } = service["spec"] as { readonly clusterIP?: string };
  const webhook = await serveScene(controlPlane, {
    namespace,
    pair,
    caBundle: "",
    clusterIP,
    databases: [],
  });

  const run = await runSwap(controlPlane, [], { namespace });

  expect(run.report.exit.code).toBe(0);
  expect(run.writes).toEqual([applied]);
  expect(await verdictsOf(api, suite.scene.namespace)).toEqual({
    right: "accepted",
    wrongRefusedBy: newEntryName,
  });
  await webhook.stop({ patienceMs: 0 });
});

test("create leaves an existing one alone: 5", async () => {
  const before = await readPair();
  const run = await cert(["create"]);
  expect(run.report.exit.code).toBe(5);
  expect(run.report.exit.next).toContain("--replace");
  expect(run.writes).toEqual([]);
  expect(await readPair()).toEqual(before);
});

test("create --replace saves it first, and the printed command puts it back", async () => {
  const { controlPlane } = suite;
  const before = await readPair();

  const run = await cert(["create", "--replace", "--yes", "-v", "9"]);

  expect(run.report.exit.code).toBe(0);
  const after = await readPair();
  expect(fingerprint(after.cert)).not.toBe(fingerprint(before.cert));
  expectKeyHidden(run, after.privateKey);
  expectKeyHidden(run, before.privateKey);

  const [backup] = run.report.backups ?? [];
  const [, ...words] = (backup?.command ?? "").split(" ");
  const restored = await controlPlane.kubectl([...words, "--yes"]);
  expect({ code: restored.code, stderr: restored.stderr }).toMatchObject({ code: 0 });
  expect((await readPair()).cert).toBe(before.cert);
});

test.each([
  ["expired", { notBefore: new Date(0), notAfter: new Date(86_400_000) }],
  ["without the service's name", { names: ["elsewhere.svc"] }],
])("inspect of one that is %s: 3", async (_name, options) => {
  await suite.api.replace(admissionSecret(namespace, makePair({ namespace, ...options })));
  const run = await cert(["inspect"]);
  expect(run.report.exit.code).toBe(3);
  expect(run.writes).toEqual([]);
});

test("inspect without one: 3", async () => {
  await suite.api.remove(secretRef);
  expect((await cert(["inspect"])).report.exit.code).toBe(3);
});

test("create without the right to: 4, with the role to ask for", async () => {
  const run = await cert(["create"], { user: "restricted" });
  expect(run.report.exit.code).toBe(4);
  expect(run.report.permissions?.manifest).toContain("secrets");
  expect(run.writes).toEqual([]);
});
