/** `validate` over objects that bring the product's objects into a cluster: they are named as not checked. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Report } from "../../../../plugin/kernel/report";
import { aFolder } from "../../../support/a-folder";
import { type Ended, stdinOf, typed } from "../../../support/program-world";

let folder = "";
beforeEach(() => {
  folder = aFolder("carriers");
});

async function validate(text: string, words: readonly string[] = []): Promise<Ended> {
  writeFileSync(join(folder, "app.yaml"), text);
  const { code, out, err } = await typed(["validate", "-f", folder, ...words]);
  return { code, out: out.replaceAll(folder, "FOLDER"), err };
}

const check = "| kubectl engine validate -f -";
const edb =
  '{apiVersion: app.engine.com/v1alpha1, kind: EngineEnterpriseDatabase, metadata: {name: a}, spec: {engineVersion: "9.9"}}';
const object = (apiVersion: string, kind: string, body: string): string =>
  `apiVersion: ${apiVersion}\nkind: ${kind}\nmetadata: {name: orders, namespace: flux-system}\n${body}\n`;
const flux = (body: string) => object("kustomize.toolkit.fluxcd.io/v1", "Kustomization", body);
const release = (body: string) => object("helm.toolkit.fluxcd.io/v2", "HelmRelease", body);
const application = (body: string) => object("argoproj.io/v1alpha1", "Application", body);
const applications = (body: string) => object("argoproj.io/v1alpha1", "ApplicationSet", body);
const chart = `helm template NAME CHART --values VALUES ${check}`;

test.each<[title: string, text: string, line: number, cause: string, way: string]>([
  [
    "patches of a Flux Kustomization",
    flux(
      "spec:\n  path: ./apps/my orders\n  patches:\n  - target: {kind: EngineEnterpriseDatabase}",
    ),
    7,
    "spec.patches[0].target.kind names EngineEnterpriseDatabase",
    `flux build kustomization orders --namespace flux-system --path './apps/my orders' --kustomization-file FOLDER/app.yaml --dry-run ${check}`,
  ],
  [
    "a Flux Kustomization without a name",
    flux("spec: {patches: [{patch: 'kind: EngineEnterpriseCluster'}]}").replace(
      "name: orders, ",
      "",
    ),
    4,
    "spec.patches[0].patch names EngineEnterpriseCluster",
    `flux build kustomization NAME --path PATH --kustomization-file FILE --dry-run ${check}`,
  ],
  [
    "values of a HelmRelease",
    release('spec:\n  values:\n    database: {engineVersion: "9.9"}'),
    6,
    "spec.values.database.engineVersion names engineVersion",
    chart,
  ],
  [
    "a post-renderer of a HelmRelease",
    release(
      "spec: {postRenderers: [{kustomize: {patches: [{target: {kind: EngineEnterpriseDatabase}}]}}]}",
    ),
    4,
    "spec.postRenderers[0].kustomize.patches[0].target.kind names EngineEnterpriseDatabase",
    chart,
  ],
  [
    "values of a HelmChart",
    object(
      "helm.cattle.io/v1",
      "HelmChart",
      "spec:\n  valuesContent: |-\n    engineUpgradePolicy: major",
    ),
    5,
    "spec.valuesContent names engineUpgradePolicy",
    chart,
  ],
  [
    "values of an Application",
    application("spec: {source: {helm: {values: 'engineVersion: \"9.9\"'}}}"),
    4,
    "spec.source.helm.values names engineVersion",
    `argocd app manifests orders ${check}`,
  ],
  [
    "patches of an Application with several sources",
    application(
      "spec: {sources: [{}, {kustomize: {patches: [{target: {kind: EngineEnterpriseActiveActiveDatabase}}]}}]}",
    ),
    4,
    "spec.sources[1].kustomize.patches[0].target.kind names EngineEnterpriseActiveActiveDatabase",
    `argocd app manifests orders ${check}`,
  ],
  [
    "an Application without a name",
    application("spec: {source: {helm: {parameters: [{name: engineVersion}]}}}").replace(
      "name: orders, ",
      "",
    ),
    4,
    "spec.source.helm.parameters[0].name names engineVersion",
    `argocd app manifests NAME ${check}`,
  ],
  [
    "an ApplicationSet",
    applications("spec: {generators: [{list: {elements: [{engineVersion: '9.9'}]}}]}"),
    4,
    "spec.generators[0].list.elements[0].engineVersion names engineVersion",
    `argocd app manifests NAME ${check}`,
  ],
  [
    "an object within another",
    object(
      "work.open-cluster-management.io/v1",
      "ManifestWork",
      `spec:\n  workload:\n    manifests:\n    - ${edb}`,
    ),
    7,
    "spec.workload.manifests[0] holds EngineEnterpriseDatabase",
    "check the object in a file of its own: kubectl engine validate -f FILE",
  ],
  [
    "an object in a Template",
    object("template.openshift.io/v1", "Template", `objects:\n- ${edb}`),
    5,
    "objects[0] holds EngineEnterpriseDatabase",
    "check the object in a file of its own: kubectl engine validate -f FILE",
  ],
  [
    "the text of an object in a ConfigMap",
    object(
      "v1",
      "ConfigMap",
      `data:\n  a.yaml: |\n    apiVersion: app.engine.com/v1\n    kind: EngineEnterpriseCluster`,
    ),
    5,
    "data.a.yaml holds EngineEnterpriseCluster",
    "check the object in a file of its own: kubectl engine validate -f FILE",
  ],
  [
    "the text of an object in JSON",
    object(
      "v1",
      "ConfigMap",
      `data:\n  a.json: '${JSON.stringify({ apiVersion: "app.engine.com/v1", kind: "EngineEnterpriseDatabase" })}'`,
    ),
    5,
    "data.a.json holds EngineEnterpriseDatabase",
    "check the object in a file of its own: kubectl engine validate -f FILE",
  ],
])("%s", async (...[, text, line, cause, way]) => {
  const ended = await validate(text, ["-o", "json"]);
  const { findings = [] } = JSON.parse(ended.out) as Report;
  expect(findings).toMatchObject([
    {
      code: "MANIFEST-NOT-RENDERED",
      severity: "warning",
      cause: `${cause}: what comes of it was not checked`,
      location: { line },
    },
  ]);
  const [{ fix, command } = { fix: "" }] = findings;
  expect(command ?? fix).toContain(way);
  expect(ended.code).toBe(0);
  expect((await validate(text, ["--strict"])).code).toBe(1);
});

const wrong = edb.replace("name: a", "name: a, namespace: engine");

test.each<[string, string]>([
  [
    "health checks of a Flux Kustomization",
    flux(
      "spec: {path: ./a, healthChecks: [{apiVersion: app.engine.com/v1, kind: EngineEnterpriseDatabase, name: a}]}",
    ),
  ],
  ["a HelmRelease of others", release("spec: {values: {replicas: 2}}")],
  [
    "differences that Argo CD ignores",
    application("spec: {source: {path: a}, ignoreDifferences: [{kind: EngineEnterpriseDatabase}]}"),
  ],
  [
    "an owner",
    object("v1", "ConfigMap", "data: {a: b}").replace(
      "namespace:",
      "ownerReferences: [{apiVersion: app.engine.com/v1, kind: EngineEnterpriseCluster, name: ec, uid: u}], namespace:",
    ),
  ],
  [
    "an object that another refers to",
    object(
      "v1",
      "Event",
      "involvedObject: {apiVersion: app.engine.com/v1, kind: EngineEnterpriseCluster, name: ec}",
    ),
  ],
  [
    "a definition",
    object(
      "apiextensions.k8s.io/v1",
      "CustomResourceDefinition",
      "spec: {group: app.engine.com, names: {kind: EngineEnterpriseDatabase}}",
    ),
  ],
  [
    "a page about the product",
    object(
      "v1",
      "ConfigMap",
      "data: {readme: 'set kind: EngineEnterpriseDatabase of app.engine.com/v1'}",
    ),
  ],
])("%s is no object that was not checked", async (_title, text) => {
  // beside a database, so that the files are not without any
  const { code, out } = await validate(`${text}---\n${wrong.replace("9.9", "7.4")}\n`);
  expect(out).not.toContain("MANIFEST-NOT-RENDERED");
  expect(code).toBe(0);
});

test("what comes from stdin has no file to render", async () => {
  const text = flux("spec: {patches: [{target: {kind: EngineEnterpriseDatabase}}]}");
  const { out } = await typed(["validate", "-f", "-"], { stdin: stdinOf(text) });
  expect(out).toContain("--kustomization-file FILE --dry-run | kubectl engine validate -f -\n");
});

/** Checks the files below the folder, one of which is a database in apps/orders. */
async function validateFlux(spec: string): Promise<Ended> {
  mkdirSync(join(folder, "apps/orders"), { recursive: true });
  writeFileSync(
    join(folder, "apps/orders/db.yaml"),
    edb.replace("9.9", "7.4").replace("name: a", "name: a, namespace: shop"),
  );
  return validate(flux(`spec: ${spec}`), ["-R", "--strict"]);
}

test.each([
  ["targetNamespace", "{path: ./apps/orders, targetNamespace: live}"],
  ["targetNamespace", "{targetNamespace: live}"],
  ["namePrefix", "{path: apps/, targetNamespace: shop, namePrefix: a-}"],
  ["components", "{path: ./apps/orders, components: [../part]}"],
])("Flux changes the objects of its folder by %s: %s", async (field, spec) => {
  const { code, out } = await validateFlux(spec);
  expect(out).toContain(
    `spec.${field} changes the objects of FOLDER/apps/orders/db.yaml: what comes of it was not checked`,
  );
  expect(code).toBe(1);
});

test.each([
  "{path: ./apps/other, targetNamespace: live}",
  "{path: ./apps/orders, targetNamespace: shop}",
  "{path: ./apps/orders, components: [], namePrefix: ''}",
])("Flux changes nothing of the product: %s", async (spec) => {
  const { out } = await validateFlux(spec);
  expect(out).not.toContain("MANIFEST-NOT-RENDERED");
});
