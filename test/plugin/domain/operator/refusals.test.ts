import { defaultNames as names } from "../../../../plugin/domain/names";
import type { KubeObject } from "../../../../plugin/domain/objects";
import {
  type Installed,
  isOlmDone,
  judgeDirection,
  judgeOwners,
  judgeRegistry,
} from "../../../../plugin/domain/operator/refusals";

const aDeployment = (image: string, metadata: KubeObject["metadata"] = {}): KubeObject => ({
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: { name: names.operator.deployment, namespace: "engine", ...metadata },
  spec: { template: { spec: { containers: [{ name: names.operator.container, image }] } } },
});
const installed = (
  deployment: KubeObject | undefined,
  more: Partial<Installed> = {},
): Installed => ({
  deployment,
  objects: deployment === undefined ? [] : [deployment],
  olm: { subscription: undefined, installPlan: undefined, clusterServiceVersion: undefined },
  namespace: "engine",
  names,
  command: (words) => words.join(" "),
  ...more,
});
const helm = { "app.kubernetes.io/managed-by": "Helm" };

test.each([
  [{ labels: helm }, {}, "--release-name NAME"],
  [
    { labels: helm, annotations: { "meta.helm.sh/release-name": "mine" } },
    {},
    "--release-name mine",
  ],
  [{ labels: { "olm.owner": "x" } }, {}, "oc patch installplan NAME -n engine"],
  [{ labels: { "argocd.argoproj.io/instance": "x" } }, {}, "Argo CD"],
])("an owner's way is printed: %j %j", (metadata, more, way) => {
  const [finding] = judgeOwners(installed(aDeployment("a:1", metadata), more), "8.0.2-2");
  expect(finding).toMatchObject({
    code: "OPERATOR-OWNED",
    fix: expect.stringContaining(way) as string,
  });
});

test("objects that nobody owns are free", () => {
  expect(judgeOwners(installed(aDeployment("a:1")), "8.0.2-2")).toEqual([]);
});

test.each<[string, KubeObject | undefined, boolean]>([
  ["OLM's at the release", aDeployment("a:8.0.2-2", { labels: { "olm.owner": "x" } }), true],
  ["OLM's behind it", aDeployment("a:7.4.2-2", { labels: { "olm.owner": "x" } }), false],
  ["a chart's at the release", aDeployment("a:8.0.2-2", { labels: helm }), false],
  ["nobody's at the release", aDeployment("a:8.0.2-2"), false],
  ["none", undefined, false],
])("an operator is done by OLM: %s", (_title, deployment, done) => {
  expect(isOlmDone(installed(deployment), "8.0.2-2")).toBe(done);
});

test.each([
  ["a:8.0.2-2", "7.22.0-7", 1],
  ["a:7.22.0-7", "8.0.2-2", 0],
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
])("%s with %j taken", (image, takeFields, fix) => {
  const wanted = aDeployment("engine/operator:2");
  const findings = judgeRegistry(installed(aDeployment(image)), wanted, takeFields);
  if (fix === undefined) expect(findings).toEqual([]);
  else expect(findings[0]?.fix).toContain(fix);
});

test("without an operator, or with other containers, there is no registry to keep", () => {
  expect(judgeRegistry(installed(undefined), aDeployment("a:1"), [])).toEqual([]);
  const bare = { ...aDeployment("a:1"), spec: {} };
  expect(judgeRegistry(installed(aDeployment("b:1")), bare, [])).toEqual([]);
});
