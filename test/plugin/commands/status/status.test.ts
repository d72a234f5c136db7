/**
 * What status says of one upgrade after another. Each scene changes one that is over and fine; the
 * golden file has what is said otherwise then, the components first and below them the screen's lines.
 */
import { provenAt } from "../../../support/probes";
import { isDeepStrictEqual } from "node:util";
import { formatAge, daysUntil, renderAge } from "../../../../plugin/domain/base/duration";
import { withValue } from "../../../../plugin/domain/base/values";
import { defaultNames as names } from "../../../../plugin/domain/names/names";
import type { KubeObject } from "../../../../plugin/domain/kube/objects";
import type { ReleaseContents } from "../../../../plugin/domain/release/contents";
import { type Status, summarize } from "../../../../plugin/commands/status/status";
import { worst, findWorst } from "../../../../plugin/domain/rollout/health";
import { listEntries } from "../../../../plugin/domain/admission/configuration";
import { boundList } from "../../../../plugin/domain/base/values";
import {
  aNamespace,
  anEndpointSlice,
  aService,
  ownerMarks,
  testCa,
} from "../../../support/builders";
import {
  aClusterServiceVersion,
  anInstallPlan,
  anOperatorGroup,
  aSubscription,
} from "../../../support/olm";
import { aClaim } from "../../../support/claims";
import { expectGoldenText } from "../../../support/golden";
import { anOperator, aPod, aSet, newTag, oldTag } from "../../domain/engine-cluster/scene";
import { shipped } from "../../domain/rbac/objects";
import {
  aCluster,
  aNewConfiguration,
  anEaadb,
  anEdb,
  anOldConfiguration,
  bundled,
  certificate,
  consumer,
  inShop,
  label,
  settings,
  statusOf,
  unread,
} from "./scene";

type Args = Parameters<typeof statusOf>;
type Lists = NonNullable<Args[0]>;
type Scene = readonly [title: string, ...Args];

const usual = statusOf();

function linesOf(status: Status): readonly string[] {
  return summarize(status, names).map(
    ({ title, ...rest }) => `  ${title}: ${JSON.stringify(rest)}`,
  );
}

function golden(name: string, scenes: readonly Scene[]): void {
  const blocks = scenes.map(([title, ...args]) => {
    const status = statusOf(...args);
    const keys = [...new Set([...Object.keys(usual), ...Object.keys(status)])] as (keyof Status)[];
    const others = keys
      .filter((key) => !isDeepStrictEqual(status[key], usual[key]))
      .map((key) => `${key}: ${JSON.stringify(status[key])}`);
    const lines = linesOf(status).filter((line) => !linesOf(usual).includes(line));
    return [`## ${title}`, ...others, ...lines].join("\n");
  });
  expectGoldenText(`status-${name}.txt`, `${blocks.join("\n\n")}\n`);
}

test("an upgrade that is over: every component is fine, and nothing is left to run", () => {
  expect([usual.verdict, usual.next]).toEqual(["fine", undefined]);
  const shown = [JSON.stringify(usual, undefined, 2), ...linesOf(usual)];
  expectGoldenText("status-fine.txt", `${shown.join("\n")}\n`);
});

