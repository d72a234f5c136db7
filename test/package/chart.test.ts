/** The webhook's chart: one truth with manifests/ and the names, and what holds of it under helm 3. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { load } from "js-yaml";
import { defaultNames, type Names } from "../../plugin/domain/names/names";
import { rebrand } from "../../plugin/domain/names/rebrand";
import { readNames } from "../../webhook/config";
import { listPlaces } from "../../webhook/own-certificate/requests";
import { asArray, getOwn, getPath, isObject } from "../../plugin/domain/base/values";
import type { KubeObject } from "../control-plane/api";
import { findBinaries, findProgram } from "../control-plane/binaries";
import { repositoryRoot } from "../control-plane/pins";
import { run } from "../control-plane/run";
import { templateFile } from "../control-plane/swap-states";
import { everyOverride, renamed } from "../support/renamed";
import {
  chartFile,
  containerOf,
  Helm,
  image,
  namespace,
  type Objects,
  objectsOf,
  templateArgs,
} from "./chart";
import { released } from "./released";
import { describeChart } from "./chart-laws";

let folder = "";
let helm: Helm;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "chart-"));
  writeFileSync(join(folder, "names.json"), JSON.stringify(everyOverride));
  helm = new Helm(await findProgram("helm"), folder);
}, 900_000);
afterAll(() => {
  rmSync(folder, { recursive: true });
});

/** What `kubectl apply -k` is given without a chart, under a brand's names and with them for its pods. */
async function manifests(name: string, names: Names): Promise<Objects> {
  const folder = join(repositoryRoot, "manifests", name);
  const { kubectl } = await findBinaries();
  const { stdout } = await run(kubectl, ["kustomize", folder], { env: process.env });
  const built = [...objectsOf(stdout).values()].filter(({ kind }) => kind !== "Namespace");
  if (names === defaultNames) return keyed(built);
  const map = `${names.companion.deployment}-names`;
  const metadata = { name: map, namespace: names.companion.namespace };
  const branded = built.map((object) => withNames(rebrand(object, names) as KubeObject, map));
  return keyed([{ apiVersion: "v1", kind: "ConfigMap", metadata }, ...branded]);
}

const keyed = (objects: readonly KubeObject[]): Objects =>
  new Map(objects.map((object) => [`${object.kind}/${object.metadata.name}`, object]));

/** A Deployment whose containers read the names of a ConfigMap. */
function withNames(object: KubeObject, map: string): KubeObject {
  const pod = getPath(object, ["spec", "template", "spec"]) as Record<string, unknown> | undefined;
  if (pod === undefined) return object;
  const container = containerOf(object) as Record<string, unknown>;
  const env = { name: "ENGINE_NAMES", value: "/etc/names/names.yaml" };
  const mount = { name: "names", mountPath: "/etc/names", readOnly: true };
  container["env"] = [...asArray(container["env"]), env];
  container["volumeMounts"] = [mount, ...asArray(container["volumeMounts"])];
  pod["volumes"] = [{ name: "names", configMap: { name: map } }, ...asArray(pod["volumes"])];
  return object;
}

const ofOneWay = ["imagePullPolicy", "annotations"];

/** Without the marks of the two ways, and without an order where there is none. */
function plain(objects: Objects, names: Names): unknown {
  const strip = (value: unknown, key = ""): unknown => {
    if (Array.isArray(value)) {
      const items = value.map((item) => strip(item));
      const byName = (item: unknown): string => String(getPath(item, ["name"]));
      return key === "env" ? items.sort((a, b) => byName(a).localeCompare(byName(b), "en")) : items;
    }
    if (!isObject(value)) return value;
    const kept = Object.entries(value).filter(([name]) => !ofOneWay.includes(name));
    const inner = kept.map(([name, each]) => [name, strip(each, name)]);
    return Object.fromEntries(inner) as unknown;
  };
  const labels = "app.kubernetes.io/name";
  return Object.fromEntries(
    [...objects].map(([key, { metadata, ...object }]) => {
      const { name, namespace, labels: given } = metadata;
      const own = { name, namespace, label: given?.[labels] };
      // the chart gives the webhook the names that differ, the manifests all of them
      if (key === `ConfigMap/${names.companion.deployment}-names`)
        return [key, { name, namespace }];
      return [key, { ...(strip(object) as object), metadata: own }];
    }),
  );
}

interface Way {
  readonly names: Names;
  readonly folder: "webhook" | "webhook-own-cert";
}

test.each<[string, Way]>([
  ["the webhook's own certificate", { names: defaultNames, folder: "webhook-own-cert" }],
  ["a given one", { names: defaultNames, folder: "webhook" }],
  ["its own, all names others", { names: renamed, folder: "webhook-own-cert" }],
  ["a given one, all names others", { names: renamed, folder: "webhook" }],
])("%s: the objects are those of manifests/", async (_title, { names, folder: base }) => {
  const expected = await manifests(base, names);
  const { namespace, deployment } = names.companion;
  const image = String(getOwn(containerOf(expected.get(`Deployment/${deployment}`)), "image"));
  const [, repository, tag] = /^(.*):(.*)$/.exec(image) ?? [];
  const secret = { name: names.webhook.secret, ca: "-----BEGIN CERTIFICATE-----" };
  const given = names === defaultNames ? [] : ["--set-file", `names=${join(folder, "names.json")}`];
  const text = await helm.done(
    [...templateArgs(), ...given],
    {
      image: { repository, tag },
      ...(base === "webhook" && { certificate: { secret } }),
      registration: { create: false },
    },
    namespace,
  );
  expect(plain(objectsOf(text), names)).toEqual(plain(expected, names));
});

