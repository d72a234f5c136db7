import * as judged from "../../../../plugin/domain/operator/olm";
import { judgeOlm } from "../../../../plugin/domain/operator/olm-obstacles";
import { olmWay as wayOf } from "../../../../plugin/domain/operator/olm-way";
import { blamedBy } from "../../../../plugin/domain/operator/olm-blame";
import type { KubeObject } from "../../../../plugin/domain/kube/objects";
import { renderFix } from "../../../../plugin/domain/base/remedy";
import { ownerMarks } from "../../../support/builders";
import {
  aClusterServiceVersion,
  anInstallPlan,
  anOperatorGroup,
  aSubscription,
  csvName,
} from "../../../support/olm";

const { describeMoving, findCsvName, findOlm, findSubscription, isAutomatic, isBrought } = judged;
const { noOlm, readInstallPlanName, readOlmVersion } = judged;

const next = "engine-enterprise-operator.v8.0.2-2";
const aDeployment = (metadata: KubeObject["metadata"] = {}): KubeObject => ({
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: { name: "operator", namespace: "engine", ...metadata },
});

/** The operator with what OLM keeps of it; healthy, with a plan that waits, but for what is given. */
interface Parts {
  readonly subscription?: object;
  readonly plan?: readonly [spec?: object, status?: object];
  /** Status of the release that runs, or `none` where it is not there, and of the next one. */
  readonly runs?: object | string;
  readonly next?: object | string;
  readonly groups?: readonly KubeObject[] | undefined;
  readonly beside?: readonly KubeObject[];
}
const group = anOperatorGroup(["engine"]);
const anOlm = (parts: Parts = {}) =>
  findOlm(aDeployment(ownerMarks.OLM), {
    subscriptions: [
      ...(parts.beside ?? []),
      aSubscription({ currentCSV: next, ...parts.subscription }),
    ],
    installPlans: [anInstallPlan(...(parts.plan ?? []))],
    clusterServiceVersions: [
      ...(parts.runs === "none" ? [] : [aClusterServiceVersion("7.8.2-6", parts.runs)]),
      ...(parts.next === undefined ? [] : [aClusterServiceVersion("8.0.2-2", parts.next, next)]),
    ],
    operatorGroups: "groups" in parts ? parts.groups : [group],
  }) ?? noOlm;
const failed = (message?: string): Parts["plan"] => [
  { approved: true },
  {
    phase: "Failed",
    conditions: [{ type: "Installed", status: "False", message }, { status: "True" }],
  },
];
const isTrue = (type: string, rest: object = {}) => ({
  conditions: [{ type, status: "True", reason: "Why", message: "so", ...rest }],
});
const old = anOperatorGroup(["engine"], { creationTimestamp: "2026-01-01T00:00:00Z" });
const young = (rest: KubeObject["metadata"] = {}): KubeObject =>
  anOperatorGroup([], { name: "young", creationTimestamp: "2026-02-01T00:00:00Z", ...rest });

