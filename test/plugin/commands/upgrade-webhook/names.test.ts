import { renderDocuments } from "../../../../plugin/adapters/kubernetes/text/yaml";
import { readDefaults } from "../../../../plugin/cmdutil/spec";
import { upgradeWebhook } from "../../../../plugin/commands/upgrade-webhook/flags";
import { join } from "node:path";
import { generatePair } from "../../../../plugin/adapters/certificate-pair";
import { openHome } from "../../../../plugin/adapters/home";
import { runCertCreate } from "../../../../plugin/commands/cert/command";
import { runUpgradeWebhook } from "../../../../plugin/commands/upgrade-webhook/command";
import type { KubeObject } from "../../../../plugin/domain/kube/objects";
import { rebrand } from "../../../../plugin/domain/names/rebrand";
import { findFields } from "../../../../plugin/domain/rules/fields";
import { getPath } from "../../../../plugin/domain/base/values";
import type { Event } from "../../../../plugin/kernel/report";
import {
  aDeployment,
  anEndpointSlice,
  aNamespace,
  anOldConfiguration,
  aSecret,
  aService,
} from "../../../support/builders";
import { aCommandContext } from "../../../support/command-context";
import { makeWorld } from "../../../support/world";
import { ManualClock, testTime } from "../../../support/manual-clock";
import { renamed as names } from "../../../support/renamed";
import { aFolder } from "../../../support/a-folder";

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
  const paths = (["edb", "eaadb"] as const).map((each) => findFields(each, names).engineVersion);
  return paths.some((path) => getPath(object, path) === "0.0") ? "an unknown version" : undefined;
}

/** A cluster whose operator uses another name for everything that has one. */
function aContext(configuration: (caBundle: string) => KubeObject) {
  const clock = new ManualClock();
  const caBundle = base64(pair.certPem);
  const { group, version } = names;
  const world = makeWorld({
    clock,
    served: [names.edb, names.eaadb, names.erc].map(({ plural, kind }) => ({
      ...{ group, version, plural, kind },
    })),
    servers: { [`engine/${webhook.service}`]: { ca: caBundle, judge } },
  });
  const { cluster } = world;
  for (const object of [
    aNamespace("engine"),
    aSecret("engine", { cert: caBundle, privateKey: base64(pair.keyPem) }),
    aService("engine"),
    anEndpointSlice("engine"),
    aDeployment("engine"),
    configuration(caBundle),
  ]) {
    world.put(other(object));
  }
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
  return { context, world, cluster, events, caBundle, files };
}

const flags = { ...readDefaults(upgradeWebhook), waitSecretMs: 0 };
test("the kind of a probe file has the names' plural where the server tells none", async () => {
  const { context, world, cluster, files } = aContext((caBundle) =>
    anOldConfiguration({ caBundle }),
  );
  world.served.length = 0;
  const [root = "", field = ""] = names.fields.engineVersion;
  const apiVersion = `${names.group}/${names.version}`;
  const good = { apiVersion, kind: names.edb.kind, metadata: { name: "p" } };
  files["pair"] = renderDocuments([good, { ...good, [root]: { [field]: "0.0" } }]);
  await runUpgradeWebhook(context, [], { ...flags, probeFile: "pair" });
  const asked = cluster.calls.filter(({ verb }) => verb === "can");
  expect(JSON.stringify(asked)).toContain(`"${names.edb.plural}"`);
});

describe("cert create under other names", () => {
  test("saves and replaces the Secret, and prints commands with the names file", async () => {
    const { context, world, cluster } = aContext((caBundle) => anOldConfiguration({ caBundle }));
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
    const secret = world.stored("Secret", webhook.secret, "engine");
    expect(Object.keys(secret?.["data"] ?? {})).toEqual([webhook.secretCert, webhook.secretKey]);
  });

  test("kubectl's own commands carry no names file", async () => {
    const { context } = aContext((caBundle) => anOldConfiguration({ caBundle }));
    const report = await runUpgradeWebhook(context, [], flags);
    const [backup] = report.backups ?? [];
    expect(backup?.command).toBe(`kubectl create -f ${backup?.file ?? ""} --context c`);
  });
});