describe("under a brand's names", () => {
  let objects: Objects = new Map();
  beforeAll(async () => {
    const names = join(folder, "names.json");
    const args = [...templateArgs(), "--set-file", `names=${names}`];
    objects = objectsOf(await helm.done(args, { image }, renamed.companion.namespace));
  });

  test("every pod reads the names that were given, which the webhook takes", () => {
    const map = objects.get(`ConfigMap/${renamed.companion.deployment}-names`);
    const file = join(folder, "mounted.yaml");
    writeFileSync(file, String(getPath(map, ["data", "names.yaml"])));
    expect(readNames(file)).toEqual({ names: renamed });
    const deployments = [...objects.values()].filter(({ kind }) => kind === "Deployment");
    expect(deployments).toHaveLength(2);
    for (const deployment of deployments) {
      const container = containerOf(deployment);
      expect(asArray(getOwn(container, "env"))).toContainEqual({
        name: "ENGINE_NAMES",
        value: "/etc/names/names.yaml",
      });
    }
  });

  test("names that are no YAML are refused", async () => {
    const { code, stderr } = await helm.run(templateArgs(), { image, names: "group: [" });
    expect(code).not.toBe(0);
    expect(stderr).toContain("names: error converting YAML");
  });

  test("the rights of the own certificate are those for the objects that it asks for", () => {
    const allowed = [...objects.values()]
      .filter(({ kind }) => /^(Cluster)?Role$/.test(kind))
      .flatMap((role) => asArray(role["rules"]))
      .flatMap((rule) => asArray(getOwn(rule, "resourceNames")));
    const places = Object.values(listPlaces(renamed, renamed.companion.namespace));
    expect([...allowed].sort()).toEqual(places.map(({ name }) => name).sort());
  });
});

test("the registration is the template's, without a CA until there is one", async () => {
  const { namespace, deployment } = defaultNames.companion;
  const objects = objectsOf(await helm.template({}));
  const { configuration, entry } = defaultNames.webhook;
  const rendered = objects.get(`ValidatingWebhookConfiguration/${configuration}`);
  const template = load(readFileSync(templateFile, "utf8")) as KubeObject;
  const [wanted] = asArray(template["webhooks"]) as readonly Record<string, object>[];
  const service = {
    ...(getPath(wanted, ["clientConfig", "service"]) as object),
    namespace,
  };
  expect(rendered?.["webhooks"]).toEqual([
    { ...wanted, clientConfig: { service }, namespaceSelector: {}, objectSelector: {} },
  ]);
  expect(wanted?.["name"]).toBe(entry);
  expect(rendered?.metadata.labels).toMatchObject({
    ...template.metadata.labels,
    "app.kubernetes.io/name": deployment,
  });
});

test("its version is that of the package", () => {
  const { version } = JSON.parse(readFileSync(join(repositoryRoot, "package.json"), "utf8")) as {
    readonly version: string;
  };
  expect(load(chartFile("Chart.yaml"))).toMatchObject({ version, appVersion: version });
});

test("the archive of npm run package is the chart", async () => {
  const objects = await helm.template({});
  const { version } = load(chartFile("Chart.yaml")) as { readonly version: string };
  expect(await helm.template({}, namespace, released(`engine-webhook-${version}.tgz`))).toBe(
    objects,
  );
});

test("its names are the default ones", () => {
  const differing = (value: unknown, path: readonly string[] = []): readonly string[] =>
    isObject(value)
      ? Object.entries(value).flatMap(([key, inner]) => differing(inner, [...path, key]))
      : getPath(defaultNames, path) === value
        ? []
        : [path.join(".")];
  const names = load(chartFile("files/names.yaml"));
  expect(differing(names)).toEqual([]);
  expect(differing({ ...(names as object), group: "app.other.com" })).toEqual(["group"]);
});

test("the monitors' files are valid, whole, and arrive as they are", async () => {
  const enabled = { enabled: true };
  const objects = objectsOf(await helm.template({ prometheusRule: enabled, dashboard: enabled }));
  const { deployment } = defaultNames.companion;
  const rules = load(chartFile("files/rules.yaml"));
  expect(objects.get(`PrometheusRule/${deployment}`)?.["spec"]).toEqual(rules);
  expect(asArray(getOwn(asArray(getOwn(rules, "groups"))[0], "rules"))).toHaveLength(8);
  const dashboard = chartFile("files/dashboard.json");
  const data = objects.get(`ConfigMap/${deployment}-dashboard`)?.["data"];
  expect(data).toEqual({ [`${deployment}.json`]: dashboard });
  const { panels } = JSON.parse(dashboard) as { readonly panels: readonly { id: number }[] };
  expect(panels.map(({ id }) => id)).toEqual(Array.from({ length: 13 }, (_, index) => index + 1));
});

describe("under helm 3", () => {
  describeChart("helm");
});
