import { defaultNames as names } from "../../../../plugin/domain/names/names";
import type { KubeObject } from "../../../../plugin/domain/kube/objects";
import * as refusals from "../../../../plugin/domain/operator/refusals";
import type { Installed, Olm } from "../../../../plugin/domain/operator/refusals";
import { quoteCommand } from "../../../../plugin/output/escape";
import {
  aClusterServiceVersion,
  anInstallPlan,
  aSubscription,
  csvName,
} from "../../../support/olm";

const { csvNameOf, helmWords, installPlanNameOf, isBrought, isDeployed, isOlmDone } = refusals;
const { judgeDirection, judgeOwners, judgeRegistry, olmVersionOf, olmWay } = refusals;
const { subscriptionOf } = refusals;

const nothing: Olm = {
  subscription: undefined,
  installPlan: undefined,
  clusterServiceVersion: undefined,
};
const aDeployment = (image: string, metadata: KubeObject["metadata"] = {}): KubeObject => ({
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: { name: names.operator.deployment, namespace: "engine", ...metadata },
  spec: { template: { spec: { containers: [{ name: names.operator.container, image }] } } },
});
const installed = (deployment: KubeObject | undefined): Installed => ({
  deployment,
  objects: deployment === undefined ? [] : [deployment],
  olm: nothing,
  namespace: "engine",
  names,
  command: quoteCommand,
});
const helm = { "app.kubernetes.io/managed-by": "Helm" };
const ofOlm = { labels: { "olm.owner": "x" } };
const chart = { "meta.helm.sh/release-name": "mine" };

test.each([
  [{ labels: helm }, "--release-name NAME"],
  [{ labels: helm, annotations: chart }, "--release-name mine"],
  [ofOlm, "oc patch installplan NAME -n engine"],
  [{ labels: { "argocd.argoproj.io/instance": "x" } }, "Argo CD"],
])("an owner's way is printed: %j", (metadata, way) => {
  expect(judgeOwners(installed(aDeployment("a:1", metadata)), "8.0.2-2")).toMatchObject([
    { code: "OPERATOR-OWNED", fix: expect.stringContaining(way) as string },
  ]);
  expect(judgeOwners(installed(aDeployment("a:1")), "8.0.2-2")).toEqual([]);
});

test.each<[string, KubeObject | undefined, boolean]>([
  ["OLM's at the release", aDeployment("a:8.0.2-2", ofOlm), true],
  ["OLM's behind it", aDeployment("a:7.4.2-2", ofOlm), false],
  ["a chart's at the release", aDeployment("a:8.0.2-2", { labels: helm }), false],
  ["none", undefined, false],
])("an operator is done by OLM: %s", (_title, deployment, done) => {
  expect(isOlmDone(installed(deployment), "8.0.2-2")).toBe(done);
});

test.each([
  ["a:8.0.2-2", "7.22.0-7", 1],
  ["a:8.0.2-2", "8.0.2-2", 0],
  ["a@sha256:00", "8.0.2-2", 0],
  ["a:8.0.2-2", undefined, 0],
])("%s against release %s", (image, release, count) => {
  expect(judgeDirection(installed(aDeployment(image)), release)).toHaveLength(count);
  expect(judgeDirection(installed(undefined), release)).toEqual([]);
});

test.each([
  ["engine/operator:1", [], undefined],
  ["mirror/x/engine/operator:1", [], "--image-registry mirror/x,"],
  ["other/name:1", [], "--image-registry HOST[/PATH],"],
  ["no reference", [], "--image-registry HOST[/PATH],"],
  ["mirror/x/engine/operator:1", [".image"], undefined],
])("the registry of %s with %j taken", (image, takeFields, fix) => {
  const wanted = aDeployment("engine/operator:2");
  const findings = judgeRegistry(installed(aDeployment(image)), wanted, takeFields);
  if (fix === undefined) expect(findings).toEqual([]);
  else expect(findings[0]?.fix).toContain(fix);
  expect(judgeRegistry(installed(undefined), wanted, [])).toEqual([]);
  expect(judgeRegistry(installed(aDeployment("b:1")), { ...wanted, spec: {} }, [])).toEqual([]);
});

test.each([
  [[], undefined, []],
  [["a.b=true"], "f.yaml", ["--set", "a.b=true", "--values", "f.yaml"]],
])("helm is never forced, and keeps values: %j %s", (sets, values, words) => {
  const base = "helm upgrade n ./c --version 1.0.0 --reset-then-reuse-values".split(" ");
  const upgrade = { name: "n", chart: "./c", version: "1.0.0", sets, values };
  expect(helmWords(upgrade)).toEqual([...base, ...words]);
});

test.each([
  ["deployed c-1.0.0", "v1.0.0", true],
  ["deployed c-v1.0.0", "1.0.0", true],
  ["deployed c-1.0.0-2", "1.0.0", false],
  ["failed c-1.0.0", "1.0.0", false],
])("%s is at %s: %s", (is, version, deployed) => {
  const [status = "", chartOf = ""] = is.split(" ");
  expect(isDeployed({ name: "n", status, chart: chartOf }, version)).toBe(deployed);
  expect(isDeployed(undefined, version)).toBe(false);
});

