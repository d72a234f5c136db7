import { readDefaults } from "../../../../plugin/cmdutil/spec";
import {
  upgradeWebhook,
  type UpgradeWebhookFlags,
} from "../../../../plugin/commands/upgrade-webhook/flags";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { generatePair } from "../../../../plugin/adapters/certificate-pair";
import { openHome } from "../../../../plugin/adapters/home";
import { renderDocuments } from "../../../../plugin/adapters/kubernetes/text/yaml";
import type { GlobalOptions } from "../../../../plugin/cmdutil/context";
import { runUpgradeWebhook } from "../../../../plugin/commands/upgrade-webhook/command";
import { UsageError } from "../../../../plugin/domain/base/errors";
import { defaultNames } from "../../../../plugin/domain/names/names";
import type { KubeObject } from "../../../../plugin/domain/kube/objects";
import type { Event } from "../../../../plugin/kernel/report";
import {
  aDeployment,
  anEndpointSlice,
  aNamespace,
  anOldConfiguration,
  aSecret,
  aService,
  resourceOf,
} from "../../../support/builders";
import { aCommandContext } from "../../../support/command-context";
import { makeWorld } from "../../../support/world";
import { ManualClock, testTime } from "../../../support/manual-clock";
import { packRelease } from "../../../support/releases/tree";
import { judgesAll } from "../../../support/served-webhooks";
import { aFolder } from "../../../support/a-folder";

let pair = { certPem: "", keyPem: "" };
let home = "";
beforeAll(async () => {
  pair = await generatePair({ namespace: "engine", names: defaultNames, now: testTime });
});
beforeEach(() => {
  home = aFolder("home");
});

const base64 = (text: string): string => Buffer.from(text).toString("base64");

/** A context around a cluster with the old configuration, and files by their paths. */
function aContext(
  files: Readonly<Record<string, string>> = {},
  options: Partial<GlobalOptions> = {},
) {
  const clock = new ManualClock();
  const caBundle = base64(pair.certPem);
  const world = makeWorld({
    clock,
    served: [resourceOf(defaultNames.edb), resourceOf(defaultNames.eaadb)],
    servers: { "engine/admission": { ca: caBundle, judge: judgesAll } },
  });
  const { cluster } = world;
  world.put(aNamespace("engine"));
  world.put(aSecret("engine", { cert: caBundle, privateKey: base64(pair.keyPem) }));
  world.put(aService("engine"));
  world.put(anEndpointSlice("engine"));
  world.put(aDeployment("engine"));
  world.put(anOldConfiguration({ caBundle }));
  const events: Event[] = [];
  let connected = false;
  const env = { ENGINE_HOME: join(home, "engine") };
  const context = aCommandContext({ cluster, clock }, options, {
    connect: () => {
      connected = true;
      return Promise.resolve(cluster);
    },
    home: () => Promise.resolve(openHome(env, { clock })),
    env,
    event: (event) => events.push(event),
    readInput: (path) => {
      const text = files[path];
      if (text === undefined) return Promise.reject(new UsageError(`${path}: no such file`));
      return Promise.resolve(text);
    },
  });
  return { context, world, cluster, events, caBundle, isConnected: () => connected };
}

const operatorAt = (tag: string): KubeObject => {
  const deployment = aDeployment("engine");
  const { container } = defaultNames.operator;
  const image = `${defaultNames.images.operator}:${tag}`;
  const template = { spec: { containers: [{ name: container, image }] } };
  return { ...deployment, spec: { ...(deployment["spec"] as object), template } };
};

const flags = { ...readDefaults(upgradeWebhook), waitSecretMs: 0 };
const everyRule = `apiGroups: ["*"]
        apiVersions: ["*"]
        operations: ["*"]
        resources: ["*/*"]
`;
const shipped = readFileSync(
  join(__dirname, "../../../../manifests/admission/webhook.yaml"),
  "utf8",
);

