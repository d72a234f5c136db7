import { defaultNames as names } from "../../../../plugin/domain/names/names";
import { renderFix } from "../../../../plugin/domain/base/remedy";
import { listWaysOut } from "../../../../plugin/domain/operator/chart-marks";
import type { KubeObject } from "../../../../plugin/domain/kube/objects";
import * as refusals from "../../../../plugin/domain/operator/refusals";
import { noOlm } from "../../../../plugin/domain/operator/olm";
import type { Installed } from "../../../../plugin/domain/operator/refusals";

const {
  helmWords,
  isDeployed,
  isOlmDone,
  judgeDirection,
  judgeOwners,
  judgeRegistry,
  listTwins,
  readChartName,
  sourceWords,
} = refusals;

const aDeployment = (image: string, metadata: KubeObject["metadata"] = {}): KubeObject => ({
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: { name: names.operator.deployment, namespace: "engine", ...metadata },
  spec: { template: { spec: { containers: [{ name: names.operator.container, image }] } } },
});
const installed = (deployment: KubeObject | undefined): Installed => ({
  deployment,
  objects: deployment === undefined ? [] : [deployment],
  olm: noOlm,
  namespace: "engine",
  names,
});
const helm = { "app.kubernetes.io/managed-by": "Helm" };
const ofOlm = { labels: { "olm.owner": "x" } };
const chart = { "meta.helm.sh/release-name": "mine" };

test.each([
  [{ labels: helm }, "--release-name NAME"],
  [{ labels: helm }, "is the owner's no more, with: kubectl label deployment"],
  [{ labels: helm, annotations: chart }, "--release-name mine"],
  [ofOlm, "find the InstallPlan of Subscription NAME"],
  [{ labels: { "argocd.argoproj.io/instance": "x" } }, "Argo CD"],
])("an owner's way is printed: %j", (metadata, way) => {
  expect(judgeOwners(installed(aDeployment("a:1", metadata)), "8.0.2-2")).toMatchObject([
    { code: "OPERATOR-OWNED", fix: expect.stringContaining(way) as string },
  ]);
  expect(judgeOwners(installed(aDeployment("a:1")), "8.0.2-2")).toEqual([]);
});

describe("marks of a chart's release", () => {
  const marks = {
    labels: helm,
    annotations: { ...chart, "meta.helm.sh/release-namespace": "there" },
  };
  const account = (name: string, metadata: KubeObject["metadata"] = {}): KubeObject => ({
    ...{ apiVersion: "v1", kind: "ServiceAccount" },
    metadata: { name, namespace: "engine", ...metadata },
  });
  const judge = (isKnown: boolean | undefined, image = "a:8.0.2-2") => {
    const found = installed(aDeployment(image, marks));
    const others = [account("same", marks), account("none"), account("label", { labels: helm })];
    const records = new Map([["mine", { namespace: "there", isKnown }]]);
    return judgeOwners({ ...found, objects: [...found.objects, ...others], records }, "8.0.6-8");
  };

  test("that has no record are one finding, with a line for each object that has them", () => {
    const findings = judge(false);
    expect(findings.map(({ code, object }) => [code, object])).toEqual([
      ["OPERATOR-CHART-LOST", `Deployment/engine/${names.operator.deployment}`],
      ["OPERATOR-OWNED", "ServiceAccount/engine/label"],
    ]);
    const [{ cause, fix } = { cause: "", fix: "" }] = findings;
    expect(cause).toContain("it and 1 more have the marks of release mine");
    expect(cause).toContain("in namespace there");
    expect(fix).toContain("helm install mine REF --version 8.0.2-2 ");
    expect(fix).toContain(
      "kubectl annotate serviceaccount same --namespace=engine meta.helm.sh/release-name- ",
    );
    expect(fix).not.toMatch(/serviceaccount (none|label)/);
    expect(judge(false, "a@sha256:00")[0]?.fix).toContain("--version VERSION");
  });

  test("are taken off one object after the other, of no namespace too", () => {
    const role = { apiVersion: "v1", kind: "ClusterRole", metadata: { name: "wide" } };
    const lost = { release: "mine", namespace: "there" };
    const told = (objects: readonly KubeObject[]): string =>
      renderFix(listWaysOut({ ...lost, objects }));
    expect(told([account("same"), role])).toMatch(
      /annotate serviceaccount same --namespace=engine .*annotate clusterrole wide meta.helm.sh/,
    );
    expect(told([])).not.toContain("annotate");
  });

  test("that has one lead to the chart, and where that is not known to both", () => {
    const [seen, unseen] = [judge(true), judge(undefined)].map(([first]) => first?.fix);
    expect(seen).toContain("--release-name mine");
    expect(seen).not.toContain("helm install");
    expect(unseen).toMatch(
      /--release-name mine .*: helm status mine --namespace=there; else .*helm install mine/,
    );
  });
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
  [[], [], []],
  [["a.b=true"], ["f.yaml", "g"], "--set a.b=true --values f.yaml --values g".split(" ")],
])("helm is forced by consent alone, and keeps values: %j %s", (sets, values, words) => {
  const base = "helm upgrade n ./c --version 1.0.0 --reset-then-reuse-values".split(" ");
  const upgrade = { name: "n", chart: "./c", version: "1.0.0", sets, values, given: [] };
  expect(helmWords(upgrade)).toEqual([...base, ...words]);
  const taking = helmWords({ ...upgrade, takes: true });
  expect(taking).toEqual([...base, ...words, "--force-conflicts"]);
});

