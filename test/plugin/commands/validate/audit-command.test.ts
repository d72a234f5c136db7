/** `audit` at its command line, over a cluster in memory. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parseDocuments } from "../../../../plugin/adapters/kubernetes/text/yaml";
import type { KubeObject } from "../../../../plugin/domain/kube/objects";
import type { KubeClient } from "../../../../plugin/ports/kubernetes";
import type { Report, RulesDetails } from "../../../../plugin/kernel/report";
import { expectGoldenText } from "../../../support/golden";
import { aWebhookProgram } from "../../../support/webhook-program";
import { type Ended, typed } from "../../../support/program-world";
import { admin, makeWorld } from "../../../support/world";

const crds = ["cluster", "database", "active_active_database"].flatMap((name) => {
  const file = join(__dirname, `../../../../manifests/crds/engine_enterprise_${name}.yaml`);
  return parseDocuments(readFileSync(file, "utf8"), name) as KubeObject[];
});
const metadata = (name: string, namespace: string) => ({ name, namespace, uid: name });
const namespaces = ["engine", "shop"].map((name) => ({
  apiVersion: "v1",
  kind: "Namespace",
  metadata: { name },
}));
const ec = {
  apiVersion: "app.engine.com/v1",
  kind: "EngineEnterpriseCluster",
  metadata: metadata("ec", "engine"),
  spec: { engineUpgradePolicy: "major", userDefinedModules: [] },
  status: {
    bundledDatabaseVersions: [
      { dbType: "engine", version: "7.2.4", major: true },
      { dbType: "engine", version: "7.4.0", major: false },
    ],
  },
};
const edb = (name: string, spec: object, more: object = {}): KubeObject => ({
  apiVersion: "app.engine.com/v1alpha1",
  kind: "EngineEnterpriseDatabase",
  metadata: { ...metadata(name, "shop"), ...more },
  spec: { engineEnterpriseCluster: { name: "ec" }, ...spec },
});
const eaadb: KubeObject = {
  apiVersion: "app.engine.com/v1alpha1",
  kind: "EngineEnterpriseActiveActiveDatabase",
  metadata: metadata("global", "shop"),
  spec: { globalConfigurations: { engineVersion: "9.0" } },
};

/** What was stored before there was a webhook, or past it. */
const stored = [
  edb("fine", { engineVersion: "7.2" }),
  // a minor release under policy major: its upgrade would be refused, what is there is not
  edb("minor", { engineVersion: "7.4" }),
  edb("old", { engineVersion: "6.4" }),
  edb("modules", { modulesList: [{ name: "graph" }] }),
  edb("lost", { engineEnterpriseCluster: { name: "gone" }, modulesList: [{ name: "graph" }] }),
  eaadb,
];

const program = aWebhookProgram();

async function audit(
  objects: readonly object[],
  words: readonly string[] = [],
  user = admin,
): Promise<Ended & { readonly lists: readonly string[] }> {
  const plane = makeWorld({
    objects: [...crds, ...namespaces, ec, ...objects] as KubeObject[],
  }).controlPlane;
  const lists: string[] = [];
  const connect = (): Promise<KubeClient> => {
    const cluster = plane.connect({ user, namespace: "engine" });
    const list: KubeClient["list"] = (resource, options) => {
      lists.push(resource.plural);
      return cluster.list(resource, options);
    };
    return Promise.resolve(Object.assign(Object.create(cluster) as KubeClient, { list }));
  };
  const before = plane.state;
  const ended = await typed(["audit", "-n", "engine", ...words], { connect });
  expect(plane.state).toBe(before);
  return { ...ended, lists };
}

const documentOf = ({ out }: Ended) =>
  JSON.parse(out) as Report & { readonly details: RulesDetails };