describe("with the template that the tool ships", () => {
  test("the swap is done, with the certificate of the Secret as the CA", async () => {
    const { context, cluster, caBundle } = aContext();
    const report = await runUpgradeWebhook(context, [], flags);
    expect(report.exit.code).toBe(0);
    expect(report.run).toEqual(context.run);
    expect(report.target).toEqual({ server: cluster.server, namespace: "engine" });
    expect(report.certificate).toMatchObject({
      secret: "engine/admission-tls",
      san: ["admission.engine", "admission.engine.svc", "admission.engine.svc.cluster.local"],
    });
    expect(cluster.writes[0]).toMatchObject({
      object: { webhooks: [{ clientConfig: { caBundle, service: { namespace: "engine" } } }] },
      options: { fieldManager: "kubectl-engine" },
    });
  });

  test.each<[string, string, object, string[]]>([
    ["a later operator: told", "9.0.0-1", {}, ["WEBHOOK-TEMPLATE-OLDER"]],
    ["an operator that does not report", "latest", {}, []],
    ["a later operator, and its own template", "9.0.0-1", { template: "t.yaml" }, []],
  ])("%s", async (...[, tag, given, codes]) => {
    const { context, world } = aContext({ "t.yaml": shipped });
    world.put(operatorAt(tag));
    const report = await runUpgradeWebhook(context, [], { ...flags, ...given });
    expect(report.exit.code).toBe(0);
    expect(report.findings?.map(({ code }) => code) ?? []).toEqual(codes);
    // what is in force tells more than the table of releases
    const again = await runUpgradeWebhook(context, [], { ...flags, ...given });
    expect([again.exit.code, again.findings ?? []]).toEqual([0, []]);
  });

  test("the old object is kept in a file, and the printed command names it and the context", async () => {
    const { context } = aContext();
    const report = await runUpgradeWebhook(context, [], flags);
    const [backup] = report.backups ?? [];
    expect(backup?.command).toBe(`kubectl create -f ${backup?.file ?? ""} --context 'my cluster'`);
    expect(JSON.parse(readFileSync(backup?.file ?? "", "utf8"))).toMatchObject({
      kind: "ValidatingWebhookConfiguration",
      metadata: { name: "edb-admission" },
    });
    const folder = join(home, "engine", "runs", context.run.id);
    const log = readFileSync(join(folder, "log.jsonl"), "utf8").trim().split("\n");
    expect(log.map((line) => (JSON.parse(line) as { type: string }).type)).toEqual([
      "outcome",
      "intent",
      "outcome",
      "intent",
      "outcome",
    ]);
  });

  test("a run that writes nothing leaves no record", async () => {
    const { context } = aContext({}, { dryRun: "client" });
    expect((await runUpgradeWebhook(context, [], flags)).exit.code).toBe(0);
    expect(readdirSync(home)).toEqual([]);
  });

  test("no key and no certificate text is in the report", async () => {
    const { context, events } = aContext();
    const report = await runUpgradeWebhook(context, [], flags);
    const told = JSON.stringify([report, events]);
    expect(told).not.toContain(base64(pair.keyPem).slice(0, 40));
    expect(told).not.toContain("PRIVATE KEY");
  });

  test("--field-manager is the one that writes", async () => {
    const { context, cluster } = aContext({}, { fieldManager: "mine" });
    await runUpgradeWebhook(context, [], flags);
    expect(cluster.writes[0]?.options).toMatchObject({ fieldManager: "mine" });
  });
});

describe("a Secret that cannot be trusted stops with 3, and nothing is written", () => {
  test.each<[string, () => Record<string, unknown>, string]>([
    ["no cert", () => ({ "tls.crt": "eA==", privateKey: "eA==" }), "SECRET-NO-CERT"],
    [
      "a private key in cert",
      () => ({ cert: base64(pair.certPem + pair.keyPem), privateKey: base64(pair.keyPem) }),
      "SECRET-PRIVATE-KEY-IN-CERT",
    ],
  ])("%s", async (_title, data, code) => {
    const { context, world, cluster } = aContext();
    world.put(aSecret("engine", data()));
    const report = await runUpgradeWebhook(context, [], flags);
    expect(report.exit.code).toBe(3);
    expect(report.findings?.map((finding) => finding.code)).toEqual([code]);
    expect(cluster.written).toEqual([]);
  });
});