test.each<[string, Parts, readonly (readonly string[])[]]>([
  ["nothing stands in its way", {}, []],
  ["groups are not known", { groups: undefined }, []],
  [
    "a plan that failed at an object",
    { plan: failed('Kind=Database "shop/cart": [].spec.size: Invalid value') },
    [
      [
        "OPERATOR-OLM-PLAN",
        "InstallPlan/engine/install-abc12",
        "correct Database/shop/cart; then",
        "kubectl delete installplans.operators.coreos.com/install-abc12 --namespace=engine",
      ],
      [
        "OPERATOR-OLM-OBJECT",
        "Database/shop/cart",
        "spec.size",
        "kubectl get database cart --namespace=shop -o yaml",
      ],
    ],
  ],
  [
    "a plan that failed and left an install half made",
    { plan: failed(), next: "Pending" },
    [
      [
        "OPERATOR-OLM-PLAN",
        "without a word",
        `clusterserviceversions.operators.coreos.com/${next}`,
      ],
      ["OPERATOR-OLM-INSTALL", "Pending"],
    ],
  ],
  [
    "a plan that failed at something without a field, beside an install that is done",
    { plan: failed('deployments.apps "x" is forbidden: quota'), next: "Succeeded" },
    [["OPERATOR-OLM-PLAN"], ["OPERATOR-OLM-OBJECT", "deployments/x"]],
  ],
  [
    "the Subscription repeats that the plan failed",
    { plan: failed(), subscription: isTrue("InstallPlanFailed") },
    [["OPERATOR-OLM-PLAN"]],
  ],
  [
    "a requirement that is not met",
    {
      next: {
        phase: "Pending",
        reason: "RequirementsNotMet",
        message: "no",
        requirementStatus: [
          {
            kind: "ServiceAccount",
            name: "operator",
            status: "PresentNotSatisfied",
            message: "rule",
          },
          { kind: "Secret", name: "key" },
          {},
          { kind: "CustomResourceDefinition", name: "fine", status: "Present" },
        ],
      },
    },
    [
      [
        "OPERATOR-OLM-INSTALL",
        `ClusterServiceVersion/engine/${next}`,
        "ServiceAccount operator is PresentNotSatisfied (rule); Secret key is not there; an object  is not there",
        "bring what is not met",
      ],
    ],
  ],
  [
    "the operator says that it is not upgradeable",
    { next: { phase: "Pending", reason: "OperatorConditionNotUpgradeable" } },
    [["OPERATOR-OLM-INSTALL", "wait until", `operatorconditions.operators.coreos.com ${csvName}`]],
  ],
  [
    "the same, and the install that runs is not there",
    { runs: "none", next: { phase: "Pending", reason: "OperatorConditionNotUpgradeable" } },
    [["OPERATOR-OLM-INSTALL", "wait until", `operatorconditions.operators.coreos.com ${next}`]],
  ],
  ["the install that runs has failed", { runs: "Failed" }, [["OPERATOR-OLM-INSTALL", csvName]]],
  ["the install that runs is replaced", { runs: "Pending" }, []],
  [
    "no group",
    { groups: [], runs: { phase: "Failed", reason: "NoOperatorGroup" } },
    [["OPERATOR-OLM-GROUP", "error", "Namespace/engine", "no OperatorGroup"]],
  ],
  ["no group, and OLM has succeeded", { groups: [] }, [["OPERATOR-OLM-GROUP", "warning"]]],
  [
    "no group, and the next install waits for something else",
    { groups: [], next: "Pending" },
    [["OPERATOR-OLM-GROUP", "warning"], ["OPERATOR-OLM-INSTALL"]],
  ],
  [
    "an install failed by groups that cannot be read",
    { groups: undefined, runs: { phase: "Failed", reason: "TooManyOperatorGroups" } },
    [["OPERATOR-OLM-INSTALL", "TooManyOperatorGroups"]],
  ],
  [
    "two groups, the install failed by them",
    {
      groups: [young({ managedFields: [{ manager: "kubectl" }, {}] }), old],
      runs: { phase: "Failed", reason: "TooManyOperatorGroups" },
    },
    [
      [
        "OPERATOR-OLM-GROUP",
        "group (of 2026-01-01T00:00:00Z), young (of 2026-02-01T00:00:00Z, made by kubectl)",
        "kubectl delete operatorgroups.operators.coreos.com young --namespace=engine",
      ],
    ],
  ],
  [
    "two groups, the younger one from a repository",
    { groups: [old, young(ownerMarks.Flux)] },
    [
      [
        "OPERATOR-OLM-GROUP",
        "made by Flux",
        "comes back where only it is deleted: change the object in the repository",
      ],
    ],
  ],
  [
    "two groups of one age",
    { groups: [anOperatorGroup([], { name: "b" }), anOperatorGroup([], { name: "a" })] },
    [["OPERATOR-OLM-GROUP", "OperatorGroup/engine/b", ": a, b", "kubectl get operatorgroups"]],
  ],
  [
    "a group for other namespaces",
    { groups: [anOperatorGroup(["shop"])] },
    [
      [
        "OPERATOR-OLM-GROUP",
        "targets shop, and not engine",
        '{"spec":{"targetNamespaces":["shop","engine"]}}',
      ],
    ],
  ],
  ["a group for all namespaces", { groups: [anOperatorGroup([])] }, []],
  [
    "a group whose selector found all",
    { groups: [{ ...anOperatorGroup([]), status: { namespaces: [""] } }] },
    [],
  ],
  [
    "a group that the release does not support",
    { next: { phase: "Failed", reason: "UnsupportedOperatorGroup", message: "AllNamespaces" } },
    [
      [
        "OPERATOR-OLM-GROUP",
        "because of it (UnsupportedOperatorGroup: AllNamespaces)",
        "kubectl edit operatorgroups",
      ],
    ],
  ],
  [
    "the Subscription cannot be resolved",
    { subscription: isTrue("ResolutionFailed", { message: undefined }) },
    [["OPERATOR-OLM-STUCK", "ResolutionFailed (Why: no word)", "kubectl describe subscriptions"]],
  ],
  [
    "a catalog does not answer",
    { subscription: isTrue("CatalogSourcesUnhealthy") },
    [
      [
        "OPERATOR-OLM-STUCK",
        "kubectl get catalogsources.operators.coreos.com --all-namespaces -o yaml",
      ],
    ],
  ],
  ["a plan waits for approval", { subscription: isTrue("InstallPlanPending") }, []],
])("what stands in OLM's way: %s", (_title, parts, wanted) => {
  const findings = judgeOlm(anOlm(parts), "engine");
  expect(findings.map(({ code }) => code)).toEqual(wanted.map(([code]) => code));
  wanted.forEach((words, index) => {
    for (const word of words)
      expect(JSON.stringify(findings[index]).replaceAll("\\", "")).toContain(word);
  });
});

