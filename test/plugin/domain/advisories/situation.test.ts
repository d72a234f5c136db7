/** What rows see of a cluster: each word by an object that was read, and what is not known. */
import { judgeAct, listAdvisories } from "../../../../plugin/domain/advisories/symptoms";
import type { Row, Sourced } from "../../../../plugin/domain/advisories/row";
import type { AdvisoryScene, Wanted } from "../../../../plugin/domain/advisories/situation";
import { concerns, variables, vocabulary } from "../../../../plugin/domain/advisories/vocabulary";
import { diagnose } from "../../../../plugin/domain/diagnosis/diagnose";
import { eaadb, ec, edb, erc } from "../checks/labels";
import { aClusterServiceVersion, csvName, olmDefinitions } from "../../../support/olm";
import { fitWorld, openShiftWorld, type World } from "../checks/world";

const aRow = (parts: Partial<Row>): Sourced => ({
  ...{ code: "SOME-ROW", id: "some-row", severity: "warning", area: "cluster" },
  ...{ concerns: "cluster", title: "It is so", cause: "it is so", fix: "see to it" },
  ...{ source: "notes", examples: { fires: {}, silent: {} }, origin: "test" },
  ...parts,
});

async function look(world: World, row: Partial<Row>, more: Partial<AdvisoryScene> = {}) {
  const scene = { facts: await world.facts(), wanted: {}, ...more };
  return diagnose(listAdvisories([aRow(row)]), scene);
}

/** What a row that shows an expression tells, by the object that it is told of. */
async function show(world: World, row: Partial<Row>, wanted: Wanted = {}) {
  const { findings, unseen } = await look(world, row, { wanted });
  return [
    ...findings.map(({ object = "", cause }) => `${object.replace(/^.*\//, "")}: ${cause}`),
    ...unseen.map(({ because }) => `unseen: ${because}`),
  ];
}

type Change = (world: World) => unknown;
const asItIs: Change = () => undefined;

const operator = "Deployment/engine/engine-enterprise-operator";