describe("--template and --release", () => {
  test.each<[string, string]>([
    ["a file", "mine.yaml"],
    ["standard input", "-"],
  ])("%s is read", async (_title, template) => {
    const text = shipped.replace("timeoutSeconds: 30", "timeoutSeconds: 12");
    const { context, cluster } = aContext({ [template]: text });
    const report = await runUpgradeWebhook(context, [], { ...flags, template });
    expect(report.exit.code).toBe(0);
    expect(cluster.writes[0]).toMatchObject({ object: { webhooks: [{ timeoutSeconds: 12 }] } });
  });

  test("an archive is searched, and the report pins it", async () => {
    const file = await packRelease(join(home, "release.tar.gz"), "8.0.2-2");
    const { context, events } = aContext();
    const release = { release: file, target: "8.0.2-2" };
    const report = await runUpgradeWebhook(context, [], { ...flags, ...release });
    expect(report.exit.code).toBe(0);
    const { sha256 = "" } = report.release ?? {};
    expect(report.release).toEqual({ source: file, sha256 });
    expect(events).toContainEqual({ type: "note", text: `release ${file}, SHA-256 ${sha256}` });
    const again = aContext();
    const pinned = { ...flags, ...release, sha256 };
    expect((await runUpgradeWebhook(again.context, [], pinned)).exit.code).toBe(0);
  });

  test.each<[string, Partial<UpgradeWebhookFlags>, string]>([
    ["with another digest", { sha256: "0".repeat(64) }, "is not the one that was pinned"],
    ["of another release", { target: "8.0.2-3" }, "its operator is 8.0.2-2, not 8.0.2-3"],
  ])("an archive %s is refused, and nothing is sent", async (_title, wanted, problem) => {
    const release = await packRelease(join(home, "release.tar.gz"), "8.0.2-2");
    const { context, cluster, isConnected } = aContext();
    const run = runUpgradeWebhook(context, [], { ...flags, release, ...wanted });
    await expect(run).rejects.toThrow(UsageError);
    await expect(run).rejects.toThrow(problem);
    expect(isConnected()).toBe(false);
    expect(cluster.calls).toEqual([]);
  });

  test("a release without a template is refused", async () => {
    const { context, isConnected } = aContext();
    const run = runUpgradeWebhook(context, [], { ...flags, release: home });
    await expect(run).rejects.toThrow(
      `release ${home} holds no webhook template, looked for ` +
        "deploy/admission/webhook.yaml and admission/webhook.yaml",
    );
    expect(isConnected()).toBe(false);
  });

  test.each<[string, string, string]>([
    ["not YAML", "a: [", "mine.yaml cannot be read"],
    ["other names", shipped.replace("redisenterprise.", "x."), "webhooks[0].name is"],
    [
      "a placeholder of the service account",
      shipped.replace("app: engine-enterprise", "app: NAME_OF_EC_SERVICE_ACCOUNT"),
      "placeholder NAME_OF_EC_SERVICE_ACCOUNT is left",
    ],
  ])("%s is a usage error, and nothing is sent", async (_title, ...[text, problem]) => {
    const { context, cluster } = aContext({ "mine.yaml": text });
    const run = runUpgradeWebhook(context, [], { ...flags, template: "mine.yaml" });
    await expect(run).rejects.toThrow(UsageError);
    await expect(run).rejects.toThrow(problem);
    expect(cluster.calls).toEqual([]);
  });

  describe("a template whose rules reach beyond the product's kinds", () => {
    const wide = (field: string, values: string): string =>
      shipped.replace(new RegExp(`${field}: \\[.*\\]`), `${field}: [${values}]`);
    const everything = shipped.replace(/apiGroups: [\s\S]*/, everyRule);
    test.each<[string, string, readonly string[]]>([
      ["another group", wide("apiGroups", '"app.engine.com", "apps"'), ["apiGroups=apps"]],
      ["everything", everything, ["apiGroups=*", "resources=*/*", "operations=*"]],
    ])("%s is refused, and nothing is sent, unless it is named", async (_title, text, allowed) => {
      const { context, cluster } = aContext({ "mine.yaml": text });
      const given = { ...flags, template: "mine.yaml" };
      const [one = ""] = allowed;
      const skipOf = (rules: readonly string[]) =>
        rules.map((object) => ({ code: "WEBHOOK-RULES-BEYOND", object }));
      for (const skip of [[], skipOf(["apiGroups=other"]), skipOf(allowed.slice(1))]) {
        const { exit, findings = [] } = await runUpgradeWebhook(context, [], { ...given, skip });
        expect(exit).toMatchObject({ code: 2, reason: expect.stringContaining(one) as string });
        expect(exit.next).toContain(`--skip 'WEBHOOK-RULES-BEYOND=${one}'`);
        expect(findings.map(({ object }) => object)).toEqual(allowed);
      }
      const more = { ...given, skip: skipOf([...allowed, "apiGroups=other"]) };
      const { exit } = await runUpgradeWebhook(context, [], more);
      expect(exit.reason).toContain("WEBHOOK-RULES-BEYOND=apiGroups=other matches no finding");
      expect(cluster.writes).toEqual([]);
      expect(cluster.calls).toEqual([]);
      const report = await runUpgradeWebhook(context, [], { ...given, skip: skipOf(allowed) });
      expect(report.exit.code).toBe(0);
    });

    test("is not one for more kinds of the same group", async () => {
      const text = shipped.replace(
        "resources:\n",
        "resources:\n          - engineenterpriseacls\n",
      );
      const { context } = aContext({ "mine.yaml": text });
      const report = await runUpgradeWebhook(context, [], { ...flags, template: "mine.yaml" });
      expect(report.exit.code).toBe(0);
    });
  });
});