const withEnv = (env: readonly object[], tag = "8.0.2-2"): KubeObject => {
  const container = { name: "engine-enterprise-operator", image: `engine/operator:${tag}`, env };
  const template = { spec: { containers: [container] } };
  return { ...anOperator(tag), spec: { replicas: 1, template } };
};
/** The operator of 7.22.0-7 as OLM keeps it, with what it says. */
const byOlm = (lists: Lists = {}): Lists => ({
  deployments: [
    {
      ...anOperator("7.22.0-7"),
      metadata: { ...anOperator().metadata, ...ownerMarks.OLM },
    },
  ],
  subscriptions: [aSubscription()],
  installPlans: [anInstallPlan()],
  clusterServiceVersions: [aClusterServiceVersion("7.22.0-7")],
  operatorGroups: [anOperatorGroup(["engine"])],
  ...lists,
});
const failedPlan = anInstallPlan({ approved: true }, { phase: "Failed" });
/** Its webhook as OLM makes it: a Service and a certificate of its own. */
const olmWebhook = (): Lists => {
  const made = structuredClone(aNewConfiguration()) as unknown as {
    webhooks: { clientConfig: { service: { name: string } } }[];
  } & KubeObject;
  const [entry] = made.webhooks;
  if (entry !== undefined) entry.clientConfig.service.name = "operator-service";
  const metadata = { name: "made-x7k2p", ...ownerMarks.OLM };
  const service = {
    ...aService("engine"),
    metadata: { name: "operator-service", namespace: "engine" },
  };
  const labels = { "kubernetes.io/service-name": "operator-service" };
  const slice = anEndpointSlice("engine");
  return byOlm({
    webhookConfigurations: [{ ...made, metadata }],
    webhookSecrets: [],
    services: [service],
    endpointSlices: [{ ...slice, metadata: { ...slice.metadata, labels } }],
  });
};
/** One of a policy engine, for a label that no namespace has. */
const ofOthers = (): KubeObject => {
  const [entry] = listEntries(aNewConfiguration());
  const namespaceSelector = { matchLabels: { tier: "none" } };
  const webhooks = [{ ...entry, name: "policy.example", namespaceSelector }];
  return { ...aNewConfiguration(), metadata: { name: "policies" }, webhooks };
};
const otherCa = (): KubeObject => {
  const webhooks = listEntries(aNewConfiguration()).map((entry) => ({
    ...entry,
    clientConfig: { ...(entry["clientConfig"] as object), caBundle: "" },
  }));
  return { ...aNewConfiguration(), webhooks };
};
const withImage = (image: string, annotations?: object): KubeObject => ({
  ...anOperator(),
  metadata: { ...anOperator().metadata, ...(annotations && { annotations }) } as never,
  spec: {
    replicas: 1,
    template: { spec: { containers: [{ name: names.operator.container, image }] } },
  },
});
const waiting = { waiting: { reason: "ImagePullBackOff" } };
const stuckPod = aPod(0, {
  ready: false,
  status: {
    conditions: [{ type: "Ready", status: "False" }],
    containerStatuses: [{ name: "engine-enterprise-node", state: waiting }],
  },
});
const uncreatedPod = withValue(
  aPod(0, {
    ready: false,
    status: {
      phase: "Pending",
      conditions: [
        { type: "Ready", status: "False", lastTransitionTime: "2026-07-01T00:00:00Z" },
        { type: "PodScheduled", status: "True", lastTransitionTime: "2026-07-01T00:00:00Z" },
      ],
      containerStatuses: [
        {
          name: "engine-enterprise-node",
          state: { waiting: { reason: "ContainerCreating" } },
        },
      ],
    },
  }),
  ["spec", "nodeName"],
  "n1",
) as KubeObject;
const moving = [anEdb("a", "8.2", { status: "active-change-pending" })];
const named = (name: string, namespace = "engine"): KubeObject => ({
  ...aCluster(),
  metadata: { name, namespace },
});
const bare = { ...named("ec"), spec: {}, status: {} };
const shards = (shardsLimit: unknown): Args => [
  { ecs: [aCluster(newTag, { licenseStatus: { shardsLimit } })] },
];
const adds = (...lists: readonly [Args[0], Args[1]?][]): [Args[0], Args[1]] =>
  lists.reduce<[Args[0], Args[1]]>(
    ([all, rest], [more, other]) => [
      { ...all, ...more },
      { ...rest, ...other },
    ],
    [{}, {}],
  );

const volume = "engine-enterprise-storage-ec-1";
const small = { request: "60Gi", capacity: "40Gi" };

