import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { generatePair } from "../../../plugin/adapters/certificate-pair";
import { openHome } from "../../../plugin/adapters/home";
import { renderDocuments } from "../../../plugin/adapters/yaml";
import { runCertCreate } from "../../../plugin/commands/cert";
import type { UpgradeWebhookFlags } from "../../../plugin/commands/specs/webhook";
import { runUpgradeWebhook } from "../../../plugin/commands/upgrade-webhook";
import { defaultNames, mapNames, namesTree } from "../../../plugin/domain/names";
import type { KubeObject } from "../../../plugin/domain/objects";
import { rebrand } from "../../../plugin/domain/rebrand";
import { fieldsOf } from "../../../plugin/domain/rules/fields";
import { getPath } from "../../../plugin/domain/values";
import type { Event } from "../../../plugin/run/report";
import {
  aDeployment,
  anEndpointSlice,
  aNamespace,
  aNewConfiguration,
  anOldConfiguration,
  aSecret,
  aService,
} from "../../support/builders";
import { aCommandContext } from "../../support/command-context";
import { FakeCluster } from "../../support/fake-cluster";
import { ManualClock, testTime } from "../../support/manual-clock";
import { renamed as names } from "../../support/renamed";
import { typed } from "../../support/program-world";
import { aFolder } from "../../support/a-folder";

const kind = "ValidatingWebhookConfiguration";
const { webhook } = names;
let pair = { certPem: "", keyPem: "" };
let home = "";
beforeAll(async () => {
  pair = await generatePair({ namespace: "engine", names, now: testTime });
});
beforeEach(() => {
  home = aFolder("home");
});

const base64 = (text: string): string => Buffer.from(text).toString("base64");
const other = (object: KubeObject): KubeObject => rebrand(object, names) as KubeObject;

/** Refuses an unknown version, under the other names alone. */
function judge(object: KubeObject): string | undefined {
  const paths = (["edb", "eaadb"] as const).map((each) => fieldsOf(each, names).engineVersion);
  return paths.some((path) => getPath(object, path) === "0.0") ? "an unknown version" : undefined;
}

/** A cluster whose operator uses another name for everything that has one. */
function aContext(configuration: (caBundle: string) => KubeObject) {
  const clock = new ManualClock();
  const cluster = new FakeCluster(clock);
  const caBundle = base64(pair.certPem);
  for (const object of [
    aNamespace("engine"),
    aSecret("engine", { cert: caBundle, privateKey: base64(pair.keyPem) }),
    aService("engine"),
    anEndpointSlice("engine"),
    aDeployment("engine"),
    configuration(caBundle),
  ]) {
    cluster.put(other(object));
  }
  const { group, version } = names;
  cluster.served.push(
    ...[names.edb, names.eaadb, names.erc].map((each) => ({
      group,
      version,
      plural: each.plural,
      kind: each.kind,
    })),
  );
  cluster.servers.set(`engine/${webhook.service}`, { ca: caBundle, judge });
  const events: Event[] = [];
  const files: Record<string, string> = {};
  const env = { ENGINE_HOME: join(home, "records") };
  const options = { contextArgs: ["--context", "c"], namesFile: "other names.yaml", names };
  const context = aCommandContext({ cluster, clock }, options, {
    home: () => Promise.resolve(openHome(env, { clock })),
    names,
    env,
    event: (event) => events.push(event),
    readInput: (path) => Promise.resolve(files[path] ?? ""),
  });
  return { context, cluster, events, caBundle, files };
}

const flags: UpgradeWebhookFlags = {
  takeOver: false,
  takeFields: [],
  with: [],
  takeTemplateSelectors: false,
  takeTemplateRules: false,
  allowRules: [],
  waitSecretMs: 0,
  probe: true,
};
const applyNew = `apply ${kind}/${webhook.configuration}`;
const deleteOld = `delete ${kind}/${webhook.oldConfiguration}`;

/** Default names of some length: what they mean cannot be meant by chance. */
function brandWords(): readonly RegExp[] {
  const words = new Set<string>();
  mapNames(namesTree, ({ value }) => {
    for (const word of typeof value === "string" ? [value] : value) words.add(word);
  });
  const whole = (word: string): RegExp =>
    new RegExp(`(?<![\\w.-])${word.replaceAll(/[.$*+?^(){}|[\]\\/]/g, "\\$&")}(?![\\w-])`);
  const telling = [...words].filter((word) => /[A-Z_-]|\..*\./.test(word));
  return telling.filter((word) => word !== "error_code").map(whole);
}

function expectNoDefaults(told: unknown): void {
  const text = JSON.stringify(told);
  expect(brandWords().filter((word) => word.test(text))).toEqual([]);
}

