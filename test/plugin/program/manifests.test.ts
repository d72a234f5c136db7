/** `options --manifests`: the companion webhook's manifests under any names. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { load, loadAll } from "js-yaml";
import { shippedWebhook } from "../../../plugin/adapters/shipped";
import type { KubeObject } from "../../../plugin/domain/objects";
import { getPath, asArray, getOwn } from "../../../plugin/domain/values";
import { readNames } from "../../../webhook/config";
import { placesOf } from "../../../webhook/own-certificate/requests";
import { everyOverride, renamed } from "../../support/renamed";
import { typed } from "../../support/program-world";
import { aFolder } from "../../support/a-folder";

let folder = "";
let namesFile = "";
beforeAll(() => {
  folder = aFolder("manifests");
  namesFile = join(folder, "names.json");
  writeFileSync(namesFile, JSON.stringify(everyOverride));
});

async function manifests(...flags: readonly string[]): Promise<readonly KubeObject[]> {
  const { code, out, err } = await typed(["options", "--manifests", ...flags]);
  expect({ code, err }).toEqual({ code: 0, err: "" });
  return loadAll(out) as KubeObject[];
}

const labels = (objects: readonly KubeObject[]) =>
  objects.map(({ kind, metadata }) => `${kind}/${metadata.name ?? ""}`);
const podSpec = ["spec", "template", "spec"];
const containersOf = (object: KubeObject) => asArray(getPath(object, [...podSpec, "containers"]));
const deploymentsOf = (objects: readonly KubeObject[]) =>
  objects.filter(({ kind }) => kind === "Deployment");

const kustomizations = Object.entries(shippedWebhook()).filter(([file]) =>
  file.endsWith("/kustomization.yaml"),
);

test.each(kustomizations)("%s uses the part of kustomize that is rendered", (_file, text) => {
  const file = load(text) as Record<string, unknown>;
  const known = ["apiVersion", "kind", "resources", "patches", "images"];
  expect(Object.keys(file).filter((key) => !known.includes(key))).toEqual([]);
  expect(asArray(file["patches"]).flatMap((patch) => Object.keys(patch as object))).toEqual(
    asArray(file["patches"]).map(() => "path"),
  );
  const keys = asArray(file["images"]).map((image) => Object.keys(image as object));
  expect(keys).toEqual(keys.map(() => ["name", "newTag"]));
});

test.each([
  ["webhook", []],
  ["webhook-own-cert", ["--own-cert"]],
])("the manifests of %s are all there, the image with its tag", async (name, flags) => {
  const resources = (of: string): readonly string[] => {
    const kustomization = load(shippedWebhook()[`${of}/kustomization.yaml`] ?? "");
    return asArray(getOwn(kustomization, "resources"))
      .map(String)
      .flatMap((path) => (path.startsWith("../") ? resources(path.slice(3)) : [`${of}/${path}`]));
  };
  const objects = await manifests(...flags);
  const wanted = resources(name).map((path) => load(shippedWebhook()[path] ?? "") as KubeObject);
  expect(labels(objects)).toEqual(labels(wanted));
  const images = deploymentsOf(objects)
    .flatMap(containersOf)
    .map((one) => getOwn(one, "image"));
  expect(
    images.filter((image) => !/^registry\.invalid\/engine\/webhook:\d/.test(String(image))),
  ).toEqual([]);
});

test("the overlay's patch is laid over the Deployment of the base", async () => {
  const [base] = deploymentsOf(await manifests());
  const [patched] = deploymentsOf(await manifests("--own-cert"));
  const variables = (object: KubeObject | undefined) =>
    object === undefined
      ? []
      : containersOf(object).flatMap((one) =>
          asArray(getOwn(one, "env")).map((each) => getOwn(each, "name")),
        );
  expect(variables(patched)).toEqual(expect.arrayContaining([...variables(base)]));
  expect(variables(patched).length).toBeGreaterThan(variables(base).length);
});

describe("under other names", () => {
  const { webhook, companion, operator } = renamed;

  test.each([[[]], [["--own-cert"]]])("%j: no object has a neutral name", async (flags) => {
    const objects = await manifests("--names", namesFile, ...flags);
    expect(labels(objects).filter((label) => !label.includes("z"))).toEqual([]);
    const spaces = objects.flatMap(({ metadata }) => metadata.namespace ?? []);
    expect([...new Set(spaces)]).toEqual([companion.namespace]);
    const subjects = objects.flatMap((object) => asArray(object["subjects"]));
    expect(subjects.filter((one) => getOwn(one, "namespace") !== companion.namespace)).toEqual([]);
  });

  test("the pods mount the Secret's items under the names that they look for", async () => {
    const [deployment] = deploymentsOf(await manifests("--names", namesFile));
    const volumes = asArray(getPath(deployment, [...podSpec, "volumes"]));
    const secret = volumes
      .map((volume) => getOwn(volume, "secret"))
      .find((one) => one !== undefined);
    expect(secret).toMatchObject({
      secretName: webhook.secret,
      items: [webhook.secretCert, webhook.secretKey].map((key) => ({ key, path: key })),
    });
    const env =
      deployment && containersOf(deployment).flatMap((one) => asArray(getOwn(one, "env")));
    expect(env).toContainEqual({ name: "ENGINE_NAMESPACE", value: operator.namespace });
  });

  test("every pod reads the same names, from a ConfigMap that the webhook takes", async () => {
    const objects = await manifests("--own-cert", "--names", namesFile);
    const map = objects.find(({ kind }) => kind === "ConfigMap");
    const file = join(folder, "mounted.yaml");
    writeFileSync(file, String(getPath(map, ["data", "names.yaml"])));
    expect(readNames(file)).toEqual({ names: renamed });
    for (const deployment of deploymentsOf(objects)) {
      expect(getPath(deployment, [...podSpec, "volumes"])).toContainEqual({
        name: "names",
        configMap: { name: map?.metadata.name },
      });
      for (const container of containersOf(deployment)) {
        expect(getOwn(container, "env")).toContainEqual({
          name: "ENGINE_NAMES",
          value: "/etc/names/names.yaml",
        });
        expect(getOwn(container, "volumeMounts")).toContainEqual({
          name: "names",
          mountPath: "/etc/names",
          readOnly: true,
        });
      }
    }
  });

  test("the rights of the own certificate are those for the objects that it asks for", async () => {
    const objects = await manifests("--own-cert", "--names", namesFile);
    const allowed = objects
      .filter(({ kind }) => /^(Cluster)?Role$/.test(kind))
      .flatMap((role) => asArray(role["rules"]))
      .flatMap((rule) => asArray(getOwn(rule, "resourceNames")));
    const places = Object.values(placesOf(renamed, companion.namespace));
    expect([...allowed].sort()).toEqual(places.map(({ name }) => name).sort());
  });
});

test("an overlay alone is not asked for", async () => {
  const { code, err } = await typed(["options", "--own-cert"]);
  expect({ code, err }).toMatchObject({
    code: 2,
    err: expect.stringContaining("--own-cert: goes with --manifests") as string,
  });
});