test("operator and EC", () => {
  golden("cluster", [
    ["an API server that does not tell its release", {}, { apiServer: undefined }],
    ["what is unread is worse than what moves", ...adds(unread("roles"), [{ edbs: moving }])],
    [
      "a standstill is worse than both",
      ...adds(unread("roles"), [{ edbs: moving, deployments: [] }]),
    ],
    [
      "findings: what components say, counted by severity",
      { deployments: [], roles: [], edbs: [anEdb("a", "8.2", { status: "creation-failed" })] },
    ],
    [
      "findings: what blocks the next step",
      {
        ecs: [aCluster(oldTag, { licenseStatus: { licenseState: "Valid" } })],
        statefulSets: [aSet(oldTag)],
        pods: [0, 1, 2].map((ordinal) => aPod(ordinal, { tag: oldTag })),
        edbs: [anEdb("a", "5.0")],
      },
    ],
    ["findings: what blocks no step is told by check", { edbs: [anEdb("a", "5.0")] }],
    [
      "a pod in the way, and one of the old release",
      {
        ecs: [aCluster(newTag, { state: "Upgrade" })],
        pods: [aPod(2), aPod(1, { tag: oldTag, revision: "old" }), stuckPod],
      },
    ],
    ["a pod in the way, with its reason", { pods: [aPod(2), aPod(1), stuckPod] }],
    ["no StatefulSet yet", { statefulSets: [] }],
    ["pods that may not be listed", ...unread("pods")],
    [
      "a refused upgrade, and databases that may not be listed",
      ...adds(unread("edbs"), [{ ecs: [aCluster(undefined, { state: "InvalidUpgrade" })] }]),
    ],
    [
      "a container that is not made, and events that may not be listed",
      ...adds(unread("events"), [{ pods: [aPod(2), aPod(1), uncreatedPod] }]),
    ],
    ["ECs that may not be listed", ...unread("ecs")],
    ["no EC", { ecs: [], statefulSets: [] }],
    [
      "several ECs, one of another namespace",
      { ecs: [named("b"), named("a"), named("c", "other")] },
    ],
    ["the shards limit as the text of later releases", ...shards("0/4")],
    ["the shards limit as another text", ...shards("many")],
    ["no shards limit", ...shards(undefined)],
    ["an EC that says nothing", { ecs: [bare], pods: [], statefulSets: [] }],
    ["no operator", { deployments: [] }],
    ["an operator that may not be read", ...unread("deployments")],
    [
      "the chart's annotation, where the image has a digest alone",
      { deployments: [withImage("engine/operator@sha256:ab", { "engine.io/operator-ver": "8" })] },
    ],
    [
      "the chart's own version",
      { deployments: [withImage("engine/operator:8.0.2-2", { "engine.io/helm-chart-ver": "9" })] },
    ],
    [
      "an operator without version and counts",
      { deployments: [{ ...anOperator(), spec: {}, status: {} }] },
    ],
    ["an operator on its way", { deployments: [anOperator("8.0.2-2", 0)] }],
    [
      "an operator whose lease a pod holds that is gone",
      {
        leases: [
          {
            ...{ apiVersion: "coordination.k8s.io/v1", kind: "Lease" },
            metadata: { name: "lock", namespace: "engine" },
            spec: {
              holderIdentity: "engine-enterprise-operator-5c8f7d9b66-q8wzr",
              renewTime: "2025-01-01T00:00:00.000000Z",
            },
          },
        ],
      },
    ],
    [
      "the same, whose pods may not be listed",
      ...adds(unread("pods", "events"), [{ deployments: [anOperator("8.0.2-2", 0)] }]),
    ],
    ["volumes that are being expanded", { claims: [aClaim(volume, small)] }],
    [
      "the same, while the StatefulSet is absent",
      { claims: [aClaim(volume, small)], statefulSets: [] },
    ],
    [
      "a volume that cannot be expanded",
      { claims: [aClaim(volume, { ...small, conditions: { NodeResizeError: "full" } })] },
    ],
    ["a StatefulSet that rolls", { statefulSets: [aSet(newTag, {}, { observedGeneration: 1 })] }],
  ]);
});

const generation = (observedGeneration: number): KubeObject => {
  const edb = anEdb("x", "8.2", { observedGeneration });
  return { ...edb, metadata: { ...edb.metadata, generation: 2 } };
};
const channel = { ...anEdb("c"), spec: { engineVersion: "latest" } };
const inSpec = { engineVersion: "8.0", globalConfigurations: { replication: true } };
const silent = { ...anEdb("d"), spec: { replication: true }, status: { status: "active" } };
const leaving = { name: "x", namespace: "engine", deletionTimestamp: "2026-08-01T10:00:00Z" };
const edbs = (...all: readonly KubeObject[]): Args => [{ edbs: all }];
const eaadb = (status: object): Args => [{ eaadbs: [anEaadb("carts", "8.2", { ...status })] }];
const instances = (linkedEdbs: readonly unknown[]): Args => [
  {
    edbs: [anEdb("a"), anEdb("b", "7.4"), silent],
    eaadbs: [anEaadb("carts", "8.2", { linkedEdbs })],
  },
];