describe("--probe-file", () => {
  const object = (spec: object, changes: object = {}): object => ({
    apiVersion: "app.engine.com/v1alpha1",
    kind: defaultNames.edb.kind,
    metadata: { name: "mine" },
    spec,
    ...changes,
  });

  test("two objects are the pair, in the run's namespace where they name none", async () => {
    const text = renderDocuments([object({}), object({ engineVersion: "0.0" })]);
    const { context, cluster } = aContext({ "pair.yaml": text });
    const report = await runUpgradeWebhook(context, [], { ...flags, probeFile: "pair.yaml" });
    expect(report.exit.code).toBe(0);
    const probes = cluster.calls.filter(({ target }) =>
      /^EngineEnterprise\w+\/engine\//.test(target),
    );
    expect(new Set(probes.map(({ target }) => target))).toEqual(
      new Set([`${defaultNames.edb.kind}/engine/mine`]),
    );
  });

  test.each<[string, readonly unknown[], string]>([
    ["one object", [object({})], "two objects are expected"],
    ["an object without a kind", [object({}), object({}, { kind: 5 })], "two objects are expected"],
    [
      "an object without a name",
      [object({}), object({}, { metadata: {} })],
      "two objects are expected",
    ],
    [
      "two kinds",
      [object({}), object({}, { kind: "Other" })],
      "the two objects are of different kinds",
    ],
  ])("%s is a usage error, and nothing is sent", async (_title, ...[documents, problem]) => {
    const { context, cluster } = aContext({ "pair.yaml": renderDocuments(documents) });
    const run = runUpgradeWebhook(context, [], { ...flags, probeFile: "pair.yaml" });
    await expect(run).rejects.toThrow(UsageError);
    await expect(run).rejects.toThrow(problem);
    expect(cluster.calls).toEqual([]);
  });
});

test("a home that cannot be written ends with 2 before the first write", async () => {
  const { context, cluster } = aContext();
  const file = join(home, "file");
  writeFileSync(file, "");
  const report = await runUpgradeWebhook(
    { ...context, home: () => Promise.resolve(openHome({ ENGINE_HOME: file })) },
    [],
    flags,
  );
  expect(report.exit).toMatchObject({
    code: 2,
    next: expect.stringContaining("ENGINE_HOME") as string,
  });
  expect(cluster.written).toEqual([]);
});