test("the catalog is looked for where the Subscription has it", () => {
  const subscription = {
    ...aSubscription(isTrue("CatalogSourcesUnhealthy")),
    spec: { sourceNamespace: "olm" },
  };
  const [found] = judgeOlm({ ...noOlm, subscription }, "engine");
  expect(found?.fix).toContain("catalogsources.operators.coreos.com --namespace=olm -o yaml");
});

test.each<[string, string | undefined, string | undefined]>([
  ['app/v1, Kind=Database "shop/cart": <nil>.spec.size: no', "Database/shop/cart", "spec.size"],
  ['app/v1, Kind=Zone "one": bad', "Zone/one", undefined],
  [
    "against new schema for Database shop/cart: spec.users[0].role: no",
    "Database/shop/cart",
    "spec.users[0].role",
  ],
  [
    'customresourcedefinitions.apiextensions.k8s.io "dbs.app.io" is invalid',
    "CustomResourceDefinition/dbs.app.io",
    undefined,
  ],
  [
    'Operation cannot be fulfilled on roles "edit": the object has been modified',
    "roles/edit",
    undefined,
  ],
  ['risk of data loss updating "dbs.app.io": v1', "CustomResourceDefinition/dbs.app.io", undefined],
  [
    "new schema for dbs.app.io: [].spec.size: Invalid",
    "CustomResourceDefinition/dbs.app.io",
    "spec.size",
  ],
  ["context deadline exceeded", undefined, undefined],
])("the object that OLM names in %s", (message, object, field) => {
  const blamed = blamedBy(message);
  expect([blamed?.object, blamed?.field]).toEqual([object, field]);
  if (blamed !== undefined) expect(blamed.look.join(" ")).toMatch(/^get \S+ (\S+ )*-o yaml$/);
});

const amq = (name: string, status: object = {}): KubeObject => ({
  ...aSubscription({ installedCSV: "amq.v1", ...status }),
  metadata: { name, namespace: "engine" },
});

test("what belongs to another operator of the namespace is not this one's", () => {
  const lists = {
    subscriptions: [amq("amq")],
    installPlans: [anInstallPlan({ clusterServiceVersionNames: ["amq.v2"] }, { phase: "Failed" })],
    clusterServiceVersions: [aClusterServiceVersion("1", "Failed", "amq.v1")],
    operatorGroups: [group],
  };
  const olm = findOlm(aDeployment(ownerMarks.OLM), lists) ?? noOlm;
  expect(olm).toEqual({
    ...noOlm,
    wanted: undefined,
    others: lists.subscriptions,
    groups: [group],
  });
  expect(judgeOlm(olm, "engine")).toEqual([]);
  expect(olmWay(olm)).toContain("no Subscription of namespace engine brings this operator");
  expect(findOlm(aDeployment(), lists)).toBeUndefined();
});

test("a plan that cannot be read is the one that the Subscription names", () => {
  const lists = { subscriptions: [aSubscription()], clusterServiceVersions: [] };
  const unread = { ...lists, installPlans: undefined, operatorGroups: undefined };
  const olm = findOlm(aDeployment(ownerMarks.OLM), unread) ?? noOlm;
  expect(olmWay(olm)).toContain("approve InstallPlan install-abc12: ");
});

test("the last plan that brings the operator is its plan where the Subscription names none", () => {
  const named = (name: string, csvs: readonly string[]): KubeObject => ({
    ...anInstallPlan({ clusterServiceVersionNames: csvs }),
    metadata: { name, namespace: "engine" },
  });
  const olm = findOlm(aDeployment({ labels: { "olm.managed": "true" } }), {
    subscriptions: undefined,
    installPlans: [named("b", ["x.v2"]), named("a", ["x.v1"]), named("c", [])],
    clusterServiceVersions: [],
    operatorGroups: undefined,
  });
  expect(olm?.installPlan?.metadata.name).toBe("b");
});

