/** `audit` at its command line, over a cluster in memory. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parseDocuments } from "../../../plugin/adapters/yaml";
import type { KubeObject } from "../../../plugin/domain/objects";
import type { Cluster } from "../../../plugin/run/ports";
import type { Report } from "../../../plugin/run/report";
import type { RulesDetails } from "../../../plugin/run/rules";
import { expectGoldenText } from "../../support/golden";
import { aWebhookProgram } from "../../support/webhook-program";
import { type Ended, typed } from "../../support/program-world";
import { aControlPlane, admin } from "../rehearsal/memory-cluster";

const crds = ["cluster", "database", "active_active_database"].flatMap((name) => {
  const file = join(__dirname, `../../../manifests/crds/engine_enterprise_${name}.yaml`);
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
  const plane = aControlPlane([...crds, ...namespaces, ec, ...objects] as KubeObject[]);
  const lists: string[] = [];
  const connect = (): Promise<Cluster> => {
    const cluster = plane.connect({ user, namespace: "engine" });
    const list: Cluster["list"] = (resource, options) => {
      lists.push(resource.plural);
      return cluster.list(resource, options);
    };
    return Promise.resolve(Object.assign(Object.create(cluster) as Cluster, { list }));
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

  test("a rehearsal judges a copy", async () => {
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

test.each<[string, object, string]>([
  ["the nearest that the policy lets pass", { engineVersion: "6.4" }, "7.2"],
  ["the number that was meant", { engineVersion: "7.2.4" }, "7.2"],
])("a patch that is printed makes the database pass: %s", async (_name, spec, version) => {
  const { findings = [] } = documentOf(await audit([edb("old", spec)], ["-o", "json"]));
  const [, patch = ""] = /-p '(.*)'/.exec(findings[0]?.command ?? "") ?? [];
  expect(JSON.parse(patch)).toEqual({ spec: { engineVersion: version } });
});