test("databases", () => {
  golden("databases", [
    [
      "by what is wanted and what runs, the oldest that run first",
      ...edbs(
        ...[anEdb("a", "10.2"), anEdb("b", "8.2"), channel, silent, anEdb("e", "8.2")],
        ...[{ ...anEdb("f", "8.2"), status: { status: "active", version: "7.4.2" } }],
      ),
    ],
    ["another state than active", ...edbs(anEdb("x", "8.2", { status: "pending" }))],
    ["no state", ...edbs({ ...anEdb("x"), status: {} })],
    ["an edit that was not taken up", ...edbs(generation(1))],
    ["an edit that was", ...edbs(generation(2))],
    ["being deleted", ...edbs({ ...anEdb("x"), metadata: leaving })],
    ["a spec that was not accepted", ...edbs(anEdb("x", "8.2", { specStatus: "Invalid" }))],
    ["a creation that failed", ...edbs(anEdb("x", "8.2", { status: "creation-failed" }))],
    [
      "a last backup that failed, which keeps nothing",
      ...edbs(anEdb("x", "8.2", { backupInfo: { backupStatus: "failed" } }), anEdb("y")),
    ],
    ["many", ...edbs(...["a", "b", "c", "d", "e"].map((x) => anEdb(x, "8.2", { status: "p" })))],
    ["an EAADB that does not replicate", ...eaadb({ replicationStatus: "down" })],
    ["an EAADB that does not say", ...eaadb({ replicationStatus: undefined })],
    [
      "an EAADB with its version in its spec",
      { eaadbs: [{ ...anEaadb("carts", "8.2"), spec: inSpec }] },
    ],
    ["databases that may not be listed", ...unread("edbs")],
    ["none", ...edbs()],
    [
      "one of a namespace that is not watched",
      ...edbs({ ...anEdb("x"), metadata: { name: "x", namespace: "other" } }, anEdb("a")),
    ],
    ["an EAADB with an instance by its name", ...instances(["a"])],
    ["an EAADB with an instance as an object", ...instances([{ name: "a" }])],
    ["an EAADB with instances of several versions", ...instances(["a", "b"])],
    ["an EAADB with instances that tell no version", ...instances(["d"])],
    ["an EAADB with an instance that is not there", ...instances(["a", "gone"])],
  ]);
});

const configured = (...webhookConfigurations: readonly KubeObject[]): Args => [
  { webhookConfigurations },
];
const anew = (parts: Parameters<typeof aNewConfiguration>[0]): Args =>
  configured(aNewConfiguration(parts));
const pem = (text: string): string =>
  `-----BEGIN CERTIFICATE-----\n${text}\n-----END CERTIFICATE-----\n`;
const encoded = (...texts: readonly string[]): string =>
  Buffer.from(texts.map(pem).join("")).toString("base64");
const renewed = (...trusted: readonly string[]): Args => {
  const caBundle = encoded(...trusted);
  const trustedBy = trusted.includes("NEW=") ? [caBundle] : [];
  return [
    { webhookConfigurations: [aNewConfiguration({ caBundle })] },
    { certificate: { ...certificate, caBundle: encoded("NEW="), trustedBy } },
  ];
};
const leaf = (notAfter: string) =>
  ({ ...certificate, leaf: { ...certificate.leaf, notAfter } }) as typeof certificate;
/** Another entry for the same Service in the new configuration. */
function beside(name: string, caBundle: string): Args {
  const own = aNewConfiguration();
  const further = aNewConfiguration({ caBundle, entry: { name } });
  return configured({ ...own, webhooks: [...listEntries(further), ...listEntries(own)] });
}
const injecting = (caBundle: string): Args =>
  anew({
    caBundle,
    metadata: { annotations: { "cert-manager.io/inject-ca-from": "engine/serving" } },
  });
const entryByUrl = { clientConfig: { url: "https://webhook.example", caBundle: testCa } };
const noCertificate = { certificate: undefined };
const refusedByPolicy = (twin: "accept" | "deny") =>
  ({
    is: "elsewhere",
    hindrance: {
      refuser: { kind: "ValidatingAdmissionPolicy", name: "freeze", fails: false, detail: "no" },
      twin,
    },
  }) as const;

const besideChart = {
  webhookConfigurations: [
    aNewConfiguration({ namespace: "other", metadata: { name: "another-operators" } }),
    aNewConfiguration({ metadata: { name: "engine-enterprise-admission-engine" } }),
  ],
};