test("what was given stands behind the values, and what leads to the chart is known apart", () => {
  const given = [
    { flag: "reuse-values", of: "kept" },
    { flag: "set-file", text: "a=f", of: "written" },
    { flag: "plain-http", of: "source" },
    { flag: "repo", text: "https://x", of: "source" },
  ] as const;
  const upgrade = { name: "n", chart: "c", version: "1.0.0", sets: [], values: ["f.yaml"], given };
  expect(helmWords(upgrade).join(" ")).toBe(
    "helm upgrade n c --version 1.0.0 --values f.yaml --reuse-values --set-file a=f --plain-http --repo https://x",
  );
  expect(sourceWords(upgrade).join(" ")).toBe("--plain-http --repo https://x");
});

test.each([
  ["operator-1.2.3", "operator"],
  ["operator-v1.2.3-4", "operator"],
  ["engine-8-operator-8.0.2-2+build.1", "engine-8-operator"],
  ["operator", "operator"],
  ["", ""],
])("the chart of %s is %s", (chart, name) => {
  expect(readChartName({ chart })).toBe(name);
});

test.each<[string, readonly [chart: string, status: string] | undefined, number]>([
  ["of the same chart", ["op-2.0.0", "deployed"], 1],
  ["of the same chart, failed", ["op-1.0.0", "failed"], 1],
  ["of the same chart, uninstalled", ["op-1.0.0", "uninstalled"], 0],
  ["of another chart", ["other-1.0.0", "deployed"], 0],
  ["of none", undefined, 0],
])("releases beside one, %s", (_, twin, count) => {
  const [chart = "", status = ""] = twin ?? [];
  const beside = twin && { beside: [{ name: "two", chart, status }] };
  const release = { name: "one", chart: "op-1.0.0", status: "deployed", ...beside };
  expect(listTwins(release)).toHaveLength(count);
  expect(listTwins(undefined)).toEqual([]);
});

describe("what runs helm", () => {
  const managed = (manager: string) =>
    judgeOwners(
      installed(
        aDeployment("a:1", { labels: helm, annotations: chart, managedFields: [{ manager }] }),
      ),
      "1",
    );

  test.each([
    ["helm", "--release-name mine --version V"],
    ["kubectl-edit", "--version V (what runs helm is not known from the field managers:"],
    ["terraform-provider-helm_v2", "run terraform apply"],
    ["helm-controller", "the version of its chart"],
  ])("%s has its way", (manager, way) => {
    expect(managed(manager)[0]?.fix).toContain(way);
    if (manager === "helm") expect(managed(manager)[0]?.fix).toMatch(/--version V$/);
  });
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