const words: readonly (readonly [
  concern: Row["concerns"],
  expression: string,
  change: Change,
  shown: readonly string[],
])[] = [
  ["operator", "operator.version", asItIs, ["engine-enterprise-operator: 8.0.2-2"]],
  ["operator", "operator.installedBy", asItIs, ["engine-enterprise-operator: bundle"]],
  [
    "operator",
    "operator.installedBy",
    (w) =>
      w.note(operator, "annotations", {
        "meta.helm.sh/release-name": "engine",
        "meta.helm.sh/release-namespace": "engine",
      }),
    ["engine-enterprise-operator: helm"],
  ],
  [
    "operator",
    "operator.installedBy",
    (w) =>
      w
        .note(operator, "labels", { "olm.owner": csvName })
        .add(...olmDefinitions, aClusterServiceVersion("8.0.20-23")),
    ["engine-enterprise-operator: olm"],
  ],
  [
    "operator",
    "operator.installedBy",
    // what made the mark is gone
    (w) => w.note(operator, "labels", { "olm.owner": csvName }),
    ["engine-enterprise-operator: bundle"],
  ],
  ["operator", "platform.name", asItIs, ["engine-enterprise-operator: kubernetes"]],
  ["operator", "platform.kubernetes", asItIs, ["engine-enterprise-operator: v1.33.4"]],
  ["operator", "nodes.map(n, n.name)", asItIs, ["engine-enterprise-operator: node-1"]],
  ["operator", "clusters.map(c, c.name)", asItIs, ["engine-enterprise-operator: ec"]],
  [
    "operator",
    "databases.map(d, d.name)",
    asItIs,
    ["engine-enterprise-operator: config, orders, carts"],
  ],
  ["operator", "remotes.map(r, r.name)", asItIs, ["engine-enterprise-operator: here"]],
  ["cluster", "cluster.name", asItIs, ["ec: ec"]],
  ["cluster", "cluster.namespace", asItIs, ["ec: engine"]],
  ["cluster", "cluster.state", asItIs, ["ec: Running"]],
  ["cluster", "cluster.nodes", asItIs, ["ec: 3"]],
  ["cluster", "cluster.nodes", (w) => w.set(ec, "spec.nodes", undefined), ["ec: 3"]],
  ["cluster", "cluster.tag", asItIs, ["ec: 8.0.2-17"]],
  ["cluster", "cluster.offered", asItIs, ["ec: 7.2, 7.4, 8.0, 8.2"]],
  [
    "cluster",
    "cluster.offered",
    (w) => w.set(ec, "status.bundledDatabaseVersions", [{ version: "7.4" }, { dbType: "other" }]),
    ["ec: 7.4"],
  ],
  ["cluster", "cluster.modules.map(m, m.name)", asItIs, ["ec: search, rg"]],
  [
    "cluster",
    "cluster.modules.map(m, m.version)",
    (w) => w.set(ec, "status.modules", [{ name: "search", versions: ["2.8", "2.10"] }]),
    ["ec: 2.8, 2.10"],
  ],
  [
    "cluster",
    "cluster.userModules",
    (w) => w.set(ec, "spec.userDefinedModules", [{ name: "mine" }]),
    ["ec: mine"],
  ],
  [
    "cluster",
    "cluster.userModulesUsed",
    (w) => w.set(edb, "spec.modulesList", [{ name: "mine" }, { name: "graph" }]),
    ["ec: mine"],
  ],
  ["cluster", "cluster.storage", asItIs, ["ec: true"]],
  [
    "cluster",
    "cluster.storage",
    (w) => w.set(ec, "spec.persistentSpec", { enabled: false }),
    ["ec: false"],
  ],
  [
    "cluster",
    "cluster.autoUpgrade",
    (w) => w.set(ec, "spec.autoUpgradeEngineEnterprise", true),
    ["ec: true"],
  ],
  [
    "cluster",
    "cluster.rackAware",
    (w) => w.set(ec, "spec.rackAwarenessNodeLabel", "zone"),
    ["ec: true"],
  ],
  [
    "cluster",
    "cluster.ingress",
    (w) => w.set(ec, "spec.ingressOrRouteSpec", { method: "istio" }),
    ["ec: istio"],
  ],
  [
    "cluster",
    "cluster.upgradePolicy",
    (w) => w.set(ec, "spec.engineUpgradePolicy", "latest"),
    ["ec: latest"],
  ],
  ["cluster", "cluster.certificates", asItIs, ["ec: "]],
  [
    "cluster",
    "cluster.certificates",
    (w) =>
      w.set(ec, "spec.certificates", {
        apiCertificateSecretName: "api",
        proxyCertificateSecretName: "",
        ldapClientCertificateSecretName: "ldap",
        cpInternodeEncryptionCertificateSecretName: "control",
        dpInternodeEncryptionCertificateSecretName: "data",
      }),
    ["ec: api, ldap-client, control-plane, data-plane"],
  ],
  ["cluster", "cluster.ldap", asItIs, ["ec: false"]],
  ["cluster", "cluster.ldap", (w) => w.set(ec, "spec.ldap", { protocol: "LDAP" }), ["ec: true"]],
  ["cluster", "cluster.ldapFilters", asItIs, ["ec: "]],
  [
    "cluster",
    "cluster.ldapFilters",
    (w) =>
      w.set(ec, "spec.ldap", {
        authenticationQuery: { query: { filter: "(cn=%u)" } },
        authorizationQuery: { query: { filter: "(member=%D)" } },
      }),
    ["ec: (cn=%u), (member=%D)"],
  ],
  ["cluster", "cluster.serviceAnnotations", asItIs, ["ec: "]],
  [
    "cluster",
    "cluster.serviceAnnotations",
    (w) => w.set(ec, "spec.services", { servicesAnnotations: { team: "a", cost: "b" } }),
    ["ec: team, cost"],
  ],
  ["cluster", "cluster.licenseState", asItIs, ["ec: Valid"]],
  ["cluster", "cluster.licenseDays", asItIs, ["ec: 300"]],
  ["cluster", "cluster.shardsUsed", asItIs, ["ec: 4"]],
  ["cluster", "cluster.shardsLimit", asItIs, ["ec: 10"]],
  ["cluster", "cluster.eligible.map(n, n.arch)", asItIs, ["ec: amd64"]],
  [
    "cluster",
    "cluster.eligible.size()",
    (w) => w.set(ec, "spec.nodeSelector", { disk: "fast" }),
    ["ec: 0"],
  ],
  ["cluster", "cluster.databases.map(d, d.namespace)", asItIs, ["ec: engine, shop, engine"]],
  ["database", "database.version", asItIs, ["config: 7.4", "orders: 7.4", "carts: 7.4"]],
  [
    "database",
    "database.version",
    (w) => w.set(edb, "status.version", undefined).set(edb, "spec.engineVersion", "8.0"),
    ["config: 7.4", "orders: 8.0", "carts: 7.4"],
  ],
  [
    "database",
    "has(database.channel) ? database.channel : 'none'",
    (w) => w.set(edb, "spec.engineVersion", "major"),
    ["config: none", "orders: major", "carts: none"],
  ],
  [
    "database",
    "has(database.channel) ? database.channel : 'none'",
    (w) => w.set(edb, "spec.engineVersion", "latest"),
    ["config: none", "orders: latest", "carts: none"],
  ],
  ["database", "database.activeActive", asItIs, ["config: false", "orders: false", "carts: true"]],
  [
    "database",
    "database.replicated",
    (w) => w.set(edb, "spec.replication", undefined),
    ["config: true", "orders: false", "carts: true"],
  ],
  [
    "database",
    "database.persistence",
    asItIs,
    ["config: disabled", "orders: disabled", "carts: disabled"],
  ],
  [
    "database",
    "database.flash",
    (w) => w.set(edb, "spec.isRof", true),
    ["config: false", "orders: true", "carts: false"],
  ],
  [
    "database",
    "database.tls",
    (w) => w.set(edb, "spec.tlsMode", "enabled"),
    ["config: false", "orders: true", "carts: false"],
  ],
  [
    "database",
    "database.tls",
    (w) => w.set(edb, "spec.tlsMode", "disabled"),
    ["config: false", "orders: false", "carts: false"],
  ],
  [
    "database",
    "database.shards",
    (w) => w.set(edb, "spec.shardCount", 4),
    ["config: 1", "orders: 4", "carts: 1"],
  ],
  [
    "database",
    "database.port",
    (w) => {
      const at = (port: number) => [{ host: "x", port }, { port: 1 }];
      w.set("EngineEnterpriseDatabase/engine/config", "status.internalEndpoints", at(12000));
      w.set(edb, "spec.databasePort", 9091).set(edb, "status.internalEndpoints", at(12001));
      w.set(eaadb, "spec.globalConfigurations.databasePort", 12002);
    },
    ["config: 12000", "orders: 9091", "carts: 12002"],
  ],
  [
    "active-active",
    "database.port",
    (w) => {
      w.set(eaadb, "status.linkedEdbs", ["config"]);
      const endpoints = [{ port: 12003 }];
      w.set("EngineEnterpriseDatabase/engine/config", "status.internalEndpoints", endpoints);
    },
    ["carts: 12003"],
  ],
  [
    "database",
    "has(database.backup) ? database.backup : 'none'",
    (w) => w.set(edb, "spec.backup", { interval: 24, s3: { bucketName: "b" } }),
    ["config: none", "orders: s3", "carts: none"],
  ],
  [
    "database",
    "database.sources",
    (w) => w.set(edb, "spec.replicaSources", [{ replicaSourceName: "x" }]),
    ["config: 0", "orders: 1", "carts: 0"],
  ],
  [
    "database",
    "database.modules.map(m, m.name)",
    (w) => w.set(edb, "spec.modulesList", [{ name: "search" }]),
    ["config: ", "orders: search", "carts: "],
  ],
  [
    "active-active",
    "database.participants.map(p, has(p.port) ? p.port : 0)",
    (w) =>
      w.set(eaadb, "spec.participatingClusters", [
        { name: "here", externalReplicationPort: 443 },
        { name: "there" },
      ]),
    ["carts: 443, 0"],
  ],
  [
    "database",
    "database.name",
    (w) => w.set(eaadb, "status.linkedEdbs", ["config"]),
    ["orders: orders", "carts: carts"],
  ],
  ["node", "node.arch", asItIs, ["node-1: amd64"]],
  [
    "node",
    "node.arch",
    (w) =>
      w
        .set("Node/node-1", "status.nodeInfo", undefined)
        .note("Node/node-1", "labels", { "kubernetes.io/arch": "arm64" }),
    ["node-1: arm64"],
  ],
  ["node", "node.ready && !node.cordoned", asItIs, ["node-1: true"]],
  ["remote", "remote.cluster", asItIs, ["here: ec"]],
  ["remote", "remote.local", (w) => w.set(erc, "status.local", undefined), ["here: false"]],
];