test("the webhook", () => {
  golden("webhook", [
    ["a renewed certificate, the CA has both", ...renewed("T0xE", "NEW=")],
    ["a renewed certificate, the CA has the old one", ...renewed("T0xE")],
    ["no configuration (S24)", ...configured()],
    ["the old configuration", ...configured(anOldConfiguration())],
    [
      "another operator's, and one of the chart",
      { ...besideChart, namespaces: [aNamespace("engine"), aNamespace("other")] },
    ],
    ["what an operator has left behind, and one of the chart", besideChart],
    ["one that calls another namespace", ...anew({ namespace: "other" })],
    ["one that calls the companion webhook", ...anew({ namespace: "engine-admission" })],
    ["one that calls a URL", ...anew({ entry: entryByUrl })],
    ["one without an entry", ...configured({ ...aNewConfiguration(), webhooks: [] })],
    ["a placeholder left in it", ...anew({ namespace: "OPERATOR_NAMESPACE" })],
    ["an empty caBundle", ...anew({ caBundle: "" })],
    ["another CA", ...anew({ caBundle: "T1RIRVI=" })],
    ["another CA in an entry that a person added", ...beside("active.shop.example", "T1RIRVI=")],
    ["the old entry beside the new one", ...beside(names.webhook.oldEntry, testCa)],
    ["an injector that writes the CA", ...injecting(testCa)],
    ["an injector that writes another CA", ...injecting("T1RIRVI=")],
    ["an expired certificate", {}, { certificate: leaf("2026-07-01T00:00:00Z") }],
    [
      "a certificate that cannot be read",
      {},
      { certificate: { ...certificate, pem: false, leaf: undefined } },
    ],
    ["no ready endpoint", { endpointSlices: [] }],
    ["an endpoint that is not ready", { endpointSlices: [anEndpointSlice("engine", false)] }],
    ["no Service", { services: [] }],
    [
      "a configuration of others that selects nothing",
      { webhookConfigurations: [aNewConfiguration(), ofOthers()] },
    ],
    [
      "another configuration with the entry's name and no CA",
      {
        webhookConfigurations: [aNewConfiguration(), { ...otherCa(), metadata: { name: "copy" } }],
      },
    ],
    ["no Secret", { webhookSecrets: [] }, noCertificate],
    ["configurations that may not be read", ...unread("webhookConfigurations")],
    ["a Secret that may not be read", ...adds(unread("webhookSecrets"), [{}, noCertificate])],
    ["a server that may not be read", ...unread("services", "endpointSlices")],
    ["a probe that proved it", {}, {}, { probe: provenAt(0) }],
    [
      "a probe that failed",
      {},
      {},
      { probe: { is: "failed", because: "it passes", seen: "passes", policies: ["Fail"] } },
    ],
    ["a probe that says nothing", {}, {}, { probe: { is: "open", because: "forbidden" } }],
    ["a probe that a policy refuses", {}, {}, { probe: refusedByPolicy("accept") }],
    ["bad edits that a policy refuses first", {}, {}, { probe: refusedByPolicy("deny") }],
  ]);
});

const extra = { apiGroups: [""], resources: ["endpoints"], verbs: ["get"] };
const own = { apiGroups: [""], resources: ["pods"], verbs: ["get"] };
const rules = inShop.role["rules"] as readonly object[];
const withRules = (changed: readonly object[]) => ({ ...inShop.role, rules: changed });
const [fewerRules, moreRules] = [withRules(rules.slice(1)), withRules([...rules, extra])];
const byClusterRole = {
  roles: [],
  roleBindings: [{ ...inShop.binding, roleRef: { kind: "ClusterRole", name: "all-databases" } }],
};
const clusterRole = (changed: readonly object[]): KubeObject => ({
  ...withRules(changed),
  kind: "ClusterRole",
  metadata: { name: "all-databases" },
});
const running = (tag: string): Args => [
  { deployments: [anOperator(tag)] },
  {},
  { rbac: { documents: shipped, source: "the tool's", shipped: true } },
];
const labeled = {
  configMaps: [settings({ EDB_NAMESPACES_LABEL: "team=db" })],
  namespaces: [
    { apiVersion: "v1", kind: "Namespace", metadata: { name: "shop", labels: { team: "db" } } },
  ],
};
const secretKeyRef = { name: "x" };

