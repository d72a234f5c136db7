/** The webhook's chart: one truth with manifests/ and the names, and what holds of it under helm 3. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { load } from "js-yaml";
import { defaultNames, type Names } from "../../plugin/domain/names";
import { asArray, getOwn, getPath, isObject } from "../../plugin/domain/values";
import type { KubeObject } from "../control-plane/api";
import { findProgram } from "../control-plane/binaries";
import { distDir } from "../control-plane/control-plane";
import { repositoryRoot } from "../control-plane/pins";
import { run } from "../control-plane/run";
import { templateFile } from "../control-plane/swap-states";
import { everyOverride, renamed } from "../support/renamed";
import {
  chartFile,
  containerOf,
  Helm,
  namespace,
  type Objects,
  objectsOf,
  type Values,
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

/** What `kubectl apply` is given without a chart. */
async function manifests(...flags: readonly string[]): Promise<Objects> {
  const words = [join(distDir, "kubectl-engine"), "options", "--manifests", ...flags];
  const { stdout } = await run(process.execPath, words, { cwd: folder, env: { HOME: folder } });
  const objects = new Map(objectsOf(stdout));
  for (const [key, { kind }] of objects) if (kind === "Namespace") objects.delete(key);
  return objects;
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

const given = { certificate: { secret: { name: "", ca: "-----BEGIN CERTIFICATE-----" } } };

interface Way {
  readonly names: Names;
  readonly flags: readonly string[];
  readonly values: Values;
}

const others = "--names=names.json";

test.each<[string, Way]>([
  ["the webhook's own certificate", { names: defaultNames, flags: ["--own-cert"], values: {} }],
  ["a given one", { names: defaultNames, flags: [], values: given }],
  ["its own, all names others", { names: renamed, flags: ["--own-cert", others], values: {} }],
  ["a given one, all names others", { names: renamed, flags: [others], values: given }],
])("%s: the objects are those of manifests/webhook", async (_title, { names, flags, values }) => {
  const expected = await manifests(...flags);
  const { namespace, deployment } = names.companion;
  const image = String(getOwn(containerOf(expected.get(`Deployment/${deployment}`)), "image"));
  const [, repository, tag] = /^(.*):(.*)$/.exec(image) ?? [];
  const secret = { ...given.certificate.secret, name: names.webhook.secret };
  const text = await helm.template(
    {
      image: { repository, tag },
      ...(names !== defaultNames && { names: everyOverride }),
      ...("certificate" in values && { certificate: { secret } }),
      registration: { create: false },
    },
    namespace,
  );
  expect(plain(objectsOf(text), names)).toEqual(plain(expected, names));
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