test.each<[string, Parts, boolean]>([
  ["its own is manual", {}, false],
  ["another one is manual", { beside: [amq("amq")] }, false],
])("OLM upgrades by itself: %s", (_title, parts, is) => {
  expect(isAutomatic(anOlm(parts))).toBe(is);
});

test("OLM upgrades by itself where nothing is manual, and nothing without a Subscription", () => {
  const subscription = { ...aSubscription(), spec: {} };
  expect(isAutomatic({ ...noOlm, subscription })).toBe(true);
  expect(isAutomatic({ ...noOlm, subscription, others: [amq("amq")] })).toBe(false);
  expect(isAutomatic(noOlm)).toBe(false);
});

test.each<[string, Parts, string | undefined]>([
  ["nothing", {}, undefined],
  ["an install", { next: "Installing" }, `OLM installs ${next} (Installing)`],
  [
    "a plan",
    { plan: [{ approved: true }, { phase: "Installing" }] },
    "OLM carries out InstallPlan install-abc12",
  ],
  ["nothing of a plan that is not approved", { plan: [{}, { phase: "Installing" }] }, undefined],
  [
    "nothing more of a plan that is done",
    { plan: [{ approved: true }, { phase: "Complete" }] },
    undefined,
  ],
])("OLM is about to do %s", (_title, parts, says) => {
  expect(describeMoving(anOlm(parts))).toBe(says);
  expect(describeMoving(noOlm)).toBeUndefined();
});

const from = { namespace: "engine", target: "8.0.2-2" };
const olmWay = (olm: judged.Olm, at: { target?: string | undefined } = {}): string =>
  renderFix([wayOf(olm, { ...from, ...at })]);
const approve = (plan: string): string =>
  `oc patch installplan ${plan} --namespace=engine --type merge -p '{"spec":{"approved":true}}'`;
const kubectl = (verb: string, kind: string, more = "") =>
  `kubectl ${verb} ${kind}.operators.coreos.com${more} --namespace=engine`;

test.each<[string, judged.Olm, readonly string[]]>([
  [
    "nothing is known of it",
    noOlm,
    ["Subscription NAME", "spec.approved: true", kubectl("get", "installplans")],
  ],
  [
    "the Subscription names no plan",
    { ...noOlm, subscription: aSubscription({ installPlanRef: undefined }) },
    ["Subscription engine-operator", "spec.approved: true"],
  ],
  [
    "the plan cannot be read",
    { ...noOlm, subscription: aSubscription(), planName: "install-abc12" },
    ["approve InstallPlan install-abc12: ", "; then run again", approve("install-abc12")],
  ],
  ["the plan waits", anOlm(), [`which brings ${next}`, approve("install-abc12")]],
  [
    "the plan does not say what it brings",
    anOlm({ plan: [{ clusterServiceVersionNames: [] }] }),
    ["approve InstallPlan install-abc12: "],
  ],
  [
    "the plan is approved",
    anOlm({ plan: [{ approved: true }] }),
    [
      "wait until OLM has brought 8.0.2-2",
      "kubectl get clusterserviceversions.operators.coreos.com -w",
    ],
  ],
  [
    "the plan is carried out and brought something else",
    anOlm({ plan: [{}, { phase: "Complete" }] }),
    ["did not bring 8.0.2-2", kubectl("edit", "subscriptions", " engine-operator")],
  ],
  [
    "the plan is carried out, and the install continues",
    anOlm({ plan: [{}, { phase: "Complete" }], next: "Installing" }),
    ["wait until OLM has brought 8.0.2-2"],
  ],
  [
    "the plan has failed",
    anOlm({ plan: failed("no") }),
    ["first correct what OPERATOR-OLM-PLAN says of InstallPlan/engine/install-abc12"],
  ],
  [
    "the plan also brings other operators",
    anOlm({
      plan: [{ clusterServiceVersionNames: [next, "amq.v2", "queue.v3"] }],
      beside: [amq("amq")],
    }),
    ["upgrades other operators too (amq.v2 of Subscription/engine/amq, queue.v3)"],
  ],
  [
    "the Subscription says nothing yet",
    {
      ...noOlm,
      subscription: aSubscription({ currentCSV: undefined }),
      clusterServiceVersion: aClusterServiceVersion("7"),
      installPlan: anInstallPlan({ clusterServiceVersionNames: [next, "queue.v3"] }),
      planName: "install-abc12",
    },
    ["upgrades other operators too (queue.v3)"],
  ],
])("what OLM has to be told where %s", (_title, olm, says) => {
  const way = olmWay(olm);
  for (const part of says) expect(way).toContain(part);
});