test("RBAC", () => {
  golden("rbac", [
    ["a right too few", { roles: [fewerRules] }],
    ["a right too many", { roles: [moreRules] }],
    ["a right that a person added", { roles: [withRules([...rules, own])] }],
    ["no binding", { roleBindings: [] }],
    [
      "a binding for another role",
      { roleBindings: [{ ...inShop.binding, roleRef: { kind: "ClusterRole", name: "x" } }] },
    ],
    ["one ClusterRole as the files", { ...byClusterRole, clusterRoles: [clusterRole(rules)] }],
    [
      "one ClusterRole that lacks a rule",
      { ...byClusterRole, clusterRoles: [clusterRole(rules.slice(0, -1))] },
    ],
    [
      "one ClusterRole that is made of others and lacks a rule",
      {
        ...byClusterRole,
        clusterRoles: [
          {
            ...clusterRole(rules.slice(0, -1)),
            aggregationRule: { clusterRoleSelectors: [{ matchLabels: { "engine.io/part": "x" } }] },
          },
        ],
      },
    ],
    ["one ClusterRole that may not be read", byClusterRole, unread("clusterRoles")[1]],
    ...["8.0.20-23", "7.22.0-7", "7.8.6-1", "6.4.2-4", "latest"].map((tag): Scene => [
      `without a release, of operator ${tag}`,
      ...running(tag),
    ]),
    ["no managed namespace", { configMaps: [] }],
    ["by label, and no ClusterRole for finding them", labeled],
    [
      "by label",
      {
        ...labeled,
        clusterRoles: label === undefined ? [] : [label.role],
        clusterRoleBindings: label === undefined ? [] : [label.binding],
      },
    ],
    ["roles that may not be listed", ...unread("roles", "roleBindings")],
    ["namespaces that may not be listed", ...unread("namespaces")],
    ["by label, and ClusterRoles that may not be listed", labeled, unread("clusterRoles")[1]],
    ["another account of the EC", { ecs: [aCluster(undefined, {}, { serviceAccountName: "o" })] }],
    [
      "settings from a place that is not read",
      { deployments: [withEnv([{ name: "EDB_NAMESPACES", valueFrom: { secretKeyRef } }])] },
    ],
    ["unfit files", {}, {}, { rbac: { documents: [consumer.role], source: "mine" } }],
  ]);
});

const pods = [0, 1, 2].map((ordinal) => aPod(ordinal, { tag: oldTag }));
/** The EC is still of the old release; operator 8.0.2-2 is there. */
const oldCluster = { ecs: [aCluster(oldTag)], statefulSets: [aSet(oldTag)], pods };
const constraint: KubeObject = {
  apiVersion: "security.openshift.io/v1",
  kind: "SecurityContextConstraints",
  metadata: { name: "engine-enterprise-scc-v2" },
};
const expired = { licenseStatus: { licenseState: "Expired" } };
const contents: ReleaseContents = {
  ...{ source: "./release", sha256: "ab", platform: "kubernetes" },
  ...{ operatorVersion: "8.0.4-1", clusterVersion: "8.0.4-9", bundle: [], definitions: [] },
  ...{ webhook: undefined, rbac: [], scc: undefined },
};
const release = { release: { contents, given: "./release" } };
const major = aCluster(undefined, {}, { engineUpgradePolicy: "major" });
const nothing = { ecs: [], statefulSets: [], configMaps: [], edbs: [], eaadbs: [] };
const limits = { securityContext: { resourceLimits: { allowAutoAdjustment: true } } };
const noOpenShift = { unserved: new Set(["constraints", "clusterVersions"] as const) };
const follows = { upgradeSpec: { autoUpgradeEngineEnterprise: true } };
const offering = (name: string, versions: typeof bundled): KubeObject => ({
  ...aCluster(undefined, { bundledDatabaseVersions: versions }),
  metadata: { name, namespace: "engine" },
});
const inEc = (name: string): KubeObject => ({
  ...anEdb(`of-${name}`, "7.2"),
  spec: { engineVersion: "7.2", replication: true, engineEnterpriseCluster: { name } },
});
const setOf = (name: string): KubeObject => ({
  ...aSet(),
  metadata: { name, namespace: "engine", uid: name, generation: 2 },
});
const podsOf = (name: string): readonly KubeObject[] =>
  [0, 1, 2].map((ordinal) => {
    const ownerReferences = [{ kind: "StatefulSet", name, uid: name }];
    return aPod(ordinal, { metadata: { name: `${name}-${ordinal}`, ownerReferences } });
  });

