import type { ReleaseContents } from "../../../../plugin/domain/release/contents";
import type { KubeObject } from "../../../../plugin/domain/objects";
import { anOperator, aPod, aSet, oldTag } from "../cluster/scene";
import { aDeploymentWith } from "./operators";
import {
  aCluster,
  aNewConfiguration,
  anEaadb,
  anEdb,
  anOldConfiguration,
  bundled,
  inShop,
  statusOf,
  unread,
} from "./scene";

type Lists = NonNullable<Parameters<typeof statusOf>[0]>;

const pods = [0, 1, 2].map((ordinal) => aPod(ordinal, { tag: oldTag }));
/** The EC is still of the old release; operator 8.0.2-2 is there. */
const oldCluster: Lists = { ecs: [aCluster(oldTag)], statefulSets: [aSet(oldTag)], pods };
const fewerRules = {
  ...inShop.role,
  rules: (inShop.role["rules"] as readonly unknown[]).slice(1),
};
const extra = { apiGroups: [""], resources: ["endpoints"], verbs: ["get"] };
const moreRules = { ...inShop.role, rules: [...(inShop.role["rules"] as object[]), extra] };
const constraint: KubeObject = {
  apiVersion: "security.openshift.io/v1",
  kind: "SecurityContextConstraints",
  metadata: { name: "engine-enterprise-scc-v2" },
};
const major = aCluster(undefined, {}, { engineUpgradePolicy: "major" });

test.each(["InvalidUpgrade"])("state %s is for recover, whatever the webhook lacks", (state) => {
  const ecs = [aCluster(undefined, { state })];
  const { next } = statusOf({ ecs, webhookConfigurations: [anOldConfiguration()] });
  expect(next).toMatchObject({ words: ["recover"] });
});

test.each<[string, KubeObject, object]>([
  [
    "an EC behind its operator is suspended",
    aCluster(oldTag),
    {
      is: "stalled",
      code: "CLUSTER-BEHIND-OPERATOR",
      because: expect.stringContaining("suspended") as string,
    },
  ],
  [
    "an EC that follows by itself is not",
    aCluster(oldTag, {}, { upgradeSpec: { autoUpgradeEngineEnterprise: true } }),
    { is: "fine" },
  ],
  [
    "an EC with an invalid license is not fine",
    aCluster(oldTag, { licenseStatus: { licenseState: "Expired" } }),
    { is: "stalled", code: "CLUSTER-LICENSE" },
  ],
])("%s", (_, ec, verdict) => {
  const { clusters } = statusOf({ ...oldCluster, ecs: [ec] });
  expect(clusters.items[0]?.verdict).toMatchObject(verdict);
});

test("what is not there is absent, not fine", () => {
  const { clusters, databases, webhook } = statusOf({
    ecs: [],
    edbs: [],
    webhookConfigurations: [],
  });
  expect([clusters, databases, webhook].map((part) => part.verdict.is)).toEqual([
    "absent",
    "absent",
    "absent",
  ]);
});