test("where nothing of OLM's is left, no group is missed", () => {
  expect(judgeOlm({ ...noOlm, groups: [] }, "engine")).toEqual([]);
  const subscription = aSubscription();
  expect(judgeOlm({ ...noOlm, subscription, groups: [] }, "engine")).toHaveLength(1);
});

test("a release without a version is the release", () => {
  const olm = anOlm({ plan: [{ approved: true }] });
  expect(olmWay(olm, { target: undefined })).toContain("has brought the release");
});

const csv = (version: string, phase?: string): judged.Olm => ({
  ...noOlm,
  clusterServiceVersion: aClusterServiceVersion(version, phase),
});

test.each<[string, string | undefined, judged.Olm, boolean]>([
  ["by its image's tag", "8.0.2-2", noOlm, true],
  ["by its image's tag, and the install succeeded", "8.0.2-2", csv("8.0.2-2"), true],
  ["not while the install continues", "8.0.2-2", csv("8.0.2-2", "Installing"), false],
  ["by its ClusterServiceVersion", undefined, csv("8.0.2-2"), true],
  ["not with another release", "7.22.0-7", csv("7.22.0-7"), false],
  ["not where the release is not known", undefined, noOlm, false],
])("OLM has brought the operator to 8.0.2-2 %s", (_title, ...[runs, olm, brought]) => {
  expect(isBrought(olm, { runs, target: "8.0.2-2" })).toBe(brought);
  expect(isBrought(olm, { runs, target: undefined })).toBe(false);
});

test.each<[string, KubeObject["metadata"], string | undefined]>([
  [
    "by its owner reference",
    {
      ...{ labels: { "olm.owner": "x" } },
      ownerReferences: [
        { kind: "ReplicaSet", name: "x" },
        { kind: "ClusterServiceVersion", name: "a" },
      ],
    },
    "a",
  ],
  ["by its label", { labels: { "olm.owner": "x" } }, "x"],
  ["none", {}, undefined],
])("the ClusterServiceVersion of an object: %s", (_title, metadata, name) => {
  expect(findCsvName(aDeployment(metadata))).toBe(name);
  expect(readOlmVersion(csv("8.0.2-2"))).toBe("8.0.2-2");
});

const bare = aSubscription({ installedCSV: undefined });
const starting = { ...bare, spec: { startingCSV: next } };

test.each<[string, readonly KubeObject[], string | undefined, string | undefined]>([
  ["that of its ClusterServiceVersion", [amq("amq"), aSubscription()], csvName, "engine-operator"],
  [
    "that which is to bring it",
    [amq("amq"), aSubscription({ installedCSV: "w", currentCSV: csvName })],
    csvName,
    "engine-operator",
  ],
  ["that of another release of it", [amq("amq"), starting], csvName, "engine-operator"],
  ["none where the only one names others", [amq("amq")], csvName, undefined],
  ["the only one, which names nothing", [bare], csvName, "engine-operator"],
  ["the only one where the operator tells none", [amq("amq")], undefined, "amq"],
  ["none of several", [amq("a"), amq("b")], csvName, undefined],
  ["none of several that know none", [amq("a"), bare], undefined, undefined],
  ["none where there is none", [], csvName, undefined],
])("the operator's Subscription is %s", (_title, ...[all, named, name]) => {
  expect(findSubscription(all, named)?.metadata.name).toBe(name);
});

test.each<[object, string | undefined]>([
  [{}, "install-abc12"],
  [{ installPlanRef: undefined, installplan: { name: "older" } }, "older"],
  [{ installPlanRef: undefined }, undefined],
])("a Subscription waits for its InstallPlan: %j", (status, name) => {
  expect(readInstallPlanName(aSubscription(status))).toBe(name);
});

test("the younger of two groups goes by a command where what it has marks of is gone", () => {
  const younger = young(ownerMarks.Flux);
  const left = new Map([[`OperatorGroup/engine/${String(younger.metadata.name)}`, "Flux is gone"]]);
  const [finding] = judgeOlm({ ...noOlm, groups: [old, younger], left }, "engine");
  expect(finding?.fix).toMatch(/the youngest goes with: .*kubectl delete operatorgroups/);
  expect(finding?.cause).not.toContain("Flux");
});