test("an operator of OLM's", () => {
  golden("olm", [
    ["OLM keeps it, and rests", byOlm()],
    ["a release that OLM is to bring", byOlm(), {}, release],
    ["a plan that failed", byOlm({ installPlans: [failedPlan] })],
    [
      "a plan that failed beside two groups",
      byOlm({
        installPlans: [failedPlan],
        operatorGroups: [anOperatorGroup(["engine"]), anOperatorGroup([], { name: "b" })],
      }),
    ],
    ["no group", byOlm({ operatorGroups: [] })],
    [
      "an install under way",
      byOlm({ installPlans: [anInstallPlan({ approved: true }, { phase: "Installing" })] }),
    ],
    [
      "pods that are not ready come before a plan that failed",
      byOlm({
        installPlans: [failedPlan],
        deployments: [
          {
            ...anOperator(),
            spec: { replicas: 1 },
            status: {
              observedGeneration: 1,
              conditions: [
                {
                  type: "ReplicaFailure",
                  status: "True",
                  reason: "FailedCreate",
                  message: "quota",
                },
              ],
            },
            metadata: { ...anOperator().metadata, ...ownerMarks.OLM },
          },
        ],
      }),
    ],
    [
      "what may not be read of OLM",
      byOlm({ subscriptions: [], installPlans: [], operatorGroups: [] }),
      {
        unread: new Map([
          ["subscriptions", "x"],
          ["installPlans", "x"],
          ["operatorGroups", "x"],
        ]),
      },
      release,
    ],
    ["the webhook that OLM makes", olmWebhook(), { certificate: undefined }],
  ]);
});

function withAnnotation({ metadata, ...rest }: KubeObject, key: string, value: string): KubeObject {
  const annotations = { ...metadata.annotations, [key]: value };
  return { ...rest, metadata: { ...metadata, annotations } };
}

const heldSet: KubeObject = {
  ...aSet(),
  spec: {
    ...(aSet()["spec"] as object),
    updateStrategy: { type: "RollingUpdate", rollingUpdate: { partition: 2 } },
  },
};

test("what to do next", () => {
  golden("next", [
    [
      "an upgrade that is refused, whatever the webhook lacks",
      {
        ecs: [aCluster(undefined, { state: "InvalidUpgrade" })],
        webhookConfigurations: [anOldConfiguration()],
      },
    ],
    [
      "an upgrade that is refused for its license",
      { ecs: [aCluster(undefined, { ...expired, state: "InvalidUpgrade" })] },
    ],
    [
      "an upgrade that a partition holds, where every pod is well",
      {
        ecs: [aCluster(undefined, { state: "RunningRollingUpdate" })],
        statefulSets: [heldSet],
        pods: [
          aPod(2),
          aPod(1, { tag: oldTag, revision: "old" }),
          aPod(0, { tag: oldTag, revision: "old" }),
        ],
      },
    ],
    [
      "an old configuration that a GitOps controller owns",
      {
        webhookConfigurations: [
          withAnnotation(anOldConfiguration(), "argocd.argoproj.io/tracking-id", "apps:x"),
        ],
      },
    ],
    ["an EC behind its operator", oldCluster],
    ["an EC that follows by itself", { ...oldCluster, ecs: [aCluster(oldTag, {}, follows)] }],
    ["an EC with an invalid license", { ecs: [aCluster(undefined, expired)] }],
    ["rights that are lacking, before the EC", { ...oldCluster, roles: [fewerRules] }],
    [
      "rights too many and too few, after the EC",
      { roles: [withRules([...rules.slice(1), extra])] },
    ],
    ["the constraint that nothing needs", { constraints: [constraint] }],
    [
      "the constraint, with a group that only a person takes out",
      { constraints: [{ ...constraint, groups: ["system:serviceaccounts"] }] },
    ],
    [
      "the constraint, with such a group and the account itself",
      {
        constraints: [
          {
            ...constraint,
            groups: ["system:authenticated"],
            users: ["system:serviceaccount:engine:ec"],
          },
        ],
      },
    ],
    [
      "the constraint, with such a group and a pod that still runs under it",
      {
        constraints: [{ ...constraint, groups: ["system:authenticated"] }],
        pods: [0, 1, 2].map((ordinal) =>
          withAnnotation(aPod(ordinal), "openshift.io/scc", "engine-enterprise-scc-v2"),
        ),
      },
    ],
    [
      "the constraint, out of which the account is, and pods that are left under it",
      {
        constraints: [constraint],
        pods: [0, 1, 2].map((ordinal) =>
          withAnnotation(aPod(ordinal), "openshift.io/scc", "engine-enterprise-scc-v2"),
        ),
      },
    ],
    [
      "the constraint, with the group of the namespace",
      { constraints: [{ ...constraint, groups: ["system:serviceaccounts:engine"] }] },
    ],
    [
      "the constraint, with the account itself and pods whose template asks for it",
      {
        constraints: [{ ...constraint, users: ["system:serviceaccount:engine:ec"] }],
        statefulSets: [
          withValue(
            aSet(),
            ["spec", "template", "metadata", "annotations", "openshift.io/required-scc"],
            "engine-enterprise-scc-v2",
          ) as KubeObject,
        ],
      },
    ],
    [
      "the constraint, with the account itself, which a GitOps controller owns",
      {
        constraints: [
          withAnnotation(
            { ...constraint, users: ["system:serviceaccount:engine:ec"] },
            "argocd.argoproj.io/tracking-id",
            "apps:x",
          ),
        ],
      },
    ],
    [
      "the constraint, which others alone use",
      { constraints: [{ ...constraint, users: ["system:serviceaccount:shop:builder"] }] },
    ],
    [
      "the constraint, and an EC that adjusts",
      {
        constraints: [constraint],
        ecs: [aCluster(undefined, {}, limits)],
      },
    ],
    ["the constraint, and no EC", { ...nothing, constraints: [constraint] }],
    ["no OpenShift", {}, noOpenShift],
    ["one database below the newest version", ...edbs(anEdb("a", "7.4"), anEdb("b"))],
    [
      "databases below the newest major version, under that policy",
      { ecs: [major], edbs: [anEdb("a", "7.2"), anEdb("b", "8.0")], eaadbs: [anEaadb("c", "7.2")] },
    ],
    [
      "an EC whose release is not known to belong to the operator",
      { ...oldCluster, deployments: [anOperator("8.0.4-1")] },
    ],
    [
      "the same, and a release that tells it",
      { ...oldCluster, deployments: [anOperator("8.0.4-1")] },
      {},
      release,
    ],
    ["a release that is newer than the operator", {}, {}, release],
    ["the same, and rights that are lacking", { ...oldCluster, roles: [fewerRules] }, {}, release],
    [
      "an operator without a version that can be read",
      { ...oldCluster, deployments: [withEnv([], "latest")] },
      {},
      release,
    ],
    [
      "an EC that publishes no versions",
      { ecs: [aCluster(undefined, { bundledDatabaseVersions: [] })], edbs: [anEdb("a", "7.4")] },
    ],
    ["an instance", ...edbs(anEdb("a", "7.4", { activeActive: { name: "carts" } }))],
    ["memcached", ...edbs({ ...anEdb("a", "7.4"), spec: { type: "memcached" } })],
    ["a channel", ...edbs(channel)],
    ["a database without an EC", { ...nothing, edbs: [anEdb("a", "7.4")] }],
    ["a database that says nothing", ...edbs({ ...anEdb("a", "7.4"), spec: {} })],
    [
      "ECs that offer different versions",
      {
        ecs: [offering("x", bundled), offering("y", bundled.slice(0, 3))],
        statefulSets: [setOf("x"), setOf("y")],
        pods: [...podsOf("x"), ...podsOf("y")],
        edbs: [inEc("x"), inEc("y")],
        eaadbs: [],
        configMaps: [],
      },
    ],
    [
      "several places",
      {
        ...oldCluster,
        namespaces: ["engine", "shop", "shop2"].map((name) => aNamespace(name)),
        deployments: [withEnv([{ name: "EDB_NAMESPACES", value: "shop,shop2" }])],
        roles: [
          fewerRules,
          { ...inShop.role, metadata: { ...inShop.role.metadata, namespace: "shop2" } },
        ],
      },
    ],
  ]);
});

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;