test.each(words)("%s: %s is what was read", async (concern, expression, change, shown) => {
  const world = await fitWorld();
  change(world);
  const row = { concerns: concern, cause: `it has {${expression}}` };
  const told = shown.map((one) => one.replace(": ", ": it has "));
  expect(await show(world, row)).toEqual(told);
});

test("versions of modules are found under the name that they have", async () => {
  const world = await fitWorld();
  world.named({ entryFields: { statusModuleVersions: "releases" } });
  world.set(ec, "status.modules", [{ name: "search", versions: ["1.0"], releases: ["2.8"] }]);
  expect(await show(world, { cause: "{cluster.modules.map(m, m.version)}" })).toEqual(["ec: 2.8"]);
});

test("on OpenShift its own version is told", async () => {
  const world = await openShiftWorld();
  const row: Partial<Row> = {
    concerns: "operator",
    cause: "on {platform.name} {platform.openshift}",
  };
  expect(await show(world, row)).toEqual(["engine-enterprise-operator: on openshift 4.20.1"]);
});

test("on OpenShift whose version is not told it is not known", async () => {
  const world = await openShiftWorld();
  world.set("ClusterVersion/version", "status", undefined);
  const row: Partial<Row> = { concerns: "operator", when: "platform.openshift < '4.0'" };
  expect(await show(world, row)).toEqual([
    "unseen: Deployment/engine/engine-enterprise-operator: the version of OpenShift was not told",
  ]);
});