test.each(["text", "json", "sarif", "junit", "github"])(
  "violators in the form %s",
  async (form) => {
    const { code, out } = await audit(stored, ["-o", form]);
    expect(code).toBe(1);
    const masked = out
      .replaceAll(/"version": "\d+\.\d+\.\d+"/g, '"version": "VERSION"')
      .replaceAll(/"id": "\d{8}-\d{6}-\w{6}"/g, '"id": "RUN"');
    expectGoldenText(`rules/audit.${form}`, masked);
  },
);

describe("what is found", () => {
  test.each<[string, KubeObject[], string[], string[]?]>([
    ["nothing where all are fit", stored.slice(0, 2), []],
    ["a version that the cluster does not bundle", [edb("a", { engineVersion: "8.0" })], ["R1"]],
    ["a version that is a number", [edb("a", { engineVersion: "7" })], ["R1"]],
    ["a rule that is off", [edb("a", { engineVersion: "8.0" })], [], ["--rules=version=off"]],
    ["latest, by the policy", [edb("a", { engineVersion: "latest" })], ["R1"]],
    ["latest, by a setting", [edb("a", { engineVersion: "latest" })], [], ["--allow-latest"]],
  ])("%s", async (...[, objects, codes, words]) => {
    const ended = await audit(objects, [...(words ?? []), "-o", "json"]);
    const { findings = [], details } = documentOf(ended);
    expect(findings.map(({ code }) => code)).toEqual(codes);
    expect(ended.code).toBe(codes.length === 0 ? 0 : 1);
    expect(details.withoutChange).toEqual(["R2"]);
  });

  test("one LIST of each kind, whatever the number of databases", async () => {
    const many = Array.from({ length: 500 }, (_, at) => edb(`d${at}`, { engineVersion: "7.2" }));
    const { code, lists } = await audit(many);
    expect(code).toBe(0);
    const product = lists.filter((plural) => plural.startsWith("engine")).sort();
    // the first one looks whether the namespace is the operator's
    expect(product).toEqual([
      "engineenterpriseactiveactivedatabases",
      "engineenterpriseclusters",
      "engineenterpriseclusters",
      "engineenterprisedatabases",
    ]);
  });

  test("whoever may not list is told which Role to ask for, and nothing is claimed", async () => {
    const ended = await audit(stored, ["-o", "json"], { name: "eve", groups: [] });
    const { permissions, findings, details } = documentOf(ended);
    expect(ended.code).toBe(4);
    expect(permissions?.missing).toHaveLength(3);
    expect({ findings, details }).toEqual({ findings: [], details: undefined });
  });

  test("a rehearsal checks a copy", async () => {
    const { code, out } = await typed([
      "rehearse",
      "audit",
      `--webhook=${program.file}`,
      "-o",
      "json",
    ]);
    expect(code).toBe(0);
    expect(JSON.stringify(JSON.parse(out))).toContain('"withoutChange":["R2"]');
  });
});

/** A database of which the status says what runs. */
const running = (engineVersion: unknown, version?: string): KubeObject => ({
  ...edb("accounts", { engineVersion }),
  status: version === undefined ? {} : { version },
});

test.each<[string, KubeObject, string | undefined]>([
  ["the version that runs, not the newest", running("9.9", "7.2.4"), "7.2"],
  ["the version that runs, in full as the status has it", running("7.2.4", "7.2.11"), "7.2"],
  ["the version that runs, for a number", running(8, "7.4.0"), "7.4"],
  ["none where the EC has no such version", running("9.9", "6.2.10"), undefined],
  ["none where the status has no version", running("6.4"), undefined],
])("the version that a printed patch writes: %s", async (_name, database, version) => {
  const { findings = [] } = documentOf(await audit([database], ["-o", "json"]));
  const wrong = findings.find(({ code }) => code === "R1");
  expect(wrong).toMatchObject({ code: "R1" });
  const [, patch] = /-p '(.*)'/.exec(wrong?.command ?? "") ?? [];
  expect(patch === undefined ? undefined : (JSON.parse(patch) as unknown)).toEqual(
    version === undefined ? undefined : { spec: { engineVersion: version } },
  );
  if (version === undefined) expect(wrong).not.toHaveProperty("command");
});