test.each<[string, Lists, string, readonly string[]]>([
  [
    "rights that the operator lacks, before the EC",
    { ...oldCluster, roles: [fewerRules] },
    "give the operator the rights that it lacks in shop",
    ["reapply-rbac"],
  ],
  [
    "the old webhook configuration",
    { webhookConfigurations: [anOldConfiguration()] },
    "replace the old webhook configuration",
    ["upgrade-webhook"],
  ],
  [
    "a webhook configuration that is unfit",
    { webhookConfigurations: [aNewConfiguration({ caBundle: "" })] },
    "fix the webhook configuration",
    ["upgrade-webhook"],
  ],
  [
    "an EC older than the operator",
    oldCluster,
    "upgrade EC ec from 7.22.0-28 to 8.0.2-17",
    ["upgrade-cluster", "ec", "--target=8.0.2-17"],
  ],
  [
    "the constraint that nothing needs",
    { constraints: [constraint] },
    "remove the old constraint engine-enterprise-scc-v2",
    ["unbind-scc"],
  ],
  [
    "rights too many, after the EC",
    { roles: [moreRules] },
    "bring role and binding in shop in line with the shipped files",
    ["reapply-rbac", "--mode=contract"],
  ],
  [
    "rights too many and too few, after the EC: what is missing first",
    { roles: [{ ...fewerRules, rules: [...fewerRules.rules, extra] }] },
    "bring role and binding in shop in line with the shipped files",
    ["reapply-rbac"],
  ],
  [
    "one database below the newest version",
    { edbs: [anEdb("a", "7.4"), anEdb("b")] },
    "1 database is below 8.2, the newest version that the cluster offers them",
    ["upgrade-database", "--all", "--engine-version=8.2"],
  ],
  [
    "databases below the newest major version, under that policy",
    { ecs: [major], edbs: [anEdb("a", "7.2"), anEdb("b", "8.0")], eaadbs: [anEaadb("c", "7.2")] },
    "2 databases are below 8.0, the newest version that the cluster offers them",
    ["upgrade-database", "--all", "--engine-version=8.0"],
  ],
])("next: %s", (...[, lists, says, words]) => {
  expect(statusOf(lists).next).toEqual({ says, words });
});

const stuckEc = aCluster(undefined, { licenseStatus: { licenseState: "Expired" } });