test.each<[string, Partial<Row>, Change, readonly string[]]>([
  [
    "a list that was not read",
    { when: "cluster.eligible.size() > 0" },
    (w) => w.unread.set("nodes", "forbidden"),
    ["unseen: Node could not be read (forbidden)"],
  ],
  [
    "a list of what is judged",
    { concerns: "node" },
    (w) => w.remove("Node/node-1").unread.set("nodes", "forbidden"),
    ["unseen: Node could not be read (forbidden)"],
  ],
  [
    "a value of another type",
    { when: "cluster.nodes > 2" },
    (w) => w.set(ec, "spec.nodes", "3"),
    ['unseen: EngineEnterpriseCluster/engine/ec: nodes of cluster ec is "3", and int is expected'],
  ],
  [
    "a value that is absent",
    { when: "cluster.tag < '8.2'" },
    (w) => w.set(ec, "spec.engineEnterpriseImageSpec.versionTag", undefined),
    ["unseen: EngineEnterpriseCluster/engine/ec: tag of cluster ec is absent"],
  ],
  [
    "a port that neither spec nor status tells",
    { concerns: "active-active", when: "database.port == 1" },
    asItIs,
    ["unseen: EngineEnterpriseActiveActiveDatabase/engine/carts: port of database carts is absent"],
  ],
  [
    "settings of another type",
    { when: "cluster.ldap" },
    (w) => w.set(ec, "spec.ldap", "LDAPS"),
    [
      'unseen: EngineEnterpriseCluster/engine/ec: ldap of cluster ec is "LDAPS", and bool is expected',
    ],
  ],
  [
    "a certificate that is no name",
    { when: "cluster.certificates.size() > 0" },
    (w) => w.set(ec, "spec.certificates", { apiCertificateSecretName: 7 }),
    [
      "unseen: EngineEnterpriseCluster/engine/ec: spec.certificates.apiCertificateSecretName is no text",
    ],
  ],
  [
    "annotations that are no map",
    { when: "cluster.serviceAnnotations.size() > 0" },
    (w) => w.set(ec, "spec.services", { servicesAnnotations: "team" }),
    [
      'unseen: EngineEnterpriseCluster/engine/ec: serviceAnnotations of cluster ec is "team", and a list of string is expected',
    ],
  ],
  [
    "who keeps an operator that is not there",
    { when: "operator.installedBy == 'helm'" },
    (w) => w.remove(deploymentOf(w)),
    ["unseen: EngineEnterpriseCluster/engine/ec: operator.installedBy is absent"],
  ],
  [
    "lists that are no lists",
    { when: "cluster.offered.size() > 0 || cluster.modules.size() > 0" },
    (w) => w.set(ec, "status.bundledDatabaseVersions", "7.4").set(ec, "status.modules", "search"),
    [
      'unseen: EngineEnterpriseCluster/engine/ec: modules of cluster ec is "search", and a list of module is expected',
    ],
  ],
  [
    "one of several: what is found is told, and of the other that it is not known",
    { concerns: "database", when: "database.shards < 3" },
    (w) => w.set(edb, "spec.shardCount", "many"),
    [
      "config: it is so",
      "carts: it is so",
      'orders: not checked: shards of database orders is "many", and int is expected',
    ],
  ],
  [
    "no operator: nothing is judged",
    { concerns: "operator" },
    (w) => w.remove(deploymentOf(w)),
    [],
  ],
])("not known: %s", async (_, row, change, shown) => {
  const world = await fitWorld();
  change(world);
  expect(await show(world, row)).toEqual(shown);
});

function deploymentOf(world: World): string {
  return world.labels().find((label) => label.startsWith("Deployment/engine/engine")) ?? "";
}