const from = { namespace: "engine", target: "8.0.2-2", command: quoteCommand };
const approve = (plan: string): string =>
  `oc patch installplan ${plan} -n engine --type merge -p '{"spec":{"approved":true}}'`;
const kubectl = (verb: string, kind: string, more = "") =>
  `kubectl ${verb} ${kind}.operators.coreos.com${more} -n engine`;
const subscription = aSubscription();
const withPlan = (spec?: object, status?: object): Partial<Olm> => ({
  subscription,
  installPlan: anInstallPlan(spec, status),
});

test.each<[string, Partial<Olm>, readonly string[]]>([
  [
    "nothing is known of it",
    {},
    ["Subscription NAME", kubectl("get", "installplans"), approve("NAME")],
  ],
  [
    "the Subscription names no plan",
    { subscription: aSubscription({ installPlanRef: undefined }) },
    ["Subscription engine-operator", approve("NAME")],
  ],
  [
    "the plan cannot be read",
    { subscription },
    ["approve InstallPlan install-abc12, then", approve("install-abc12")],
  ],
  ["the plan waits", withPlan(), ["which brings operator.v8.0.2-2", approve("install-abc12")]],
  [
    "the plan does not say what it brings",
    withPlan({ clusterServiceVersionNames: [] }),
    ["approve InstallPlan install-abc12, then"],
  ],
  [
    "the plan is approved",
    withPlan({ approved: true }),
    ["wait until OLM has brought 8.0.2-2", kubectl("get", "clusterserviceversions", " -w")],
  ],
  [
    "the plan is carried out and brought something else",
    withPlan({ approved: true }, { phase: "Complete" }),
    ["did not bring 8.0.2-2", kubectl("edit", "subscriptions", " engine-operator")],
  ],
])("what OLM has to be told where %s", (_title, olm, says) => {
  const way = olmWay({ ...nothing, ...olm }, from);
  for (const part of says) expect(way).toContain(part);
});

test("a release without a version is the release", () => {
  const olm = { ...nothing, ...withPlan({ approved: true }) };
  expect(olmWay(olm, { ...from, target: undefined })).toContain("has brought the release");
});

const csv = (version: string, phase?: string): Olm => ({
  ...nothing,
  clusterServiceVersion: aClusterServiceVersion(version, phase),
});

test.each<[string, string | undefined, Olm, boolean]>([
  ["by its image's tag", "8.0.2-2", nothing, true],
  ["by its image's tag, and the install succeeded", "8.0.2-2", csv("8.0.2-2"), true],
  ["not while the install continues", "8.0.2-2", csv("8.0.2-2", "Installing"), false],
  ["by its ClusterServiceVersion", undefined, csv("8.0.2-2"), true],
  ["not with another release", "7.22.0-7", csv("7.22.0-7"), false],
  ["not where the release is not known", undefined, nothing, false],
])("OLM has brought the operator to 8.0.2-2 %s", (_title, ...[runs, olm, brought]) => {
  expect(isBrought(olm, { runs, target: "8.0.2-2" })).toBe(brought);
  expect(isBrought(olm, { runs, target: undefined })).toBe(false);
});

test.each<[string, KubeObject["metadata"], string | undefined]>([
  [
    "by its owner reference",
    {
      ...ofOlm,
      ownerReferences: [
        { kind: "ReplicaSet", name: "x" },
        { kind: "ClusterServiceVersion", name: "a" },
      ],
    },
    "a",
  ],
  ["by its label", ofOlm, "x"],
  ["none", {}, undefined],
])("the ClusterServiceVersion of an object: %s", (_title, metadata, name) => {
  expect(csvNameOf(aDeployment("a:1", metadata))).toBe(name);
  expect(olmVersionOf(csv("8.0.2-2"))).toBe("8.0.2-2");
});

const other: KubeObject = {
  ...aSubscription({ installedCSV: "x" }),
  metadata: { name: "other" },
};
const next = aSubscription({ installedCSV: "w", currentCSV: csvName });
const bare = aSubscription({ installedCSV: undefined });

test.each<[string, readonly KubeObject[], string | undefined, string | undefined]>([
  ["that of its ClusterServiceVersion", [other, subscription], csvName, "engine-operator"],
  ["that which is to bring it", [other, next], csvName, "engine-operator"],
  ["the only one", [other], csvName, "other"],
  ["the only one where none is named", [other], undefined, "other"],
  ["none of several", [other, other], csvName, undefined],
  ["none of several that know none", [other, bare], undefined, undefined],
])("the operator's Subscription is %s", (_title, ...[all, named, name]) => {
  expect(subscriptionOf(all, named)?.metadata.name).toBe(name);
});

test.each<[object, string | undefined]>([
  [{}, "install-abc12"],
  [{ installPlanRef: undefined, installplan: { name: "older" } }, "older"],
  [{ installPlanRef: undefined }, undefined],
])("a Subscription waits for its InstallPlan: %j", (status, name) => {
  expect(installPlanNameOf(aSubscription(status))).toBe(name);
});