test.each<[number, string]>([
  [-5, "0s"],
  [119_000, "119s"],
  [2 * minute, "2m"],
  [9 * minute + 5_000, "9m5s"],
  [179 * minute, "179m"],
  [3 * hour + 20 * minute, "3h20m"],
  [8 * hour, "8h"],
  [47 * hour, "47h"],
  [2 * day, "2d"],
  [3 * day + 4 * hour, "3d4h"],
  [8 * day, "8d"],
  [730 * day, "2y"],
  [800 * day, "2y70d"],
  [2920 * day, "8y"],
])("an age of %d ms is %s", (ms, text) => {
  expect(renderAge(ms)).toBe(text);
});

test("what is no date has no age, and no days left; these are whole, and negative when past", () => {
  expect([formatAge(7, 0), formatAge("soon", 0)]).toEqual([undefined, undefined]);
  expect([daysUntil("<none>", 0), daysUntil(undefined, 0)]).toEqual([undefined, undefined]);
  expect(daysUntil("1970-01-03T12:00:00Z", 0)).toBe(2);
  expect(daysUntil("1970-01-01T00:00:00Z", hour)).toBe(-1);
});

test("nothing checked is fine; names are listed as far as they can be read", () => {
  expect([worst([]), findWorst([])]).toEqual(["fine", undefined]);
  expect(boundList(["a", "b", "c"], 2)).toBe("a, b and 1 more");
});