test("the operator's Deployment may not be read: its rows are not judged", async () => {
  const world = await fitWorld();
  world.unread.set("deployments", "forbidden");
  const row: Partial<Row> = { concerns: "operator", when: "operator.version < '9.0'" };
  const facts = await world.facts();
  const blind = { ...facts, objects: { ...facts.objects, deployments: [] } };
  const { findings, unseen } = diagnose(listAdvisories([aRow(row)]), { facts: blind, wanted: {} });
  expect(findings).toEqual([]);
  expect(unseen).toMatchObject([{ keys: ["deployments"] }]);
});

test("only the clusters and databases that are chosen are judged", async () => {
  const world = await fitWorld();
  const facts = await world.facts();
  const orders = facts.objects.edbs.filter(({ metadata }) => metadata.name === "orders");
  const rows = listAdvisories([aRow({ concerns: "database" })]);
  const told = (more: Partial<AdvisoryScene>) =>
    diagnose(rows, { facts, wanted: {}, ...more }).findings.map(({ object }) => object);
  expect(told({ databases: orders })).toEqual([edb]);
  expect(told({ clusters: [] })).toEqual([]);
});

test("a finding has the row's severity, field, source and ways out", async () => {
  const world = await fitWorld();
  const rows: readonly Partial<Row>[] = [
    { id: "a", severity: "error", field: "ecFields.versionTag", source: "notes of a" },
    { id: "b", field: "ecFields", fix: undefined, remedies: [{ says: "look at {cluster.name}" }] },
  ];
  const scene = { facts: await world.facts(), wanted: {} };
  const [symptom] = listAdvisories(rows.map(aRow));
  expect(symptom).toMatchObject({ severity: "error", code: "SOME-ROW", fix: "see to it" });
  expect(diagnose(symptom === undefined ? [] : [symptom], scene).findings).toMatchObject([
    { severity: "error", field: "spec.engineEnterpriseImageSpec.versionTag", source: "notes of a" },
    { severity: "warning", fix: "look at ec", remedies: [{ says: "look at ec" }] },
  ]);
});

test("a code has the fix of its first row, or its ways out", () => {
  const rows = [{ fix: undefined, remedies: [{ says: "do this" }, { says: "do that" }] }, {}];
  expect(listAdvisories(rows.map(aRow)).map(({ fix }) => fix)).toEqual(["do this; else do that"]);
  expect(listAdvisories([aRow({ fix: undefined })]).map(({ fix }) => fix)).toEqual([""]);
});

test.each<[string, Partial<Row>, readonly string[]]>([
  ["forbids it", { forbids: ["upgrade-cluster"] }, ["error"]],
  ["warns of it", { warns: ["upgrade-cluster"], severity: "error" }, ["warning"]],
  ["does both", { forbids: ["upgrade-cluster"], warns: ["upgrade-cluster"] }, ["error"]],
  ["is about another act", { forbids: ["upgrade-operator"], warns: ["upgrade-database"] }, []],
  [
    "forbids it and cannot be judged: a list",
    { forbids: ["upgrade-cluster"], when: "cluster.eligible.size() > 0" },
    ["error"],
  ],
  [
    "forbids it and cannot be judged: a value",
    { forbids: ["upgrade-cluster"], when: "cluster.upgradePolicy == 'x'" },
    ["warning"],
  ],
  [
    "warns of it and cannot be judged",
    { warns: ["upgrade-cluster"], when: "cluster.eligible.size() > 0" },
    [],
  ],
])("before an act, a row that %s", async (_, row, severities) => {
  const world = await fitWorld();
  world.unread.set("nodes", "forbidden");
  world.set(ec, "spec.engineUpgradePolicy", 7);
  const scene = { facts: await world.facts(), wanted: {} };
  const told = judgeAct([aRow(row)], "upgrade-cluster", scene);
  expect(told.map(({ severity }) => severity)).toEqual(severities);
});

test("every variable and every word that a row may use is told by the situation", () => {
  const shown = words.map(([, expression]) => expression).join(" ");
  const all = Object.keys(variables).filter((name) => name !== "target");
  expect(all.filter((name) => !shown.includes(name))).toEqual([]);
  const cluster = Object.keys(vocabulary.Cluster).filter((word) => word !== "licenseExpires");
  expect(cluster.filter((word) => !shown.includes(`cluster.${word}`))).toEqual([]);
  expect(
    Object.keys(concerns).filter((one) => !words.some(([concern]) => concern === one)),
  ).toEqual([]);
});
