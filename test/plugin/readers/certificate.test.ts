import { generatePair, type KeyPair } from "../../../plugin/adapters/certificate";
import { inspectCertificate } from "../../../plugin/readers/certificate";
import { Recorder } from "../../../plugin/kernel/recorder";
import type { Report } from "../../../plugin/kernel/report";
import { aSecret, aWorld, names, now } from "../commands/cert/world";

let pair: KeyPair;

beforeAll(async () => {
  pair = await generatePair({ namespace: "engine", names, now });
});

type World = ReturnType<typeof aWorld>;
const run = { id: "run-1", startedAt: "2026-06-15T12:00:00Z", dryRun: "none" } as const;

function inspect({ deps }: World): Promise<Report> {
  const ports = deps("CertInspect", run);
  return inspectCertificate(ports, { from: "cluster", ...ports });
}

function inspectFile(text: string, changes: { path?: string; namespace?: string } = {}) {
  const { certificates, clock, names: inForce } = aWorld([]).deps("CertInspect", run);
  const recorder = new Recorder({ kind: "CertInspect", run }, { clock, event: () => undefined });
  const deps = { clock, names: inForce, certificates, recorder };
  return inspectCertificate(deps, { from: "file", path: "pair.pem", text, ...changes });
}

const codesOf = ({ findings = [] }: Report): readonly string[] => findings.map(({ code }) => code);
const asFile = (pairToWrite: KeyPair, namespace?: string): string =>
  JSON.stringify(
    aSecret(pairToWrite, {
      metadata: { name: "admission-tls", ...(namespace !== undefined && { namespace }) },
    }),
  );

describe("the Secret of the cluster", () => {
  test("that is fit ends with 0, its facts, and nothing of its key", async () => {
    const world = aWorld([]);
    world.put(aSecret(pair));

    const report = await inspect(world);

    expect(report).toMatchObject({
      kind: "CertInspect",
      run,
      target: { server: "https://127.0.0.1:6443", namespace: "engine" },
      certificate: {
        secret: "engine/admission-tls",
        sha256: expect.stringMatching(/^[0-9a-f]{64}$/) as unknown,
        notAfter: "2031-06-15T12:00:00Z",
      },
      details: {
        judgedFor: "admission.engine.svc",
        type: "Opaque",
        items: ["cert", "privateKey"],
        certificates: 1,
        chainOk: true,
        matchesPrivateKey: true,
        daysLeft: 1826,
        keyBits: 2048,
      },
      findings: [],
      exit: { code: 0, reason: "engine/admission-tls is valid for admission.engine.svc" },
    });
    const [, line = "?"] = pair.keyPem.split("\n");
    expect(JSON.stringify(report)).not.toContain(line);
    expect(JSON.stringify(report)).not.toContain("LS0t");
    expect(world.sent()).toEqual([]);
  });

  test("that is unfit ends with 3, every finding and the fix of the first", async () => {
    const world = aWorld([]);
    const other = await generatePair({ namespace: "elsewhere", names, now });
    world.put(aSecret(other, { type: "custom" }));

    const report = await inspect(world);

    expect(codesOf(report)).toEqual(["SECRET-TYPE", "CERT-SAN"]);
    expect(report.exit).toEqual({
      code: 3,
      reason: "engine/admission-tls: the secret is of type custom, not Opaque",
      next: expect.stringContaining("cert create --replace") as unknown,
    });
  });

  test("without a certificate has no certificate to show", async () => {
    const world = aWorld([]);
    world.put(aSecret(pair, { data: { a: "", b: "" } }));

    const report = await inspect(world);

    expect(report).not.toHaveProperty("certificate");
    expect(report.details).toEqual({
      judgedFor: "admission.engine.svc",
      type: "Opaque",
      items: ["a", "b"],
      certificates: 0,
      chainOk: true,
    });
    expect(codesOf(report)).toEqual(["SECRET-NO-CERT"]);
  });

  test("that does not exist ends with 3", async () => {
    const report = await inspect(aWorld([]));

    expect(codesOf(report)).toEqual(["SECRET-MISSING"]);
    expect(report.exit).toMatchObject({
      code: 3,
      next: expect.stringContaining("cert create") as unknown,
    });
  });

  test("that must not be read ends with 4 and the Role to ask for", async () => {
    const world = aWorld([]);
    world.deny("get");

    const report = await inspect(world);

    expect(report.exit.code).toBe(4);
    expect(report.permissions?.manifest).toContain("kind: Role");
  });
});