test.each<[string, Lists, RegExp]>([
  [
    "an operator on its way",
    { deployments: [anOperator("8.0.2-2", 0)] },
    /^wait for the operator: /,
  ],
  ["no operator", { deployments: [] }, /^fix the operator first: give the operator's namespace/],
  ["no endpoints", { endpointSlices: [] }, /^fix the webhook first: /],
  ["an EC that is stalled", { ecs: [stuckEc] }, /^fix EC ec first: put in a valid license/],
  [
    "a database on its way",
    { edbs: [anEdb("a", "8.2", { status: "pending" })] },
    /^wait for the databases: 1 of 1 EDB/,
  ],
  [
    "an active-active database that is stalled",
    { eaadbs: [anEaadb("a", "8.2", { replicationStatus: "down" })] },
    /^fix the active-active databases first: /,
  ],
  [
    "an EC whose release is not known to belong to the operator",
    { ...oldCluster, deployments: [anOperator("8.0.4-1")] },
    /^upgrade EC ec from 7\.22\.0-28 to the release of operator 8\.0\.4-1$/,
  ],
])("nothing to run yet: %s", (_title, lists, says) => {
  const { next } = statusOf(lists);
  expect(next?.says).toMatch(says);
  expect(next).not.toHaveProperty("words");
});

test("what may not be read cannot be determined", () => {
  expect(statusOf(...unread("deployments")).next?.says).toBe(
    "it cannot be determined while the operator cannot be read: may not list deployments",
  );
  expect(statusOf(...unread("ecs")).next?.says).toMatch(/while the ECs cannot be read/);
  // a webhook that is not read is no reason to stop
  expect(statusOf(...unread("webhookConfigurations")).next).toBeUndefined();
});

const contents: ReleaseContents = {
  source: "./release",
  sha256: "ab",
  platform: "kubernetes",
  operatorVersion: "8.0.4-1",
  clusterVersion: "8.0.4-9",
  bundle: [],
  definitions: [],
  webhook: undefined,
  rbac: [],
  scc: undefined,
};
const release = { contents, given: "./release" };

test("a release that is newer than the operator begins with it, and its flag goes along", () => {
  expect(statusOf({}, {}, { release }).next).toEqual({
    says: "upgrade the operator from 8.0.2-2 to 8.0.4-1",
    words: ["upgrade-operator", "--release=./release"],
  });
});

test("rights that the operator lacks come before its next release, as in a whole upgrade", () => {
  expect(statusOf({ ...oldCluster, roles: [fewerRules] }, {}, { release }).next).toEqual({
    says: "give the operator the rights that it lacks in shop",
    words: ["reapply-rbac", "--release=./release"],
  });
});

test("a release reports the EC's where the operator's is not known", () => {
  const lists = { ...oldCluster, deployments: [anOperator("8.0.4-1")] };
  expect(statusOf(lists, {}, { release }).next?.words).toEqual([
    "upgrade-cluster",
    "ec",
    "--target=8.0.4-9",
  ]);
});

test("an operator without a readable version is older and newer than nothing", () => {
  const deployments = [aDeploymentWith([], "latest")];
  expect(statusOf({ ...oldCluster, deployments }, {}, { release }).next).toBeUndefined();
});

const adjusting = aCluster(
  undefined,
  {},
  { securityContext: { resourceLimits: { allowAutoAdjustment: true } } },
);

test.each<[string, Lists, Parameters<typeof statusOf>[1]]>([
  ["an EC that adjusts its limits", { ecs: [adjusting] }, {}],
  ["no EC", { ecs: [], statefulSets: [], configMaps: [], edbs: [], eaadbs: [] }, {}],
  [
    "no OpenShift",
    { constraints: [] },
    { unserved: new Set(["constraints", "clusterVersions"] as const) },
  ],
])("the constraint stays: %s", (_title, lists, rest) => {
  expect(statusOf({ constraints: [constraint], ...lists }, rest).next).toBeUndefined();
});

const bare = {
  ...aCluster(),
  status: { ...(aCluster()["status"] as object), bundledDatabaseVersions: [] },
};
const instance = anEdb("a", "7.4", { activeActive: { name: "carts" } });
const memcached = { ...anEdb("a", "7.4"), spec: { type: "memcached", engineVersion: "7.4" } };
const channel = { ...anEdb("a"), spec: { engineVersion: "latest" } };

test.each<[string, Lists]>([
  ["the EC publishes no versions", { ecs: [bare], edbs: [anEdb("a", "7.4")] }],
  ["it is an instance of an active-active one", { edbs: [instance] }],
  ["it is a memcached one", { edbs: [memcached] }],
  ["it follows a channel", { edbs: [channel] }],
  ["its EC is not known", { ecs: [], statefulSets: [], configMaps: [], edbs: [anEdb("a", "7.4")] }],
])("no upgrade of a database is proposed: %s", (_title, lists) => {
  expect(statusOf(lists).next).toBeUndefined();
});

test("a database that says nothing is judged by what runs", () => {
  const silent = { ...anEdb("a", "7.4"), spec: {} };
  expect(statusOf({ edbs: [silent] }).next?.words?.[0]).toBe("upgrade-database");
});

test("clusters that offer different versions are left to the person", () => {
  const named = (name: string, versions: typeof bundled): KubeObject => ({
    ...aCluster(undefined, { bundledDatabaseVersions: versions }),
    metadata: { name, namespace: "engine" },
  });
  const inEc = (name: string): KubeObject => ({
    ...anEdb(`of-${name}`, "7.2"),
    spec: { engineVersion: "7.2", engineEnterpriseCluster: { name } },
  });
  const set = (name: string): KubeObject => ({
    ...aSet(),
    metadata: { name, namespace: "engine", uid: name, generation: 2 },
  });
  const podsOf = (name: string): readonly KubeObject[] =>
    [0, 1, 2].map((ordinal) =>
      aPod(ordinal, {
        metadata: {
          name: `${name}-${ordinal}`,
          ownerReferences: [{ kind: "StatefulSet", name, uid: name }],
        },
      }),
    );
  const { next } = statusOf({
    ecs: [named("x", bundled), named("y", bundled.slice(0, 3))],
    statefulSets: [set("x"), set("y")],
    pods: [...podsOf("x"), ...podsOf("y")],
    edbs: [inEc("x"), inEc("y")],
    eaadbs: [],
    configMaps: [],
  });
  expect(next).toEqual({ says: "2 databases are below the newest version of their cluster" });
});

test("several places are counted", () => {
  const shop2 = { ...inShop.role, metadata: { ...inShop.role.metadata, namespace: "shop2" } };
  const status = statusOf({
    ...oldCluster,
    deployments: [aDeploymentWith([{ name: "EDB_NAMESPACES", value: "shop,shop2" }])],
    roles: [fewerRules, shop2],
  });
  expect(status.next?.says).toBe("give the operator the rights that it lacks in 2 places");
});