describe("with every name changed the main job runs to its end", () => {
  test.each<[string, (caBundle: string) => KubeObject, readonly string[]]>([
    ["only old", (caBundle) => anOldConfiguration({ caBundle }), [applyNew, deleteOld]],
    ["a broken old", () => anOldConfiguration({ caBundle: "eA==" }), [applyNew, deleteOld]],
    ["only new, CA empty", () => aNewConfiguration({ caBundle: "" }), [applyNew]],
  ])("%s", async (_title, configuration, writes) => {
    const { context, cluster, events, caBundle } = aContext(configuration);

    const report = await runUpgradeWebhook(context, [], flags);

    expect(report.exit).toMatchObject({ code: 0 });
    expect(cluster.written).toEqual(writes);
    expect(cluster.stored(kind, webhook.oldConfiguration)).toBeUndefined();
    expect(cluster.stored(kind, webhook.configuration)).toMatchObject({
      metadata: { labels: { app: names.operator.appLabel } },
      webhooks: [
        {
          name: webhook.entry,
          clientConfig: {
            caBundle,
            service: { name: webhook.service, namespace: "engine", path: webhook.path },
          },
          rules: [
            {
              apiGroups: [names.group],
              apiVersions: [names.version],
              resources: [names.edb.plural, names.eaadb.plural, names.erc.plural],
            },
          ],
        },
      ],
    });
    expect(cluster.writes[0]?.options).toMatchObject({ fieldManager: names.fieldManager });
    expect(report.probes?.at(-1)?.deny.by).toBe(webhook.entry);
    expectNoDefaults([cluster.calls, report, events]);
    const again = await runUpgradeWebhook(context, [], flags);
    expect(again.exit).toEqual({ code: 0, reason: "already up to date, nothing was written" });
  });

  test("the kind of a probe file has the names' plural where the server tells none", async () => {
    const { context, cluster, files } = aContext((caBundle) => anOldConfiguration({ caBundle }));
    cluster.served.length = 0;
    const [root, ...path] = names.fields.engineVersion;
    const bad = path.reduceRight<unknown>((value, key) => ({ [key]: value }), "0.0");
    const head = {
      apiVersion: `${names.group}/${names.version}`,
      kind: names.edb.kind,
      metadata: { name: "p" },
    };
    files["pair"] = renderDocuments([head, { ...head, [root ?? ""]: bad }]);
    await runUpgradeWebhook(context, [], { ...flags, probeFile: "pair" });
    const asked = cluster.calls.filter(({ verb }) => verb === "can");
    expect(JSON.stringify(asked)).toContain(`"${names.edb.plural}"`);
  });

  test("a template with a default placeholder is not ours", async () => {
    const { context, cluster, files } = aContext((caBundle) => anOldConfiguration({ caBundle }));
    const shipped = join(__dirname, "../../../manifests/admission/webhook.yaml");
    files["t"] = readFileSync(shipped, "utf8");
    const run = runUpgradeWebhook(context, [], { ...flags, template: "t" });
    await expect(run).rejects.toThrow(`expected "${webhook.configuration}"`);
    expect(cluster.written).toEqual([]);
  });
});

describe("cert create under other names", () => {
  test("saves and replaces the Secret, and prints commands with the names file", async () => {
    const { context, cluster, events } = aContext((caBundle) => anOldConfiguration({ caBundle }));
    const report = await runCertCreate(context, [], { replace: true, years: 5 });
    expect(report.exit).toMatchObject({
      code: 0,
      next: expect.stringContaining(
        "kubectl engine upgrade-webhook --context c '--names=other names.yaml'",
      ) as string,
    });
    const { savedFrom } = names.annotations;
    expect(cluster.writes[0]?.object).toMatchObject({
      metadata: { annotations: { [savedFrom]: webhook.secret } },
    });
    const secret = cluster.stored("Secret", webhook.secret, "engine");
    expect(Object.keys(secret?.["data"] ?? {})).toEqual([webhook.secretCert, webhook.secretKey]);
    expectNoDefaults([cluster.calls, report, events]);
  });

  test("kubectl's own commands carry no names file", async () => {
    const { context } = aContext((caBundle) => anOldConfiguration({ caBundle }));
    const report = await runUpgradeWebhook(context, [], flags);
    const [backup] = report.backups ?? [];
    expect(backup?.command).toBe(`kubectl create -f ${backup?.file ?? ""} --context c`);
  });
});

test("the flag reaches a command that the program runs", async () => {
  const path = join(home, "names.yaml");
  const { context, cluster } = aContext((caBundle) => anOldConfiguration({ caBundle }));
  writeFileSync(path, renderDocuments([names]));
  const { code } = await typed(["upgrade-webhook", "-n", "engine", "--yes", "--names", path], {
    connect: () => Promise.resolve(cluster),
    env: context.env,
  });
  expect(defaultNames).not.toEqual(names);
  expect([code, cluster.calls.some(({ target }) => target.includes(webhook.secret))]).toEqual([
    3, // the certificate is of another time than the program's clock
    true,
  ]);
  expectNoDefaults(cluster.calls);
});