describe("the Secret of a controller, whose CA an injector writes", () => {
  const injected = (value: object): World => {
    const world = aWorld([]);
    const { configuration, entry } = names.webhook;
    world.put({
      apiVersion: "admissionregistration.k8s.io/v1",
      kind: "ValidatingWebhookConfiguration",
      metadata: { name: configuration, annotations: value as Record<string, string> },
      webhooks: [{ name: entry, clientConfig: {} }],
    });
    return world;
  };
  const base64 = (text: string): string => Buffer.from(text).toString("base64");
  const issued = (ca: string) => ({
    ...aSecret(pair),
    type: "kubernetes.io/tls",
    data: { "tls.crt": base64(pair.certPem), "tls.key": base64(pair.keyPem), "ca.crt": base64(ca) },
  });
  const annotation = { "cert-manager.io/inject-ca-from": "engine/admission-tls" };

  test("is checked as check checks it", async () => {
    const world = injected(annotation);
    world.put(issued(pair.certPem));
    expect(await inspect(world)).toMatchObject({ exit: { code: 0 } });
  });

  test("with a CA that is not that of its certificate ends with 3", async () => {
    const other = await generatePair({ namespace: "engine", names, now });
    const world = injected(annotation);
    world.put(issued(other.certPem));
    const report = await inspect(world);
    expect([report.exit.code, codesOf(report)]).toEqual([3, ["SECRET-CA"]]);
  });

  test("without the annotation is none that the webhook serves", async () => {
    const world = injected({});
    world.put(issued(pair.certPem));
    expect(codesOf(await inspect(world))).toContain("SECRET-TYPE");
  });
});

describe("a file", () => {
  test.each<[string, () => string, { namespace?: string }, string]>([
    ["PEM, for the namespace that its names tell", () => pair.certPem, {}, "admission.engine.svc"],
    ["a Secret, for its own namespace", () => asFile(pair, "engine"), {}, "admission.engine.svc"],
    ["a Secret without a namespace", () => asFile(pair), {}, "admission.engine.svc"],
    [
      "anything, for the namespace of -n",
      () => asFile(pair, "other"),
      { namespace: "engine" },
      "admission.engine.svc",
    ],
  ])("is checked without a cluster: %s", async (_name, ...[text, options, host]) => {
    const report = await inspectFile(text(), options);

    expect(report.exit).toEqual({ code: 0, reason: `pair.pem is valid for ${host}` });
    expect(report).not.toHaveProperty("target");
    expect(report.certificate?.secret).toBe("pair.pem");
  });

  test("from stdin is called so", async () => {
    expect((await inspectFile(pair.certPem, { path: "-" })).exit.reason).toBe(
      "stdin is valid for admission.engine.svc",
    );
  });

  test("for another namespace ends with 3", async () => {
    const report = await inspectFile(pair.certPem, { namespace: "other" });

    expect(codesOf(report)).toEqual(["CERT-SAN"]);
    expect(report.exit.code).toBe(3);
  });

  test("without a certificate that tells a namespace is checked for the operator's", async () => {
    const report = await inspectFile("-----BEGIN NOTHING-----");

    expect(report.details).toMatchObject({ judgedFor: "admission.engine.svc" });
    expect(codesOf(report)).toEqual(["SECRET-NOT-PEM"]);
  });

  test("with the private key in it is not fit to be the certificate item", async () => {
    expect(codesOf(await inspectFile(pair.certPem + pair.keyPem))).toEqual([
      "SECRET-PRIVATE-KEY-IN-CERT",
    ]);
  });

  test("that is neither PEM nor a Secret ends with 2", async () => {
    expect((await inspectFile("hello")).exit).toMatchObject({
      code: 2,
      reason: "the file is neither a PEM certificate nor a Secret",
    });
  });
});
